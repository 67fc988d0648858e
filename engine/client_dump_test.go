package engine

import (
	"slices"
	"strings"
	"testing"

	"pfsd/tables"
)

// dumped is what a server with something of everything has, accounts included.
var dumped = []string{
	"CREATE DATABASE d", "USE d",
	"CREATE TABLE t (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20) NOT NULL DEFAULT 'x', amount DECIMAL(10,2), at DATETIME, data BLOB, KEY (name DESC, amount))",
	`INSERT INTO t VALUES (1, 'é''"\\', -1.50, '2026-11-21 23:59:59', x'00ff'), (2, '', NULL, NULL, NULL)`,
	"CREATE TABLE u (id INT NOT NULL, kind ENUM('a','b') DEFAULT 'b', tags SET('x','y'), facts JSON, source BIGINT UNSIGNED, PRIMARY KEY (id), " +
		"CONSTRAINT k FOREIGN KEY (source) REFERENCES t (id) ON DELETE CASCADE) COMMENT='of all kinds'",
	`INSERT INTO u VALUES (1, 'a', 'y', '{"a": [1, null]}', 1), (2, DEFAULT, 'x,y', NULL, NULL)`,
	"CREATE VIEW v AS SELECT t.id, u.kind FROM d.t JOIN d.u ON u.source = t.id", "CREATE VIEW w AS SELECT id FROM v",
	"CREATE FUNCTION f(n INT) RETURNS VARCHAR(20) DETERMINISTIC BEGIN DECLARE s VARCHAR(20); SET s = CONCAT(n, ';'); RETURN s; END",
	"CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET @inserted = f(NEW.id)",
	"CREATE PROCEDURE p(n INT) BEGIN SELECT n; SELECT name FROM d.t WHERE id = n; END",
	"CREATE EVENT e ON SCHEDULE EVERY 1 DAY STARTS '2026-11-21 00:00:00' DISABLE COMMENT 'by night' DO DELETE FROM d.t WHERE id = 0",
	"CREATE USER ann IDENTIFIED BY '" + clientPassword + "' COMMENT 'an owner'", "CREATE USER bob@'10.0.0.%' IDENTIFIED BY 'other' WITH MAX_USER_CONNECTIONS 3 FAILED_LOGIN_ATTEMPTS 3 PASSWORD_LOCK_TIME 2",
	"CREATE ROLE reader, writer", "GRANT SELECT ON d.* TO reader", "GRANT INSERT, UPDATE (name) ON d.t TO writer",
	"GRANT EXECUTE ON PROCEDURE d.p TO writer WITH GRANT OPTION", "GRANT reader, writer TO ann", "GRANT writer TO bob@'10.0.0.%' WITH ADMIN OPTION",
	"SET DEFAULT ROLE reader TO ann", "GRANT PROCESS, BACKUP_ADMIN ON *.* TO ann WITH GRANT OPTION",
	"UPDATE sys.sys_config SET value = '32' WHERE variable = 'statement_truncate_len'",
}

// dumpServer starts a server with a superuser for tools.
func dumpServer(t *testing.T) *running {
	t.Helper()
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE USER tool IDENTIFIED BY '"+clientPassword+"'")
	r.exec(t, "GRANT ALL ON *.* TO tool WITH GRANT OPTION")
	return r
}

// tool runs a tool against the server.
func (r *running) tool(t *testing.T, in, name string, args ...string) string {
	t.Helper()
	return runClient(t, in, name, append([]string{"--no-defaults", "--skip-ssl", "-h127.0.0.1", "-P" + r.port(), "-utool", "-p" + clientPassword}, args...)...)
}

// restored holds a server that a dump was restored to against the one that was dumped.
func (r *running) restored(t *testing.T, to *running) {
	t.Helper()
	to.exec(t, "FLUSH PRIVILEGES")
	for _, q := range []string{
		"SELECT * FROM d.t", "SELECT * FROM d.u", "SELECT * FROM d.w", "SHOW CREATE TABLE d.t", "SHOW CREATE TABLE d.u", "SHOW CREATE VIEW d.v", "SHOW CREATE EVENT d.e",
		"SHOW CREATE PROCEDURE d.p", "SHOW CREATE FUNCTION d.f", "SELECT d.f(3)", "SHOW CREATE USER ann", "SHOW CREATE USER bob@'10.0.0.%'", "SHOW GRANTS FOR ann", "SHOW GRANTS FOR writer", "SHOW GRANTS FOR tool",
		"SHOW GRANTS FOR bob@'10.0.0.%'", "SELECT * FROM mysql.default_roles", "SELECT variable, value, set_by FROM sys.sys_config",
	} {
		if got, want := strings.Join(to.query(t, q), "\n"), strings.Join(r.query(t, q), "\n"); got != want {
			t.Errorf("%s after the dump\n got %s\nwant %s", q, got, want)
		}
	}
	if got := to.query(t, "SHOW TRIGGERS FROM d"); len(got) != 1 || !strings.HasPrefix(got[0], "tr|INSERT|t|") {
		t.Errorf("the triggers are %q", got)
	}
	c, err := to.enter(t, "ann:"+clientPassword)
	if err != nil {
		t.Fatal(err)
	}
	check(t, c, [2]string{"SELECT COUNT(*) FROM d.t", "2"}, [2]string{"SELECT CURRENT_ROLE()", "`reader`@`%`"})
}

// TestDumpOfAll: a dump of all databases, accounts included, makes a fresh server the same.
func TestDumpOfAll(t *testing.T) {
	needClient(t, "mariadb-tools")
	r := dumpServer(t)
	r.session(t).do(dumped...)
	for _, options := range []string{"--flush-privileges", "--single-transaction --hex-blob --complete-insert --skip-extended-insert"} {
		args := append([]string{"--all-databases", "--routines", "--events", "--triggers", "--skip-dump-date"}, strings.Fields(options)...)
		written := r.tool(t, "", "mariadb-dump", args...)
		to := dumpServer(t)
		to.tool(t, written, "mariadb")
		r.restored(t, to)
		if again := to.tool(t, "", "mariadb-dump", args...); again != written {
			t.Errorf("with %q, what is dumped again differs: %s", options, dumpDifference(again, written))
		}
	}
	// As in MySQL, mysql cannot be dropped.
	args := []string{"--all-databases", "--add-drop-database"}
	if written := r.tool(t, "", "mariadb-dump", args...); !strings.Contains(written, "DROP DATABASE IF EXISTS `mysql`") {
		t.Error("the dump does not drop mysql")
	}
	if written := r.tool(t, "", "mariadb-dump", "--all-databases", "--system=all"); !strings.Contains(written, "CREATE USER `ann`@`%`") {
		t.Error("the dump has no accounts")
	}
}

// TestMyDumper: what mydumper writes, myloader reads. Nobody could make the tables of history again.
func TestMyDumper(t *testing.T) {
	needClient(t, "mydumper")
	r, to, dir := dumpServer(t), dumpServer(t), t.TempDir()
	r.session(t).do(dumped...)
	args := func(r *running, more ...string) []string {
		return append([]string{"--host=127.0.0.1", "--port=" + r.port(), "--user=tool", "--password=" + clientPassword, "--threads=2"}, more...)
	}
	runClient(t, "", "mydumper", args(r, `--regex=^(?!history\.)`, "--routines", "--events", "--triggers", "--outputdir="+dir)...)
	runClient(t, "", "myloader", args(to, "--overwrite-tables", "--directory="+dir)...)
	r.restored(t, to)
}

// dumpDifference is the first line of got that differs, and that of want.
func dumpDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "got " + g[i] + "\nwant " + w[i]
		}
	}
	return strings.Join(slices.Concat(g[min(len(g), len(w)):], w[min(len(g), len(w)):]), "\n")
}
