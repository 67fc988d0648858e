package parsing

import (
	"context"
	"errors"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/explain"
)

// Session is the session that executes a statement. The ProcessList of the statement's context
// implements it. Owned by the connection's goroutine.
type Session interface {
	// ReadsView notes that the statement reads a view, whose definition is s. It returns an error
	// if the statement must not read it.
	ReadsView(ctx context.Context, s ast.Statement) error
	// Run executes a statement that is a part of the session's statement, with the locks of that.
	Run(ctx *sql.Context, s ast.Statement) (sql.RowIter, error)
	// SetUser sets a user variable.
	SetUser(ctx *sql.Context, name string, value any, kind sql.Type) error
	// PlanOf returns the plan that connection id is executing.
	PlanOf(ctx *sql.Context, id uint64) (*explain.Query, error)
	// ShutDown stops the server on behalf of the session's client. It does nothing if the session
	// has no client.
	ShutDown()
	// LockInstance keeps everybody from defining anything until UnlockInstance is called.
	LockInstance(ctx *sql.Context) error
	UnlockInstance()
}

// errNoSession is the error for a statement outside of a [Session].
var errNoSession = errors.New("there is no session that the statement could be of")
