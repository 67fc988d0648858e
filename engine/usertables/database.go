package usertables

import (
	"math"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/access"
	"pfsd/engine/sys"
	"pfsd/instr"
)

// Database is a users' database or sys, as statements see it. Safe for concurrent use.
type Database struct {
	StoredDatabase
	of *Databases
}

var _ sql.TemporaryTableCreator = Database{}

// closed returns an error if the session may not create or drop objects in d itself. In sys, only
// the server may, when it starts.
func (d Database) closed(ctx *sql.Context) error {
	if !sys.Is(d.Name()) || ctx.Session.ID() == Bootstrap {
		return nil
	}
	return access.ErrSchemaDenied(ctx, sys.Schema)
}

// Bootstrap is the id of the session that the server itself uses when it starts.
const Bootstrap = math.MaxUint32

// GetTableNames implements sql.Database.
//
// go-mysql-server: reads the names, then each table, and refuses the statement if a table has been
// dropped meanwhile. MySQL: leaves the table out, or shows it as it was before.
func (d Database) GetTableNames(ctx *sql.Context) ([]string, error) {
	names, err := d.StoredDatabase.GetTableNames(ctx)
	s := SessionOf(ctx)
	if err != nil || s == nil || !s.observer.Statement().Looks {
		return names, err
	}
	st := s.observer.Statement()
	if st.listed == nil {
		st.listed = make(map[tableName]StoredTable, len(names))
	}
	there := names[:0]
	for _, name := range names {
		t, ok, err := d.StoredDatabase.GetTableInsensitive(ctx, name)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		there = append(there, name)
		if stored, is := t.(StoredTable); is {
			st.listed[newName(d.Name(), name)] = stored
		}
	}
	return there, nil
}

// GetTableInsensitive implements sql.Database.
func (d Database) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	if t, ok := d.temporaryTable(ctx, name); ok {
		return t, true, nil
	}
	t, ok, err := d.StoredDatabase.GetTableInsensitive(ctx, name)
	if stored, is := t.(StoredTable); is && ok && err == nil {
		if n := len(stored.Schema(ctx)); n >= ManyColumns {
			if s := SessionOf(ctx); s != nil {
				if err := s.observer.FindsManyColumns(n); err != nil {
					return nil, false, err
				}
			}
		}
		return table{stored}, true, nil
	}
	if s := SessionOf(ctx); !ok && err == nil && s != nil {
		if listed, was := s.observer.Statement().listed[newName(d.Name(), name)]; was {
			return table{listed}, true, nil
		}
	}
	return t, ok, err
}

// temporaryTable returns the temporary table that the name means in a statement, if there is one.
func (d Database) temporaryTable(ctx *sql.Context, name string) (sql.Table, bool) {
	s := SessionOf(ctx)
	if !s.Hides(ctx, d.Name(), name) {
		return nil, false
	}
	t, ok := s.find(ctx, d.Name(), name)
	return temporaryTable{table{t}}, ok
}

// CreateTemporaryTable implements sql.TemporaryTableCreator.
func (d Database) CreateTemporaryTable(ctx *sql.Context, name string, schema sql.PrimaryKeySchema, collation sql.CollationID) error {
	s := SessionOf(ctx)
	if s == nil {
		return sql.ErrTemporaryTableNotSupported.New()
	}
	if s.HasTemporary(ctx, d.Name(), name) {
		return sql.ErrTableAlreadyExists.New(name)
	}
	key := strings.ToLower(d.Name())
	if s.temporary[key] == nil {
		if s.temporary == nil {
			s.temporary = map[string]StoredDatabase{}
		}
		s.temporary[key] = d.of.storage.NewTemporary(ctx, key+temporarySuffix)
	}
	return s.temporary[key].CreateTable(ctx, name, schema, collation, "")
}

// GetEvent implements sql.EventDatabase.
func (d Database) GetEvent(ctx *sql.Context, name string) (sql.EventDefinition, bool, error) {
	d.of.events.Lock()
	defer d.of.events.Unlock()
	return d.StoredDatabase.GetEvent(ctx, name)
}

// GetEvents implements sql.EventDatabase.
func (d Database) GetEvents(ctx *sql.Context) ([]sql.EventDefinition, any, error) {
	d.of.events.Lock()
	defer d.of.events.Unlock()
	return d.StoredDatabase.GetEvents(ctx)
}

// SaveEvent implements sql.EventDatabase.
func (d Database) SaveEvent(ctx *sql.Context, e sql.EventDefinition) (enabled bool, err error) {
	e.EventBody = bodyOf(e.EventBody)
	d.of.events.Change(func() { enabled, err = d.StoredDatabase.SaveEvent(ctx, e) })
	return enabled, err
}

// UpdateEvent implements sql.EventDatabase.
func (d Database) UpdateEvent(ctx *sql.Context, name string, e sql.EventDefinition) (enabled bool, err error) {
	e.EventBody = bodyOf(e.EventBody)
	d.of.events.Change(func() { enabled, err = d.StoredDatabase.UpdateEvent(ctx, name, e) })
	return enabled, err
}

// bodyOf returns the body of an event.
//
// go-mysql-server: the body is all text up to the end of the statement, even the end of a comment
// with code. MySQL: only the body.
func bodyOf(text string) string {
	text = strings.TrimSpace(text)
	if body, ok := strings.CutSuffix(text, "*/"); ok && strings.Count(text, "*/") > strings.Count(text, "/*") {
		return strings.TrimSpace(body)
	}
	return text
}

// DropEvent implements sql.EventDatabase.
func (d Database) DropEvent(ctx *sql.Context, name string) (err error) {
	d.of.events.Change(func() { err = d.StoredDatabase.DropEvent(ctx, name) })
	d.of.reg.DropProgram(instr.ObjectEvent, d.Name(), name)
	return err
}

// UpdateLastExecuted implements sql.EventDatabase.
func (d Database) UpdateLastExecuted(ctx *sql.Context, name string, at time.Time) error {
	d.of.events.Lock()
	defer d.of.events.Unlock()
	return d.StoredDatabase.UpdateLastExecuted(ctx, name, at)
}
