package compat

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/syntax"
)

// ProgramBody is the text of the body of the stored program that the statement s makes, whose text is given.
//
// vitess: behind COMMENT 'text' the body begins a byte too late. MySQL: where it begins.
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
