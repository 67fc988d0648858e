package engine

import (
	"database/sql"
	"strings"
	"testing"

	"pfsd/tables"
)

// A statement about a table or a view is about the database that it names, whichever is the current one.
func TestNamedDatabase(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	for _, dsn := range []string{"/", "/other"} {
		for _, prepared := range []bool{false, true} {
			r.exec(t, "DROP DATABASE IF EXISTS other")
			r.exec(t, "CREATE DATABASE other")
			c := dialGo(prepared)(t, r.addr, "", "root")
			if dsn == "/other" {
				if _, err := c.run("USE other"); err != nil {
					t.Fatal(err)
				}
			} else {
				g := dialNoDatabase(t, r, prepared)
				c.close()
				c = g
			}
			for _, q := range []string{
				"CREATE TABLE test.t (a INT)", "CREATE TRIGGER test.g BEFORE INSERT ON test.t FOR EACH ROW SET @seen = NEW.a", "CREATE VIEW test.v AS SELECT a FROM test.t", "INSERT INTO test.t VALUES (1)", "SELECT * FROM test.v",
				"RENAME TABLE test.t TO test.u", "INSERT INTO test.u VALUES (2)", "ALTER TABLE test.u RENAME TO test.w", "INSERT INTO test.w VALUES (3)", "DROP VIEW test.v",
				"CREATE PROCEDURE test.p() BEGIN RENAME TABLE test.w TO test.x; RENAME TABLE test.x TO test.w; PREPARE s FROM 'RENAME TABLE test.w TO test.t'; EXECUTE s; SELECT * FROM t; END", "CALL test.p()", "DROP PROCEDURE test.p",
			} {
				if _, err := c.run(q); err != nil {
					t.Errorf("%s, prepared %t: %s: %s", dsn, prepared, q, code(err))
				}
			}
			if a, err := c.run("SELECT @seen, DATABASE()"); err != nil || *a.rows[0][0] != "3" || (a.rows[0][1] == nil) != (dsn == "/") {
				t.Errorf("%s, prepared %t: got %v, %v", dsn, prepared, a.rows, err)
			}
			for q, want := range map[string]string{
				"RENAME TABLE test.t TO other.t":                                       "1235 42000 This version of MySQL doesn't yet support 'RENAME TABLE to another database'",
				"ALTER TABLE test.t RENAME TO other.t":                                 "1235 42000 This version of MySQL doesn't yet support 'RENAME TABLE to another database'",
				"CREATE TRIGGER test.G AFTER INSERT ON test.t FOR EACH ROW SET @a = 1": "1359 HY000 Trigger already exists",
			} {
				if _, err := c.run(q); code(err) != want {
					t.Errorf("%s: got %s, want %s", q, code(err), want)
				}
			}
			if a, err := c.run("SHOW TRIGGERS FROM test LIKE 't'"); err != nil || len(a.rows) != 1 {
				t.Errorf("%s, prepared %t: SHOW TRIGGERS: %v, %v", dsn, prepared, a.rows, err)
			}
			r.want(t, "SELECT EVENT_OBJECT_TABLE FROM information_schema.triggers WHERE TRIGGER_SCHEMA = 'test'", "t")
			if _, err := c.run("DROP TABLE test.t"); err != nil {
				t.Error(err)
			}
			c.close()
		}
	}
}

// A user variable is no column, even if it has the name of one.
func TestTriggerSetsVariables(t *testing.T) {
	_, c := calls(t, "", "CREATE TABLE u (a INT, b INT)",
		"CREATE TRIGGER before_it BEFORE INSERT ON u FOR EACH ROW BEGIN DECLARE x INT DEFAULT 2; SET @a = NEW.a, NEW.b = x; SET @b = NEW.b + 1, @`c` = 'c'; IF NEW.a > 1 THEN SET @x = x; END IF; END",
		"CREATE TRIGGER after_it AFTER UPDATE ON u FOR EACH ROW SET @a = CONCAT(OLD.a, '>', NEW.a)")
	for _, test := range []struct{ query, want string }{
		{"INSERT INTO u (a) VALUES (7)", ""}, {"SELECT a, b, @a, @b, @c, @x FROM u", "a|b|@a|@b|@c|@x 7|2|7|3|c|2"}, {"UPDATE u SET a = 8", ""}, {"SELECT a, b, @a FROM u", "a|b|@a 8|2|7>8"},
	} {
		if got := resultsOf(t, func() (*sql.Rows, error) { return c.QueryContext(t.Context(), test.query) }); strings.Join(got, ";") != test.want {
			t.Errorf("%s: got %q, want %q", test.query, got, test.want)
		}
	}
}

// dialNoDatabase connects to no database.
func dialNoDatabase(t *testing.T, r *running, prepared bool) sqlClient {
	t.Helper()
	db, err := openNoDatabase(r)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &goClient{db, conn, prepared}
}

func openNoDatabase(r *running) (*sql.DB, error) { return sql.Open("mysql", "root@tcp("+r.addr+")/") }
