package engine

import (
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"pfsd/engine/mends"
	"pfsd/tables"
)

// TestMendsAreNeeded: with all mends each canary has MySQL's answer. Without its mend it has another one; where it has MySQL's,
// go-mysql-server does as MySQL does, and the mend can be dropped.
func TestMendsAreNeeded(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	for _, m := range mends.All() {
		c := m.Canary
		if c.Test != "" {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			if got := canaryAnswer(t, r, c, ""); got != c.Answer {
				t.Errorf("%s\n got %s\nwant %s", c.Statements[len(c.Statements)-1], got, c.Answer)
			}
			on := m.SwitchOff()
			defer on()
			if got := canaryAnswer(t, r, c, " /* without */"); got == c.Answer {
				t.Errorf("go-mysql-server answers %s as MySQL does: the mend can be dropped", c.Statements[len(c.Statements)-1])
			}
		})
	}
}

// canaryAnswer carries out the statements of a canary, with mark behind each so that no kept plan answers, in an empty database test,
// and returns the answer to the last one.
func canaryAnswer(t *testing.T, r *running, c mends.Canary, mark string) string {
	t.Helper()
	r.exec(t, "DROP DATABASE IF EXISTS test")
	r.exec(t, "CREATE DATABASE test")
	db, err := sql.Open("mysql", fmt.Sprintf("root@%s(%s)/?multiStatements=true", r.Addr().Network(), r.addr))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	last := len(c.Statements) - 1
	for _, q := range c.Statements[:last] {
		if _, err := conn.ExecContext(t.Context(), q+mark); err != nil {
			return canaryError(err)
		}
	}
	rows, err := conn.QueryContext(t.Context(), c.Statements[last]+mark)
	if err != nil {
		return canaryError(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	if len(columns) == 0 {
		return "OK"
	}
	var answer []string
	if c.Columns {
		answer = append(answer, strings.Join(columns, "|"))
	}
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		to := make([]any, len(columns))
		for i := range to {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, v := range values {
			if !v.Valid {
				v.String = "NULL"
			}
			texts = append(texts, v.String)
		}
		answer = append(answer, strings.Join(texts, "|"))
	}
	if err := rows.Err(); err != nil {
		return canaryError(err)
	}
	if len(answer) == 0 || c.Columns && len(answer) == 1 {
		answer = append(answer, "no rows")
	}
	return strings.Join(answer, " ")
}

// canaryError is the number of a server's error, the text of any other.
func canaryError(err error) string {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return strconv.Itoa(int(e.Number))
	}
	return err.Error()
}
