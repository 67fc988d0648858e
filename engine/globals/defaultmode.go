package globals

import "github.com/dolthub/go-mysql-server/sql"

// DefaultMode makes mode, a value of sql_mode, the default that go-mysql-server keeps in its parsed
// form. Call it once, when the program starts.
//
// go-mysql-server: parses sql_mode for each statement, unless it is go-mysql-server's own default
// of three modes. MySQL: has a default of six modes, and parses sql_mode when it is set.
func DefaultMode(mode string) {
	m := sql.NewSqlModeFromString(mode)
	_ = m.String() // m keeps this text
	*sql.NewSqlModeFromString(sql.DefaultSqlMode) = *m
	sql.DefaultSqlMode = mode
}
