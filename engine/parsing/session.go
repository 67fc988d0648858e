package parsing

import (
	"errors"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/explain"
)

// Session is whose statement it is, as its process list has it. Owned by the connection's goroutine.
type Session interface {
	// ReadsView notes that the definition s of a view, as it has been parsed, takes the place of
	// its name in the statement. The error is why it may not.
	ReadsView(s ast.Statement) error
	// Run carries out a statement that is part of another, with its locks.
	Run(ctx *sql.Context, s ast.Statement) (sql.RowIter, error)
	// SetUser sets a user variable.
	SetUser(ctx *sql.Context, name string, value any, kind sql.Type) error
	// PlanOf is the plan that connection id is carrying out.
	PlanOf(ctx *sql.Context, id uint64) (*explain.Query, error)
	// ShutDown stops the server because the session's client asks for it; of what is no client's it
	// does nothing.
	ShutDown()
}

// errNoSession is for a statement that is nobody's.
var errNoSession = errors.New("there is no session that the statement could be of")
