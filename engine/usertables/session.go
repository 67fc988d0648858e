package usertables

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
	"pfsd/instr"
)

// Observer is the connection, which is told what its statements do with users' tables. Owned by the connection's goroutine.
type Observer interface {
	// Statement is what is known of the statement that runs.
	Statement() *Statement
	// Writes is told that a row of a table is about to be written; the operation ends when it has been.
	Writes(t StoredTable, op instr.TableOp) instr.TableWait
	// FindsView is told that the statement uses a view of a database.
	FindsView(ctx *sql.Context, db string)
	// NewHold makes a hold for memory that the connection keeps between statements.
	NewHold() *budget.Hold
}

// Statement is what users' tables know of a statement. The zero value is one that begins.
type Statement struct {
	// lasting is a table that it makes, which a temporary table of the same name does not hide.
	lasting tableName
	// Looks tells that it changes no definition: tables that it has listed stay for it as they were.
	Looks  bool
	listed map[tableName]StoredTable
}

// tableName is a table's, in lower case.
type tableName struct{ db, table string }

func newName(db, table string) tableName {
	return tableName{strings.ToLower(db), strings.ToLower(table)}
}

func nameOf(t StoredTable) tableName { return newName(t.Database(), t.Name()) }

// Session is what users' tables know of a connection: its temporary tables, which nobody else sees and nothing instruments, as
// in MySQL, and its savepoints. Owned by the connection's goroutine.
type Session struct {
	observer Observer
	// temporary are the databases of the temporary tables, by the name in lower case of the database that they belong to.
	temporary map[string]StoredDatabase
	// rows are what the rows of the temporary tables take. What a statement writes is charged to the connection until the row
	// is deleted or the table is emptied or dropped, also if it is rolled back.
	rows   map[tableName]*budget.Hold
	guards int // how many savepoints there have been whose names nobody can write
}

// NewSession makes that of a connection.
func NewSession(o Observer) *Session { return &Session{observer: o} }

// SessionOf is the Session of the statement of ctx, nil if it is nobody's.
func SessionOf(ctx *sql.Context) *Session {
	if p, ok := ctx.ProcessList.(interface{ UserTables() *Session }); ok {
		return p.UserTables()
	}
	return nil
}

// Savepoint is SAVEPOINT name; an older one of the name goes.
func (s *Session) Savepoint(ctx *sql.Context, name string) error {
	return ctx.Session.(sql.TransactionSession).CreateSavepoint(ctx, ctx.GetTransaction(), name)
}

// RollbackTo is ROLLBACK TO SAVEPOINT name: the rows are as they were then, and later savepoints go.
func (s *Session) RollbackTo(ctx *sql.Context, name string) error {
	return ctx.Session.(sql.TransactionSession).RollbackToSavepoint(ctx, ctx.GetTransaction(), name)
}

// Release is RELEASE SAVEPOINT name: it and all later ones go.
func (s *Session) Release(ctx *sql.Context, name string) error {
	return ctx.Session.(sql.TransactionSession).ReleaseSavepoint(ctx, ctx.GetTransaction(), name)
}

// Guard sets a savepoint whose name nobody can write, and returns the name; "" if there can be none.
func (s *Session) Guard(ctx *sql.Context) string {
	s.guards++
	name := fmt.Sprintf("\x00%d", s.guards)
	if err := s.Savepoint(ctx, name); err != nil {
		return ""
	}
	return name
}

// find returns a temporary table by the names of its database and its own, whatever their letter case.
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

// Hides tells whether what the statement calls db.name is a temporary table.
func (s *Session) Hides(ctx *sql.Context, db, name string) bool {
	if s == nil || len(s.temporary) == 0 || s.observer.Statement().lasting == newName(db, name) {
		return false
	}
	return s.HasTemporary(ctx, db, name)
}

// Temporary is the database of the session's temporary tables that belong to db, nil if there is none. The name db is in lower case.
func (s *Session) Temporary(db string) StoredDatabase {
	if s == nil {
		return nil
	}
	return s.temporary[db]
}

// chargeRow charges a row that is written to a temporary table, or gives back what one took that is deleted from it; either may be nil.
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

// dropRows gives back what the rows of a temporary table took.
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
