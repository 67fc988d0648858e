package compat

import "github.com/dolthub/go-mysql-server/sql"

// DefaultMode makes mode, a value of sql_mode, the one that go-mysql-server knows without reading it. It is for
// the start of the program.
//
// go-mysql-server: splits sql_mode anew for each statement, unless it is the default of its own, of three modes.
// MySQL: has a default of six, and splits it when it is set.
func DefaultMode(mode string) {
	m := sql.NewSqlModeFromString(mode)
	_ = m.String() // which keeps what it returns
	*sql.NewSqlModeFromString(sql.DefaultSqlMode) = *m
	sql.DefaultSqlMode = mode
}
