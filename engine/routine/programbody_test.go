package routine

import (
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends/mendtest"
)

func TestProgramBody(t *testing.T) {
	plain := true // vitess gives the exact start and end of each body
	for _, head := range []string{"CREATE PROCEDURE p() ", "CREATE PROCEDURE p() COMMENT 'c' ", "CREATE PROCEDURE p() COMMENT 'c' NO SQL ", "CREATE PROCEDURE p() NO SQL COMMENT 'c d'  "} {
		for _, body := range []string{"SELECT 1", "BEGIN SELECT 'a'; SELECT 2; END", "SET @a = 1"} {
			s, err := ast.Parse(head + body)
			if err != nil {
				t.Fatal(err)
			}
			ddl := s.(*ast.DDL)
			if got := ProgramBody(head+body, ddl); got != body {
				t.Errorf("%s%s: body is %q", head, body, got)
			}
			if from, to := ddl.SubStatementPositionStart, ddl.SubStatementPositionEnd; strings.TrimSpace((head + body)[from:to]) != body {
				plain = false
			}
		}
	}
	if plain {
		mendtest.NoLongerNeeded(t, "programbody.go")
	}
	if got := ProgramBody("x", &ast.DDL{SubStatementPositionStart: 1, SubStatementPositionEnd: 9}); got != "" {
		t.Errorf("body that ends after the text: %q, want none", got)
	}
}
