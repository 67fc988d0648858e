package grammar

import (
	"reflect"
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// The statements that Grammar recognises. Each is a syntax error for vitess. TestGrammar fails for
// a statement that vitess can parse: Grammar does not need that statement.
var grammarStatements = []struct {
	query string
	want  Statement
}{
	{"CHECK TABLE t", Statement{Kind: "check", Names: []Name{{"", "t"}}}},
	{"check tables a.`b``c`, `t`.u FOR UPGRADE quick", Statement{Kind: "check", Names: []Name{{"a", "b`c"}, {"t", "u"}}, Options: []string{"FOR", "QUICK"}}},
	{"CHECKSUM TABLE t extended", Statement{Kind: "checksum", Names: []Name{{"", "t"}}, Options: []string{"EXTENDED"}}},
	{"OPTIMIZE TABLE t", Statement{Kind: "optimize", Names: []Name{{"", "t"}}}},
	{"optimize local tables t", Statement{Kind: "optimize", Names: []Name{{"", "t"}}, Options: []string{"LOCAL"}}},
	{"REPAIR NO_WRITE_TO_BINLOG TABLE t use_frm", Statement{Kind: "repair", Names: []Name{{"", "t"}}, Options: []string{"LOCAL", "USE_FRM"}}},
	{"ANALYZE LOCAL TABLE t", Statement{Kind: "analyze", Names: []Name{{"", "t"}}, Options: []string{"LOCAL"}}},
	{"HANDLER a.t OPEN AS x", Statement{Kind: "ha_open", Names: []Name{{"a", "t"}}}},
	{"handler t read first where a = ';'", Statement{Kind: "ha_read", Names: []Name{{"", "t"}}}},
	{"HANDLER t CLOSE", Statement{Kind: "ha_close", Names: []Name{{"", "t"}}}},
	{"SHOW ENGINE performance_schema STATUS", Statement{Kind: "show_engine_status", Engine: "performance_schema"}},
	{"SHOW ENGINE `InnoDB` MUTEX", Statement{Kind: "show_engine_mutex", Engine: "InnoDB"}},
	{"show engine x logs", Statement{Kind: "show_engine_logs", Engine: "x"}},
	{"SHOW /*!50000 ENGINE*/ INNODB STATUS", Statement{Kind: "show_engine_status", Engine: "INNODB"}},
	{"CHECK TABLE t /*!80000 QUICK */", Statement{Kind: "check", Names: []Name{{"", "t"}}, Options: []string{"QUICK"}}},
	{"SHOW STORAGE ENGINES", Statement{Kind: "show_storage_engines", Instead: "SHOW ENGINES"}},
	{"SHOW LOCAL STATUS LIKE 'a;%'", Statement{Kind: "show_status", Instead: "SHOW SESSION STATUS LIKE 'a;%'"}},
	{"show local variables", Statement{Kind: "show_variables", Instead: "show SESSION variables"}},
	{"LOCK TABLE a.t READ, `u` WRITE", Statement{Kind: "lock_tables", Instead: "LOCK TABLES a.t READ, `u` WRITE"}},
	{"CREATE FUNCTION a.f() RETURNS INT BEGIN SET @a = 1; RETURN 1; END", Statement{Kind: "create_function", Names: []Name{{"a", "f"}}}},
	{"SHOW CREATE FUNCTION a.f", Statement{Kind: "show_create_func", Names: []Name{{"a", "f"}}}},
	{"create definer = `a`@'b' function if not exists f() returns int return 1", Statement{Kind: "create_function", Names: []Name{{"", "f"}}}},
	{"DROP FUNCTION IF EXISTS a.f", Statement{Kind: "drop_function", Names: []Name{{"a", "f"}}, Options: []string{"IF EXISTS"}}},
	{"RESET PERSIST", Statement{Kind: "reset"}},
	{"reset persist max_connections", Statement{Kind: "reset", Names: []Name{{"", "max_connections"}}}},
	{"RESET PERSIST IF EXISTS `a`.b", Statement{Kind: "reset", Names: []Name{{"a", "b"}}, Options: []string{"IF EXISTS"}}},
	{"EXPLAIN FORMAT=JSON SELECT ';' FROM t", Statement{Kind: "explain", Explain: &Explain{Format: "JSON", Text: "SELECT ';' FROM t"}}},
	{"desc format = `json` into @x (select 1)", Statement{Kind: "explain", Explain: &Explain{Format: "json", Into: "x", Text: "(select 1)"}}},
	{"EXPLAIN FORMAT=TREE FOR SCHEMA a UPDATE t SET a = 1", Statement{Kind: "explain", Explain: &Explain{Format: "TREE", Schema: "a", Text: "UPDATE t SET a = 1"}}},
	{"EXPLAIN ANALYZE FORMAT=TREE SELECT 1", Statement{Kind: "explain", Explain: &Explain{Analyze: true, Format: "TREE", Text: "SELECT 1"}}},
	{"DESCRIBE FORMAT=JSON FOR CONNECTION 12", Statement{Kind: "explain_other", Explain: &Explain{Format: "JSON", Other: true, Connection: 12}}},
	{"DESC a.t `b``c`", Statement{Kind: "show_fields", Instead: "SHOW COLUMNS FROM a.t LIKE 'b`c'"}},
	{"explain t 'x%'", Statement{Kind: "show_fields", Instead: "SHOW COLUMNS FROM t LIKE 'x%'"}},
	{"CREATE TABLE a.t ENGINE = x AS SELECT 1", Statement{
		Kind: "create_table", Names: []Name{{"a", "t"}}, Engine: "x", Instead: "CREATE TABLE a.t ENGINE = x AS SELECT * FROM (SELECT 1\n) AS `query`",
	}},
}

func TestGrammar(t *testing.T) {
	for _, test := range grammarStatements {
		if _, err := ast.Parse(test.query); err == nil {
			t.Errorf("%s: vitess can parse it, so Grammar does not need it", test.query)
		}
		for before, after := range map[string]string{"": "", " \n/* ' */ -- \"\n# `\n": " # ;"} {
			got := Grammar(before + test.query + after)
			if got == nil {
				t.Errorf("%s: not recognised", before+test.query+after)
				continue
			}
			if after == "" && got.Text != test.query {
				t.Errorf("%s: its text is %s", test.query, got.Text)
			}
			// Instead has the comments before and after the statement too.
			got.Text, got.Instead = "", strings.Replace(strings.TrimPrefix(got.Instead, before), after, "", 1)
			if !reflect.DeepEqual(*got, test.want) {
				t.Errorf("%s\n got %+v\nwant %+v", before+test.query+after, *got, test.want)
			}
		}
	}
	if s := Grammar("CHECK TABLE t ; SELECT ';' ; "); s == nil || s.Text != "CHECK TABLE t" || s.Rest != " SELECT ';' ; " {
		t.Errorf("the first of several statements is %+v", s)
	}
	if s := Grammar("CHECK TABLE t; -- so\n"); s == nil || s.Rest != "" {
		t.Errorf("the rest, which is only a comment: %+v", s)
	}
}

func TestGrammarLeavesTheRest(t *testing.T) {
	for _, query := range []string{
		"", ";", "SELECT 1", "CHECK", "CHECK TABLE", "CHECK TABLE 't'", "CHECK TABLE t,", "CHECK TABLE t FOR", "CHECK TABLE t x", "CHECK TABLE t.",
		"`CHECK` TABLE t", "CHECK `TABLE` t", "CHECK /* TABLE t", "CHECK TABLE `t", "CHECK TABLE @t", "/*! CHECK TABLE t */", "CHECK TABLE t /*!99999 QUICK */", "CHECK TABLE t /*!800 QUICK */", "SHOW /* ENGINE */ INNODB STATUS",
		"HANDLER t", "HANDLER OPEN", "SHOW ENGINE", "SHOW ENGINE x", "SHOW ENGINE x STATUS y", "SHOW ENGINES", "LOCK TABLES t READ", "LOCK INSTANCE",
		"CREATE TABLE t (a INT COMMENT 'ENGINE=x')", "CREATE TABLE t (engine INT)", "CREATE TABLE t (`ENGINE` x) COMMENT 'ENGINE'",
		"CREATE VIEW v AS SELECT 1", "DROP FUNCTION", "DROP FUNCTION IF f", "ALTER TABLE t ADD COLUMN view INT", "ALTER VIEW", "'CHECK' TABLE t",
		"EXPLAIN CHECK TABLE t", "\"CHECK TABLE t\"", "SELECT 'x'; CHECK TABLE t",
	} {
		if s := Grammar(query); s != nil {
			t.Errorf("%s: %+v", query, s)
		}
	}
}

// FuzzGrammar checks that Grammar takes nothing in quotes or comments for a statement, and that the
// text of a statement is a part of the query, from which Grammar reads the same statement.
func FuzzGrammar(f *testing.F) {
	for _, s := range grammarStatements {
		f.Add(s.query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		for _, quoted := range []string{
			"SELECT '" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(query) + "'",
			"'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(query) + "'",
			"`" + strings.ReplaceAll(query, "`", "``") + "`",
			"/*" + strings.ReplaceAll(strings.TrimLeft(query, "!+"), "*/", "") + "*/ SELECT 1",
			"-- " + strings.ReplaceAll(query, "\n", "") + "\nSELECT 1",
		} {
			if s := Grammar(quoted); s != nil {
				t.Fatalf("%q is taken for %+v", quoted, s)
			}
		}
		s := Grammar(query)
		if s == nil {
			return
		}
		if s.Kind == "" || !strings.Contains(query, s.Text) || !strings.HasSuffix(query, s.Rest) || len(s.Text)+len(s.Rest) > len(query) {
			t.Fatalf("%q: %+v", query, s)
		}
		again := Grammar(s.Text)
		if again == nil || again.Text != s.Text || again.Rest != "" {
			t.Fatalf("%q: its text %q is taken for %+v", query, s.Text, again)
		}
	})
}
