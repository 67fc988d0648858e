package vtable

import (
	"context"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/tables"
)

// index describes a hash key of a table to the optimizer. Safe for concurrent use.
type index struct {
	def   tables.Index
	db    string
	table string
	exprs []sql.ColumnExpressionType
}

func newIndex(t *Table, def tables.Index) *index {
	ix := &index{def: def, db: t.DB, table: t.Name()}
	for _, name := range def.Columns {
		i := slices.IndexFunc(t.Fields, func(c *sql.Column) bool { return c.Name == name })
		ix.exprs = append(ix.exprs, sql.ColumnExpressionType{Expression: ix.table + "." + name, Type: t.Fields[i].Type})
	}
	return ix
}

// ID implements sql.Index.
func (ix *index) ID() string { return ix.def.Name }

// Database implements sql.Index.
func (ix *index) Database() string { return ix.db }

// Table implements sql.Index.
func (ix *index) Table() string { return ix.table }

// Expressions implements sql.Index.
func (ix *index) Expressions() []string {
	s := make([]string, len(ix.exprs))
	for i, e := range ix.exprs {
		s[i] = e.Expression
	}
	return s
}

// IsUnique implements sql.Index.
func (ix *index) IsUnique() bool { return ix.def.Unique }

// IsSpatial implements sql.Index.
func (ix *index) IsSpatial() bool { return false }

// IsFullText implements sql.Index.
func (ix *index) IsFullText() bool { return false }

// IsVector implements sql.Index.
func (ix *index) IsVector() bool { return false }

// Comment implements sql.Index.
func (ix *index) Comment() string { return "" }

// IndexType implements sql.Index.
func (ix *index) IndexType() string { return "HASH" }

// IsGenerated implements sql.Index.
func (ix *index) IsGenerated() bool { return false }

// ColumnExpressionTypes implements sql.Index.
func (ix *index) ColumnExpressionTypes(*sql.Context) []sql.ColumnExpressionType { return ix.exprs }

// CanSupportOrderBy implements sql.Index: a hash has no order.
func (ix *index) CanSupportOrderBy(sql.Expression) bool { return false }

// PrefixLengths implements sql.Index.
func (ix *index) PrefixLengths() []uint16 { return nil }

// CanSupport implements sql.Index: it needs equalities on the first columns, and ignores the others. The
// ranges of <=> have to pass, too.
func (ix *index) CanSupport(_ *sql.Context, ranges ...sql.Range) bool {
	for _, r := range ranges {
		mr, ok := r.(sql.MySQLRange)
		if !ok || len(mr) == 0 {
			return false
		}
		if _, ok := Point(mr[0]); !ok && !IsNullOrNotNull(mr[0]) {
			return false
		}
	}
	return true
}

// Point returns the one value that r holds, if it holds one that is not NULL.
func Point(r sql.MySQLRangeColumnExpr) (any, bool) {
	if r.Type() != sql.RangeType_ClosedClosed {
		return nil, false
	}
	low, high := sql.GetMySQLRangeCutKey(r.LowerBound), sql.GetMySQLRangeCutKey(r.UpperBound)
	if low == nil || high == nil {
		return nil, false
	}
	c, err := r.Typ.Compare(context.Background(), low, high)
	return low, err == nil && c == 0
}

// IsNullOrNotNull reports whether r is NULL, or everything but NULL.
func IsNullOrNotNull(r sql.MySQLRangeColumnExpr) bool {
	if r.Type() == sql.RangeType_EqualNull {
		return true
	}
	_, above := r.LowerBound.(sql.AboveNull)
	_, all := r.UpperBound.(sql.AboveAll)
	return above && all
}

// lookup is a partition: the rows that match a key.
type lookup struct {
	key    tables.Key
	single bool // at most one row matches
}

// Key implements sql.Partition.
func (lookup) Key() []byte { return []byte{0} }

// GetIndexes implements sql.IndexAddressable.
func (t *Table) GetIndexes(*sql.Context) ([]sql.Index, error) { return t.indexes, nil }

// PreciseMatch implements sql.IndexAddressable: the filter stays above the lookup, which
// may yield more rows than match.
func (t *Table) PreciseMatch() bool { return false }

// IndexedAccess implements sql.IndexAddressable. An UPDATE that goes through an index
// needs the table it gets to be updatable, therefore it is t itself.
func (t *Table) IndexedAccess(*sql.Context, sql.IndexLookup) sql.IndexedTable { return t }

// LookupPartitions implements sql.IndexedTable: one partition for each range of l.
func (t *Table) LookupPartitions(_ *sql.Context, l sql.IndexLookup) (sql.PartitionIter, error) {
	keys, ok := t.Keys(l)
	if !ok {
		return sql.PartitionsToPartitionIter(lookup{}), nil
	}
	parts := make([]sql.Partition, len(keys))
	for i, k := range keys {
		parts[i] = lookup{k, l.Index.IsUnique() && len(k) == len(l.Index.Expressions())}
	}
	return sql.PartitionsToPartitionIter(parts...), nil
}

// Keys converts the ranges of l, which do not overlap, to keys. It reports false if one of them is not an
// equality: then only a full scan returns each row once.
func (t *Table) Keys(l sql.IndexLookup) ([]tables.Key, bool) {
	ranges, ok := l.Ranges.(sql.MySQLRangeCollection)
	if !ok {
		return nil, false
	}
	columns := l.Index.(*index).def.Columns
	var keys []tables.Key
	var others keySet
	near := false
	for _, r := range ranges {
		var key tables.Key
		for i, col := range r {
			v, ok := Point(col)
			if !ok {
				continue // equalities on the other columns still apply
			}
			if eq, ok := t.equality(columns[i], v); ok {
				key = append(key, eq)
				near = near || eq.Near
			}
		}
		// Different keys of the same columns share no rows, unless a condition is near.
		if len(key) == 0 || len(ranges) > 1 && (near || !others.add(key)) {
			return nil, false
		}
		keys = append(keys, key)
	}
	return keys, true
}
