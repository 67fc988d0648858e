package syntax

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// TestApart checks which marks a blank separates, and that everything else stays.
func TestApart(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 7--2":                             "SELECT 7- -2",
		"SELECT 7---2":                            "SELECT 7- - -2",
		"SELECT 7--- 2":                           "SELECT 7- -- 2",
		"SELECT 8//2, 8//*c*/2":                   "SELECT 8/ /2, 8/ /*c*/2",
		"SELECT 1 /*!50000 --1 */":                "SELECT 1 /*!50000 - -1 */",
		"SELECT '7--2', \"//\", `a--b`, 1--x'--'": "SELECT '7--2', \"//\", `a--b`, 1- -x'--'",
		"SELECT /* 7--2 */ 1 # --2\n--1":          "SELECT /* 7--2 */ 1 # --2\n- -1",
		"SELECT 'it''s'--'\\'--'--1":              "SELECT 'it''s'- -'\\'--'- -1",
		"CREATE PROCEDURE p() BEGIN SET @a=1--1; SET @b=2--1; END": "CREATE PROCEDURE p() BEGIN SET @a=1- -1; SET @b=2- -1; END",
	} {
		r := apart(text, false, Mode{})
		if r == nil {
			t.Errorf("%s stays", text)
		} else if got := r.result(); got != want {
			t.Errorf("%s\nbecame %s\nnot    %s", text, got, want)
		}
	}
	for _, text := range []string{
		"SELECT 7 -- 2", "SELECT 7 --\t2", "SELECT 7 --\n2", "SELECT 7 --", "SELECT 7 --\x01x", "SELECT 7 --\x7Fx", "SELECT 7 --\x00", "SELECT 'http://x', a->'$.b' FROM t",
		"SELECT 7 - -2", "/* // -- */ SELECT 1",
	} {
		if r := apart(text, false, Mode{}); r != nil {
			t.Errorf("%q became %q", text, r.result())
		}
	}
}

// TestApartOfFirst checks that the statements behind the first are left for later, because a text
// with many of them would be read as often as it has statements.
func TestApartOfFirst(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 1--1; SELECT 1--2":                             "SELECT 1- -1; SELECT 1--2",
		"CREATE TRIGGER t BEGIN SET @a=1--1; END; SELECT 1--2": "CREATE TRIGGER t BEGIN SET @a=1- -1; END; SELECT 1- -2",
	} {
		if got := apart(text, true, Mode{}).result(); got != want {
			t.Errorf("%s became %s", text, got)
		}
	}
}

// TestApartMatchesTokenizer checks random texts: vitess must see each sign that MySQL sees. The
// signs are counted in the pieces that the texts are made of.
func TestApartMatchesTokenizer(t *testing.T) {
	pieces := []struct {
		text  string
		signs int // of - and /
	}{
		{"7", 0}, {"--1", 2}, {"-1", 1}, {" -- x - \n", 0}, {" # - /\n", 0}, {"'a--b'", 0}, {"\"x//y\"", 0}, {"`n--m`", 0}, {" /* -- / */ ", 0}, {"//1", 2},
		{" /*!50000 --1 */ ", 2}, {" /*!50000 -- x */ ", 0}, {" --\t- \n", 0}, {"+1", 0}, {"---1", 3}, {" '\\'--' ", 0}, {"x'2D'", 0}, {"a", 0},
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var b strings.Builder
		want := 0
		for range 1 + rnd.IntN(6) {
			p := pieces[rnd.IntN(len(pieces))]
			b.WriteString(p.text + " ") // so that pieces do not make new tokens
			want += p.signs
		}
		text := b.String()
		result := text
		if r := apart(text, false, Mode{}); r != nil {
			result = r.result()
		}
		got := 0
		tokens := ast.NewStringTokenizer(result)
		for k, _ := tokens.Scan(); k != 0; k, _ = tokens.Scan() {
			if k == '-' || k == '/' {
				got++
			}
		}
		if got != want {
			t.Fatalf("%q has %d signs, and as %q %d", text, want, result, got)
		}
	}
}

// TestPositionsApart checks that what a statement and an error say about the text is about the
// original text.
func TestPositionsApart(t *testing.T) {
	s, err := Default.ParseSimple("SELECT 7--2, 1---x$y, 3 AS c FROM t")
	if err != nil {
		t.Fatal(err)
	}
	var headings []string
	for _, e := range s.(*ast.Select).SelectExprs {
		headings = append(headings, e.(*ast.AliasedExpr).InputExpression)
	}
	if got := strings.Join(headings[:2], "|"); got != "7--2|1---x$y" {
		t.Errorf("headings %s", got)
	}
	for text, want := range map[string]string{
		"SELECT 7--2 FROM\nt WHERE ,x": "near ',x' at line 2",
		"SELECT 8//2":                  "near '/2' at line 1",
		"SELECT 1 --x y z":             "near 'z' at line 1",
		"SELECT x$y--2 FROM WHERE a":   "near 'WHERE a' at line 1",
	} {
		if _, err := Default.ParseSimple(text); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	const two = "SELECT 7--2 AS x; SELECT 3--1"
	_, n, err := parse(context.Background(), two, true, ast.ParserOptions{})
	if err != nil || strings.TrimLeft(two[n:], "; ") != "SELECT 3--1" {
		t.Errorf("the first statement ends at %q, %v", two[n:], err)
	}
	s, err = Default.ParseSimple("CREATE VIEW v AS SELECT 7--2 AS x")
	if err != nil {
		t.Fatal(err)
	}
	if d := s.(*ast.DDL); "CREATE VIEW v AS SELECT 7--2 AS x"[d.SubStatementPositionStart:d.SubStatementPositionEnd] != "SELECT 7--2 AS x" {
		t.Errorf("the query is at %d to %d", d.SubStatementPositionStart, d.SubStatementPositionEnd)
	}
}
