package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"
)

// savepoints are the savepoints of a connection's transaction, oldest first. The storage has
// none, but a table's editor holds a copy of the table as it was when the editor was made, and
// puts that back if its changes are discarded. So a savepoint keeps an editor of each table
// that is written while it is the last one, made just before. Owned by the connection's
// goroutine.
type savepoints struct {
	in     sql.Transaction // whose they are
	all    []savepoint
	guards int // how many there have been
}

type savepoint struct {
	name   string
	before map[tableName]sql.TableEditor
}

// tableName is a table's, in lower case.
type tableName struct{ db, table string }

// of makes sure that the savepoints are those of the transaction that ctx is in.
func (s *savepoints) of(ctx *sql.Context) {
	if tx := ctx.GetTransaction(); s.in != tx {
		*s = savepoints{in: tx, guards: s.guards}
	}
}

// find returns the place of the savepoint with this name. Letter case does not matter.
func (s *savepoints) find(ctx *sql.Context, name string) (int, error) {
	s.of(ctx)
	i := slices.IndexFunc(s.all, func(p savepoint) bool { return strings.EqualFold(p.name, name) })
	if i < 0 {
		return 0, mysql.NewSQLError(1305, "42000", "SAVEPOINT %s does not exist", name)
	}
	return i, nil
}

// set is SAVEPOINT name; an older one of the name goes.
func (s *savepoints) set(ctx *sql.Context, name string) {
	if i, err := s.find(ctx, name); err == nil {
		s.forget(i, i+1)
	}
	s.all = append(s.all, savepoint{name, map[tableName]sql.TableEditor{}})
}

// guard sets a savepoint whose name nobody can write, and returns the name.
func (s *savepoints) guard(ctx *sql.Context) string {
	s.guards++
	name := fmt.Sprintf("\x00%d", s.guards)
	s.set(ctx, name)
	return name
}

// forget removes the savepoints from place i to place j. What they keep matters to the one before.
func (s *savepoints) forget(i, j int) {
	for _, p := range s.all[i:j] {
		if i == 0 {
			break
		}
		for t, e := range p.before {
			if older := s.all[i-1].before; older[t] == nil {
				older[t] = e
			}
		}
	}
	s.all = slices.Delete(s.all, i, j)
}

// release is RELEASE SAVEPOINT name: it and all later ones go.
func (s *savepoints) release(ctx *sql.Context, name string) error {
	i, err := s.find(ctx, name)
	if err == nil {
		s.forget(i, len(s.all))
	}
	return err
}

// rollback is ROLLBACK TO SAVEPOINT name: the rows are as they were then, and later savepoints
// go.
func (s *savepoints) rollback(ctx *sql.Context, name string) error {
	i, err := s.find(ctx, name)
	if err != nil {
		return err
	}
	s.forget(i+1, len(s.all))
	for t, e := range s.all[i].before {
		if err := e.DiscardChanges(ctx, nil); err != nil {
			return err
		}
		if err := e.Close(ctx); err != nil {
			return err
		}
		delete(s.all[i].before, t)
	}
	return nil
}

// keep notes what the tables of n, which is going to write, are like.
func (s *savepoints) keep(ctx *sql.Context, n sql.Node) {
	if s.of(ctx); len(s.all) == 0 {
		return
	}
	before := s.all[len(s.all)-1].before
	transform.InspectWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) bool {
		if t, ok := n.(sql.TableNode); ok {
			keepTable(ctx, before, t.UnderlyingTable(), t.Database())
		}
		return true
	})
}

// keepTable keeps a table, and those whose rows change with its rows because of foreign keys.
func keepTable(ctx *sql.Context, before map[tableName]sql.TableEditor, t sql.Table, db sql.Database) {
	m := stored(t)
	if m == nil || m.Name() == plan.DualTableName {
		return
	}
	name := tableName{strings.ToLower(m.Database()), strings.ToLower(m.Name())}
	if before[name] != nil {
		return
	}
	e, ok := m.Inserter(ctx).(sql.TableEditor)
	if !ok {
		return
	}
	e.StatementBegin(ctx)
	before[name] = e
	keys, err := m.GetReferencedForeignKeys(ctx)
	if err != nil || db == nil {
		return
	}
	for _, k := range keys {
		if other, ok, err := db.GetTableInsensitive(ctx, k.Table); ok && err == nil && strings.EqualFold(k.Database, db.Name()) {
			keepTable(ctx, before, other, db)
		}
	}
}
