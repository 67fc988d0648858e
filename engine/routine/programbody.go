package routine

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/syntax"
)

// ProgramBody returns the body of the stored program that the statement s creates. text is the text
// of s.
//
// vitess: after COMMENT 'text' the body begins one byte too late. MySQL: it begins at its first
// byte.
func ProgramBody(text string, s *ast.DDL) string {
	from, to := s.SubStatementPositionStart, s.SubStatementPositionEnd
	if to > len(text) || from > to {
		return ""
	}
	for from > 0 && from < to && syntax.IsWordByte(text[from]) && syntax.IsWordByte(text[from-1]) {
		from--
	}
	return strings.TrimSpace(text[from:to])
}
