package compat

import ast "github.com/dolthub/vitess/go/vt/sqlparser"

// Flush takes out of FLUSH that it is not to be written to the binary log.
//
// go-mysql-server: LOCAL and NO_WRITE_TO_BINLOG are error 1105. MySQL: they say what there is to do where there is no
// binary log.
func Flush(s ast.Statement) {
	if !flushes.On() {
		return
	}
	if f, ok := s.(*ast.Flush); ok {
		f.Type = ""
	}
}
