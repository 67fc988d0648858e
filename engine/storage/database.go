package storage

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer/analyzererrors"
	"github.com/dolthub/go-mysql-server/sql/fulltext"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
	"pfsd/engine/storage/record"
	"pfsd/engine/txkv"
)

// Database is one of the users' databases. Safe for concurrent use.
type Database struct {
	p    *Provider
	name string
	// temporary is set for a database of temporary tables, which belongs to one session.
	temporary bool

	// Provider.mu guards the following fields. The keys of maps are names in lower case.
	collation   sql.CollationID
	tables      map[string]*definition
	foreignKeys map[string]sql.ForeignKeyConstraint
	views       map[string]viewRecord
	triggers    []triggerRecord // in the order in which they were made
	procedures  map[string]sql.StoredProcedureDetails
	functions   map[string]sql.StoredProcedureDetails
	events      map[string]sql.EventDefinition
}

var (
	_ sql.Database                = (*Database)(nil)
	_ sql.TableCreator            = (*Database)(nil)
	_ sql.IndexedTableCreator     = (*Database)(nil)
	_ sql.TemporaryTableCreator   = (*Database)(nil)
	_ sql.TemporaryTableDatabase  = (*Database)(nil)
	_ sql.TableDropper            = (*Database)(nil)
	_ sql.TableRenamer            = (*Database)(nil)
	_ sql.CollatedDatabase        = (*Database)(nil)
	_ sql.SchemaValidator         = (*Database)(nil)
	_ sql.ViewDatabase            = (*Database)(nil)
	_ sql.TriggerDatabase         = (*Database)(nil)
	_ sql.StoredProcedureDatabase = (*Database)(nil)
	_ sql.EventDatabase           = (*Database)(nil)
	_ sql.QuiescableEventDatabase = (*Database)(nil)
	_ fulltext.Database           = (*Database)(nil)
)

func (p *Provider) newDatabase(name string) *Database {
	return &Database{
		p: p, name: name, collation: sql.Collation_Default, tables: map[string]*definition{}, foreignKeys: map[string]sql.ForeignKeyConstraint{},
		views: map[string]viewRecord{}, procedures: map[string]sql.StoredProcedureDetails{}, functions: map[string]sql.StoredProcedureDetails{},
		events: map[string]sql.EventDefinition{},
	}
}

// dropAll removes the tables of a temporary database.
func (d *Database) dropAll() error {
	if !d.temporary || len(d.tables) == 0 {
		return nil
	}
	return d.p.changeNow(func(t *txkv.Txn) (func(), error) {
		for _, def := range d.tables {
			if err := d.p.removeRows(t, def.record.ID); err != nil {
				return nil, err
			}
		}
		return func() {
			for _, def := range d.tables {
				def.state.retired.Store(true)
			}
			clear(d.tables)
		}, nil
	})
}

// Name implements sql.Database.
func (d *Database) Name() string { return d.name }

// definition returns the definition of a table, or nil if there is no such table.
func (d *Database) definition(name string) *definition {
	d.p.mu.RLock()
	defer d.p.mu.RUnlock()
	return d.tables[strings.ToLower(name)]
}

// GetTableInsensitive implements sql.Database.
func (d *Database) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	if t := temporaryOf(ctx, d); t != nil {
		if def := t.definition(name); def != nil {
			return &Table{db: t, def: def}, true, nil
		}
	}
	if def := d.definition(name); def != nil {
		return &Table{db: d, def: def}, true, nil
	}
	return nil, false, nil
}

// GetTableNames implements sql.Database.
func (d *Database) GetTableNames(*sql.Context) ([]string, error) {
	d.p.mu.RLock()
	defer d.p.mu.RUnlock()
	names := make([]string, 0, len(d.tables))
	for _, def := range d.tables {
		names = append(names, def.name())
	}
	slices.Sort(names)
	return names, nil
}

// Tables returns the tables, without temporary ones, ordered by name.
func (d *Database) Tables() []*Table {
	d.p.mu.RLock()
	defer d.p.mu.RUnlock()
	all := make([]*Table, 0, len(d.tables))
	for _, def := range d.tables {
		all = append(all, &Table{db: d, def: def})
	}
	slices.SortFunc(all, func(a, b *Table) int { return cmp.Compare(a.def.name(), b.def.name()) })
	return all
}

// GetAllTemporaryTables implements sql.TemporaryTableDatabase.
func (d *Database) GetAllTemporaryTables(ctx *sql.Context) ([]sql.Table, error) {
	var all []sql.Table
	if t := temporaryOf(ctx, d); t != nil {
		for _, table := range t.Tables() {
			all = append(all, table)
		}
	}
	return all, nil
}

// GetCollation implements sql.CollatedDatabase.
func (d *Database) GetCollation(*sql.Context) sql.CollationID {
	d.p.mu.RLock()
	defer d.p.mu.RUnlock()
	return d.collation
}

// SetCollation implements sql.CollatedDatabase.
func (d *Database) SetCollation(ctx *sql.Context, c sql.CollationID) error {
	if c == sql.Collation_Unspecified {
		c = sql.Collation_Default
	}
	return d.p.change(ctx, func(t *txkv.Txn) (func(), error) {
		place := func() { d.collation = c }
		if d.temporary {
			return place, nil
		}
		return place, record.Put(t, record.KindDatabase, d.name, "", databaseRecord{d.name, record.CollationName(c)})
	})
}

// ValidateSchema implements sql.SchemaValidator: a row must not be larger than MySQL allows. It
// counts bytes as MySQL does.
func (d *Database) ValidateSchema(schema sql.Schema) error {
	size := int64(0)
	for _, c := range schema {
		switch t := c.Type.(type) {
		case sql.StringType:
			if types.IsTextBlob(t) {
				size += 16
			} else {
				size += t.MaxByteLength()
			}
		case sql.DecimalType:
			size += int64(t.MaximumScale())
		case sql.EnumType:
			size += 2
		case types.TimeType:
			size += 16
		default:
			size += 8
		}
	}
	if size > types.MaxRowLength {
		return analyzererrors.ErrInvalidRowLength.New(types.MaxRowLength, size)
	}
	return nil
}

// put writes the definition of a new or an existing table. besides, which may be nil, writes other records in the same batch, and returns
// a function that changes them in memory afterwards, or nil.
func (d *Database) put(ctx *sql.Context, make func() (*definition, error), besides func(t *txkv.Txn) (func(), error)) error {
	change := d.p.change
	if d.temporary {
		change = func(_ *sql.Context, write func(*txkv.Txn) (func(), error)) error { return d.p.changeNow(write) }
	}
	return change(ctx, func(t *txkv.Txn) (func(), error) {
		def, err := make()
		if err != nil {
			return nil, err
		}
		def.since = d.p.version.Load() + 1
		if !d.temporary {
			if err := record.Put(t, record.KindTable, d.name, def.name(), def.record); err != nil {
				return nil, err
			}
		}
		var place func()
		if besides != nil {
			if place, err = besides(t); err != nil {
				return nil, err
			}
		}
		return func() {
			if place != nil {
				place()
			}
			key := strings.ToLower(def.name())
			if !d.temporary {
				states := []*tableState{def.state}
				if old := d.tables[key]; old != nil {
					states = append(states, old.state)
				}
				undone(ctx, d, restore(d.tables, key), states...)
			}
			d.tables[key] = def
		}, nil
	})
}

// CreateTable implements sql.TableCreator.
func (d *Database) CreateTable(ctx *sql.Context, name string, schema sql.PrimaryKeySchema, c sql.CollationID, comment string) error {
	return d.put(ctx, func() (*definition, error) {
		if d.tables[strings.ToLower(name)] != nil {
			return nil, sql.ErrTableAlreadyExists.New(name)
		}
		id, err := d.p.newID()
		if err != nil {
			return nil, err
		}
		r, err := record.NewTable(ctx, name, id, schema, c, comment)
		if err != nil {
			return nil, err
		}
		return newDefinition(d.name, r, &tableState{id: id, next: 1, temporary: d.temporary})
	}, nil)
}

// CreateIndexedTable implements sql.IndexedTableCreator.
func (d *Database) CreateIndexedTable(ctx *sql.Context, name string, schema sql.PrimaryKeySchema, primary sql.IndexDef, c sql.CollationID) error {
	for _, k := range primary.Columns {
		i := schema.Schema.IndexOfColName(k.Name)
		if i < 0 {
			return sql.ErrColumnNotFound.New(k.Name)
		}
		if column := schema.Schema[i]; column.PrimaryKey && types.IsText(column.Type) && k.Length > 0 {
			return sql.ErrUnsupportedIndexPrefix.New(column.Name)
		}
	}
	return d.CreateTable(ctx, name, schema, c, "")
}

// CreateTemporaryTable implements sql.TemporaryTableCreator, for sessions that have a [Temporaries].
func (d *Database) CreateTemporaryTable(ctx *sql.Context, name string, schema sql.PrimaryKeySchema, c sql.CollationID) error {
	h, ok := ctx.Session.(Temporaries)
	if !ok {
		return sql.ErrTemporaryTableNotSupported.New()
	}
	return h.TemporaryDatabase(d, true).CreateTable(ctx, name, schema, c, "")
}

// Temporaries is implemented by sessions that keep temporary tables. Each database that has some
// gets a hidden database for them.
type Temporaries interface {
	// TemporaryDatabase returns the database for temporary tables of d. If there is none, it makes
	// one if make is true, and else returns nil.
	TemporaryDatabase(d *Database, make bool) *Database
}

// temporaryOf returns the database with the session's temporary tables in d, or nil if there is
// none.
func temporaryOf(ctx *sql.Context, d *Database) *Database {
	if ctx == nil || d.temporary {
		return nil
	}
	if h, ok := ctx.Session.(Temporaries); ok {
		return h.TemporaryDatabase(d, false)
	}
	return nil
}

// DropTable implements sql.TableDropper. It also drops the tables of the table's full text indexes.
//
// go-mysql-server: drops a table and leaves the tables of its full text indexes.
func (d *Database) DropTable(ctx *sql.Context, name string) error {
	if t := temporaryOf(ctx, d); t != nil && t.definition(name) != nil {
		return t.DropTable(ctx, name)
	}
	drop := func(t *txkv.Txn) (func(), error) {
		def := d.tables[strings.ToLower(name)]
		if def == nil {
			return nil, sql.ErrTableNotFound.New(name)
		}
		gone := []*definition{def}
		for _, x := range def.record.Indexes {
			if x.Fulltext == nil || !mends.DroppedTexts.On() {
				continue
			}
			for _, words := range x.Fulltext.TableNames() {
				if w := d.tables[strings.ToLower(words)]; w != nil && !slices.Contains(gone, w) {
					gone = append(gone, w)
				}
			}
		}
		for _, g := range gone {
			if err := d.p.removeRows(t, g.record.ID); err != nil {
				return nil, err
			}
			if !d.temporary {
				if err := t.Delete(record.Key(record.KindTable, d.name, g.name())); err != nil {
					return nil, err
				}
			}
		}
		var keys []string
		for key, k := range d.foreignKeys {
			if strings.EqualFold(k.Table, name) {
				keys = append(keys, key)
				if err := t.Delete(record.Key(record.KindForeignKey, d.name, key)); err != nil {
					return nil, err
				}
			}
		}
		return func() {
			for _, g := range gone {
				key := strings.ToLower(g.name())
				undone(ctx, d, restore(d.tables, key), g.state)
				g.state.retired.Store(true)
				delete(d.tables, key)
			}
			for _, k := range keys {
				undone(ctx, d, restore(d.foreignKeys, k))
				delete(d.foreignKeys, k)
			}
			if len(keys) > 0 {
				d.p.linkForeignKeys()
			}
		}, nil
	}
	if d.temporary {
		return d.p.changeNow(drop)
	}
	return d.p.change(ctx, drop)
}

// RenameTable implements sql.TableRenamer.
func (d *Database) RenameTable(ctx *sql.Context, from, to string) error {
	if t := temporaryOf(ctx, d); t != nil && t.definition(from) != nil {
		return t.RenameTable(ctx, from, to)
	}
	return d.put(ctx, func() (*definition, error) {
		old := d.tables[strings.ToLower(from)]
		if old == nil {
			return nil, sql.ErrTableNotFound.New(from)
		}
		if d.tables[strings.ToLower(to)] != nil {
			return nil, sql.ErrTableAlreadyExists.New(to)
		}
		r := old.record.Clone()
		r.Name = to
		return newDefinition(d.name, r, old.state)
	}, func(t *txkv.Txn) (func(), error) {
		place := func() {
			if !d.temporary {
				undone(ctx, d, restore(d.tables, strings.ToLower(from)))
			}
			delete(d.tables, strings.ToLower(from))
		}
		if d.temporary {
			return place, nil
		}
		return place, t.Delete(record.Key(record.KindTable, d.name, from))
	})
}

// CreateFulltextTableNames implements fulltext.Database.
func (d *Database) CreateFulltextTableNames(_ *sql.Context, parent, index string) (fulltext.IndexTableNames, error) {
	d.p.mu.RLock()
	defer d.p.mu.RUnlock()
	for i := 0; ; i++ {
		prefix := strings.ToLower(fmt.Sprintf("%s_%s_%d", parent, index, i))
		taken := false
		for name := range d.tables {
			taken = taken || strings.HasPrefix(name, prefix)
		}
		if !taken {
			return fulltext.IndexTableNames{
				Config: parent + "_FTS_CONFIG", Position: prefix + "_FTS_POSITION", DocCount: prefix + "_FTS_DOC_COUNT",
				GlobalCount: prefix + "_FTS_GLOBAL_COUNT", RowCount: prefix + "_FTS_ROW_COUNT",
			}, nil
		}
	}
}

var errNotTemporary = errors.New("temporary tables have none")
