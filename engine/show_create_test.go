package engine

import (
	"database/sql"
	"strings"
	"testing"

	"pfsd/tables"
)

// TestShowCreate looks at statements that are shown: put together as MySQL does, and only to who may see them.
func TestShowCreate(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	const mode = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
	const collations = "|utf8mb4|utf8mb4_0900_ai_ci"
	s := r.session(t)
	s.do("CREATE DATABASE d", "USE d", "CREATE TABLE t (a INT PRIMARY KEY, b INT)",
		"create view v as select a from t", "create algorithm=merge sql security invoker view w (x, `y z`) as select a, b from t where a > 1 with check option",
		"create procedure p(in a int, out `b(` decimal(10, 2)) comment 'it''s' reads sql data begin select a; end", "create procedure q() deterministic select 1",
		"create trigger g before insert on t for each row set new.b = 1", "create trigger h before insert on t for each row precedes g set new.b = 2",
		"CREATE EVENT e ON SCHEDULE EVERY 1 DAY STARTS '2030-01-02 03:04:05' DO SELECT 1",
		"CREATE USER nobody, caller, reader", "GRANT USAGE ON *.* TO nobody", "GRANT EXECUTE ON PROCEDURE d.p TO caller", "GRANT SELECT ON d.* TO reader")
	account := "`root`@`localhost`"
	for q, want := range map[string]string{
		"SHOW CREATE VIEW v":        "v|CREATE ALGORITHM=UNDEFINED DEFINER=" + account + " SQL SECURITY DEFINER VIEW `v` AS select a from t" + collations,
		"SHOW CREATE TABLE d.v":     "v|CREATE ALGORITHM=UNDEFINED DEFINER=" + account + " SQL SECURITY DEFINER VIEW `v` AS select a from t" + collations,
		"SHOW CREATE VIEW w":        "w|CREATE ALGORITHM=MERGE DEFINER=" + account + " SQL SECURITY INVOKER VIEW `w` (`x`,`y z`) AS select a, b from t where a > 1 WITH CASCADED CHECK OPTION" + collations,
		"SHOW CREATE PROCEDURE p":   "p|" + mode + "|CREATE DEFINER=" + account + " PROCEDURE `p`(in a int, out `b(` decimal(10, 2))\n    READS SQL DATA\n    COMMENT 'it\\'s'\nbegin select a; end" + collations + "|utf8mb4_0900_ai_ci",
		"SHOW CREATE PROCEDURE d.q": "q|" + mode + "|CREATE DEFINER=" + account + " PROCEDURE `q`()\n    DETERMINISTIC\nselect 1" + collations + "|utf8mb4_0900_ai_ci",
		"SHOW CREATE EVENT e":       "e|" + mode + "|SYSTEM|CREATE DEFINER=" + account + " EVENT `e` ON SCHEDULE EVERY 1 DAY STARTS '2030-01-02 03:04:05' ON COMPLETION NOT PRESERVE ENABLE DO SELECT 1" + collations + "|utf8mb4_0900_ai_ci",
	} {
		if got := answerOf(t, s.conn, q); got != want {
			t.Errorf("%s\n got %q\nwant %q", q, got, want)
		}
	}
	s.do("SET NAMES binary")
	if got := answerOf(t, s.conn, "SHOW CREATE EVENT e"); !strings.HasSuffix(got, collations+"|utf8mb4_0900_ai_ci") {
		t.Errorf("the event is %q", got)
	}
	s.do("SET NAMES utf8mb4", "SET character_set_results = binary, character_set_results = utf8mb4")
	if got := answerOf(t, s.conn, "SHOW CREATE TRIGGER h"); !strings.HasPrefix(got, "h|"+mode+"|CREATE DEFINER="+account+" TRIGGER `h` BEFORE INSERT ON `t` FOR EACH ROW PRECEDES `g` set new.b = 2|utf8mb4|") {
		t.Errorf("the trigger is %q", got)
	}
	if got := answerOf(t, s.conn, "SHOW CREATE VIEW sys.version"); !strings.HasPrefix(got, "version|CREATE ALGORITHM=MERGE DEFINER=`mysql.sys`@`localhost` SQL SECURITY INVOKER VIEW `sys`.`version` (`sys_version`,`mysql_version`) AS SELECT ") {
		t.Errorf("the view is %q", got)
	}
	if got := answerOf(t, s.conn, "SHOW CREATE PROCEDURE sys.execute_prepared_stmt"); !strings.HasPrefix(got, "execute_prepared_stmt|"+mode+"|CREATE DEFINER=`mysql.sys`@`localhost` PROCEDURE `execute_prepared_stmt`(IN in_query longtext)\n    READS SQL DATA\n    SQL SECURITY INVOKER\n    COMMENT '") {
		t.Errorf("the procedure is %q", got)
	}
	r.want(t, "SELECT TABLE_NAME, VIEW_DEFINITION, CHECK_OPTION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'd'", "v|select a from `d`.t|NONE", "w|select a, b from `d`.t where a > 1|CASCADED")
	r.want(t, "SELECT TRIGGER_NAME, DEFINER, SQL_MODE FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = 'd' ORDER BY ACTION_ORDER", "h|root@localhost|"+mode, "g|root@localhost|"+mode)
	r.want(t, "SELECT EVENT_NAME, DEFINER, SQL_MODE, ORIGINATOR FROM information_schema.EVENTS WHERE EVENT_SCHEMA = 'd'", "e|root@localhost|"+mode+"|1")
	s.do("USE test", "SHOW TABLES FROM d")
	for q, want := range map[string]string{"SHOW EVENTS FROM d": "d|e|root@localhost|SYSTEM|RECURRING|", "SHOW EVENTS FROM d LIKE 'x%'": "", "SHOW EVENTS": ""} {
		if got := answerOf(t, s.conn, q); !strings.HasPrefix(got, want) || got != "" && want == "" {
			t.Errorf("%s: %q", q, got)
		}
	}
	s.do("USE d")
	r.want(t, "SELECT ROUTINE_NAME, SQL_MODE FROM information_schema.ROUTINES WHERE ROUTINE_NAME IN ('p', 'format_path', 'diagnostics')", "p|"+mode, "format_path|"+mode, "diagnostics|"+mode)
	// What is shown makes the same again.
	again := answerOf(t, s.conn, "SHOW CREATE PROCEDURE p")
	s.do("DROP PROCEDURE p", again[strings.Index(again, "CREATE "):strings.Index(again, collations)])
	if got := answerOf(t, s.conn, "SHOW CREATE PROCEDURE p"); got != again {
		t.Errorf("the procedure that is made as it is shown is %q, not %q", got, again)
	}
	for user, wants := range map[string]map[string]string{
		"nobody": {
			"SHOW CREATE PROCEDURE d.p":              "1305 42000 PROCEDURE p does not exist",
			"SHOW CREATE PROCEDURE sys.table_exists": "1305 42000 PROCEDURE table_exists does not exist",
			"SHOW CREATE VIEW d.v":                   "1142 42000 SELECT command denied to user 'nobody'@'localhost' for table 'v'",
			"SHOW CREATE VIEW sys.session":           "1142 42000 SELECT command denied to user 'nobody'@'localhost' for table 'session'",
		},
		"caller": {"SHOW CREATE PROCEDURE d.p": "<nil>", "SHOW CREATE PROCEDURE d.q": "1305 42000 PROCEDURE q does not exist"},
		"reader": {"SHOW CREATE VIEW d.v": "1142 42000 SHOW VIEW command denied to user 'reader'@'localhost' for table 'v'", "SHOW CREATE TRIGGER d.g": "1360 HY000 Trigger does not exist", "SHOW EVENTS FROM d": "1044 42000 Access denied for user 'reader'@'%' to database 'd'"},
	} {
		db, err := sql.Open("mysql", user+"@tcp("+r.addr+")/")
		if err != nil {
			t.Fatal(err)
		}
		for q, want := range wants {
			if _, err := db.Exec(q); code(err) != want {
				t.Errorf("%s: %s: %s, not %s", user, q, code(err), want)
			}
		}
		if user == "caller" {
			var text sql.NullString
			var rest [5]string
			if err := db.QueryRow("SHOW CREATE PROCEDURE d.p").Scan(&rest[0], &rest[1], &text, &rest[2], &rest[3], &rest[4]); err != nil || text.Valid {
				t.Errorf("who may call a procedure alone sees %q, %v", text.String, err)
			}
		}
		_ = db.Close()
	}
}

// TestShowTableStatus looks at the status of tables and views of each kind.
func TestShowTableStatus(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	for _, q := range []string{
		"CREATE DATABASE d", "CREATE TABLE d.b (a INT PRIMARY KEY AUTO_INCREMENT) COMMENT 'numbers'", "INSERT INTO d.b VALUES (1), (2), (7)", "CREATE TABLE d.c (a INT)",
		"CREATE VIEW d.a AS SELECT 1", "CREATE TABLE d.y (a INT)", "RENAME TABLE d.y TO d.z",
	} {
		r.exec(t, q)
	}
	r.want(t, "SELECT TABLE_NAME, ENGINE, TABLE_ROWS, AUTO_INCREMENT, TABLE_COMMENT, CREATE_TIME BETWEEN NOW() - INTERVAL 1 HOUR AND NOW(), UPDATE_TIME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'd' ORDER BY 1",
		"a|NULL|NULL|NULL|VIEW|1|NULL", "b|InnoDB|3|8|numbers|1|NULL", "c|InnoDB|0|NULL||1|NULL", "z|InnoDB|0|NULL||1|NULL")
	for q, want := range map[string][]string{
		"SHOW TABLE STATUS FROM d":                                  {"a|NULL|NULL", "b|InnoDB|10", "c|InnoDB|10", "z|InnoDB|10"},
		"SHOW TABLE STATUS FROM sys LIKE 's%config'":                {"sys_config|InnoDB|10"},
		"SHOW TABLE STATUS FROM sys LIKE 'version'":                 {"version|NULL|NULL"},
		"SHOW TABLE STATUS FROM d WHERE Auto_increment IS NOT NULL": {"b|InnoDB|10"},
	} {
		got := r.query(t, q)
		if len(got) != len(want) {
			t.Errorf("%s: %q", q, got)
			continue
		}
		for i := range want {
			if !strings.HasPrefix(got[i], want[i]+"|") {
				t.Errorf("%s: %s, not %s", q, got[i], want[i])
			}
		}
	}
	// No table has what another one has.
	r.want(t, "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA IN ('sys', 'mysql', 'information_schema', 'performance_schema') AND AUTO_INCREMENT IS NOT NULL", "0")
	r.want(t, "SELECT DISTINCT ENGINE, ROW_FORMAT FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'information_schema'", "NULL|NULL")
	r.want(t, "SELECT COUNT(*) FROM information_schema.TABLES WHERE CREATE_TIME < NOW() - INTERVAL 1 DAY", "0")
	r.want(t, "SELECT TABLE_NAME, PARTITION_NAME, PARTITION_METHOD, TABLE_ROWS, PARTITION_COMMENT, TABLESPACE_NAME FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = 'd' ORDER BY 1",
		"b|NULL|NULL|3||NULL", "c|NULL|NULL|0||NULL", "z|NULL|NULL|0||NULL")
	r.want(t, "SELECT COUNT(*) = (SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_TYPE = 'BASE TABLE') FROM information_schema.PARTITIONS", "1")
	for q, want := range map[string]string{
		"SHOW TABLES FROM d LIKE 'b%'": "Tables_in_d (b%)", "SHOW FULL TABLES FROM d LIKE 'b%'": "Tables_in_d (b%),Table_type", "SHOW TABLES FROM d": "Tables_in_d",
		"SHOW DATABASES LIKE 'd%'": "Database (d%)", "SHOW DATABASES": "Database", "SHOW TABLES FROM d WHERE Tables_in_d = 'b'": "Tables_in_d",
	} {
		rows, err := r.db.Query(q)
		if err != nil {
			t.Fatal(err)
		}
		columns, _ := rows.Columns()
		if got := strings.Join(columns, ","); got != want {
			t.Errorf("%s: %s, not %s", q, got, want)
		}
		_ = rows.Close()
	}
}

// TestSysConfigDescribed looks at what is said of sys_config and of views of sys by statements about tables.
func TestSysConfigDescribed(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE TABLE test.t (a TIMESTAMP(3) NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3), b DATETIME)")
	for q, want := range map[string]string{
		"SHOW INDEX FROM sys.sys_config": "sys_config|0|PRIMARY|1|variable|A|6|NULL|NULL||BTREE|||YES|NULL",
		"SELECT INDEX_NAME, COLUMN_NAME, CARDINALITY FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = 'sys'": "PRIMARY|variable|6",
		"SHOW COLUMNS FROM sys.sys_config LIKE 'set_time'":                                                          "set_time|timestamp|YES||CURRENT_TIMESTAMP|DEFAULT_GENERATED on update CURRENT_TIMESTAMP",
		"SELECT EXTRA FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'sys' AND COLUMN_NAME = 'set_time'":      "DEFAULT_GENERATED on update CURRENT_TIMESTAMP",
		"SELECT EXTRA FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'test' AND COLUMN_NAME = 'a'":            "DEFAULT_GENERATED on update CURRENT_TIMESTAMP(3)",
		"SELECT object_type, count FROM sys.schema_object_overview WHERE db = 'sys' AND object_type LIKE 'INDEX%'":  "INDEX (BTREE)|1",
		"CHECK TABLE sys.version":             "sys.version|check|status|OK",
		"ANALYZE TABLE sys.sys_config":        "sys.sys_config|analyze|status|OK",
		"ANALYZE TABLE test.t":                "test.t|analyze|status|OK",
		"DROP FUNCTION sys.format_time":       "1044 42000 Access denied for user 'root'@'localhost' to database 'sys'",
		"UPDATE sys.session SET db = 'x'":     "1288 HY000 The target table session of the UPDATE is not updatable",
		"DROP FUNCTION IF EXISTS sys.nothing": "",
	} {
		db, err := sql.Open("mysql", "root@tcp("+r.addr+")/")
		if err != nil {
			t.Fatal(err)
		}
		c, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := answerOf(t, c, q); got != want {
			t.Errorf("%s\n got %q\nwant %q", q, got, want)
		}
		_, _ = c.Close(), db.Close()
	}
	s := r.session(t)
	s.do("CREATE PROCEDURE test.q(a TINYINT, b DECIMAL(5,2), c DATE) SELECT a, b, c")
	for call, want := range map[string]string{
		"CALL sys.ps_setup_enable_thread('x')": "1366 HY000 Incorrect integer value: 'x' for column 'in_connection_id' at row 1",
		"CALL test.q('12x', 1, NULL)":          "1265 01000 Data truncated for column 'a' at row 1",
		"CALL test.q(300, 1, NULL)":            "1264 22003 Out of range value for column 'a' at row 1",
		"CALL test.q(1, 'x', NULL)":            "1366 HY000 Incorrect decimal value: 'x' for column 'b' at row 1",
		"CALL test.q(1, 1, 'x')":               "1292 22007 Incorrect date value: 'x' for column 'c' at row 1",
	} {
		if got := s.fails(call); got != want {
			t.Errorf("%s: %s, not %s", call, got, want)
		}
	}
	if results, err := called(t, s.conn, "CALL test.q('7', 1.5, '2026-01-02')"); err != nil || len(results) != 1 || results[0][1] != "7|1.50|2026-01-02" {
		t.Errorf("the procedure answers %q, %v", results, err)
	}
	s.do("/*!50106 CREATE*/ /*!50106 EVENT `test`.`e` ON SCHEDULE EVERY 1 DAY DO SELECT 1 \n*/", "CREATE EVENT test.f ON SCHEDULE EVERY 1 DAY DO SELECT 1 /* one */")
	r.want(t, "SELECT EVENT_DEFINITION FROM information_schema.EVENTS WHERE EVENT_NAME IN ('e', 'f') ORDER BY EVENT_NAME", "SELECT 1", "SELECT 1 /* one */")
	if got := r.query(t, "OPTIMIZE TABLE sys.version"); len(got) != 2 || got[0] != "sys.version|optimize|Error|'sys.version' is not BASE TABLE" {
		t.Errorf("OPTIMIZE TABLE of a view: %q", got)
	}
}

// TestInfoRoleGrants looks at what a session is told of its roles, and of the functions that views call.
func TestInfoRoleGrants(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	for _, q := range []string{
		"CREATE TABLE test.t (a INT, b INT)", "CREATE PROCEDURE test.p() SELECT 1", "CREATE ROLE reading, other", "CREATE USER u DEFAULT ROLE reading",
		"GRANT SELECT, INSERT ON test.t TO reading", "GRANT UPDATE (b) ON test.t TO reading", "GRANT EXECUTE ON PROCEDURE test.p TO reading WITH GRANT OPTION", "GRANT DELETE ON test.t TO other",
		"GRANT reading, other TO u", "SET DEFAULT ROLE reading TO u",
	} {
		r.exec(t, q)
	}
	db, err := sql.Open("mysql", "u@tcp("+r.addr+")/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for q, want := range map[string]string{
		"SELECT CONCAT_WS('|', GRANTEE, GRANTEE_HOST, TABLE_SCHEMA, TABLE_NAME, PRIVILEGE_TYPE, IS_GRANTABLE) FROM information_schema.ROLE_TABLE_GRANTS":        "reading|%|test|t|Select,Insert|NO",
		"SELECT CONCAT_WS('|', GRANTEE, TABLE_NAME, COLUMN_NAME, PRIVILEGE_TYPE, IS_GRANTABLE) FROM information_schema.ROLE_COLUMN_GRANTS":                      "reading|t|b|Update|NO",
		"SELECT CONCAT_WS('|', GRANTEE, SPECIFIC_NAME, ROUTINE_SCHEMA, ROUTINE_NAME, PRIVILEGE_TYPE, IS_GRANTABLE) FROM information_schema.ROLE_ROUTINE_GRANTS": "reading|p|test|p|Execute,Grant|YES",
		"SELECT COUNT(*) FROM information_schema.VIEW_ROUTINE_USAGE":                                                                                            "0",
	} {
		var got string
		if err := db.QueryRow(q).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %q, %v, not %q", q, got, err, want)
		}
	}
	r.want(t, "SELECT * FROM information_schema.VIEW_ROUTINE_USAGE WHERE TABLE_NAME IN ('session', 'schema_table_lock_waits') ORDER BY TABLE_NAME, SPECIFIC_NAME",
		"def|sys|schema_table_lock_waits|def|sys|format_statement", "def|sys|schema_table_lock_waits|def|sys|ps_thread_account", "def|sys|session|def|sys|format_statement")
}
