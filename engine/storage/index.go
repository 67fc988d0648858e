package storage

import (
	"cmp"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/fulltext"

	"pfsd/engine/storage/record"
)

// Index is an index of a table, or its primary key. Safe for concurrent use.
type Index struct {
	table  *Table
	record *record.Index // nil for the primary key
	// columns are the columns of the index. all also has the columns of the primary key that are
	// not among them.
	columns, all []int
	names        []string // of all
}

var (
	_ sql.ExtendedIndex = (*Index)(nil)
	_ sql.OrderedIndex  = (*Index)(nil)
	_ sql.FilteredIndex = (*Index)(nil)
	_ fulltext.Index    = (*Index)(nil)
)

// GetIndexes implements sql.IndexAddressable: the primary key, then the others by name.
func (t *Table) GetIndexes(*sql.Context) ([]sql.Index, error) {
	t = t.now()
	r := t.def.record
	all := make([]sql.Index, 0, len(r.Indexes)+1)
	for i := range r.Indexes {
		all = append(all, t.index(&r.Indexes[i]))
	}
	slices.SortFunc(all, func(a, b sql.Index) int { return cmp.Compare(a.ID(), b.ID()) })
	if !t.def.keyless() {
		all = slices.Insert(all, 0, sql.Index(t.index(nil)))
	}
	return all, nil
}

// named returns the index with a name, or nil if there is none.
func (t *Table) named(name string) *Index {
	if name == primaryName && !t.def.keyless() {
		return t.index(nil)
	}
	if i := t.def.record.FindIndex(name); i >= 0 {
		return t.index(&t.def.record.Indexes[i])
	}
	return nil
}

func (t *Table) index(stored *record.Index) *Index {
	x := &Index{table: t, record: stored, columns: t.def.record.PrimaryKey}
	if stored != nil {
		x.columns = stored.Columns
	}
	x.all = slices.Clone(x.columns)
	for _, c := range t.def.record.PrimaryKey {
		if !slices.Contains(x.all, c) {
			x.all = append(x.all, c)
		}
	}
	for _, c := range x.all {
		x.names = append(x.names, t.def.name()+"."+t.def.record.Columns[c].Name)
	}
	return x
}

// ID implements sql.Index.
func (x *Index) ID() string {
	if x.record == nil {
		return primaryName
	}
	return x.record.Name
}

// Database implements sql.Index.
func (x *Index) Database() string { return x.table.db.name }

// Table implements sql.Index.
func (x *Index) Table() string { return x.table.def.name() }

// Expressions implements sql.Index.
func (x *Index) Expressions() []string { return x.names[:len(x.columns)] }

// ExtendedExpressions implements sql.ExtendedIndex.
func (x *Index) ExtendedExpressions(*sql.Context) []string { return x.names }

// IsUnique implements sql.Index.
func (x *Index) IsUnique() bool { return x.record == nil || x.record.Unique }

// IsSpatial implements sql.Index.
func (x *Index) IsSpatial() bool { return x.record != nil && x.record.Spatial }

// IsFullText implements sql.Index.
func (x *Index) IsFullText() bool { return x.record != nil && x.record.Fulltext != nil }

// IsVector implements sql.Index.
func (x *Index) IsVector() bool { return x.record != nil && x.record.Vector }

// IndexType implements sql.Index.
func (x *Index) IndexType() string { return "BTREE" }

// IsGenerated implements sql.Index.
func (x *Index) IsGenerated() bool { return false }

// Comment implements sql.Index.
func (x *Index) Comment() string {
	if x.record == nil {
		return ""
	}
	return x.record.Comment
}

// PrefixLengths implements sql.Index.
func (x *Index) PrefixLengths() []uint16 {
	if x.record == nil {
		return nil
	}
	return x.record.Prefixes
}

// ColumnExpressionTypes implements sql.Index.
func (x *Index) ColumnExpressionTypes(*sql.Context) []sql.ColumnExpressionType {
	return x.types(x.columns)
}

// ExtendedColumnExpressionTypes implements sql.ExtendedIndex.
func (x *Index) ExtendedColumnExpressionTypes(*sql.Context) []sql.ColumnExpressionType {
	return x.types(x.all)
}

func (x *Index) types(columns []int) []sql.ColumnExpressionType {
	all := make([]sql.ColumnExpressionType, len(columns))
	for i, c := range columns {
		all[i] = sql.ColumnExpressionType{Expression: x.names[i], Type: x.table.def.schema.Schema[c].Type}
	}
	return all
}

// CanSupport implements sql.Index.
func (x *Index) CanSupport(*sql.Context, ...sql.Range) bool { return true }

// CanSupportOrderBy implements sql.Index. It is about vectors.
func (x *Index) CanSupportOrderBy(sql.Expression) bool { return false }

// ordered tells whether the entries are in the order of the columns' values.
func (x *Index) ordered() bool {
	return x.record == nil || x.record.Stored() && x.record.Prefixes == nil
}

// Order implements sql.OrderedIndex.
func (x *Index) Order(*sql.Context) sql.IndexOrder {
	if x.ordered() {
		return sql.IndexOrderAsc
	}
	return sql.IndexOrderNone
}

// Reversible implements sql.OrderedIndex.
func (x *Index) Reversible(*sql.Context) bool { return x.ordered() }

// HandledFilters implements sql.FilteredIndex: lookups by exact comparisons are exact.
func (x *Index) HandledFilters(ctx *sql.Context, filters []sql.Expression) []sql.Expression {
	if x.record != nil && !x.record.Stored() {
		return nil
	}
	var handled []sql.Expression
	for _, f := range filters {
		if expression.PreciseComparison(ctx, f) {
			handled = append(handled, f)
		}
	}
	return handled
}

// FullTextTableNames implements fulltext.Index.
func (x *Index) FullTextTableNames(*sql.Context) (fulltext.IndexTableNames, error) {
	if !x.IsFullText() {
		return fulltext.IndexTableNames{}, nil
	}
	return x.record.Fulltext.Tables, nil
}

// FullTextKeyColumns implements fulltext.Index.
func (x *Index) FullTextKeyColumns(*sql.Context) (fulltext.KeyColumns, error) {
	if !x.IsFullText() {
		return fulltext.KeyColumns{}, nil
	}
	return x.record.Fulltext.Keys, nil
}
