package engine

import (
	"os"
	"path/filepath"
	"testing"

	"pfsd/tables"
)

// TestAccountsLast: accounts are there again after a restart, and what makes the first ones is
// done once.
func TestAccountsLast(t *testing.T) {
	oneAtATime(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "init.sql")
	if err := os.WriteFile(file, []byte("CREATE DATABASE IF NOT EXISTS d;\nCREATE TABLE IF NOT EXISTS d.t (a INT PRIMARY KEY); -- some data\nREPLACE INTO d.t VALUES (7);\n\nCREATE USER IF NOT EXISTS f;\nGRANT SELECT ON d.* TO f;"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{DataDir: filepath.Join(dir, "data"), InitFile: file, InitOnce: []string{"CREATE USER u IDENTIFIED BY 'x'", "GRANT SELECT ON performance_schema.* TO u"}}
	for range 2 {
		r := serve(t, o, tables.All()...)
		u, err := r.enter(t, "u:x")
		if err != nil {
			t.Fatal(err)
		}
		check(t, u, [2]string{"SELECT 1 FROM performance_schema.threads LIMIT 1", "1"})
		f, err := r.enter(t, "f")
		if err != nil {
			t.Fatal(err)
		}
		check(t, f, [2]string{"SELECT a FROM d.t", "7"})
		_ = r.db.Close()
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(o.DataDir, accountsFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := newServer(Options{Addr: "127.0.0.1:0", DataDir: o.DataDir}, nil); err == nil {
		_ = s.Close()
		t.Error("a file of accounts that cannot be read is taken")
	}
	if s, err := newServer(Options{Addr: "127.0.0.1:0", Init: []string{"CREATE USR u"}}, nil); err == nil {
		_ = s.Close()
		t.Error("a statement that cannot be carried out is passed over")
	}
}

// TestSkipGrantTables: everybody may do everything, but change accounts.
func TestSkipGrantTables(t *testing.T) {
	r := serve(t, Options{SkipGrantTables: true}, tables.All()...)
	u, err := r.enter(t, "somebody:whose password does not matter")
	if err != nil {
		t.Fatal(err)
	}
	check(t, u,
		[2]string{"TRUNCATE TABLE performance_schema.accounts", "ok"},
		[2]string{"SELECT CURRENT_USER(), 1", "skip-grants user@skip-grants host"},
		[2]string{"CREATE USER x", "1290 HY000 The MySQL server is running with the --skip-grant-tables option so it cannot execute this statement"},
	)
}
