package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pfsd/tables"
)

// CLONE LOCAL copies the data of a server that goes on: another one starts with it, and what was one transaction is there in whole.
func TestCloneLocal(t *testing.T) {
	dir, files := t.TempDir(), t.TempDir()
	r := serve(t, Options{DataDir: dir, SecureFilePriv: files}, tables.All()...)
	for _, q := range []string{"CREATE TABLE test.a (id INT PRIMARY KEY, n INT)", "CREATE TABLE test.b (id INT PRIMARY KEY, n INT, KEY (n))",
		"INSERT INTO test.a VALUES (1, 0)", "INSERT INTO test.b VALUES (1, 0)", "CREATE USER keeper IDENTIFIED BY 'secret'", "GRANT BACKUP_ADMIN ON *.* TO keeper"} {
		r.exec(t, q)
	}
	var wg sync.WaitGroup
	stop, going := make(chan struct{}), make(chan struct{})
	db := r.db
	wg.Go(func() {
		for n := 1; ; n++ {
			tx, err := db.Begin()
			for _, q := range []string{"UPDATE test.a SET n = n + 1", "UPDATE test.b SET n = n + 1", fmt.Sprintf("INSERT INTO test.a VALUES (%d, 0)", n+1)} {
				if err == nil {
					_, err = tx.Exec(q)
				}
			}
			if err == nil {
				err = tx.Commit()
			}
			if err != nil {
				t.Error(err)
			}
			if n == 3 {
				close(going)
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	<-going
	to := filepath.Join(files, "it''s a copy")
	r.exec(t, "CLONE LOCAL DATA DIRECTORY = '"+to+"'")
	to = filepath.Join(files, "it's a copy")
	close(stop)
	wg.Wait()
	for _, c := range []struct{ path, want string }{
		{to, "1007 HY000 Can't create database '" + to + "'; database exists"},
		{"copy", "1525 HY000 Incorrect path value: 'copy'"},
		{filepath.Join(files, "..", "elsewhere"), "1290 HY000 The MySQL server is running with the --secure-file-priv option so it cannot execute this statement"},
		{filepath.Join(files, "none", "copy"), "1006 HY000 Can't create database '" + filepath.Join(files, "none", "copy") + "' (no such file or directory)"},
	} {
		_, err := r.db.Exec(`CLONE LOCAL DATA DIRECTORY "` + c.path + `"`)
		if got := code(err); got != c.want {
			t.Errorf("%s: %s, not %s", c.path, got, c.want)
		}
	}
	if _, err := r.db.Exec("CLONE LOCAL DATA 'x'"); code(err)[:4] != "1064" {
		t.Errorf("no directory: %v", err)
	}
	if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	c := serve(t, Options{DataDir: to}, tables.All()...)
	c.want(t, "SELECT (SELECT n FROM test.a WHERE id = 1) = (SELECT n FROM test.b), (SELECT n FROM test.b) >= 3, (SELECT n FROM test.b) + 1 = (SELECT COUNT(*) FROM test.a)", "1|1|1")
	c.want(t, "SELECT User FROM mysql.user WHERE User = 'keeper'", "keeper")
	c.exec(t, "INSERT INTO test.b VALUES (2, 2)")
	memory := serve(t, Options{SecureFilePriv: files}, tables.All()...)
	if _, err := memory.db.Exec("CLONE LOCAL DATA DIRECTORY '" + filepath.Join(files, "m") + "'"); code(err)[:4] != "1290" {
		t.Errorf("of tables in memory: %v", err)
	}
}
