package engine

import (
	"context"
	"database/sql"
	"os"
	"strings"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// secretMarker is a password that is shown nowhere.
const secretMarker = "hunter2Zebra"

// secretStatements have the password, as right and wrong as clients write them.
var secretStatements = []string{
	"CREATE USER u1 IDENTIFIED BY 'hunter2Zebra'",
	"CREATE USER u1 IDENTIFIED BY 'hunter2Zebra'", // which is there
	"CREATE USER 'u2'@'h' IDENTIFIED WITH caching_sha2_password BY \"hunter2Zebra\" REQUIRE SSL /* was hunter2Zebra */",
	"ALTER USER u1 IDENTIFIED BY 'hunter2Zebra' REPLACE 'hunter2Zebra'",
	"ALTER USER nobody IDENTIFIED BY 'hunter2Zebra'",
	"ALTER USER u1 IDENTIFIED BY hunter2Zebra",
	"ALTER USER u1 IDENTIFIED BY 'hunter2Zebra",
	"ALTER USER u1 IDENTIFIED BY 'x' 'hunter2Zebra'",
	"ALTER USER u1 IDENTIFED BY 'hunter2Zebra'",
	"ALTER USR u1 IDENTIFIED BY 'hunter2Zebra'",
	"ALTER USER u1 IDENT/**/IFIED BY 'hunter2Zebra'",
	"ALTER USER u1 /*! IDENTIFIED BY 'hunter2Zebra' */",
	"ALTER USER u1 IDENTIFIED BY 'x' WITH NONSENSE 'hunter2Zebra'",
	"GRANT ALL ON *.* TO u1 IDENTIFIED BY 'hunter2Zebra'",
	"SET PASSWORD FOR u1 = 'hunter2Zebra'", "SET PASSWORD = PASSWORD('hunter2Zebra')", "SET PASWORD = 'hunter2Zebra'", "SET PASSWORD FOR nobody = 'hunter2Zebra'",
	"CHANGE REPLICATION SOURCE TO SOURCE_USER='u', SOURCE_PASSWORD='hunter2Zebra'", "CHANGE MASTER TO MASTER_PASSWORD='hunter2Zebra'",
	"START REPLICA USER='u' PASSWORD='hunter2Zebra'", "CLONE INSTANCE FROM u@h:3306 IDENTIFIED BY 'hunter2Zebra'",
	"CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (USER 'u', PASSWORD 'hunter2Zebra')",
	"PREPARE s FROM 'ALTER USER u1 IDENTIFIED BY ''hunter2Zebra'''", "EXECUTE s", "DEALLOCATE PREPARE s",
	"PREPARE s FROM 'ALTER USER u1 IDENTIFIED BI ''hunter2Zebra'''", "PREPARE s FROM 'SET PASSWORD = ''x'' ''hunter2Zebra'''",
	"SET @s = 'ALTER USER u1 IDENTIFIED BY ''hunter2Zebra'''", "PREPARE s FROM @s", "EXECUTE s",
	"SET @s = 'ALTER USER u1 IDENTIFIED BY ''x'' ''hunter2Zebra'''", "PREPARE s FROM @s",
	"SET @s = CONCAT('ALTER USER u1 IDEN', 'TIFIED BY ''hunter2Zebra''')", "PREPARE s FROM @s", "EXECUTE s",
	"SELECT 1; ALTER USER u1 IDENTIFIED BY 'hunter2Zebra'; SELECT 2", "SELECT 1; ALTER USER u1 IDENTIFIED BY 'hunter2Zebra' x; SELECT 2",
	"CREATE PROCEDURE test.p() ALTER USER u1 IDENTIFIED BY 'hunter2Zebra'", "CALL test.p()",
	"CREATE PROCEDURE test.q() BEGIN SET @x = 'SET PASSWORD FOR u1 = ''hunter2Zebra'''; PREPARE s FROM @x; EXECUTE s; END", "CALL test.q()",
	"CREATE PROCEDURE test.r() BEGIN ALTER USER u1 IDENTIFIED BY 'x' 'hunter2Zebra'; END",
	"SELECT 1 /* ALTER USER u1 IDENTIFIED BY 'hunter2Zebra' */", "SELECT 1 -- SET PASSWORD = 'hunter2Zebra'", "SELECT 1 # IDENTIFIED BY 'hunter2Zebra'",
	"SELECT 'ALTER USER u1 IDENTIFIED BY ''hunter2Zebra'''", "EXPLAIN ALTER USER u1 IDENTIFIED BY 'hunter2Zebra'",
	"SET SESSION sql_mode = 'ALTER USER u1 IDENTIFIED BY ''hunter2Zebra'''", "INSTALL PLUGIN x SONAME 'IDENTIFIED BY hunter2Zebra'",
	"CREATE DEFINER=root@localhost EVENT test.e ON SCHEDULE EVERY 1 DAY DO ALTER USER u1 IDENTIFIED BY 'hunter2Zebra'",
	"KILL 'IDENTIFIED BY hunter2Zebra'", "\x00ALTER USER u1 IDENTIFIED BY 'hunter2Zebra'", "ALTER\xffUSER u1 IDENTIFIED BY 'hunter2Zebra'",
}

// However a statement has a password, right or wrong, in whatever protocol, no table, no log and no
// error shows it.
func TestPasswordsAreShownNowhere(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{LogErrorVerbosity: 3, Registry: everythingOn()}, tables.All()...)
	plain, err := r.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = plain.Close() }()
	multi, err := r.open(t, "multiStatements=true&interpolateParams=true").Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = multi.Close() }()
	hides := func(statement string, err error) {
		t.Helper()
		if err != nil && strings.Contains(err.Error(), secretMarker) {
			t.Errorf("%s\nfails with %v", statement, err)
		}
	}
	for _, c := range []*sql.Conn{plain, multi} {
		_, _ = c.ExecContext(t.Context(), "SET profiling = 1")
	}
	shown := []string{"SHOW WARNINGS", "SHOW PROFILES", "SHOW FULL PROCESSLIST", "SHOW ENGINE INNODB STATUS"}
	for i, s := range secretStatements {
		for _, c := range []*sql.Conn{plain, multi} {
			_, err := c.ExecContext(t.Context(), s)
			hides(s, err)
			for _, q := range shown {
				r.assertNoMarker(t, c, q, s)
			}
			p, err := c.PrepareContext(t.Context(), s)
			hides(s, err)
			if err == nil {
				r.assertNoMarker(t, c, "SELECT * FROM performance_schema.prepared_statements_instances", s)
				_, err := p.ExecContext(t.Context())
				hides(s, err)
				_ = p.Close()
			}
			_, err = c.ExecContext(t.Context(), s[:len(s)-1])
			hides(s[:len(s)-1], err)
		}
		if i%8 == 0 || i == len(secretStatements)-1 {
			for _, name := range secretTables(t, r) {
				r.assertNoMarker(t, plain, "SELECT * FROM "+name, s)
			}
		}
	}
	if log, err := os.ReadFile(r.options.LogError); err != nil || strings.Contains(string(log), secretMarker) {
		t.Errorf("the log has it, %v:\n%s", err, log)
	}
	r.want(t, "SELECT COUNT(*) > 0 FROM performance_schema.events_statements_history_long WHERE SQL_TEXT LIKE '%<secret>%'", "1")
	r.want(t, "SELECT COUNT(*) > 0 FROM performance_schema.events_statements_summary_by_digest WHERE QUERY_SAMPLE_TEXT LIKE '%<secret>%'", "1")
	// What has none is shown whole.
	r.exec(t, "SELECT 'shown', 1 FROM mysql.user WHERE User = 'x'")
	r.want(t, "SELECT COUNT(*) FROM performance_schema.events_statements_history_long WHERE SQL_TEXT = 'SELECT ''shown'', 1 FROM mysql.user WHERE User = ''x'''", "1")
}

// everythingOn has all histories on.
func everythingOn() *instr.Registry {
	reg := instr.NewRegistry()
	for c := range instr.ConsumerCount {
		reg.Setup().SetConsumer(c, true)
	}
	return reg
}

// secretTables are the tables that can show what statements others carry out.
func secretTables(t *testing.T, r *running) (names []string) {
	names = r.query(t, "SELECT CONCAT(TABLE_SCHEMA, '.', TABLE_NAME) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'performance_schema'")
	return append(names, "sys.statement_analysis", "sys.processlist", "sys.session", "sys.statements_with_errors_or_warnings",
		"information_schema.PROCESSLIST", "information_schema.INNODB_TRX", "mysql.user")
}

// assertNoMarker fails if the rows of a query have the password.
func (r *running) assertNoMarker(t *testing.T, c *sql.Conn, query, after string) {
	t.Helper()
	rows, err := c.QueryContext(context.Background(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	cells, to := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
	for i := range cells {
		to[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			t.Fatal(err)
		}
		for i, cell := range cells {
			if strings.Contains(string(cell), secretMarker) {
				t.Errorf("after %s\n%s shows in %s: %s", after, query, columns[i], cell)
			}
		}
	}
}
