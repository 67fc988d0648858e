package processlist

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/privilege"
	"pfsd/engine/rights"
)

// KillBy is KILL and KILL QUERY by the session of ctx; store are the accounts. Without the privilege for it one may kill what is one's own, and nobody without SYSTEM_USER
// may kill what is of an account that has it.
func (l *List) KillBy(ctx *sql.Context, store *accounts.Store, id uint32, connection bool) error {
	if access := access.Of(ctx); !access.Unrestricted() {
		owner, ok := l.Owner(id)
		r := rights.Of(ctx)
		clause := "connection"
		if account, in := l.accountOf(id); in && owner != r.User && store.Protected(account) {
			clause = "protected"
		}
		for _, rule := range privilege.For("kill", clause) {
			if ok && owner != r.User && rule.Missing(access, privilege.Object{}) != "" {
				return mysql.NewSQLError(1095, "HY000", "You are not owner of thread %d", id)
			}
		}
	}
	if !l.Stop(id, connection) {
		return mysql.NewSQLError(1094, "HY000", "Unknown thread id: %d", id)
	}
	return nil
}

// accountOf is the account of connection id, which is nobody's until it has logged in, or of an event that runs; it reports false
// if there is neither.
func (l *List) accountOf(id uint32) (account accounts.ID, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.events[id]; e != nil {
		return e.Account, true
	}
	c, ok := l.clients[id]
	if !ok {
		return account, false
	}
	return c.account, true
}
