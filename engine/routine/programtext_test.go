package routine

import (
	"slices"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

func TestProgramTexts(t *testing.T) {
	for _, test := range []struct {
		body string
		want []string
	}{
		{"SELECT 1", []string{"SELECT 1"}},
		{"BEGIN SELECT 1 /* a; b */ ; INSERT INTO t VALUES ('x;y', \"a''\", `q;`) ; -- c;\n SET @a = 1 # d;\n; END", []string{
			"SELECT 1", "INSERT INTO t VALUES ('x;y', \"a''\", `q;`)", "SET @a = 1",
		}},
		{"a: BEGIN\nDECLARE x, y INT DEFAULT 1; DECLARE c CURSOR FOR SELECT 1;\nDECLARE CONTINUE HANDLER FOR NOT FOUND SET x = 0;\n" +
			"DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN SELECT 2; END;\nOPEN c; FETCH c INTO x; CLOSE c; LEAVE a; END a", []string{
			"DECLARE x, y INT DEFAULT 1", "DECLARE c CURSOR FOR SELECT 1", "", "SET x = 0", "", "SELECT 2",
			"OPEN c", "FETCH c INTO x", "CLOSE c", "LEAVE a",
		}},
		{"BEGIN IF CASE WHEN 1 THEN 0 ELSE 1 END = IF(1, 2, 3) THEN SELECT CASE 1 WHEN 1 THEN 2 END; ELSEIF 2 THEN SELECT 3; ELSE SELECT 4; END IF;\n" +
			"CASE x WHEN 1 THEN SELECT 5; WHEN 2 THEN SELECT 6; ELSE BEGIN END; END CASE;\nCASE WHEN y THEN SELECT 7; END CASE; END", []string{
			"SELECT CASE 1 WHEN 1 THEN 2 END", "SELECT 3", "SELECT 4", "SELECT 5", "SELECT 6", "SELECT 7",
		}},
		{"BEGIN WHILE a < 3 DO SELECT 1; END WHILE; l: LOOP ITERATE l; END LOOP l; REPEAT SELECT REPEAT('x', 3); UNTIL a END REPEAT; END", []string{
			"SELECT 1", "ITERATE l", "SELECT REPEAT('x', 3)",
		}},
	} {
		tree, err := ast.Parse("CREATE PROCEDURE p() " + test.body)
		if err != nil {
			t.Fatal(test.body, err)
		}
		body := tree.(*ast.DDL).ProcedureSpec.Body
		texts := ProgramTexts(test.body, body)
		var got []string
		for _, s := range leaves(nil, body) {
			got = append(got, texts[s])
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s:\n got %q\nwant %q", test.body, got, test.want)
		}
	}
	if texts := ProgramTexts("BEGIN SELECT 1", &ast.BeginEndBlock{}); texts != nil {
		t.Errorf("texts for a tree with other statements than the body: %q, want none", texts)
	}
}

// FuzzProgramTexts checks that the parser ends for every text, and finds only parts of the text.
func FuzzProgramTexts(f *testing.F) {
	f.Add("BEGIN IF a THEN SELECT 'x' ; END IF; END")
	f.Add("DECLARE EXIT HANDLER FOR SQLSTATE VALUE")
	f.Add("/*!50003 a: `")
	f.Add(" ")
	f.Fuzz(func(t *testing.T, body string) {
		p := newTextParser(body)
		p.scan()
		p.statement()
		for _, s := range p.found {
			if len(s) > len(body) {
				t.Errorf("%q in %q", s, body)
			}
		}
	})
}
