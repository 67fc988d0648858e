package engine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/accounts"
)

// kill is KILL and KILL QUERY. Without the privilege for it one may kill what is one's own.
func (s *Server) kill(ctx *sql.Context, id uint32, connection bool) error {
	if !may(ctx, accounts.Super, accounts.ConnectionAdmin) {
		owner, ok := s.clients.owner(id)
		if r := rightsOf(ctx); ok && owner != r.user {
			return mysql.NewSQLError(1095, "HY000", "You are not owner of thread %d", id)
		}
	}
	if !s.clients.kill(id, connection) {
		return mysql.NewSQLError(1094, "HY000", "Unknown thread id: %d", id)
	}
	return nil
}
