package sqltree

import (
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
)

// Flush removes LOCAL and NO_WRITE_TO_BINLOG from a FLUSH.
//
// go-mysql-server: answers a FLUSH that has one of them with error 1105. MySQL: they keep the
// statement out of the binary log. This server has no binary log.
func Flush(s ast.Statement) {
	if !mends.Flushes.On() {
		return
	}
	if f, ok := s.(*ast.Flush); ok {
		f.Type = ""
	}
}
