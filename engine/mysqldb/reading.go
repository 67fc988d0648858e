package mysqldb

import (
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// reading makes accounts of rows of the tables: those of user first. Owned by one goroutine.
type reading struct {
	accounts map[accounts.ID]*accounts.Account
	order    []*accounts.Account
	warn     func(number int, message string)
}

// account is the account of a row, nil if it was not taken over.
func (r *reading) account(user, host any) *accounts.Account {
	return r.accounts[accounts.ID{User: text(user), Host: text(host)}]
}

// leave warns of what cannot be taken over: MySQL's 1235.
func (r *reading) leave(format string, args ...any) {
	r.warn(1235, "This version of MySQL doesn't yet support '"+fmt.Sprintf(format, args...)+"'")
}

// text is a value as text, "" for NULL.
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

// number is a value as a number, 0 for NULL.
func number(v any) int {
	n, _ := v.(uint32)
	return int(n)
}

// moment is a value as a moment.
func moment(v any) time.Time {
	t, _ := v.(time.Time)
	return t
}

// yes tells whether a value is Y.
func yes(v any) bool { return text(v) == "Y" }

// setOf are the privileges of a value of a SET.
func setOf(v any) (privs accounts.Set) {
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

// place is the position of a column in the rows of its table.
func (d definition) place(name string) int {
	for i, c := range d.columns {
		if c.name == name {
			return i
		}
	}
	panic("mysqldb: " + d.name + " has no column " + name)
}

// of is the value of a row's column.
func (d definition) of(row sql.Row, name string) any { return row[d.place(name)] }
