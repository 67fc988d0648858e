package engine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
)

// kill is KILL and KILL QUERY.
func (s *Server) kill(_ *sql.Context, id uint32, connection bool) error {
	if !s.clients.kill(id, connection) {
		return mysql.NewSQLError(1094, "HY000", "Unknown thread id: %d", id)
	}
	return nil
}
