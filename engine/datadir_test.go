package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pfsd/engine/datadir"
	"pfsd/instr"
	"pfsd/tables"
)

// Two servers on one data directory do not start; the one that does not says who has it, and
// harms nothing.
func TestOneServerOnDataDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	r := serve(t, Options{DataDir: dir})
	r.exec(t, "ALTER USER root@localhost IDENTIFIED BY 'secret'")
	log := filepath.Join(t.TempDir(), "log")
	o := Options{Addr: "127.0.0.1:0", DataDir: dir, Registry: instr.NewRegistry(), LogError: log, Init: []string{"CREATE USER x"}}
	_, err := New(o)
	want := fmt.Sprintf("cannot use --datadir %s: process %d uses it, which holds the lock of %s", dir, os.Getpid(), filepath.Join(dir, "pfsd.lock"))
	if err == nil || err.Error() != want {
		t.Errorf("a second server: %v, want %s", err, want)
	}
	if text, _ := os.ReadFile(log); !strings.Contains(string(text), want) {
		t.Errorf("the log has %q", text)
	}
	_ = r.db.Close()
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	second := serve(t, Options{DataDir: dir})
	if err := second.db.Ping(); err == nil {
		t.Error("root signs in without the password that was set")
	}
}

// Empty and foreign files of a data directory stop the start, by name, and stay as they are.
func TestForeignFiles(t *testing.T) {
	for _, name := range []string{accountsFile, persistedFile, uuidFile} {
		for _, text := range []string{"", "\x00\x00\x00", "not of ours", "[1, 2", "{}}"} {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := New(Options{Addr: "127.0.0.1:0", DataDir: dir, Registry: instr.NewRegistry(), LogError: filepath.Join(dir, "log"), Init: []string{"CREATE USER x"}})
			if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s with %q: %v", name, text, err)
			}
			if now, err := os.ReadFile(path); string(now) != text || err != nil {
				t.Errorf("%s with %q is %q now, %v", name, text, now, err)
			}
		}
	}
}

// What a client has been told is kept stays, and what could not be kept is MySQL's error, at
// whatever step the writing fails.
func TestAcknowledgedStays(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	r := serve(t, Options{DataDir: dir})
	var failing datadir.Step = datadir.Steps
	r.dir.Fault = func(step datadir.Step, path string) error {
		if step == failing {
			return syscall.ENOSPC
		}
		return nil
	}
	users, setting := map[string]bool{}, 0
	for i, step := 0, datadir.Step(0); step < datadir.Steps; step++ {
		for _, fails := range []bool{false, true, false} {
			i++
			failing = datadir.Steps
			if fails {
				failing = step
			}
			name := fmt.Sprintf("u%d", i)
			switch _, err := r.db.Exec("CREATE USER " + name); {
			case err == nil:
				users[name] = true
			case step != datadir.StepSyncDir:
				users[name] = false
			}
			_, err := r.db.Exec("SELECT 1")
			if err != nil {
				t.Fatal(err)
			}
			_, err = r.db.Exec(fmt.Sprintf("SET PERSIST max_connections = %d", 100+i))
			want := "<nil>"
			if fails {
				want = "1026 HY000 Error writing file '" + filepath.Join(dir, persistedFile) + "' (errno: 28 - no space left on device)"
			} else {
				setting = 100 + i
			}
			if got := code(err); got != want && !(err == nil && !fails) {
				t.Errorf("%v: %s, want %s", step, got, want)
			}
			if !fails {
				continue
			}
			if _, err := r.db.Exec("CREATE USER failing_" + name); !strings.HasPrefix(code(err), "1030 HY000 Got error") {
				t.Errorf("%v: %s", step, code(err))
			}
			r.want(t, "SELECT COUNT(*) FROM mysql.user WHERE User LIKE 'failing%'", "0")
		}
	}
	failing = datadir.Steps
	_ = r.db.Close()
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	again := serve(t, Options{DataDir: dir}, tables.All()...)
	for name, there := range users {
		want := "0"
		if there {
			want = "1"
		}
		again.want(t, "SELECT COUNT(*) FROM mysql.user WHERE User = '"+name+"'", want)
	}
	again.want(t, "SELECT @@global.max_connections", fmt.Sprint(setting))
	for name, perm := range map[string]os.FileMode{accountsFile: 0o600, persistedFile: 0o640, uuidFile: 0o640, "server-key.pem": 0o600, "ca-key.pem": 0o600, "client-key.pem": 0o600, "pfsd.lock": 0o640, "": 0o750} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm()&^perm != 0 {
			t.Errorf("%q has mode %v, %v", name, info.Mode(), err)
		}
	}
	again.exec(t, "SET PERSIST max_connections = 99")
	again.want(t, "SELECT COUNT(*) > 0, SUM(COUNT_MISC > 0) FROM performance_schema.file_summary_by_event_name WHERE EVENT_NAME IN "+
		"('wait/io/file/sql/accounts', 'wait/io/file/sql/datadir', 'wait/io/file/persist/cnf', 'wait/io/file/sql/auto_config')", "1|4")
}
