package mysqldb

import (
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// loader makes accounts from the rows of the tables, starting with user. Owned by one goroutine.
type loader struct {
	accounts map[accounts.ID]*accounts.Account
	order    []*accounts.Account
	warn     func(number int, message string)
}

// account returns the account of a row, nil if it was not loaded.
func (r *loader) account(user, host any) *accounts.Account {
	return r.accounts[accounts.ID{User: text(user), Host: text(host)}]
}

// warnUnsupported warns of a row that cannot be loaded: MySQL's 1235.
func (r *loader) warnUnsupported(format string, args ...any) {
	r.warn(1235, "This version of MySQL doesn't yet support '"+fmt.Sprintf(format, args...)+"'")
}

// text returns a value as text, "" for NULL.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case nil:
		return ""
	}
	return fmt.Sprint(v)
}

// number returns a value as a number, 0 for NULL.
func number(v any) int {
	n, _ := v.(uint32)
	return int(n)
}

// timeOf returns a value as a time, zero for NULL.
func timeOf(v any) time.Time {
	t, _ := v.(time.Time)
	return t
}

// isYes reports whether a value is Y.
func isYes(v any) bool { return text(v) == "Y" }

// privilegesOf returns the privileges in a value of a SET.
func privilegesOf(v any) (privs accounts.Set) {
	for name := range strings.SplitSeq(text(v), ",") {
		if name == "" {
			continue
		}
		if strings.EqualFold(name, setNames[accounts.GrantOption]) {
			privs = privs.With(accounts.SetOf(accounts.GrantOption))
			continue
		}
		if p, ok := accounts.PrivilegeNamed(name); ok {
			privs = privs.With(accounts.SetOf(p))
		}
	}
	return privs
}

// columnIndex returns the position of a column.
func (d definition) columnIndex(name string) int {
	for i, c := range d.columns {
		if c.name == name {
			return i
		}
	}
	panic("mysqldb: " + d.name + " has no column " + name)
}

// value returns the value of a column of a row.
func (d definition) value(row sql.Row, name string) any { return row[d.columnIndex(name)] }
