package secrets

import (
	"strings"
	"testing"
)

const marker = "hunter2Zebra"

// statements are those that passwords stand in.
var statements = []string{
	"CREATE USER u@h IDENTIFIED BY '" + marker + "'",
	"CREATE USER 'u'@'h' IDENTIFIED WITH caching_sha2_password BY \"" + marker + "\" REQUIRE SSL",
	"ALTER USER IF EXISTS u IDENTIFIED BY '" + marker + "' REPLACE '" + marker + "' RETAIN CURRENT PASSWORD",
	"ALTER USER USER() IDENTIFIED BY " + marker,
	"SET PASSWORD = '" + marker + "'",
	"SET PASSWORD FOR 'u'@'h' = PASSWORD('" + marker + "')",
	"GRANT ALL ON *.* TO u IDENTIFIED BY '" + marker + "'",
	"CHANGE REPLICATION SOURCE TO SOURCE_USER='u', SOURCE_PASSWORD='" + marker + "'",
	"CHANGE MASTER TO MASTER_PASSWORD = '" + marker + "'",
	"START REPLICA USER='u' PASSWORD='" + marker + "'",
	"CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (USER 'u', PASSWORD '" + marker + "')",
	"CLONE INSTANCE FROM u@h:3306 IDENTIFIED BY '" + marker + "'",
	"PREPARE s FROM 'ALTER USER u IDENTIFIED BY ''" + marker + "'''",
	"SET @s = 'SET PASSWORD = ''" + marker + "'''",
	"SELECT 1; CREATE USER u IDENTIFIED BY '" + marker + "'; SELECT 2",
	"CREATE PROCEDURE p() BEGIN ALTER USER u IDENTIFIED BY '" + marker + "'; END",
	"CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO SET PASSWORD FOR u = '" + marker + "'",
	"SELECT 1 /* ALTER USER u IDENTIFIED BY '" + marker + "' */",
	"SELECT 1 -- SET PASSWORD = '" + marker + "'",
	"ALTER USER u IDEN/* */TIFIED BY '" + marker + "'",
	"SET @s = CONCAT('ALTER USER u IDEN', 'TIFIED BY ''" + marker + "''')",
}

// What a parser understands is hidden, and what it does not as well.
func TestHide(t *testing.T) {
	for _, s := range statements {
		for _, hidden := range []string{Hide(s), HideParsed(s)} {
			if strings.Contains(hidden, marker) || !strings.Contains(hidden, secret) {
				t.Errorf("%s\nis shown as %s", s, hidden)
			}
		}
		message := "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '%s' at line 1"
		for i := range len(s) {
			if got := HideIn(strings.Replace(message, "%s", s[i:min(len(s), i+80)], 1), s); strings.Contains(got, marker) || strings.Contains(got, "Zebra") {
				t.Fatalf("%s\nfails with %s", s, got)
			}
		}
	}
	for _, s := range []string{
		"", "SELECT 1", "SELECT * FROM performance_schema.threads WHERE NAME = 'x'", "INSERT INTO t VALUES ('a', \"b\")",
		"SELEC 'x' FROM t", "CREATE TABLE t (a INT DEFAULT '1' COMENT 'x')", "CALL sys.ps_setup_show_enabled(TRUE, TRUE)", "GRANT SELECT ON db.* TO 'u'@'%'",
		"SELECT word, pass FROM past", "CREATE VIEW v AS SELECT entity, field FROM t",
	} {
		if got := Hide(s); got != s {
			t.Errorf("%s is shown as %s", s, got)
		}
	}
	for _, s := range []string{
		"SELECT password FROM users WHERE name = 'x'", "UPDATE users SET password = 'x' WHERE id = 1", "SELECT identifier FROM t WHERE a = 'b'",
		"INSERT INTO users (name, password) VALUES ('a', 'b')", "CREATE TABLE identified (a INT)",
	} {
		if got := HideParsed(s); got != s {
			t.Errorf("%s is shown as %s", s, got)
		}
	}
	for message, want := range map[string]string{
		"x near 'USR u IDENTIFIED BY 'p'' at line 1": "x near 'USR u IDENTIFIED<secret>' at line 1",
		"x near '' at line 1":                        "x near '' at line 1",
		"Unknown column 'a' in 'field list'":         "Unknown column 'a' in 'field list'",
	} {
		if got := HideIn(message, "ALTER USR u IDENTIFIED BY 'p'"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// However a statement is cut, and with two mistakes wherever they are, the password is hidden.
func FuzzHide(f *testing.F) {
	for i := range statements {
		f.Add(uint8(i), uint16(3), uint16(7), uint8('x'), uint8(0), uint16(1000))
		f.Add(uint8(i), uint16(12), uint16(14), uint8('\''), uint8(1), uint16(40))
	}
	f.Fuzz(func(t *testing.T, which uint8, first, second uint16, with, how uint8, length uint16) {
		s := statements[int(which)%len(statements)]
		// The password stays as it is: it is what is looked for.
		before, after, _ := strings.Cut(s, marker)
		for _, at := range []uint16{first, second} {
			before = mistake(before, int(at), with, int(how))
			how /= 3
		}
		s = before + marker + after
		s = s[:min(len(s), int(length))]
		if hidden := Hide(s); strings.Contains(hidden, marker[:4]) && strings.Contains(s, marker) {
			t.Errorf("%s\nis shown as %s", s, hidden)
		}
	})
}

// mistake leaves a byte out of a text, writes another for it, or one more.
func mistake(s string, at int, with uint8, how int) string {
	at %= len(s) + 1
	if at == len(s) {
		return s + string(rune(with%0x80))
	}
	switch how % 3 {
	case 0:
		return s[:at] + s[at+1:]
	case 1:
		return s[:at] + string(rune(with%0x80)) + s[at+1:]
	}
	return s[:at] + string(rune(with%0x80)) + s[at:]
}

func BenchmarkHide(b *testing.B) {
	const text = "SELECT EVENT_NAME, COUNT_STAR, SUM_TIMER_WAIT FROM performance_schema.events_waits_summary_global_by_event_name WHERE COUNT_STAR > 0"
	b.ReportAllocs()
	for b.Loop() {
		Hide(text)
	}
}
