package engine

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pfsd/engine/wire"
	"pfsd/tables"
)

// The protocol and PREPARE prepare the same statements, those too that the protocol layer cannot parse.
func TestPreparesWhatItParses(t *testing.T) {
	oneAtATime(t)
	r, c := calls(t, "", append(someProcedures, "CREATE USER prepared_user")...)
	for _, test := range []struct {
		query string
		args  []any
		want  string
	}{
		{"SELECT ? + 1 AS n", []any{1}, "n 2"},
		{"SELECT '?' AS q, `b` AS `?` FROM t WHERE a = ? /* ? */ -- ?", []any{1}, "q|? ?|one"},
		{"SELECT a FROM t ORDER BY a LIMIT ?", []any{1}, "a 1"},
		{"SELECT a FROM t ORDER BY a LIMIT ? OFFSET ?", []any{1, 1}, "a 2"},
		{"SELECT a FROM t LIMIT ?, ?", []any{1, 1}, "a 2"},
		{"INSERT INTO t VALUES (?, ?), (4, ?)", []any{3, "x", nil}, ""},
		{"SELECT b FROM t WHERE a IN (?, ?) ORDER BY a", []any{3, 4}, "b x NULL"},
		{"UPDATE t SET b = ? WHERE a = ?", []any{"y", 3}, ""},
		{"REPLACE INTO t SELECT a + ?, b FROM t WHERE a = ?", []any{10, 3}, ""},
		{"DELETE FROM t WHERE a > ?", []any{2}, ""},
		{"SET @v = ?", []any{"value"}, ""}, {"SELECT @v", nil, "@v value"},
		{"CALL nested(?)", []any{0}, "n 0;Tables_in_test t"},
		{"CHECK TABLE t", nil, "Table|Op|Msg_type|Msg_text test.t|check|status|OK"},
		{"OPTIMIZE TABLE t", nil, "Table|Op|Msg_type|Msg_text test.t|optimize|note|Table does not support optimize, doing recreate + analyze instead test.t|optimize|status|OK"},
		{"SHOW STORAGE ENGINES", nil, "*"}, {"SHOW ENGINE PERFORMANCE_SCHEMA STATUS", nil, "*"}, {"FLUSH STATUS", nil, ""},
		{"CREATE USER other IDENTIFIED BY 'very secret'", nil, ""}, {"GRANT SELECT ON test.* TO other", nil, ""}, {"SHOW GRANTS FOR other", nil, "*"}, {"DROP USER other", nil, ""},
		{"CREATE TABLE u (x INT)", nil, ""}, {"CREATE VIEW v AS SELECT a FROM t", nil, ""}, {"SELECT MAX(a) AS m FROM v", nil, "m 2"}, {"DROP VIEW v", nil, ""}, {"TRUNCATE TABLE u", nil, ""}, {"DROP TABLE u", nil, ""},
		{"ROLLBACK", nil, ""}, {"COMMIT", nil, ""}, {"EXPLAIN SELECT * FROM t WHERE a = ?", []any{1}, "*"},
		{"SELECT COUNT(*) AS n FROM performance_schema.threads WHERE PROCESSLIST_ID = CONNECTION_ID() AND PROCESSLIST_COMMAND = ?", []any{"Execute"}, "*"},
	} {
		sayAll := func(got []string) string { return strings.Join(got, ";") }
		s, err := c.PrepareContext(t.Context(), test.query)
		if err != nil {
			t.Errorf("%s: %v", test.query, err)
			continue
		}
		for range 1 {
			got := sayAll(resultsOf(t, func() (*sql.Rows, error) { return s.QueryContext(t.Context(), test.args...) }))
			if got != test.want && (test.want != "*" || strings.HasPrefix(got, "1")) {
				t.Errorf("%s: got %q, want %q", test.query, got, test.want)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	r.want(t, "SELECT COUNT(*) FROM events_statements_history WHERE SQL_TEXT LIKE '%very sec' || 'ret%'", "0")
}

// What MySQL does not prepare is not prepared, by the protocol as in SQL; what cannot be parsed has its own errors.
func TestPrepareErrors(t *testing.T) {
	oneAtATime(t)
	_, c := calls(t, "", someProcedures...)
	const refused = "1295 HY000 This command is not supported in the prepared statement protocol yet"
	syntax := func(near string) string {
		return "1064 42000 You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '" + near + "' at line 1"
	}
	for _, test := range []struct{ query, want string }{
		{"PREPARE s FROM 'SELECT 1'", refused}, {"EXECUTE s", refused}, {"DEALLOCATE PREPARE s", refused}, {"START TRANSACTION", refused}, {"BEGIN", refused},
		{"SAVEPOINT a", refused}, {"USE test", refused}, {"LOCK TABLES t READ", refused}, {"UNLOCK TABLES", refused}, {"SIGNAL SQLSTATE '45000'", refused},
		{"CREATE PROCEDURE p() SELECT 1", refused}, {"DROP PROCEDURE one", refused}, {"CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @a = 1", refused}, {"DROP TRIGGER g", refused},
		{"CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO SELECT 1", refused}, {"HANDLER t OPEN", refused}, {"SHOW WARNINGS", refused}, {"SHOW ERRORS", refused}, {"SHOW COUNT(*) WARNINGS", refused},
		{"GET DIAGNOSTICS @n = NUMBER", refused}, {"SELEC 1", syntax("SELEC 1")}, {"SELECT 1; SELECT 2", syntax("SELECT 2")},
		{"", "1065 42000 Query was empty"}, {" /* nothing */ ", "1065 42000 Query was empty"}, {"SELECT * FROM nosuch", "1146 42S02 Table 'test.nosuch' doesn't exist"},
	} {
		_, err := c.PrepareContext(t.Context(), test.query)
		if got := code(err); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.query, got, test.want)
		}
		_, err = c.ExecContext(t.Context(), "PREPARE p FROM '"+strings.ReplaceAll(test.query, "'", "''")+"'")
		if got := code(err); got != test.want {
			t.Errorf("PREPARE of %s:\n got %s\nwant %s", test.query, got, test.want)
		}
	}
	many := "SELECT 1 FROM t WHERE a IN (" + strings.Repeat("?,", 1<<16) + "?)"
	if _, err := c.PrepareContext(t.Context(), many); code(err) != "1390 HY000 Prepared statement contains too many placeholders" {
		t.Errorf("got %s", code(err))
	}
	for _, test := range []struct{ query, want string }{
		{"PREPARE p FROM 'SELECT ?, ?'", "<nil>"}, {"EXECUTE p", "1210 HY000 Incorrect arguments to EXECUTE"}, {"EXECUTE p USING @a", "1210 HY000 Incorrect arguments to EXECUTE"},
		{"EXECUTE p USING @a, @a, @a", "1210 HY000 Incorrect arguments to EXECUTE"}, {"EXECUTE P USING @a, @b", "<nil>"}, {"DEALLOCATE PREPARE P", "<nil>"},
		{"EXECUTE p", "1243 HY000 Unknown prepared statement handler (p) given to EXECUTE"}, {"DEALLOCATE PREPARE p", "1243 HY000 Unknown prepared statement handler (p) given to DEALLOCATE PREPARE"},
		{"SET @q = NULL", "<nil>"}, {"PREPARE p FROM @q", syntax("NULL")}, {"SET @q = 12", "<nil>"}, {"PREPARE p FROM @q", syntax("12")}, {"PREPARE p FROM @unset", syntax("NULL")},
		{"SET @q = 'SELECT 5'", "<nil>"}, {"PREPARE p FROM @q", "<nil>"}, {"EXECUTE p", "<nil>"}, {"PREPARE p FROM 'SELEC'", syntax("SELEC")}, {"EXECUTE p", "1243 HY000 Unknown prepared statement handler (p) given to EXECUTE"},
	} {
		if _, err := c.ExecContext(t.Context(), test.query); code(err) != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.query, code(err), test.want)
		}
	}
}

// Variables of all types are what EXECUTE gives to markers.
func TestExecuteUsing(t *testing.T) {
	oneAtATime(t)
	_, c := calls(t, "", "SET @i = 5, @d = 1.50, @f = 2.5e0, @s = 'é''s', @n = NULL, @u = 18446744073709551615, @t = CAST('2026-11-22 01:02:03' AS DATETIME), @neg = -7, @b = X'00FF'")
	for _, test := range []struct{ prepare, using, want string }{
		{"SELECT ? AS v", "@i", "v 5"}, {"SELECT ? AS v", "@d", "v 1.50"}, {"SELECT ? AS v", "@f", "v 2.5"}, {"SELECT ? AS v", "@s", "v é's"}, {"SELECT ? AS v", "@n", "v NULL"},
		{"SELECT ? AS v", "@u", "v 18446744073709551615"}, {"SELECT ? AS v", "@t", "v 2026-11-22 01:02:03.000000"}, {"SELECT ? + ? AS v", "@neg, @i", "v -2"},
		{"SELECT a FROM t ORDER BY a LIMIT ?", "@i", "a 1 2"}, {"SELECT a FROM t WHERE b = ?", "@s", "a"}, {"SELECT CONCAT(?, ?) AS v", "@s, @i", "v é's5"}, {"CHECK TABLE t", "", "Table|Op|Msg_type|Msg_text test.t|check|status|OK"},
		{"CREATE VIEW made AS SELECT a AS made_a FROM t", "", ""}, {"SELECT * FROM made ORDER BY 1", "", "made_a 1 2"}, {"DROP VIEW IF EXISTS made", "", ""}, {"SELECT HEX(?) AS v", "@b", "v 00FF"}, {"SELECT a FROM t WHERE a = ? OR a = ? ORDER BY a", "@i, @unset", "a"},
	} {
		if _, err := c.ExecContext(t.Context(), fmt.Sprintf("PREPARE p FROM \"%s\"", test.prepare)); err != nil {
			t.Errorf("%s: %v", test.prepare, err)
			continue
		}
		execute := "EXECUTE p"
		if test.using != "" {
			execute += " USING " + test.using
		}
		for i := range 2 {
			got := resultsOf(t, func() (*sql.Rows, error) { return c.QueryContext(t.Context(), execute) })
			if i == 1 && strings.Contains(test.prepare, "VIEW") {
				continue
			}
			if !slices.Equal(got, []string{test.want}) {
				t.Errorf("%s using %s: got %q, want %q", test.prepare, test.using, got, test.want)
			}
		}
	}
}

// The answer to COM_STMT_PREPARE, byte for byte.
func TestPreparePackets(t *testing.T) {
	r, _ := calls(t, "")
	bothEOFs(t, r, func(c *packetReader) {
		eof := func() {
			t.Helper()
			if !c.deprecated {
				c.want("\xfe\x00\x00\x02\x00")
			}
		}
		c.write(commandOf(wire.ComStmtPrepare, []byte("CHECK TABLE test.t")...), commandOf(wire.ComStmtPrepare, []byte("SELECT a FROM test.t WHERE a = ?")...),
			commandOf(wire.ComStmtPrepare, []byte("SELEC")...), commandOf(wire.ComStmtPrepare, []byte("DELETE FROM test.t WHERE a = ? OR a = ?")...), commandOf(wire.ComPing))
		c.want("\x00\x01\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00")
		for range 4 {
			c.next()
		}
		eof()
		c.n = 0
		const marker = "\x03def\x00\x00\x00\x01?\x00\x0c\x3f\x00\x00\x00\x00\x00\xfd\x80\x00\x00\x00\x00"
		c.want("\x00\x02\x00\x00\x00\x01\x00\x01\x00\x00\x00\x00")
		c.want(marker)
		eof()
		if got := c.next(); !strings.HasPrefix(got, "\x03def\x04test\x01t\x01t\x01a\x01a\x0c") {
			t.Errorf("got %q", got)
		}
		eof()
		c.n = 0
		c.want("\xff\x28\x04#42000You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'SELEC' at line 1")
		c.n = 0
		c.want("\x00\x04\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00")
		c.want(marker)
		c.want(marker)
		eof()
		c.n = 0
		c.want("\x00\x00\x00\x02\x00\x00\x00")
	})
}

// A statement longer than a packet is prepared as it is, and one that is too long refused.
func TestPrepareLong(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{MaxAllowedPacket: 64 << 20}, tables.All()...)
	db := r.open(t, "maxAllowedPacket=0")
	text := strings.Repeat("x", packetMax)
	var n int
	s, err := db.Prepare("SELECT LENGTH('" + text + "') + ?")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.QueryRow(1).Scan(&n); err != nil || n != len(text)+1 {
		t.Errorf("got %d, %v", n, err)
	}
}
