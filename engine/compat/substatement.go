package compat

import (
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// SubStatement notes in a CREATE VIEW the text of its query, text being what the statement was parsed
// from.
//
// go-mysql-server: looks for the text of the query in that of the statement that is carried out, and
// fails, or finds another one, where that is an EXECUTE. MySQL: a CREATE VIEW can be prepared.
func SubStatement(s ast.Statement, text string) {
	ddl, ok := s.(*ast.DDL)
	if !ok || ddl.ViewSpec == nil || ddl.SubStatementStr != "" {
		return
	}
	if start, end := ddl.SubStatementPositionStart, ddl.SubStatementPositionEnd; start < end && end <= len(text) {
		ddl.SubStatementStr = text[start:end]
	}
}
