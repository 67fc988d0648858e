package engine

import (
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pfsd/tables"
)

// The matrix of privileges on columns: what a statement may do with a table of somebody else, for each set of privileges, wherever the
// statement stands.

// placeSets are the sets of privileges on vic.secret that mallory has, one at a time. mallory also has all privileges on own.
var placeSets = []struct{ name, grant string }{
	{"none", ""},
	{"other", "SELECT ON vic.other"},
	{"sid", "SELECT (id) ON vic.secret"},
	{"sboth", "SELECT (id, s) ON vic.secret"},
	{"iid", "INSERT (id) ON vic.secret"},
	{"us", "UPDATE (s) ON vic.secret"},
	{"sidus", "SELECT (id), UPDATE (s) ON vic.secret"},
	{"iidus", "INSERT (id), UPDATE (s) ON vic.secret"},
	{"del", "DELETE ON vic.secret"},
	{"siddel", "SELECT (id), INSERT (id), DELETE ON vic.secret"},
	{"all", "ALL ON vic.*"},
}

// The answers to statements that read the column id, that read s without a star, and with one.
const (
	readsID  = "1142 1142 ok   ok   1142 1142 ok   1142 1142 ok   ok"
	readsS   = "1142 1142 1143 ok   1142 1142 1143 1142 1142 1143 ok"
	readsAll = "1142 1142 1142 ok   1142 1142 1142 1142 1142 1142 ok"
)

// placeLines are statements with an answer for each set: ok, or the number of the error that MySQL 8.4 has for it; 114x is 1142 or 1143.
var placeLines = [][2]string{
	{"SELECT id FROM vic.secret", readsID},
	{"SELECT COUNT(*) FROM vic.secret", readsID},
	{"SELECT x.id FROM vic.secret AS x WHERE x.id = 1", readsID},
	{"SELECT s FROM vic.secret", readsS},
	{"SELECT * FROM vic.secret", readsAll},
	{"SELECT secret.* FROM vic.secret, own.t", readsAll},
	{"TABLE vic.secret", readsAll},
	{"SELECT id FROM vic.secret WHERE s = 'hidden'", readsS},
	{"SELECT id FROM vic.secret ORDER BY s", readsS},
	{"SELECT COUNT(*) FROM vic.secret GROUP BY s", readsS},
	{"SELECT id FROM vic.secret GROUP BY id HAVING MAX(s) > ''", readsS},
	{"SELECT ROW_NUMBER() OVER (ORDER BY s) FROM vic.secret", readsS},
	{"SELECT id FROM (SELECT id, s FROM vic.secret) AS d", readsS},
	{"WITH c AS (SELECT s FROM vic.secret) SELECT COUNT(*) FROM c", readsS},
	{"WITH RECURSIVE c AS (SELECT 1 AS n UNION SELECT n + 1 FROM c JOIN vic.secret ON secret.id = n AND s <> '') SELECT n FROM c", readsS},
	{"SELECT id FROM vic.secret UNION SELECT s FROM vic.secret", readsS},
	{"SELECT t.id FROM own.t JOIN vic.secret USING (s)", readsS},
	{"SELECT t.id FROM own.t NATURAL JOIN vic.secret", readsS},
	{"SELECT t.id FROM own.t LEFT JOIN vic.secret AS x ON x.s = t.s", readsS},
	{"SELECT (SELECT MAX(s) FROM vic.secret)", readsS},
	{"SELECT 1 FROM own.t WHERE EXISTS (SELECT s FROM vic.secret)", readsS},
	{"SELECT 1 FROM own.t WHERE EXISTS (SELECT 1 FROM vic.secret AS x WHERE x.s = t.s)", readsS},
	{"SELECT 1 FROM own.t WHERE s IN (SELECT s FROM vic.secret)", readsS},
	{"SELECT 1 FROM own.t, LATERAL (SELECT s FROM vic.secret WHERE id = t.id) AS d", readsS},
	{"DO (SELECT MAX(s) FROM vic.secret)", readsS},
	{"SET @x = (SELECT MAX(s) FROM vic.secret)", readsS},
	{"SELECT s INTO @x FROM vic.secret LIMIT 1", readsS},
	{"CALL own.takes((SELECT MAX(s) FROM vic.secret))", readsS},
	{"INSERT INTO vic.secret (id) VALUES (9)", "1142 1142 1142 1142 ok   1142 1142 ok   1142 ok   ok"},
	{"INSERT INTO vic.secret SET id = 9", "1142 1142 1142 1142 ok   1142 1142 ok   1142 ok   ok"},
	{"INSERT INTO vic.secret (id) SELECT id + 10 FROM own.t", "1142 1142 1142 1142 ok   1142 1142 ok   1142 ok   ok"},
	{"INSERT INTO vic.secret (id, s) VALUES (9, 'x')", "1142 1142 1142 1142 1143 1142 1142 1143 1142 1143 ok"},
	{"INSERT INTO vic.secret SET id = 9, s = 'x'", "1142 1142 1142 1142 1143 1142 1142 1143 1142 1143 ok"},
	{"INSERT INTO vic.secret VALUES (9, 'x')", "1142 1142 1142 1142 1142 1142 1142 1142 1142 1142 ok"},
	{"INSERT INTO own.t SELECT id + 10, 'x' FROM vic.secret", readsID},
	{"INSERT INTO own.t SELECT id + 10, s FROM vic.secret", readsS},
	{"INSERT INTO own.t VALUES (10, (SELECT MAX(s) FROM vic.secret))", readsS},
	{"INSERT INTO own.t VALUES (1, 'x') ON DUPLICATE KEY UPDATE s = (SELECT MAX(s) FROM vic.secret)", readsS},
	{"INSERT INTO vic.secret (id) VALUES (1) ON DUPLICATE KEY UPDATE s = 'x'", "1142 1142 1142 1142 1142 1142 1142 ok   1142 1142 ok"},
	{"INSERT INTO vic.secret (id) VALUES (1) ON DUPLICATE KEY UPDATE id = 50", "1142 1142 1142 1142 1142 1142 1142 1143 1142 1142 ok"},
	{"INSERT INTO vic.secret (id) VALUES (1) ON DUPLICATE KEY UPDATE s = id", "1142 1142 1142 1142 1142 1142 1142 1143 1142 1142 ok"},
	{"REPLACE INTO vic.secret (id) VALUES (1)", "1142 1142 1142 1142 1142 1142 1142 1142 1142 ok   ok"},
	{"REPLACE INTO vic.secret (id, s) VALUES (1, 'x')", "1142 1142 1142 1142 1142 1142 1142 1142 1142 1143 ok"},
	{"REPLACE INTO own.t SELECT id, s FROM vic.secret", readsS},
	{"UPDATE vic.secret SET s = 'x'", "1142 1142 1142 1142 1142 ok   ok   ok   1142 1142 ok"},
	{"UPDATE vic.secret SET s = 'x' WHERE id = 1", "1142 1142 1142 1142 1142 1143 ok   1143 1142 1142 ok"},
	{"UPDATE vic.secret SET id = 60 WHERE id = 1", "1142 1142 1142 1142 1142 1143 1143 1143 1142 1142 ok"},
	{"UPDATE own.t SET s = (SELECT MAX(s) FROM vic.secret)", readsS},
	{"UPDATE own.t SET s = 'x' WHERE s = (SELECT MAX(s) FROM vic.secret)", readsS},
	{"UPDATE own.t JOIN vic.secret USING (id) SET t.s = secret.s", "1142 1142 1143 ok   1142 1143 1143 1143 1142 1143 ok"},
	{"UPDATE own.t JOIN vic.secret USING (id) SET secret.s = 'x'", "1142 1142 114x 114x 1142 1143 ok   1143 1142 114x ok"},
	{"DELETE FROM vic.secret", "1142 1142 1142 1142 1142 1142 1142 1142 ok   ok   ok"},
	{"DELETE FROM vic.secret WHERE id = 1", "1142 1142 1142 1142 1142 1142 1142 1142 1143 ok   ok"},
	{"DELETE FROM vic.secret WHERE s = 'hidden'", "1142 1142 1142 1142 1142 1142 1142 1142 1143 1143 ok"},
	{"DELETE FROM own.t WHERE s IN (SELECT s FROM vic.secret)", readsS},
	{"DELETE own.t FROM own.t JOIN vic.secret USING (s)", "1142 1142 1143 ok   1142 1142 1143 1142 114x 1143 ok"},
	{"CREATE TABLE own.n AS SELECT id FROM vic.secret", readsID},
	{"CREATE TABLE own.n AS SELECT s FROM vic.secret", readsS},
	{"CREATE TABLE own.n AS SELECT * FROM vic.secret", readsAll},
	{"CREATE VIEW own.n AS SELECT s FROM vic.secret", readsS},
	// Statements that only programs have.
	{"IF (SELECT MAX(s) FROM vic.secret) IS NULL THEN SET @x = 1; END IF", readsS},
	{"IF 1 = 2 THEN SET @x = 1; ELSEIF (SELECT MAX(s) FROM vic.secret) IS NULL THEN SET @x = 1; END IF", readsS},
	{"CASE (SELECT MAX(s) FROM vic.secret) WHEN 'x' THEN SET @x = 1; ELSE SET @x = 2; END CASE", readsS},
	{"CASE 'x' WHEN (SELECT MAX(s) FROM vic.secret) THEN SET @x = 1; ELSE SET @x = 2; END CASE", readsS},
	{"CASE WHEN (SELECT MAX(s) FROM vic.secret) IS NULL THEN SET @x = 1; ELSE SET @x = 2; END CASE", readsS},
	{"WHILE (SELECT MAX(s) FROM vic.secret) IS NULL DO SET @x = 1; END WHILE", readsS},
	{"REPEAT SET @x = 1; UNTIL (SELECT MAX(s) FROM vic.secret) IS NOT NULL END REPEAT", readsS},
	{"BEGIN DECLARE v VARCHAR(20) DEFAULT (SELECT MAX(s) FROM vic.secret); SET @x = 1; END", readsS},
	{"BEGIN DECLARE v VARCHAR(20); SET v = (SELECT MAX(s) FROM vic.secret); END", readsS},
	{"BEGIN DECLARE v INT DEFAULT 1; IF (SELECT COUNT(*) FROM vic.secret WHERE id = v AND s <> '') = 0 THEN SET @x = 1; END IF; END", readsS},
	{"BEGIN DECLARE v INT DEFAULT 9; INSERT INTO vic.secret (id) VALUES (v); END", "1142 1142 1142 1142 ok   1142 1142 ok   1142 ok   ok"},
	{"BEGIN DECLARE v INT DEFAULT 9; INSERT INTO vic.secret (id, s) VALUES (v, 'x'); END", "1142 1142 1142 1142 1143 1142 1142 1143 1142 1143 ok"},
	{"BEGIN DECLARE CONTINUE HANDLER FOR NOT FOUND SET @x = (SELECT MAX(s) FROM vic.secret); SIGNAL SQLSTATE '02000'; END", readsS},
	{"BEGIN DECLARE c CURSOR FOR SELECT s FROM vic.secret; OPEN c; CLOSE c; END", readsS},
}

// placeWorld is what a statement may have changed.
var placeWorld = []string{
	"DROP TABLE IF EXISTS own.n", "DROP VIEW IF EXISTS own.n", "DELETE FROM vic.secret", "INSERT INTO vic.secret VALUES (1, 'hidden'), (2, 'hidden')",
	"DELETE FROM own.t", "INSERT INTO own.t VALUES (1, 'a'), (2, 'b')",
}

// placeContents shows all rows that a statement may have changed, or put somewhere else.
const placeContents = "SELECT 'secret', id, s FROM vic.secret UNION ALL SELECT 't', id, s FROM own.t"

// place is where a statement stands.
type place struct {
	name string
	// made are the statements of root that put the statement there. {} is the statement, {n} a number of its own.
	made []string
	late bool // mallory prepares it as late{n}
	// user executes run, whose answer is that of the statement.
	user, run string
	// has reports whether the statement can stand there.
	has func(statement string) bool
}

// firstWord is the first word of a statement.
func firstWord(statement string) string { return strings.Fields(statement)[0] }

// inPrograms reports whether only programs have such a statement.
func inPrograms(statement string) bool {
	return slices.Contains([]string{"IF", "CASE", "WHILE", "REPEAT", "BEGIN"}, firstWord(statement))
}

func isQuery(statement string) bool {
	return slices.Contains([]string{"SELECT", "WITH", "TABLE"}, firstWord(statement)) && !strings.Contains(statement, "INTO")
}

// withoutRows reports whether a statement can stand in a function or in a trigger.
func withoutRows(statement string) bool {
	return !slices.Contains([]string{"CREATE", "TABLE", "DO"}, firstWord(statement))
}

// inTrigger reports whether a statement can stand in a trigger of this server.
func inTrigger(statement string) bool {
	return withoutRows(statement) && !strings.Contains(statement, "INTO @") && !strings.Contains(statement, "HANDLER") && !strings.Contains(statement, "DEFAULT (")
}

// inEvent reports whether a statement can stand in an event.
func inEvent(statement string) bool {
	return !slices.Contains([]string{"CREATE", "DO"}, firstWord(statement))
}

// opened is a statement as it stands in functions and triggers, which send no rows: a query is that of a cursor.
func opened(statement string) string {
	switch {
	case isQuery(statement):
		return "BEGIN DECLARE c CURSOR FOR " + statement + "; OPEN c; CLOSE c; END"
	case firstWord(statement) != "BEGIN" && (firstWord(statement) == "SELECT" || inPrograms(statement)):
		return "BEGIN " + statement + "; END"
	}
	return statement
}

// quoted is a text as a literal of SQL.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// places are all places, but for events, of which one has all statements.
func places() []place {
	direct := func(s string) bool { return !inPrograms(s) }
	explained := func(s string) bool {
		return direct(s) && !slices.Contains([]string{"DO", "SET", "CALL", "CREATE"}, firstWord(s)) && !strings.Contains(s, "INTO @")
	}
	any := func(s string) bool { return firstWord(s) != "DO" } // which the grammar of programs does not have
	scalar := func(s string) bool { return strings.HasPrefix(s, "SELECT (") }
	viewed := func(s string) bool { return isQuery(s) && firstWord(s) != "TABLE" && !strings.Contains(s, "LATERAL") }
	all := []place{
		{name: "alone", user: "mallory", run: "{}", has: direct},
		{name: "prepared by PREPARE", user: "mallory", run: "PREPARE p FROM {quoted}", has: direct},
		{name: "executed by EXECUTE", late: true, user: "mallory", run: "EXECUTE late{n}", has: direct},
		{name: "prepared by the protocol", user: "mallory", run: "prepared {}", has: direct},
		{name: "executed by the protocol", user: "mallory", run: "executed {}", has: direct},
		{name: "EXPLAIN", user: "mallory", run: "EXPLAIN {}", has: explained},
		{name: "view of the definer", made: []string{"CREATE DEFINER = mallory@localhost SQL SECURITY DEFINER VIEW own.v{n} (c1, c2) AS {two}"}, user: "root", run: "SELECT * FROM own.v{n}", has: viewed},
		{name: "view of the invoker", made: []string{"CREATE SQL SECURITY INVOKER VIEW own.w{n} (c1, c2) AS {two}"}, user: "mallory", run: "SELECT * FROM own.w{n}", has: viewed},
		{name: "view in a view", made: []string{"CREATE DEFINER = mallory@localhost SQL SECURITY DEFINER VIEW own.v{n} (c1, c2) AS {two}", "CREATE VIEW own.w{n} AS SELECT 1 FROM own.v{n} AS d, (SELECT c1 FROM own.v{n}) AS v"}, user: "root", run: "SELECT * FROM own.w{n}", has: viewed},
		{name: "function's RETURN", made: []string{"CREATE DEFINER = mallory@localhost FUNCTION own.f{n}() RETURNS VARCHAR(20) NOT DETERMINISTIC RETURN {scalar}"}, user: "root", run: "SELECT own.f{n}()", has: scalar},
		{name: "trigger's SET NEW", made: []string{"CREATE DATABASE fire{n}", "CREATE TABLE fire{n}.gun (a INT AUTO_INCREMENT PRIMARY KEY, b VARCHAR(20))", "CREATE DEFINER = mallory@localhost TRIGGER fire{n}.tr BEFORE INSERT ON fire{n}.gun FOR EACH ROW SET NEW.b = {scalar}"}, user: "root", run: "INSERT INTO fire{n}.gun (b) VALUES ('x')", has: scalar},
	}
	for _, security := range []struct{ name, user, invoker string }{{"DEFINER", "root", "mallory"}, {"INVOKER", "mallory", "root"}} {
		definer := "CREATE DEFINER = " + security.invoker + "@localhost "
		all = append(all,
			place{name: "procedure, " + security.name, made: []string{definer + "PROCEDURE own.p{n}() SQL SECURITY " + security.name + " {}"},
				user: security.user, run: "CALL own.p{n}()", has: any},
			place{name: "procedure in a procedure, " + security.name, made: []string{definer + "PROCEDURE own.p{n}() SQL SECURITY " + security.name + " {}", definer + "PROCEDURE own.q{n}() SQL SECURITY " + security.name + " BEGIN CALL own.p{n}(); END"}, user: security.user, run: "CALL own.q{n}()", has: any},
			place{name: "PREPARE in a procedure, " + security.name, made: []string{definer + "PROCEDURE own.p{n}() SQL SECURITY " + security.name + " BEGIN PREPARE x FROM {quoted}; EXECUTE x; END"}, user: security.user, run: "CALL own.p{n}()", has: direct},
			place{name: "function, " + security.name, made: []string{definer + "FUNCTION own.f{n}() RETURNS INT NOT DETERMINISTIC SQL SECURITY " + security.name + " BEGIN {opened}; RETURN 1; END"}, user: security.user, run: "SELECT own.f{n}()", has: withoutRows},
		)
	}
	for _, when := range []string{"BEFORE INSERT", "BEFORE UPDATE", "AFTER DELETE"} {
		run := map[string]string{"INSERT": "INSERT INTO fire{n}.gun (b) VALUES ('x')", "UPDATE": "UPDATE fire{n}.gun SET b = LEFT(UUID(), 20)", "DELETE": "DELETE FROM fire{n}.gun"}[strings.Fields(when)[1]]
		all = append(all, place{name: "trigger " + when, made: []string{"CREATE DATABASE fire{n}", "CREATE TABLE fire{n}.gun (a INT AUTO_INCREMENT PRIMARY KEY, b VARCHAR(20))", "INSERT INTO fire{n}.gun (b) SELECT 'x' FROM DUAL WHERE '" + when + "' = 'BEFORE UPDATE'", "CREATE DEFINER = mallory@localhost TRIGGER fire{n}.tr " + when + " ON fire{n}.gun FOR EACH ROW {opened}"}, user: "root", run: run, has: inTrigger})
	}
	return all
}

// filled is a text with the statement in it.
func filled(text, statement string, n int) string {
	two := statement
	if isQuery(statement) {
		two = "SELECT 1, (SELECT COUNT(*) FROM (" + statement + ") AS z)"
	}
	scalar := strings.TrimPrefix(statement, "SELECT ")
	return strings.NewReplacer("{quoted}", quoted(statement), "{opened}", opened(statement), "{two}", two, "{scalar}", scalar, "{n}", strconv.Itoa(n), "{}", statement).Replace(text)
}

// answerAt executes what a place executes, and returns ok or the number of the error.
func answerAt(t *testing.T, c *sql.Conn, run string) string {
	t.Helper()
	text, prepare := strings.CutPrefix(run, "prepared ")
	text, execute := strings.CutPrefix(text, "executed ")
	read := func(rows *sql.Rows, err error) string {
		if err != nil {
			return errorNumber(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
		}
		return errorNumber(rows.Err())
	}
	if !prepare && !execute {
		return read(c.QueryContext(t.Context(), text))
	}
	s, err := c.PrepareContext(t.Context(), text)
	if err != nil {
		return errorNumber(err)
	}
	defer func() { _ = s.Close() }()
	if prepare {
		return "ok"
	}
	return read(s.QueryContext(t.Context()))
}

// answersAgree reports whether an answer is what is wanted.
func answersAgree(got, want string) bool {
	return got == want || want == "114x" && (got == "1142" || got == "1143")
}

// TestColumnsWhereverStatementsStand: a statement is answered alike wherever it stands, with the privileges of the account that it runs as; and if it is
// denied, it has changed nothing and shown nothing.
func TestColumnsWhereverStatementsStand(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{Init: []string{"CREATE USER mallory@localhost"}}, tables.All()...)
	for _, q := range append([]string{
		"CREATE DATABASE own", "CREATE DATABASE vic", "CREATE TABLE vic.secret (id INT PRIMARY KEY, s VARCHAR(20))", "CREATE TABLE vic.other (id INT, s VARCHAR(20))",
		"CREATE TABLE own.t (id INT PRIMARY KEY, s VARCHAR(20))", "CREATE PROCEDURE own.takes(x VARCHAR(20)) SET @taken = x",
		"CREATE TABLE own.answers (line INT, answer VARCHAR(20))",
	}, placeWorld...) {
		r.exec(t, q)
	}
	conns := map[string]*sql.Conn{}
	for _, user := range []string{"root", "mallory"} {
		c, err := r.enter(t, user)
		if err != nil {
			t.Fatal(err)
		}
		conns[user] = c
	}
	grant := func(set int) {
		r.exec(t, "REVOKE ALL PRIVILEGES, GRANT OPTION FROM mallory@localhost")
		r.exec(t, "GRANT ALL ON own.* TO mallory@localhost")
		r.exec(t, "GRANT ALL ON `fire%`.* TO mallory@localhost") // a database for each trigger: all triggers of one are parsed for each change there
		if g := placeSets[set].grant; g != "" {
			r.exec(t, "GRANT "+g+" TO mallory@localhost")
		}
	}
	before := r.query(t, placeContents)
	type stand struct {
		place
		statement string
		answers   []string
		n         int
		all       string // the answer to an account with all privileges
	}
	var stands []stand
	grant(len(placeSets) - 1)
	for _, line := range placeLines {
		answers := strings.Fields(line[1])
		if len(answers) != len(placeSets) {
			t.Fatalf("%s has %d answers", line[0], len(answers))
		}
		for _, p := range places() {
			if !p.has(line[0]) {
				continue
			}
			s := stand{place: p, statement: line[0], answers: answers, n: len(stands)}
			for _, q := range p.made {
				r.exec(t, filled(q, s.statement, s.n))
			}
			if p.late {
				if got := answerAt(t, conns["mallory"], filled("PREPARE late{n} FROM {quoted}", s.statement, s.n)); got != "ok" {
					t.Fatal(s.statement, got)
				}
			}
			stands = append(stands, s)
		}
	}
	for i, set := range slices.Backward(placeSets) {
		grant(i)
		for j := range stands {
			s := &stands[j]
			if strings.HasPrefix(s.run, "DELETE FROM fire") {
				r.exec(t, filled("INSERT IGNORE INTO fire{n}.gun VALUES (1, 'x')", s.statement, s.n))
			}
			want := s.answers[i]
			got := answerAt(t, conns[s.user], filled(s.run, s.statement, s.n))
			if set.name == "all" {
				s.all = got
			}
			if want == "ok" && (s.all == "1105" || s.all == "1235") { // it is not executed there, for nobody
				want = s.all
			}
			if !answersAgree(got, want) {
				t.Errorf("%s, %s\n %s\n got %s\nwant %s", s.name, set.name, s.statement, got, want)
			}
			if isQuery(s.statement) && j < len(stands)-1 {
				continue
			}
			now := r.query(t, placeContents)
			if got != "ok" && !slices.Equal(now, before) {
				t.Errorf("%s, %s\n %s\nwas denied and has changed\n%q to\n%q", s.name, set.name, s.statement, before, now)
			}
			if creates := firstWord(s.statement) == "CREATE"; creates || !slices.Equal(now, before) {
				if _, err := r.db.Exec("SELECT 1 FROM own.n"); creates && got != "ok" && err == nil {
					t.Errorf("%s, %s\n %s\nwas denied and has made it", s.name, set.name, s.statement)
				}
				for _, q := range placeWorld {
					r.exec(t, q)
				}
			}
		}
	}
	// In an event, whose errors are in the log.
	for i, set := range placeSets {
		if set.name != "sid" && set.name != "iidus" {
			continue // events take long
		}
		grant(i)
		for j, line := range placeLines {
			want := strings.Fields(line[1])[i]
			if !inEvent(line[0]) || want == "ok" {
				continue
			}
			name := fmt.Sprintf("own.e%s%d", set.name, j)
			r.exec(t, "CREATE DEFINER = mallory@localhost EVENT "+name+" ON SCHEDULE AT CURRENT_TIMESTAMP DO BEGIN "+opened(line[0])+"; INSERT INTO own.answers VALUES ("+strconv.Itoa(j)+", 'ok'); END")
			var log []string
			eventually(t, name+" has run", func() bool {
				log = r.query(t, "SELECT DATA FROM performance_schema.error_log WHERE DATA LIKE '%"+name+"%' UNION ALL SELECT answer FROM own.answers WHERE line = "+strconv.Itoa(j))
				return len(log) > 0
			})
			kind := map[string]string{"1142": "for table", "1143": "for column"}[want]
			if !strings.Contains(log[0], "denied") || !strings.Contains(log[0], kind) {
				t.Errorf("event, %s\n %s\n got %s\nwant %s", set.name, line[0], log[0], want)
			}
		}
		if now := r.query(t, placeContents); !slices.Equal(now, before) {
			t.Errorf("event, %s: it has changed\n%q to\n%q", set.name, before, now)
		}
	}
}
