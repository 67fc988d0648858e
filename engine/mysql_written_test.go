package engine

import (
	"strings"
	"testing"
)

// TestAccountsWritten: what is written to the tables of accounts is theirs alone until FLUSH PRIVILEGES; then it is so for good.
func TestAccountsWritten(t *testing.T) {
	oneAtATime(t)
	dir := t.TempDir()
	r := serve(t, Options{DataDir: dir, Init: []string{"CREATE USER a@localhost", "CREATE ROLE reader", "CREATE TABLE test.t (x INT, y INT)"}})
	root := r.answers(t, "root")
	root(
		[2]string{"INSERT INTO mysql.user (Host, User, ssl_cipher, x509_issuer, x509_subject) VALUES ('localhost', 'a', '', '', '')", "1062 23000 Duplicate entry 'localhost-a' for key 'user.PRIMARY'"},
		[2]string{"INSERT INTO mysql.user (Host, User, Process_priv, ssl_cipher, x509_issuer, x509_subject, authentication_string, User_attributes) VALUES " +
			`('localhost', 'b', 'Y', '', '', '', '', '{"metadata": {"comment": "new"}}')`, "ok"},
		[2]string{"INSERT INTO mysql.user (Host, User, plugin, ssl_cipher, x509_issuer, x509_subject, authentication_string) VALUES ('localhost', 'c', 'auth_socket', '', '', '', '')", "ok"},
		[2]string{"INSERT INTO mysql.user (Host, User, ssl_type, ssl_cipher, x509_issuer, x509_subject, authentication_string) VALUES ('localhost', 'd', 'X509', '', '', '', '')", "ok"},
		[2]string{"INSERT INTO mysql.user (Host, User, ssl_cipher, x509_issuer, x509_subject, authentication_string, User_attributes) VALUES " +
			`('localhost', 'e', '', '', '', '', '{"Restrictions": [{"Database": "test", "Privileges": ["SELECT"]}]}')`, "ok"},
		[2]string{"REPLACE INTO mysql.db (Host, User, Db, Select_priv) VALUES ('localhost', 'b', 'test', 'Y')", "ok"},
		[2]string{"INSERT INTO mysql.tables_priv VALUES ('localhost', 'test', 'b', 't', 'root@localhost', '2026-11-22 12:00:00', 'Insert,Create View', 'Update')", "ok"},
		[2]string{"INSERT INTO mysql.columns_priv VALUES ('localhost', 'test', 'b', 't', 'y', '2026-11-22 12:00:00', 'Update')", "ok"},
		[2]string{"INSERT INTO mysql.procs_priv VALUES ('localhost', 'sys', 'b', 'diagnostics', 'PROCEDURE', '', 'Execute,Grant', '2026-11-22 12:00:00')", "ok"},
		[2]string{"INSERT INTO mysql.global_grants VALUES ('b', 'localhost', 'BACKUP_ADMIN', 'Y')", "ok"},
		[2]string{"INSERT INTO mysql.role_edges VALUES ('%', 'reader', 'localhost', 'b', 'Y')", "ok"},
		[2]string{"INSERT INTO mysql.role_edges VALUES ('localhost', 'b', '%', 'reader', 'N')", "ok"}, // b would be a role of itself
		[2]string{"INSERT INTO mysql.default_roles VALUES ('localhost', 'b', '%', 'reader')", "ok"},
		[2]string{"UPDATE mysql.user SET max_user_connections = 7 WHERE User = 'b'", "ok"},
		[2]string{"DELETE FROM mysql.user WHERE User = 'a'", "ok"},
		[2]string{"SELECT User FROM mysql.user WHERE User < 'd'", "b\nc"},
		[2]string{"SELECT e.TO_USER FROM mysql.user AS u LEFT JOIN mysql.role_edges AS e ON u.User = e.FROM_USER AND u.Host = e.FROM_HOST WHERE e.TO_USER IS NOT NULL ORDER BY 1", "b\nreader"},
		[2]string{"SHOW GRANTS FOR b@localhost", "1141 42000 There is no such grant defined for user 'b' on host 'localhost'"},
	)
	if _, err := r.enter(t, "b"); err == nil {
		t.Error("an account is there before FLUSH PRIVILEGES")
	}
	a, err := r.enter(t, "a")
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, [2]string{"SET PASSWORD = ''", "1105 HY000 The tables of accounts have been written to: FLUSH PRIVILEGES must come before this statement"})
	s := r.session(t)
	s.do("FLUSH PRIVILEGES")
	warned := strings.Count(answerOf(t, s.conn, "SHOW WARNINGS"), "1235")
	if warned != 4 {
		t.Errorf("%d warnings instead of 4, of c, d, e and the role of itself: %s", warned, answerOf(t, s.conn, "SHOW WARNINGS"))
	}
	root(
		[2]string{"SELECT User FROM mysql.user", "reader\nb\nroot"}, // by host and user
		[2]string{"SHOW GRANTS FOR b@localhost", "GRANT PROCESS ON *.* TO `b`@`localhost`\nGRANT BACKUP_ADMIN ON *.* TO `b`@`localhost` WITH GRANT OPTION\n" +
			"GRANT SELECT ON `test`.* TO `b`@`localhost`\nGRANT INSERT, UPDATE (`y`), CREATE VIEW ON `test`.`t` TO `b`@`localhost`\n" +
			"GRANT EXECUTE ON PROCEDURE `sys`.`diagnostics` TO `b`@`localhost` WITH GRANT OPTION\nGRANT `reader`@`%` TO `b`@`localhost` WITH ADMIN OPTION"},
		[2]string{"SELECT User_attributes->>'$.metadata.comment' FROM mysql.user WHERE User = 'b'", "new"},
	)
	if _, err := r.enter(t, "b"); err != nil {
		t.Error(err)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	again := serve(t, Options{DataDir: dir})
	again.want(t, "SELECT User, max_user_connections FROM mysql.user WHERE User IN ('a', 'b')", "b|7")
}

// TestAccountsDropped: tables of accounts that are not whole change no accounts.
func TestAccountsDropped(t *testing.T) {
	r := serve(t, Options{})
	r.answers(t, "root")(
		[2]string{"CREATE TABLE mysql.user (Host CHAR(255))", "1050 42S01 Table 'user' already exists"},
		[2]string{"DROP TABLE mysql.user", "ok"},
		[2]string{"DROP TABLE mysql.user", "1051 42S02 Unknown table 'mysql.user'"},
		[2]string{"DROP TABLE IF EXISTS mysql.user", "ok"},
		[2]string{"SELECT User FROM mysql.user", "1146 42S02 Table 'mysql.user' doesn't exist"},
		[2]string{"FLUSH PRIVILEGES", "1146 42S02 Table 'mysql.user' doesn't exist"},
		[2]string{"CREATE USER a@localhost", "1146 42S02 Table 'mysql.user' doesn't exist"},
		[2]string{"CREATE TABLE mysql.user (Host CHAR(255))", "1805 HY000 Column count of mysql.user is wrong. Expected 51, found 1. The table is probably corrupted"},
		[2]string{"CREATE TABLE mysql.other (a INT)", "3552 HY000 Access to system schema 'mysql' is rejected."},
		[2]string{"DROP TABLE mysql.other", "3554 HY000 Access to system table 'mysql.other' is rejected."},
		[2]string{"TRUNCATE mysql.db", "ok"},
		[2]string{"INSERT INTO mysql.plugin VALUES ('a', 'b')", "ok"}, // with a warning that it is not there
		[2]string{"SELECT COUNT(*) FROM mysql.plugin", "0"},
	)
	again := serve(t, Options{})
	again.answers(t, "root")(
		[2]string{"TRUNCATE TABLE mysql.user", "ok"},
		[2]string{"FLUSH PRIVILEGES", "1133 42000 Can't find any matching row in the user table"},
		[2]string{"SHOW GRANTS FOR CURRENT_USER", strings.Join(again.query(t, "SHOW GRANTS"), "\n")},
	)
}

// TestAccountsWrittenByOthers: nobody who may not change each account by statements gets there by the tables.
func TestAccountsWrittenByOthers(t *testing.T) {
	r := serve(t, Options{Init: []string{
		"CREATE USER most@localhost, creator@localhost, protector@localhost, root2@localhost",
		"GRANT ALL ON *.* TO most@localhost", "REVOKE SYSTEM_USER ON *.* FROM most@localhost",
		"GRANT CREATE USER, INSERT ON *.* TO creator@localhost", "GRANT SYSTEM_USER, ROLE_ADMIN ON *.* TO protector@localhost",
		"GRANT INSERT, UPDATE, DELETE, DROP, CREATE, ALTER, SELECT ON *.* TO protector@localhost", "GRANT CREATE USER, SYSTEM_USER ON *.* TO root2@localhost",
	}})
	const rejected = "3554 HY000 Access to system table 'mysql.user' is rejected."
	for _, user := range []string{"most", "protector"} {
		r.answers(t, user)(
			[2]string{"UPDATE mysql.user SET Super_priv = 'Y'", rejected},
			[2]string{"DELETE FROM mysql.user", rejected},
			[2]string{"INSERT INTO mysql.user SELECT * FROM mysql.user", rejected},
			[2]string{"REPLACE INTO mysql.user SELECT * FROM mysql.user", rejected},
			[2]string{"TRUNCATE TABLE mysql.user", rejected},
			[2]string{"DROP TABLE mysql.user", rejected},
			[2]string{"CREATE TABLE IF NOT EXISTS mysql.user (a INT)", "3552 HY000 Access to system schema 'mysql' is rejected."},
			[2]string{"ALTER TABLE mysql.user DISABLE KEYS", rejected},
		)
	}
	r.answers(t, "creator")([2]string{"INSERT INTO mysql.user (Host, User) VALUES ('%', 'x')", rejected})
	r.answers(t, "root2")(
		[2]string{"INSERT INTO mysql.user (Host, User) VALUES ('%', 'x')", deniedTable("INSERT", "root2", "user")},
		[2]string{"DROP TABLE IF EXISTS mysql.user", deniedTable("DROP", "root2", "user")},
		[2]string{"CREATE TABLE mysql.user (a INT)", deniedTable("CREATE", "root2", "user")},
		[2]string{"DROP VIEW IF EXISTS sys.version", deniedTable("DROP", "root2", "version")},
		[2]string{"DROP TABLE IF EXISTS sys.sys_config", deniedTable("DROP", "root2", "sys_config")},
	)
}

// TestSysDefinedAnew: what a dump makes of sys stays as it is, but for the settings, which are those of the dump.
func TestSysDefinedAnew(t *testing.T) {
	r := serve(t, Options{})
	const denied = "1044 42000 Access denied for user 'root'@'localhost' to database 'sys'"
	root := r.answers(t, "root")
	root(
		[2]string{"DROP DATABASE IF EXISTS sys", "ok"}, [2]string{"DROP DATABASE sys", denied},
		[2]string{"DROP VIEW IF EXISTS sys.version", "ok"}, [2]string{"DROP VIEW sys.version", denied},
		[2]string{"DROP TABLE IF EXISTS sys.version", "ok"},
		[2]string{"CREATE VIEW sys.version AS SELECT 1 AS one", "ok"}, [2]string{"CREATE VIEW sys.other AS SELECT 1 AS one", denied},
		[2]string{"DROP PROCEDURE IF EXISTS sys.diagnostics", "ok"}, [2]string{"CREATE PROCEDURE sys.diagnostics() SELECT 1", "ok"},
		[2]string{"DROP FUNCTION IF EXISTS sys.format_time", "ok"}, [2]string{"CREATE FUNCTION sys.format_time(a INT) RETURNS INT DETERMINISTIC RETURN 1", "ok"},
		[2]string{"SELECT mysql_version IS NOT NULL FROM sys.version", "1"}, [2]string{"SELECT sys.format_time(1000)", "1.00 ns"},
		[2]string{"DROP TABLE IF EXISTS sys.sys_config", "ok"}, [2]string{"CREATE TABLE sys.sys_config (a INT)", "ok"},
		[2]string{"INSERT INTO sys.sys_config VALUES ('statement_truncate_len', '32', '2026-11-22 12:00:00', NULL)", "ok"},
		[2]string{"ALTER TABLE sys.sys_config ENABLE KEYS", "ok"},
		[2]string{"INSERT INTO sys.sys_config (variable, value) VALUES ('x', '1')", "ok"},
		[2]string{"SELECT CONCAT_WS(' ', variable, value, set_by) FROM sys.sys_config", "statement_truncate_len 32\nx 1 root@localhost"},
		[2]string{"SHOW CREATE FUNCTION format_time", "1046 3D000 No database selected"},
		[2]string{"SHOW CREATE PROCEDURE diagnostics", "1046 3D000 No database selected"},
	)
	s := r.session(t)
	s.do("DROP VIEW IF EXISTS sys.version")
	if got := answerOf(t, s.conn, "SHOW WARNINGS"); got != "Warning|3552|Access to system schema 'sys' is rejected." {
		t.Errorf("the warning is %q", got)
	}
}
