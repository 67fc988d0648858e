package grammar

import (
	"strings"
	"testing"
)

// TestCreateFunction: a CREATE FUNCTION becomes a CREATE PROCEDURE of the same length, with a body at the same place.
func TestCreateFunction(t *testing.T) {
	for _, c := range []struct{ text, returns, procedure string }{
		{"CREATE FUNCTION f() RETURNS INT RETURN 1", " INT", "CREATE PROCEDURE f() SELECT 1"},
		{
			"create definer=`a`@`b` function if not exists d.f(a int, b enum('(', ')')) returns varchar(3) charset utf8mb4 collate utf8mb4_bin deterministic begin return t.return; end",
			" varchar(3) CHARACTER SET utf8mb4 collate utf8mb4_bin",
			"create definer=`a`@`b` PROCEDURE d.f(a int, b enum('(', ')')) deterministic begin SELECT t.return; end",
		},
		{"CREATE FUNCTION f() RETURNS SET('a','b') BEGIN RETURN 'return'; END", " SET('a','b')", "CREATE PROCEDURE f() BEGIN SELECT 'return'; END"},
		{"CREATE FUNCTION f() RETURNS DOUBLE PRECISION UNSIGNED RETURN(2)", " DOUBLE PRECISION UNSIGNED", "CREATE PROCEDURE f() SELECT(2)"},
	} {
		f, ok := CreateFunction(c.text)
		if !ok || f.Returns != c.returns || len(f.Procedure) != len(c.text) || plainBlanks(f.Procedure) != plainBlanks(c.procedure) {
			t.Errorf("%s:\n got %q, %q, %v\nwant %q, %q", c.text, f.Returns, f.Procedure, ok, c.returns, c.procedure)
		}
	}
	for _, text := range []string{"", "CREATE FUNCTION", "CREATE FUNCTION f", "CREATE FUNCTION f(", "CREATE FUNCTION f() RETURN 1", "CREATE FUNCTION f RETURNS STRING SONAME 'x'", "CREATE PROCEDURE f() SELECT 1"} {
		if f, ok := CreateFunction(text); ok {
			t.Errorf("%s: got %+v", text, f)
		}
	}
}

func plainBlanks(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "(", " (")), " ")
}

func FuzzCreateFunction(f *testing.F) {
	f.Add("CREATE FUNCTION f(a INT) RETURNS INT RETURN 1")
	f.Add("CREATE FUNCTION IF NOT EXISTS f() RETURNS CHAR(1) CHARACTER SET latin1 /*!50001 RETURN */ 1")
	f.Fuzz(func(t *testing.T, text string) {
		if fn, ok := CreateFunction(text); ok && (len(fn.Procedure) != len(text) || !strings.Contains(fn.Procedure, "PROCEDURE")) {
			t.Errorf("%q becomes %q", text, fn.Procedure)
		}
	})
}
