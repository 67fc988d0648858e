package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"pfsd/tables"
)

// enter opens a connection as USER[:PASSWORD].
func (r *running) enter(t *testing.T, user string) (*sql.Conn, error) {
	t.Helper()
	return enterAt(t, user, r.Addr().Network(), r.addr)
}

// enterAt is enter at an address.
func enterAt(t *testing.T, user, network, addr string) (*sql.Conn, error) {
	t.Helper()
	db, err := sql.Open("mysql", user+"@"+network+"("+addr+")/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	c, err := db.Conn(t.Context())
	if err == nil {
		t.Cleanup(func() { _ = c.Close() })
	}
	return c, err
}

// check holds answers to statements against what is wanted: ok, an error, or the rows.
func check(t *testing.T, c *sql.Conn, questions ...[2]string) {
	t.Helper()
	for _, q := range questions {
		if got := answered(t.Context(), c, q[0]); got != q[1] {
			t.Errorf("%s\n got %s\nwant %s", q[0], got, q[1])
		}
	}
}

// answered is ok, the error that a statement fails with, or the only column of its rows.
func answered(ctx context.Context, c *sql.Conn, statement string) string {
	rows, err := c.QueryContext(ctx, statement)
	if err != nil {
		return code(err)
	}
	defer func() { _ = rows.Close() }()
	out := "ok"
	columns, _ := rows.Columns()
	for rows.Next() {
		var s sql.NullString
		dest := make([]any, len(columns))
		for i := range dest {
			dest[i] = new(any)
		}
		dest[0] = &s
		if err := rows.Scan(dest...); err != nil {
			return err.Error()
		}
		if out == "ok" {
			out = ""
		} else {
			out += "\n"
		}
		out += s.String
	}
	if rows.Err() != nil {
		return code(rows.Err())
	}
	return out
}

// TestLogin: who gets in, and with what.
func TestLogin(t *testing.T) {
	r := serve(t, Options{Init: []string{
		"CREATE USER app@localhost IDENTIFIED BY 'secret', nobody@'192.0.2.%'; CREATE USER locked ACCOUNT LOCK;",
	}}, tables.All()...)
	for _, l := range [][2]string{
		{"root", "<nil>"}, {"app:secret", "<nil>"}, {"app:secret", "<nil>"},
		{"app:wrong", "1045 28000 Access denied for user 'app'@'localhost' (using password: YES)"},
		{"app", "1045 28000 Access denied for user 'app'@'localhost' (using password: NO)"},
		{"root:secret", "1045 28000 Access denied for user 'root'@'localhost' (using password: YES)"},
		{"nobody", "1045 28000 Access denied for user 'nobody'@'localhost' (using password: NO)"},
		{"unknown:x", "1045 28000 Access denied for user 'unknown'@'localhost' (using password: YES)"},
		{"locked", "3118 HY000 Access denied for user 'locked'@'localhost'. Account is locked."},
	} {
		if _, err := r.enter(t, l[0]); code(err) != l[1] {
			t.Errorf("%s\n got %s\nwant %s", l[0], code(err), l[1])
		}
	}
}

// TestGrants: what an account may do follows what it has been granted.
func TestGrants(t *testing.T) {
	r := serve(t, Options{Init: []string{
		"CREATE USER u@localhost", "GRANT SELECT ON performance_schema.setup_actors TO u@localhost",
	}}, tables.All()...)
	root, err := r.enter(t, "root")
	if err != nil {
		t.Fatal(err)
	}
	u, err := r.enter(t, "u")
	if err != nil {
		t.Fatal(err)
	}
	denied := "1142 42000 SELECT command denied to user 'u'@'localhost' for table 'threads'"
	check(t, u,
		[2]string{"SELECT COUNT(*) FROM performance_schema.setup_actors", "1"},
		[2]string{"SELECT COUNT(*) FROM performance_schema.threads", denied},
		[2]string{"SELECT 1 FROM performance_schema.processlist WHERE FALSE", "ok"},
		[2]string{"DELETE FROM performance_schema.setup_actors", "1142 42000 DELETE command denied to user 'u'@'localhost' for table 'setup_actors'"},
		[2]string{"SHOW GRANTS", "GRANT USAGE ON *.* TO `u`@`localhost`\nGRANT SELECT ON `performance_schema`.`setup_actors` TO `u`@`localhost`"},
	)
	check(t, root, [2]string{"GRANT SELECT ON performance_schema.* TO u@localhost", "ok"})
	check(t, u, [2]string{"SELECT 1 FROM performance_schema.threads LIMIT 1", "1"})
	check(t, root, [2]string{"REVOKE SELECT ON performance_schema.* FROM u@localhost", "ok"})
	check(t, u, [2]string{"SELECT 1 FROM performance_schema.threads LIMIT 1", denied})
	check(t, root, [2]string{"DROP USER u@localhost", "ok"})
	check(t, u, [2]string{"SELECT 1 FROM performance_schema.threads LIMIT 1", denied})
}

// TestColumnGrants: a column that has not been granted may not be named.
func TestColumnGrants(t *testing.T) {
	r := serve(t, Options{Init: []string{
		"CREATE USER u@localhost",
		"GRANT SELECT (HOST, USER), UPDATE (ENABLED) ON performance_schema.setup_actors TO u@localhost",
		"GRANT SELECT (NAME) ON performance_schema.setup_consumers TO u@localhost",
	}}, tables.All()...)
	r.exec(t, "CREATE TABLE test.t (a INT PRIMARY KEY, b INT, c INT)")
	r.exec(t, "CREATE TABLE test.s (a INT PRIMARY KEY, b INT)")
	r.exec(t, "CREATE VIEW test.v AS SELECT a, b, c FROM test.t")
	r.exec(t, "GRANT SELECT (a, b), INSERT (a), UPDATE (c) ON test.t TO u@localhost")
	r.exec(t, "GRANT SELECT ON test.s TO u@localhost")
	r.exec(t, "GRANT DELETE ON test.s TO u@localhost")
	r.exec(t, "GRANT SELECT ON test.v TO u@localhost")
	u, err := r.enter(t, "u")
	if err != nil {
		t.Fatal(err)
	}
	column := func(command, column, table string) string {
		return "1143 42000 " + command + " command denied to user 'u'@'localhost' for column '" + column + "' in table '" + table + "'"
	}
	table := func(command, table string) string {
		return "1142 42000 " + command + " command denied to user 'u'@'localhost' for table '" + table + "'"
	}
	check(t, u,
		[2]string{"SELECT host FROM performance_schema.setup_actors", "%"},
		[2]string{"SELECT COUNT(*) FROM performance_schema.setup_actors", "1"},
		[2]string{"SELECT enabled FROM performance_schema.setup_actors", column("SELECT", "enabled", "setup_actors")},
		[2]string{"SELECT HOST FROM performance_schema.setup_actors WHERE ROLE = '%'", column("SELECT", "ROLE", "setup_actors")},
		[2]string{"SELECT HOST FROM performance_schema.setup_actors ORDER BY ROLE", column("SELECT", "ROLE", "setup_actors")},
		[2]string{"SELECT HOST FROM performance_schema.setup_actors GROUP BY HOST HAVING MAX(ROLE) = '%'", column("SELECT", "ROLE", "setup_actors")},
		[2]string{"SELECT * FROM performance_schema.setup_actors", table("SELECT", "setup_actors")},
		[2]string{"SELECT x.ROLE FROM performance_schema.setup_actors AS x", column("SELECT", "ROLE", "setup_actors")},
		[2]string{"SELECT r FROM (SELECT ROLE AS r FROM performance_schema.setup_actors) AS d", column("SELECT", "ROLE", "setup_actors")},
		[2]string{"WITH d AS (SELECT ROLE AS r FROM performance_schema.setup_actors) SELECT r FROM d", column("SELECT", "ROLE", "setup_actors")},
		[2]string{"SELECT (SELECT MAX(ROLE) FROM performance_schema.setup_actors)", column("SELECT", "ROLE", "setup_actors")},
		[2]string{"SELECT 1 WHERE EXISTS (SELECT 1 FROM performance_schema.setup_actors WHERE ROLE = '%')", column("SELECT", "ROLE", "setup_actors")},
		[2]string{"SELECT 1 FROM performance_schema.setup_actors UNION SELECT ROLE FROM performance_schema.setup_actors", column("SELECT", "ROLE", "setup_actors")},
		[2]string{"SELECT 1 FROM performance_schema.setup_actors x JOIN performance_schema.setup_actors y USING (ROLE)", column("SELECT", "ROLE", "setup_actors")},
		[2]string{"SELECT COUNT(*) FROM performance_schema.setup_actors x JOIN performance_schema.setup_actors y USING (HOST)", "1"},
		[2]string{"SELECT COUNT(*) FROM performance_schema.setup_actors NATURAL JOIN performance_schema.setup_consumers", column("SELECT", "ENABLED", "setup_actors")},
		[2]string{"UPDATE performance_schema.setup_actors SET ENABLED = 'YES'", "ok"},
		[2]string{"UPDATE performance_schema.setup_actors SET ENABLED = 'YES' WHERE USER = '%'", "ok"},
		[2]string{"UPDATE performance_schema.setup_actors SET HISTORY = 'YES'", column("UPDATE", "HISTORY", "setup_actors")},
		[2]string{"UPDATE performance_schema.setup_actors SET ENABLED = 'YES' WHERE ROLE = '%'", column("SELECT", "ROLE", "setup_actors")},
		[2]string{"UPDATE performance_schema.setup_consumers SET ENABLED = 'YES'", table("UPDATE", "setup_consumers")},
		[2]string{"EXPLAIN SELECT ROLE FROM performance_schema.setup_actors", column("SELECT", "ROLE", "setup_actors")},
		[2]string{"INSERT INTO test.t (a) VALUES (1)", "ok"},
		[2]string{"INSERT INTO test.t (b) VALUES (1)", column("INSERT", "b", "t")},
		[2]string{"INSERT INTO test.t VALUES (1, 2, 3)", table("INSERT", "t")},
		[2]string{"INSERT INTO test.t (a) SELECT c FROM test.t", column("SELECT", "c", "t")},
		[2]string{"INSERT INTO test.t (a) VALUES (1) ON DUPLICATE KEY UPDATE b = 1", column("UPDATE", "b", "t")},
		[2]string{"INSERT INTO test.t (a) VALUES (2) ON DUPLICATE KEY UPDATE c = 1", "ok"},
		[2]string{"UPDATE test.t JOIN test.s ON t.a = s.a SET t.c = s.b", "ok"},
		[2]string{"UPDATE test.t JOIN test.s ON t.a = s.a SET s.b = 1", table("UPDATE", "s")},
		[2]string{"DELETE FROM test.s WHERE a = 1", "ok"},
		[2]string{"DELETE FROM test.t WHERE a = 1", table("DELETE", "t")},
		[2]string{"DELETE s FROM test.t JOIN test.s ON t.a = s.a", "ok"},
		[2]string{"DELETE t FROM test.t JOIN test.s ON t.a = s.a", table("DELETE", "t")},
		[2]string{"USE test", "ok"},
		[2]string{"SELECT c FROM v WHERE a = 2", ""},
		[2]string{"SELECT v.c FROM v JOIN t ON v.a = t.a WHERE t.c = 1", column("SELECT", "c", "t")},
	)
	for _, q := range []string{"SELECT ROLE FROM performance_schema.setup_actors", "SELECT HOST FROM performance_schema.setup_actors WHERE ROLE = ?"} {
		if _, err := u.PrepareContext(t.Context(), q); code(err) != column("SELECT", "ROLE", "setup_actors") {
			t.Errorf("preparing %s: %s", q, code(err))
		}
	}
}

// TestUnprivileged: what an account without privileges may do, and what it is told.
func TestUnprivileged(t *testing.T) {
	r := serve(t, Options{Init: []string{"CREATE USER u@localhost", "CREATE USER w@localhost", "GRANT SELECT ON test.t TO w@localhost"}}, tables.All()...)
	r.exec(t, "CREATE TABLE test.t (a INT PRIMARY KEY)")
	r.exec(t, "CREATE TABLE test.hidden (a INT)")
	r.exec(t, "CREATE DATABASE other")
	r.exec(t, "CREATE VIEW test.v AS SELECT a FROM test.t")
	r.exec(t, "CREATE PROCEDURE test.p() SELECT 1")
	needs := func(what string) string {
		return "1227 42000 Access denied; you need (at least one of) the " + what + " privilege(s) for this operation"
	}
	table := func(command, table string) string {
		return "1142 42000 " + command + " command denied to user 'u'@'localhost' for table '" + table + "'"
	}
	schema := func(name string) string {
		return "1044 42000 Access denied for user 'u'@'localhost' to database '" + name + "'"
	}
	file := "1045 28000 Access denied for user 'u'@'localhost' (using password: NO)"
	u, err := r.enter(t, "u")
	if err != nil {
		t.Fatal(err)
	}
	check(t, u,
		[2]string{"SET GLOBAL max_connections = 10", needs("SUPER or SYSTEM_VARIABLES_ADMIN")},
		[2]string{"SET @@global.max_connections = 10", needs("SUPER or SYSTEM_VARIABLES_ADMIN")},
		[2]string{"SET sql_log_bin = 0", needs("SUPER, SYSTEM_VARIABLES_ADMIN or SESSION_VARIABLES_ADMIN")},
		[2]string{"SET sql_mode = ''", "ok"},
		[2]string{"SELECT LOAD_FILE('/etc/passwd')", ""},
		[2]string{"SELECT 1 INTO OUTFILE '/tmp/grants-outfile'", file},
		[2]string{"SELECT 1 INTO DUMPFILE '/tmp/grants-dumpfile'", file},
		[2]string{"LOAD DATA INFILE '/etc/passwd' INTO TABLE test.t", file},
		[2]string{"SHOW GRANTS", "GRANT USAGE ON *.* TO `u`@`localhost`"},
		[2]string{"SHOW GRANTS FOR u@localhost", "GRANT USAGE ON *.* TO `u`@`localhost`"},
		[2]string{"SHOW GRANTS FOR root@localhost", schema("mysql")},
		[2]string{"SHOW DATABASES", "information_schema\nperformance_schema"},
		[2]string{"SELECT SCHEMA_NAME FROM information_schema.SCHEMATA ORDER BY 1", "information_schema\nperformance_schema"},
		[2]string{"SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'test'", "0"},
		[2]string{"SELECT COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'test'", "0"},
		[2]string{"USE test", schema("test")},
		[2]string{"USE no_such_database", schema("no_such_database")},
		[2]string{"SHOW TABLES FROM test", schema("test")},
		[2]string{"SHOW COLUMNS FROM test.t", table("SELECT", "t")},
		[2]string{"SHOW INDEX FROM test.t", table("SELECT", "t")},
		[2]string{"SHOW CREATE TABLE test.t", table("SHOW", "t")},
		[2]string{"SELECT * FROM test.t", table("SELECT", "t")},
		[2]string{"SELECT * FROM test.no_such_table", table("SELECT", "no_such_table")},
		[2]string{"INSERT INTO test.t VALUES (1)", table("INSERT", "t")},
		[2]string{"CREATE DATABASE d", schema("d")},
		[2]string{"DROP DATABASE other", schema("other")},
		[2]string{"CREATE TABLE test.x (a INT)", table("CREATE", "x")},
		[2]string{"DROP TABLE test.t", table("DROP", "t")},
		[2]string{"TRUNCATE TABLE test.t", table("DROP", "t")},
		[2]string{"ALTER TABLE test.t ADD COLUMN b INT", table("ALTER", "t")},
		[2]string{"CREATE INDEX i ON test.t (a)", table("INDEX", "t")},
		[2]string{"DROP VIEW test.v", table("DROP", "v")},
		[2]string{"CREATE TRIGGER test.x BEFORE INSERT ON test.t FOR EACH ROW SET @a = 1", table("TRIGGER", "t")},
		[2]string{"CREATE PROCEDURE test.x() SELECT 1", schema("test")},
		[2]string{"CREATE EVENT test.x ON SCHEDULE EVERY 1 DAY DO SELECT 1", schema("test")},
		[2]string{"CALL test.p()", "1370 42000 execute command denied to user 'u'@'localhost' for routine 'test.p'"},
		[2]string{"DROP PROCEDURE test.p", "1370 42000 alter routine command denied to user 'u'@'localhost' for routine 'test.p'"},
		[2]string{"RENAME TABLE test.t TO test.x", table("DROP, ALTER", "t")},
		[2]string{"LOCK TABLES test.t READ", schema("test")},
		[2]string{"CREATE USER x", needs("CREATE USER")},
		[2]string{"DROP USER w@localhost", needs("CREATE USER")},
		[2]string{"RENAME USER w@localhost TO x", needs("CREATE USER")},
		[2]string{"ALTER USER w@localhost IDENTIFIED BY 'x'", needs("CREATE USER")},
		[2]string{"CREATE ROLE x", needs("CREATE USER or CREATE ROLE")},
		[2]string{"GRANT SELECT ON *.* TO u@localhost", file},
		[2]string{"GRANT SELECT ON test.* TO u@localhost", schema("test")},
		[2]string{"GRANT SELECT ON test.t TO u@localhost", table("SELECT, GRANT", "t")},
		[2]string{"FLUSH PRIVILEGES", needs("RELOAD or FLUSH_PRIVILEGES")},
		[2]string{"FLUSH STATUS", needs("RELOAD or FLUSH_STATUS")},
		[2]string{"KILL 999999", "1094 HY000 Unknown thread id: 999999"},
		[2]string{"INSERT INTO information_schema.TABLES (TABLE_NAME) VALUES ('x')", schema("information_schema")},
		[2]string{"SELECT COUNT(*) > 0 FROM performance_schema.global_variables", "1"},
		[2]string{"SELECT USER(), 1", "u@localhost"},
		[2]string{"SELECT CURRENT_USER(), 1", "u@localhost"},
		[2]string{"SELECT CURRENT_ROLE()", "NONE"},
	)
	_, id := r.conn(t)
	check(t, u,
		[2]string{fmt.Sprintf("KILL %d", id), fmt.Sprintf("1095 HY000 You are not owner of thread %d", id)},
		[2]string{"SELECT DISTINCT USER FROM performance_schema.processlist", "u"},
		[2]string{"SELECT DISTINCT USER FROM information_schema.PROCESSLIST", "u"},
	)
	w, err := r.enter(t, "w")
	if err != nil {
		t.Fatal(err)
	}
	check(t, w,
		[2]string{"SHOW TABLES FROM test", "t"},
		[2]string{"SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'test'", "t"},
		[2]string{"SHOW DATABASES", "information_schema\nperformance_schema\ntest"},
	)
	rows := 0
	processes, err := w.QueryContext(t.Context(), "SHOW PROCESSLIST")
	if err != nil {
		t.Fatal(err)
	}
	for processes.Next() {
		rows++
	}
	if err := errors.Join(processes.Err(), processes.Close()); err != nil || rows != 1 {
		t.Errorf("SHOW PROCESSLIST has %d rows, %v", rows, err)
	}
}

// TestDefiners: a view and a procedure have the rights of who has defined them, or of who uses
// them if they say so.
func TestDefiners(t *testing.T) {
	r := serve(t, Options{Init: []string{
		"CREATE USER u@localhost; GRANT EXECUTE, SHOW VIEW ON test.* TO u@localhost;",
		"CREATE USER maker@'%'; GRANT CREATE VIEW, CREATE ROUTINE, EXECUTE ON test.* TO maker@'%'; GRANT SELECT (a) ON test.t TO maker@'%';",
	}}, tables.All()...)
	for _, q := range []string{
		"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 2)", "USE test",
	} {
		r.exec(t, q)
	}
	root, err := r.enter(t, "root")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		"USE test", "CREATE VIEW v AS SELECT b FROM t", "CREATE SQL SECURITY INVOKER VIEW w AS SELECT b FROM t",
		"CREATE VIEW vv AS SELECT b FROM v", "CREATE DEFINER = nobody@localhost VIEW x AS SELECT b FROM t",
		"CREATE PROCEDURE p() SELECT b, CURRENT_USER() FROM t", "CREATE PROCEDURE q() SQL SECURITY INVOKER SELECT b FROM t",
		"CREATE PROCEDURE who() SELECT CURRENT_USER(), USER()",
		"GRANT SELECT ON test.v TO u@localhost", "GRANT SELECT ON test.w TO u@localhost",
		"GRANT SELECT ON test.vv TO u@localhost", "GRANT SELECT ON test.x TO u@localhost",
	} {
		check(t, root, [2]string{q, "ok"})
	}
	u, err := r.enter(t, "u")
	if err != nil {
		t.Fatal(err)
	}
	denied := func(user, table string) string {
		return "1142 42000 SELECT command denied to user '" + user + "'@'localhost' for table '" + table + "'"
	}
	check(t, u,
		[2]string{"USE test", "ok"},
		[2]string{"SELECT b FROM v", "2"},
		[2]string{"SELECT b FROM vv", "2"},
		[2]string{"SELECT b FROM w", denied("u", "t")},
		[2]string{"SELECT b FROM x", denied("u", "t")},
		[2]string{"SELECT v.b FROM v JOIN t", denied("u", "t")},
		[2]string{"SELECT b FROM t", denied("u", "t")},
		[2]string{"CALL p()", "2"},
		[2]string{"CALL q()", denied("u", "t")},
		[2]string{"CALL who()", "root@localhost"},
		[2]string{"SELECT CURRENT_USER(), 1", "u@localhost"},
	)
	maker, err := r.enter(t, "maker")
	if err != nil {
		t.Fatal(err)
	}
	needs := "1227 42000 Access denied; you need (at least one of) the SUPER or SET_ANY_DEFINER privilege(s) for this operation"
	check(t, maker,
		[2]string{"USE test", "ok"},
		[2]string{"CREATE VIEW mine AS SELECT a FROM t", "ok"},
		[2]string{"CREATE VIEW more AS SELECT b FROM t", "1143 42000 SELECT command denied to user 'maker'@'localhost' for column 'b' in table 't'"},
		[2]string{"CREATE DEFINER = root@localhost VIEW theirs AS SELECT a FROM t", needs},
		[2]string{"CREATE DEFINER = root@localhost PROCEDURE theirs() SELECT b FROM t", needs},
		[2]string{"CREATE DEFINER = maker@localhost PROCEDURE ours() SELECT CURRENT_USER()", "ok"},
		[2]string{"CREATE PROCEDURE own() SELECT b FROM t", "ok"},
		[2]string{"CALL own()", "1143 42000 SELECT command denied to user 'maker'@'localhost' for column 'b' in table 't'"},
	)
	check(t, u, [2]string{"CALL ours()", "maker@%"})
}

// TestExpiredPassword: who logs in with one may set a new one, and nothing else.
func TestExpiredPassword(t *testing.T) {
	r := serve(t, Options{Init: []string{"CREATE USER u IDENTIFIED BY 'old' PASSWORD EXPIRE"}}, tables.All()...)
	if _, err := r.enter(t, "u:old"); code(err) != "1862 HY000 Your password has expired. To log in you must change it using a client that supports expired passwords." {
		t.Error(code(err))
	}
	r.exec(t, "ALTER USER u PASSWORD EXPIRE NEVER")
	u, err := r.enter(t, "u:old")
	if err != nil {
		t.Fatal(err)
	}
	r.exec(t, "ALTER USER u PASSWORD EXPIRE")
	check(t, u,
		[2]string{"SELECT 1", "1820 HY000 You must reset your password using ALTER USER statement before executing this statement."},
		[2]string{"ALTER USER USER() IDENTIFIED BY 'new'", "ok"},
		[2]string{"SELECT 1", "1"},
	)
	if _, err := r.enter(t, "u:new"); err != nil {
		t.Error(err)
	}
}

// TestGrantsOnPerformanceSchema: what nobody can be granted there.
func TestGrantsOnPerformanceSchema(t *testing.T) {
	r := serve(t, Options{Init: []string{"CREATE USER u@localhost"}}, tables.All()...)
	root, err := r.enter(t, "root")
	if err != nil {
		t.Fatal(err)
	}
	schema := "1044 42000 Access denied for user 'root'@'localhost' to database 'performance_schema'"
	table := func(command, table string) string {
		return "1142 42000 " + command + ", GRANT command denied to user 'root'@'localhost' for table '" + table + "'"
	}
	for _, p := range []string{"ALL", "CREATE", "REFERENCES", "INDEX", "ALTER", "CREATE TEMPORARY TABLES", "EXECUTE", "CREATE VIEW", "SHOW VIEW", "CREATE ROUTINE", "ALTER ROUTINE", "EVENT", "TRIGGER"} {
		check(t, root, [2]string{"GRANT " + p + " ON performance_schema.* TO u@localhost", schema})
	}
	for _, p := range []string{"SELECT", "INSERT", "UPDATE", "DELETE", "DROP", "LOCK TABLES"} {
		check(t, root, [2]string{"GRANT " + p + " ON performance_schema.* TO u@localhost", "ok"})
	}
	check(t, root,
		[2]string{"GRANT INSERT ON performance_schema.setup_instruments TO u@localhost", table("INSERT", "setup_instruments")},
		[2]string{"GRANT DELETE ON performance_schema.setup_instruments TO u@localhost", table("DELETE", "setup_instruments")},
		[2]string{"GRANT DROP ON performance_schema.setup_instruments TO u@localhost", table("DROP", "setup_instruments")},
		[2]string{"GRANT UPDATE ON performance_schema.events_waits_current TO u@localhost", table("UPDATE", "events_waits_current")},
		[2]string{"GRANT UPDATE (ENABLED) ON performance_schema.setup_instruments TO u@localhost", "ok"},
		[2]string{"GRANT ALL ON performance_schema.setup_instruments TO u@localhost", schema},
		[2]string{"GRANT SELECT, DROP ON performance_schema.events_waits_current TO u@localhost", "ok"},
		[2]string{"GRANT SELECT ON information_schema.TABLES TO u@localhost", "1044 42000 Access denied for user 'root'@'localhost' to database 'information_schema'"},
		[2]string{"GRANT SELECT ON performance_schema.no_such_table TO u@localhost", "1146 42S02 Table 'performance_schema.no_such_table' doesn't exist"},
		[2]string{"REVOKE ALL ON performance_schema.* FROM u@localhost", "ok"},
		[2]string{"SHOW GRANTS FOR u@localhost", "GRANT USAGE ON *.* TO `u`@`localhost`\nGRANT SELECT, DROP ON `performance_schema`.`events_waits_current` TO `u`@`localhost`\nGRANT UPDATE (`ENABLED`) ON `performance_schema`.`setup_instruments` TO `u`@`localhost`"},
	)
}

// TestRoles: a role gives what it has been granted while it is active.
func TestRoles(t *testing.T) {
	r := serve(t, Options{Init: []string{
		"CREATE ROLE reader, writer; CREATE USER u@localhost; GRANT SELECT ON performance_schema.* TO reader; GRANT reader TO writer;",
		"GRANT UPDATE ON performance_schema.* TO writer; GRANT reader, writer TO u@localhost; SET DEFAULT ROLE reader TO u@localhost;",
	}}, tables.All()...)
	u, err := r.enter(t, "u")
	if err != nil {
		t.Fatal(err)
	}
	read, write := "SELECT 1 FROM performance_schema.threads LIMIT 1", "UPDATE performance_schema.threads SET INSTRUMENTED = 'YES' WHERE THREAD_ID = 0"
	table := func(command string) string {
		return "1142 42000 " + command + " command denied to user 'u'@'localhost' for table 'threads'"
	}
	check(t, u,
		[2]string{"SELECT CURRENT_ROLE()", "`reader`@`%`"},
		[2]string{read, "1"}, [2]string{write, table("UPDATE")},
		[2]string{"SET ROLE NONE", "ok"}, [2]string{"SELECT CURRENT_ROLE()", "NONE"}, [2]string{read, table("SELECT")},
		[2]string{"SET ROLE writer", "ok"}, [2]string{read, "1"}, [2]string{write, "ok"},
		[2]string{"SET ROLE ALL EXCEPT writer", "ok"}, [2]string{write, table("UPDATE")},
		[2]string{"SET ROLE nobody", "3530 HY000 `nobody`@`%` is not granted to `u`@`localhost`"},
		[2]string{"SET ROLE DEFAULT", "ok"}, [2]string{"SELECT CURRENT_ROLE()", "`reader`@`%`"},
	)
	r.exec(t, "DROP ROLE reader")
	check(t, u, [2]string{"SELECT CURRENT_ROLE()", "NONE"}, [2]string{read, table("SELECT")})
	if _, err := r.enter(t, "reader"); err == nil {
		t.Error("a role can log in")
	}
}
