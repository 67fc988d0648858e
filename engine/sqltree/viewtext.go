package sqltree

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
)

// SubStatement sets the text of the query in a CREATE VIEW, and the end of the body in a statement
// that creates a stored program. text is the text that vitess has parsed.
//
// vitess: if another statement follows, the body includes the semicolon. Then go-mysql-server
// panics, because the text of the statement ends before the semicolon. MySQL: the body ends before
// the semicolon.
//
// go-mysql-server: looks for the text of the query in the statement that it executes. If that is an
// EXECUTE, it fails or finds another text. MySQL: a CREATE VIEW can be prepared.
func SubStatement(s ast.Statement, text string) {
	if !mends.SubStatements.On() {
		return
	}
	ddl, ok := s.(*ast.DDL)
	if ok && ddl.SubStatementPositionStart < ddl.SubStatementPositionEnd && ddl.SubStatementPositionEnd <= len(text) {
		ddl.SubStatementPositionEnd = ddl.SubStatementPositionStart + len(strings.TrimRight(text[ddl.SubStatementPositionStart:ddl.SubStatementPositionEnd], "; \t\r\n"))
	}
	if !ok || ddl.ViewSpec == nil || ddl.SubStatementStr != "" {
		return
	}
	if start, end := ddl.SubStatementPositionStart, ddl.SubStatementPositionEnd; start < end && end <= len(text) {
		ddl.SubStatementStr = text[start:end]
	}
}
