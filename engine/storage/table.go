package storage

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/fulltext"

	"pfsd/engine/storage/codec"
	"pfsd/engine/txkv"
)

// Table is a table for one statement. Safe for concurrent use.
type Table struct {
	db  *Database
	def *definition
	// projection are the names of the columns that are read. places has the place of each column in
	// the rows, negative if it is not read. Both are nil if all columns are read.
	projection []string
	places     []int
	schema     sql.Schema
	// access says how reads of an editor lock rows; nil for reads of a statement.
	access *access
}

// access says with which mode an editor's lookups lock rows. They read the rows as they are now.
type access struct {
	mode      txkv.LockMode
	reference bool // they look for the rows that a foreign key refers to
}

var (
	_ sql.Table                    = (*Table)(nil)
	_ sql.ProjectedTable           = (*Table)(nil)
	_ sql.PrimaryKeyTable          = (*Table)(nil)
	_ sql.PrimaryKeyAlterableTable = (*Table)(nil)
	_ sql.IndexAddressableTable    = (*Table)(nil)
	_ sql.IndexAlterableTable      = (*Table)(nil)
	_ sql.IndexBuildingTable       = (*Table)(nil)
	_ sql.InsertableTable          = (*Table)(nil)
	_ sql.ReplaceableTable         = (*Table)(nil)
	_ sql.UpdatableTable           = (*Table)(nil)
	_ sql.DeletableTable           = (*Table)(nil)
	_ sql.TruncateableTable        = (*Table)(nil)
	_ sql.AutoIncrementTable       = (*Table)(nil)
	_ sql.RewritableTable          = (*Table)(nil)
	_ sql.ForeignKeyTable          = (*Table)(nil)
	_ sql.CheckTable               = (*Table)(nil)
	_ sql.CheckAlterableTable      = (*Table)(nil)
	_ sql.StatisticsTable          = (*Table)(nil)
	_ sql.CommentedTable           = (*Table)(nil)
	_ sql.CommentAlterableTable    = (*Table)(nil)
	_ sql.CollationAlterableTable  = (*Table)(nil)
	_ sql.TemporaryTable           = (*Table)(nil)
	_ sql.Databaseable             = (*Table)(nil)
	_ fulltext.IndexAlterableTable = (*Table)(nil)
)

// now returns the table with its present definition. go-mysql-server keeps using an older Table
// while it changes the table.
func (t *Table) now() *Table {
	def := t.db.definition(t.def.name())
	if def == nil || def == t.def {
		return t
	}
	c := *t
	c.def = def
	if c.places != nil {
		c.places = placesOf(def, c.projection)
	}
	return &c
}

// placesOf returns the place of each column in rows that have the columns with these names,
// negative for the other columns.
func placesOf(def *definition, names []string) []int {
	places := make([]int, len(def.columns))
	for i, c := range def.schema.Schema {
		places[i] = slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, c.Name) })
	}
	return places
}

// Name implements sql.Table.
func (t *Table) Name() string { return t.def.name() }

// String implements sql.Table.
func (t *Table) String() string { return t.def.name() }

// Database implements sql.Databaseable.
func (t *Table) Database() string { return t.db.name }

// Collation implements sql.Table.
func (t *Table) Collation() sql.CollationID { return t.def.collation() }

// Comment implements sql.CommentedTable.
func (t *Table) Comment() string { return t.def.record.Comment }

// IsTemporary implements sql.TemporaryTable.
func (t *Table) IsTemporary() bool { return t.def.temporary() }

// PrimaryKeySchema implements sql.PrimaryKeyTable. It always has all columns, even for a
// projection.
func (t *Table) PrimaryKeySchema(*sql.Context) sql.PrimaryKeySchema { return t.def.schema }

// Schema implements sql.Table.
func (t *Table) Schema(*sql.Context) sql.Schema {
	if t.places == nil {
		return t.def.schema.Schema
	}
	return t.schema
}

// Projections implements sql.ProjectedTable.
func (t *Table) Projections() []string { return t.projection }

// WithProjections implements sql.ProjectedTable.
func (t *Table) WithProjections(_ *sql.Context, names []string) (sql.Table, error) {
	c := *t
	c.projection, c.places, c.schema = nil, nil, nil
	if names == nil {
		return &c, nil
	}
	c.projection, c.places = names, placesOf(t.def, names)
	for _, name := range names {
		i := t.def.schema.Schema.IndexOfColName(name)
		if i < 0 {
			return nil, sql.ErrColumnNotFound.New(name)
		}
		c.schema = append(c.schema, t.def.schema.Schema[i])
	}
	return &c, nil
}

// width returns the number of values in the rows of the table.
func (t *Table) width() int {
	if t.places == nil {
		return len(t.def.columns)
	}
	return len(t.schema)
}

// ID returns the number that the table's keys begin with. No other table ever has the same number.
func (t *Table) ID() uint32 { return t.def.record.ID }

// DataLength implements sql.StatisticsTable. It is an estimate, in bytes.
func (t *Table) DataLength(ctx *sql.Context) (uint64, error) {
	n, _, err := t.RowCount(ctx)
	return n * t.def.rowSize(), err
}

// RowCount implements sql.StatisticsTable. It is an estimate after a crash, and while others have
// changed rows without committing.
func (t *Table) RowCount(ctx *sql.Context) (uint64, bool, error) {
	n := t.def.state.rows.Load()
	if tx, ok := ctx.GetTransaction().(*Transaction); ok {
		n += tx.growth(t.def.state)
	}
	return uint64(max(n, 0)), false, nil
}

// PreciseMatch implements sql.IndexAddressable: a lookup returns no rows other than those that
// match.
func (t *Table) PreciseMatch() bool { return true }

// partition is a whole table, or the rows that a lookup finds.
type partition struct {
	lookup *sql.IndexLookup
	// view returns the writes of the transaction that the statement sees, if t is still the transaction of the session.
	t    *Transaction
	view Mark
}

// Key implements sql.Partition.
func (partition) Key() []byte { return []byte("all") }

// partitions returns the only partition. The statement sees what the transaction has written
// before.
func (t *Table) partitions(ctx *sql.Context, l *sql.IndexLookup) sql.PartitionIter {
	p := t.seen(ctx)
	p.lookup = l
	return sql.PartitionsToPartitionIter(p)
}

// seen returns the whole table as a statement sees it that begins to read it now.
func (t *Table) seen(ctx *sql.Context) partition {
	tx := transactionOf(ctx, t.db.p)
	return partition{t: tx, view: tx.view(t.def.record.ID)}
}

// PartitionCount implements sql.PartitionCounter.
func (t *Table) PartitionCount(*sql.Context) (int64, error) { return 1, nil }

// Partitions implements sql.Table.
func (t *Table) Partitions(ctx *sql.Context) (sql.PartitionIter, error) {
	return t.partitions(ctx, nil), nil
}

// PartitionRows implements sql.Table.
func (t *Table) PartitionRows(ctx *sql.Context, p sql.Partition) (sql.RowIter, error) {
	t = t.now()
	r := &rows{table: t}
	part, _ := p.(partition)
	if part.t != nil && part.view.generation == part.t.generation {
		r.view = &part
	}
	if part.lookup != nil {
		if err := r.find(ctx, *part.lookup); err != nil {
			return nil, err
		}
		return r, nil
	}
	lo := t.def.prefix()
	r.spans = []span{{lower: lo, upper: codec.After(lo), exact: true}}
	return r, nil
}

// IndexedTable is a table whose rows an index finds. Safe for concurrent use.
type IndexedTable struct {
	*Table
	lookup sql.IndexLookup
}

var (
	_ sql.IndexedTable     = (*IndexedTable)(nil)
	_ sql.ReferenceChecker = (*IndexedTable)(nil)
)

// IndexedAccess implements sql.IndexAddressable.
func (t *Table) IndexedAccess(_ *sql.Context, l sql.IndexLookup) sql.IndexedTable {
	return &IndexedTable{t, l}
}

// LookupPartitions implements sql.IndexedTable.
func (t *IndexedTable) LookupPartitions(ctx *sql.Context, l sql.IndexLookup) (sql.PartitionIter, error) {
	return t.partitions(ctx, &l), nil
}

// WithProjections implements sql.ProjectedTable.
func (t *IndexedTable) WithProjections(ctx *sql.Context, names []string) (sql.Table, error) {
	inner, err := t.Table.WithProjections(ctx, names)
	if err != nil {
		return nil, err
	}
	return &IndexedTable{inner.(*Table), t.lookup}, nil
}

// LookupRows implements usertables.StoredIndexedTable.
func (t *IndexedTable) LookupRows(ctx *sql.Context, l sql.IndexLookup) sql.RowIter {
	r := &lookedUp{lookup: l, seen: t.seen(ctx)}
	r.table = t.Table
	return r
}

// SetReferenceCheck implements sql.ReferenceChecker: the rows that a foreign key needs are locked
// so that others can read but not write them.
func (t *IndexedTable) SetReferenceCheck() error {
	if t.access != nil {
		c := *t.Table
		c.access = &access{mode: txkv.Shared, reference: true}
		t.Table = &c
	}
	return nil
}
