package engine

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pfsd/instr"
)

// A program that serves itself says who may come in; else the server does not start, and where it
// says so, nobody else comes in.
func TestEmbeddingSaysWho(t *testing.T) {
	for _, o := range []Options{{}, {DataDir: filepath.Join(t.TempDir(), "data")}} {
		o.Addr, o.Registry, o.LogError = "127.0.0.1:0", instr.NewRegistry(), t.TempDir()+"/log"
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), "Init") || !strings.Contains(err.Error(), "SkipGrantTables") {
			t.Errorf("a server that says nothing: %v", err)
		}
	}
	dir := filepath.Join(t.TempDir(), "data")
	for range 2 {
		s, err := New(Options{
			Addr: "127.0.0.1:0", DataDir: dir, Registry: instr.NewRegistry(), LogError: t.TempDir() + "/log",
			Init: []string{"CREATE USER IF NOT EXISTS dba IDENTIFIED BY 'x'"},
		})
		if err != nil {
			t.Fatal(err)
		}
		r := serving(t, s)
		for dsn, want := range map[string]string{
			"root":  "1045 28000 Access denied for user 'root'@'localhost' (using password: NO)",
			":@":    "1045 28000 Access denied for user ''@'localhost' (using password: NO)",
			"dba":   "1045 28000 Access denied for user 'dba'@'localhost' (using password: NO)",
			"dba:x": "<nil>",
		} {
			db, err := sql.Open("mysql", strings.TrimSuffix(dsn, "@")+"@tcp("+r.addr+")/")
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Ping(); code(err) != want {
				t.Errorf("%s: %s", dsn, code(err))
			}
			_ = db.Close()
		}
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
	}
	// The accounts are there from before.
	s, err := New(Options{Addr: "127.0.0.1:0", DataDir: dir, Registry: instr.NewRegistry(), LogError: t.TempDir() + "/log"})
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
}

// What other machines reach needs a password, unless the options allow it by name.
func TestOpenEndpoint(t *testing.T) {
	dir := t.TempDir()
	const refused = "without a password"
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"loopback", Options{Addr: "127.0.0.1:0", SkipGrantTables: true}, ""},
		{"loopback, root", Options{Addr: "127.0.0.1:0", InitializeInsecure: true}, ""},
		{"loopback, open account", Options{Addr: "127.0.0.1:0", Init: []string{"CREATE USER x"}}, ""},
		{"socket", Options{Addr: "-", Socket: dir + "/s", SkipGrantTables: true}, ""},
		{"all, everybody", Options{Addr: "0.0.0.0:0", SkipGrantTables: true}, refused},
		{"all, everybody, allowed", Options{Addr: "0.0.0.0:0", SkipGrantTables: true, AllowEmptyPassword: true}, ""},
		{"all, local root", Options{Addr: "0.0.0.0:0", InitializeInsecure: true}, ""},
		{"all, password", Options{Addr: ":0", Init: []string{"CREATE USER x IDENTIFIED BY 'x'"}}, ""},
		{"all, open account", Options{Addr: ":0", Init: []string{"CREATE USER x"}}, refused + ", by 'x'@'%'"},
		{"all, open account of a network", Options{Addr: ":0", Init: []string{"CREATE USER x@'10.0.0.0/8'"}}, refused},
		{"all, open account, allowed", Options{Addr: ":0", Init: []string{"CREATE USER x"}, AllowEmptyPassword: true}, ""},
		{"all, locked account", Options{Addr: ":0", Init: []string{"CREATE USER x ACCOUNT LOCK"}}, ""},
		{"all, role", Options{Addr: ":0", Init: []string{"CREATE ROLE x"}}, ""},
		{"all, local account", Options{Addr: ":0", Init: []string{"CREATE USER x@'127.0.0.1', y@'::1', z@LOCALHOST"}}, ""},
	} {
		c.o.Registry, c.o.LogError = instr.NewRegistry(), filepath.Join(t.TempDir(), "log")
		s, err := New(c.o)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if err == nil {
			_ = s.Close()
			continue
		}
		if log, _ := os.ReadFile(c.o.LogError); !strings.Contains(string(log), c.want) {
			t.Errorf("%s: the log has %q", c.name, log)
		}
	}
}

// The unix socket is for everybody only where everybody needs a password, and no other file is.
func TestSocketMode(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want os.FileMode
	}{
		{Options{InitializeInsecure: true}, 0o600},
		{Options{SkipGrantTables: true}, 0o600},
		{Options{Init: []string{"CREATE USER x"}}, 0o600},
		{Options{Init: []string{"CREATE USER x IDENTIFIED BY 'x'"}}, 0o777},
	} {
		dir := t.TempDir()
		c.o.Addr, c.o.Registry, c.o.Socket, c.o.LogError, c.o.PidFile = "-", instr.NewRegistry(), dir+"/s", dir+"/log", dir+"/pid"
		s, err := New(c.o)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]os.FileMode{"s": c.want, "log": 0o640, "pid": 0o640} {
			if info, err := os.Stat(dir + "/" + name); err != nil || info.Mode().Perm()&^want != 0 || name == "s" && info.Mode().Perm() != want {
				t.Errorf("%+v: %s has mode %v, %v, want %v", c.o.Init, name, info.Mode(), err, want)
			}
		}
		_ = s.Close()
	}
}
