package mysqldb

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
)

// LogTable is a log of the server that a table shows. Only the server writes to the table; TRUNCATE
// empties it.
type LogTable struct {
	Rows     func() []sql.Row // times are time.Time values
	Truncate func()
}

// ShowLogs makes tables show logs, by the names of the tables. Call it before anybody uses the
// database.
func (d *Database) ShowLogs(logs map[string]LogTable) {
	for name, l := range logs {
		d.tables[name].log = &l
	}
}

// IsLog tells whether a table shows a log.
func IsLog(name string) bool {
	return strings.EqualFold(name, "slow_log") || strings.EqualFold(name, "general_log")
}

// errLogTable is error 1556: only the server writes to a log.
func errLogTable() error {
	return mysql.NewSQLError(1556, "HY000", "You can't use locks with log tables.")
}
