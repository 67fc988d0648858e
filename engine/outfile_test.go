package engine

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Files of clients are in secure_file_priv, and nowhere else, whatever way reads and writes them.
func TestClientFilesStayInside(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, outside := filepath.Join(top, "files"), filepath.Join(top, "outside")
	for _, err := range []error{
		os.Mkdir(dir, 0o755), os.Mkdir(outside, 0o755), os.Mkdir(dir+"/sub", 0o755),
		os.WriteFile(outside+"/secret", []byte("1\tsecret\n"), 0o644), os.WriteFile(dir+"/f", []byte("1\topen\n2\tx\n"), 0o644),
		os.Symlink("../outside/secret", dir+"/link"), os.Symlink("../outside", dir+"/dir"), os.Symlink("f", dir+"/inside"),
		os.Symlink("../outside/new", dir+"/dangling"), syscall.Mkfifo(dir+"/pipe", 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r := serve(t, Options{SecureFilePriv: dir})
	r.exec(t, "CREATE TABLE test.t (a INT PRIMARY KEY, b TEXT)")
	const prevented = "1290 HY000 The MySQL server is running with the --secure-file-priv option so it cannot execute this statement"
	for name, want := range map[string][3]string{ // LOAD_FILE, LOAD DATA, INTO OUTFILE
		dir + "/f":                   {"1\topen\n2\tx\n", "ok", "1086 HY000 File '" + dir + "/f' already exists"},
		dir + "/inside":              {"1\topen\n2\tx\n", "ok", "1086 HY000 File '" + dir + "/inside' already exists"},
		dir + "/link":                {"NULL", prevented, "1086 HY000 File '" + dir + "/link' already exists"},
		dir + "/dir/secret":          {"NULL", prevented, prevented},
		dir + "/dir/new":             {"NULL", prevented, prevented},
		dir + "/../outside/secret":   {"NULL", prevented, prevented},
		dir + "/sub/../../outside/x": {"NULL", prevented, prevented},
		"/etc/passwd":                {"NULL", prevented, prevented},
		"f":                          {"NULL", prevented, prevented},
		dir + "/dangling":            {"NULL", prevented, "1086 HY000 File '" + dir + "/dangling' already exists"},
		dir + "/pipe":                {"NULL", "1085 HY000 The file '" + dir + "/pipe' must be in the database directory or be readable by all", "1086 HY000 File '" + dir + "/pipe' already exists"},
		dir + "/sub":                 {"NULL", "1085 HY000 The file '" + dir + "/sub' must be in the database directory or be readable by all", "1086 HY000 File '" + dir + "/sub' already exists"},
		dir + "/missing/x":           {"NULL", "13 HY000 Can't get stat of '" + dir + "/missing/x' (OS errno 2 - No such file or directory)", "1 HY000 Can't create/write to file '" + dir + "/missing/x' (OS errno 2 - No such file or directory)"},
	} {
		if got := r.query(t, "SELECT LOAD_FILE('"+name+"')"); len(got) != 1 || got[0] != want[0] {
			t.Errorf("LOAD_FILE('%s') is %q", name, got)
		}
		r.exec(t, "DELETE FROM test.t")
		got := "ok"
		if _, err := r.db.Exec("LOAD DATA INFILE '" + name + "' INTO TABLE test.t"); err != nil {
			got = code(err)
		} else {
			r.want(t, "SELECT * FROM test.t", "1|open", "2|x")
		}
		if got != want[1] {
			t.Errorf("LOAD DATA INFILE '%s'\n got %s\nwant %s", name, got, want[1])
		}
		for _, into := range []string{"OUTFILE", "DUMPFILE"} {
			got := "ok"
			if _, err := r.db.Exec("SELECT 1, 'x' INTO " + into + " '" + name + "'"); err != nil {
				got = code(err)
			}
			if got != want[2] {
				t.Errorf("INTO %s '%s'\n got %s\nwant %s", into, name, got, want[2])
			}
		}
	}
	if entries, err := os.ReadDir(outside); len(entries) != 1 || err != nil {
		t.Errorf("outside there are %v, %v", entries, err)
	}
}

// What INTO OUTFILE has written, LOAD DATA reads, and nobody else may read the file.
func TestIntoOutfile(t *testing.T) {
	oneAtATime(t)
	dir := t.TempDir()
	r := serve(t, Options{SecureFilePriv: dir})
	r.exec(t, "CREATE TABLE test.t (a INT PRIMARY KEY, b LONGTEXT, c DATETIME(3), d DECIMAL(10,2), e VARBINARY(10), f ENUM('x','y'), g DOUBLE)")
	r.exec(t, `INSERT INTO test.t VALUES (1, 'a\tb\nc\\d"e', '2024-02-29 23:59:58.125', 1.50, x'0061ff', 'y', 0.1), (2, NULL, NULL, NULL, NULL, NULL, NULL)`)
	for i, format := range []string{"", `FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' LINES TERMINATED BY '\r\n'`} {
		path := filepath.Join(dir, string(rune('a'+i)))
		r.exec(t, "SELECT * FROM test.t ORDER BY a INTO OUTFILE '"+path+"' "+format)
		text, err := os.ReadFile(path)
		if want := []string{
			"1\ta\\\tb\\\nc\\\\d\"e\t2024-02-29 23:59:58.125\t1.50\t\\0a\xff\ty\t0.1\n2\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\n",
			"1,\"a\tb\nc\\\\d\\\"e\",\"2024-02-29 23:59:58.125\",1.50,\"\\0a\xff\",\"y\",0.1\r\n2,\\N,\\N,\\N,\\N,\\N,\\N\r\n",
		}[i]; string(text) != want || err != nil {
			t.Errorf("%s\n got %q, %v\nwant %q", format, text, err, want)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o027 != 0 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
	r.exec(t, "SELECT e FROM test.t WHERE a = 1 INTO DUMPFILE '"+dir+"/dump'")
	if text, err := os.ReadFile(dir + "/dump"); string(text) != "\x00a\xff" || err != nil {
		t.Errorf("the dump is %q, %v", text, err)
	}
	for query, want := range map[string]string{
		"SELECT a FROM test.t INTO DUMPFILE '" + dir + "/dump2'":                      "1172 42000 Result consisted of more than one row",
		"SELECT (SELECT x.a FROM test.t x) FROM test.t INTO OUTFILE '" + dir + "/o2'": "1242 21000 Subquery returns more than 1 row",
	} {
		if _, err := r.db.Exec(query); code(err) != want {
			t.Errorf("%s: %s", query, code(err))
		}
	}
	if entries, err := os.ReadDir(dir); len(entries) != 3 || err != nil {
		t.Errorf("there are %v, %v", entries, err)
	}
	if err := os.WriteFile(dir+"/long", []byte("1\t"+strings.Repeat("x", 3<<20)), 0o644); err != nil {
		t.Fatal(err)
	}
	r.exec(t, "SET GLOBAL max_allowed_packet = 1048576")
	if _, err := r.db.Exec("LOAD DATA INFILE '" + dir + "/long' REPLACE INTO TABLE test.t (a, b)"); err == nil || !strings.HasPrefix(code(err), "1153 ") {
		t.Errorf("a long line: %v", err)
	}
}
