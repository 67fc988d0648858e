package sqltree

import (
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
)

// Flush removes LOCAL and NO_WRITE_TO_BINLOG from a FLUSH.
//
// go-mysql-server: answers them with error 1105. MySQL: they say that the statement is not written
// to the binary log. Here there is no binary log.
func Flush(s ast.Statement) {
	if !mends.Flushes.On() {
		return
	}
	if f, ok := s.(*ast.Flush); ok {
		f.Type = ""
	}
}
