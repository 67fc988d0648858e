package engine

import (
	"testing"

	"pfsd/tables"
)

// TestFunctionsLast: a stored function, what it calls and what calls it survive a restart of the server.
func TestFunctionsLast(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, Options{DataDir: dir}, tables.All()...)
	for _, q := range []string{
		"CREATE DATABASE d", "CREATE TABLE d.t (n INT)",
		"CREATE FUNCTION d.half(a INT) RETURNS INT RETURN a DIV 2",
		"CREATE FUNCTION d.quarter(a INT) RETURNS INT RETURN half(half(a))",
		"CREATE VIEW d.v AS SELECT d.quarter(n) AS q FROM d.t",
		"CREATE TRIGGER d.tr BEFORE INSERT ON d.t FOR EACH ROW SET NEW.n = half(NEW.n)",
		"CREATE FUNCTION d.gone() RETURNS INT RETURN 1", "DROP FUNCTION d.gone",
	} {
		r.exec(t, q)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	s := serve(t, Options{DataDir: dir}, tables.All()...).session(t)
	s.server.exec(t, "INSERT INTO d.t VALUES (800)")
	if got := s.server.query(t, "SELECT n, d.quarter(n), q FROM d.t, d.v"); len(got) != 1 || got[0] != "400|100|100" {
		t.Errorf("got %q", got)
	}
	if got := s.fails("SELECT d.gone()"); got != "1305 42000 FUNCTION d.gone does not exist" {
		t.Errorf("a function that was dropped: %s", got)
	}
}

// TestFunctionsRunAsTheirDefiner: a function may read what its definer may, unless it has SQL SECURITY INVOKER.
func TestFunctionsRunAsTheirDefiner(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	for _, q := range []string{
		"CREATE DATABASE d", "CREATE TABLE d.t (n INT)", "INSERT INTO d.t VALUES (5)", "CREATE USER reader@localhost",
		"CREATE FUNCTION d.own() RETURNS INT RETURN (SELECT n FROM d.t)",
		"CREATE FUNCTION d.theirs() RETURNS INT SQL SECURITY INVOKER RETURN (SELECT n FROM d.t)",
		"CREATE FUNCTION d.who() RETURNS VARCHAR(100) RETURN CURRENT_USER()",
		"GRANT EXECUTE ON d.* TO reader@localhost",
	} {
		r.exec(t, q)
	}
	r.answers(t, "reader")(
		[2]string{"SELECT CONCAT_WS(' ', d.own(), d.who(), CURRENT_USER())", "5 root@localhost reader@localhost"},
		[2]string{"SELECT d.theirs()", deniedTable("SELECT", "reader", "t")},
	)
}
