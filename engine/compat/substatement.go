package compat

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// SubStatement notes in a CREATE VIEW the text of its query, and in what creates a program where its body ends, text being what
// the statement was parsed from.
//
// The parser: takes the semicolon behind a body for a part of it where another statement follows, and go-mysql-server panics, as the
// text of the statement ends before it. MySQL: the body ends before the semicolon.
//
// go-mysql-server: looks for the text of the query in that of the statement that is carried out, and
// fails, or finds another one, where that is an EXECUTE. MySQL: a CREATE VIEW can be prepared.
func SubStatement(s ast.Statement, text string) {
	if !subStatements.On() {
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
