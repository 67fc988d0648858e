package usertables

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
	"pfsd/instr"
)

// Observer is the connection. The functions of this package report to it what its statements do
// with users' tables. Owned by the connection's goroutine.
type Observer interface {
	// Statement returns the state of the running statement.
	Statement() *Statement
	// Writes is called before a row of a table is written. The operation that it returns ends when
	// the row has been written.
	Writes(t StoredTable, op instr.TableOp) instr.TableWait
	// FindsView is called when the statement uses a view of a database.
	FindsView(ctx *sql.Context, db string)
	// FindsManyColumns is called when the statement uses a table with at least ManyColumns columns. It returns the error if the statement
	// has too many.
	FindsManyColumns(columns int) error
	// NewHold returns a hold for memory that the connection keeps between statements.
	NewHold() *budget.Hold
}

// ManyColumns is from how many columns on a table is wide.
const ManyColumns = 64

// Statement is the state of a statement for users' tables. The zero value is the state of a
// statement that begins.
type Statement struct {
	// lasting is a table that the statement creates. A temporary table of the same name does not
	// hide it.
	lasting tableName
	// Looks tells that the statement changes no definition: tables that it has listed stay the same
	// for it.
	Looks  bool
	listed map[tableName]StoredTable
}

// tableName is the name of a table, in lower case.
type tableName struct{ db, table string }

func newName(db, table string) tableName {
	return tableName{strings.ToLower(db), strings.ToLower(table)}
}

func nameOf(t StoredTable) tableName { return newName(t.Database(), t.Name()) }

// Session is the state of a connection for users' tables: its temporary tables and its savepoints.
// As in MySQL, no other connection sees the temporary tables, and they are not instrumented. Owned
// by the connection's goroutine.
type Session struct {
	observer Observer
	// temporary are the databases of the temporary tables, by the lower-case name of the database
	// that they belong to.
	temporary map[string]StoredDatabase
	// rows are the memory charges for the rows of the temporary tables. A written row is charged to
	// the connection until it is deleted or the table is emptied or dropped, even if the write is
	// rolled back.
	rows   map[tableName]*budget.Hold
	guards int // number of savepoints so far whose names no client can write
}

// NewSession returns the state of a new connection.
func NewSession(o Observer) *Session { return &Session{observer: o} }

// SessionOf returns the Session of the statement of ctx, nil if there is none.
func SessionOf(ctx *sql.Context) *Session {
	if p, ok := ctx.ProcessList.(interface{ UserTables() *Session }); ok {
		return p.UserTables()
	}
	return nil
}

// Savepoint executes SAVEPOINT name. It removes an older savepoint with the same name.
func (s *Session) Savepoint(ctx *sql.Context, name string) error {
	return ctx.Session.(sql.TransactionSession).CreateSavepoint(ctx, ctx.GetTransaction(), name)
}

// RollbackTo executes ROLLBACK TO SAVEPOINT name: rows are as they were then, and later savepoints
// are removed.
func (s *Session) RollbackTo(ctx *sql.Context, name string) error {
	return ctx.Session.(sql.TransactionSession).RollbackToSavepoint(ctx, ctx.GetTransaction(), name)
}

// Release executes RELEASE SAVEPOINT name: it removes the savepoint and all later ones.
func (s *Session) Release(ctx *sql.Context, name string) error {
	return ctx.Session.(sql.TransactionSession).ReleaseSavepoint(ctx, ctx.GetTransaction(), name)
}

// Guard sets a savepoint whose name no client can write, and returns the name; "" if the session
// cannot have savepoints.
func (s *Session) Guard(ctx *sql.Context) string {
	s.guards++
	name := fmt.Sprintf("\x00%d", s.guards)
	if err := s.Savepoint(ctx, name); err != nil {
		return ""
	}
	return name
}

// find returns a temporary table by the names of its database and table, in any letter case.
func (s *Session) find(ctx *sql.Context, db, name string) (StoredTable, bool) {
	hidden := s.temporary[strings.ToLower(db)]
	if hidden == nil {
		return nil, false
	}
	t, ok, err := hidden.GetTableInsensitive(ctx, name)
	stored, is := t.(StoredTable)
	return stored, ok && is && err == nil
}

// HasTemporary tells whether there is a temporary table with this name.
func (s *Session) HasTemporary(ctx *sql.Context, db, name string) bool {
	if s == nil {
		return false
	}
	_, ok := s.find(ctx, db, name)
	return ok
}

// HasTemporaries tells whether there may be a temporary table.
func (s *Session) HasTemporaries() bool { return s != nil && len(s.temporary) > 0 }

// Hides tells whether the name db.name means a temporary table in the statement.
func (s *Session) Hides(ctx *sql.Context, db, name string) bool {
	if s == nil || len(s.temporary) == 0 || s.observer.Statement().lasting == newName(db, name) {
		return false
	}
	return s.HasTemporary(ctx, db, name)
}

// Temporary returns the database of the session's temporary tables that belong to db, nil if there
// is none. The name db is in lower case.
func (s *Session) Temporary(db string) StoredDatabase {
	if s == nil {
		return nil
	}
	return s.temporary[db]
}

// chargeRow charges a row that is written to a temporary table, and releases the charge of a row
// that is deleted from it. Either may be nil.
func (s *Session) chargeRow(t StoredTable, written, deleted sql.Row) error {
	name := nameOf(t)
	hold := s.rows[name]
	if hold == nil {
		if s.rows == nil {
			s.rows = map[tableName]*budget.Hold{}
		}
		hold = s.observer.NewHold()
		s.rows[name] = hold
	}
	if deleted != nil {
		hold.Discharge(min(charge.RowSize(deleted), hold.Used()))
	}
	if written == nil {
		return nil
	}
	return hold.Charge(charge.RowSize(written))
}

// dropRows releases the charge of all rows of a temporary table.
func (s *Session) dropRows(t StoredTable) {
	if hold := s.rows[nameOf(t)]; hold != nil {
		hold.Drop()
		delete(s.rows, nameOf(t))
	}
}

// DropTemporary drops all temporary tables of the session.
func (s *Session) DropTemporary() {
	for _, hold := range s.rows {
		hold.Drop()
	}
	s.temporary, s.rows = nil, nil
}
