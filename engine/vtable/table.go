package vtable

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"pfsd/engine/executor"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/sqlvalue"
	"pfsd/tables"
)

const Collation = sql.Collation_utf8mb4_0900_ai_ci

// Database is the name of the database of the virtual tables.
const Database = tables.Schema

// Is reports whether a database is performance_schema.
func Is(db string) bool { return strings.EqualFold(db, Database) }

// Schema is a database of virtual tables.
type Schema interface {
	sql.Database
	HasVirtualTables()
}

// Table is a declared table as go-mysql-server sees it. A projection is a copy of it with fewer
// columns. Safe for concurrent use.
type Table struct {
	Model tables.Model
	Def   tables.Table
	DB    string // the name of its database
	cols  []int  // positions in Def.Columns() of its columns

	// All copies have the same values of these fields.
	Fields  sql.Schema
	indexes []sql.Index
	primary []int    // positions of the columns of the primary key, in its order
	names   []string // projections; nil means every column
}

var (
	_ sql.ProjectedTable        = (*Table)(nil)
	_ sql.PrimaryKeyTable       = (*Table)(nil)
	_ sql.StatisticsTable       = (*Table)(nil)
	_ sql.CommentedTable        = (*Table)(nil)
	_ sql.IndexAddressableTable = (*Table)(nil)
	_ sql.IndexedTable          = (*Table)(nil)
	_ sql.UpdatableTable        = (*Table)(nil)
	_ sql.InsertableTable       = (*Table)(nil)
	_ sql.ReplaceableTable      = (*Table)(nil)
	_ sql.DeletableTable        = (*Table)(nil)
	_ sql.TruncateableTable     = (*Table)(nil)
)

// New returns the table of a declaration in a database, with its rows in a model.
func New(db string, m tables.Model, def tables.Table) *Table {
	t := &Table{Model: m, Def: def, DB: db}
	var primary []string
	for _, ix := range def.Indexes() {
		if ix.Name == "PRIMARY" {
			primary = ix.Columns
		}
	}
	for i, c := range def.Columns() {
		t.cols = append(t.cols, i)
		typ := columnType(c)
		t.Fields = append(t.Fields, &sql.Column{
			Name: c.Name, Type: typ, Nullable: c.Kind.Nullable, Default: columnDefault(c, typ),
			Source: def.Name(), DatabaseSource: db,
			PrimaryKey: slices.Contains(primary, c.Name),
		})
	}
	for _, name := range primary {
		t.primary = append(t.primary, t.Position(name))
	}
	for _, ix := range t.KeysInOrder() {
		t.indexes = append(t.indexes, newIndex(t, ix))
	}
	return t
}

// ColumnCollation returns the collation of a text column.
func ColumnCollation(k tables.Kind) sql.CollationID {
	switch {
	case k.UTF8MB3 && k.Binary:
		return sql.Collation_utf8mb3_bin
	case k.UTF8MB3:
		return sql.Collation_utf8mb3_general_ci
	case k.ASCII:
		return sql.Collation_ascii_general_ci
	case k.Binary:
		return sql.Collation_utf8mb4_bin
	}
	return Collation
}

func columnType(c tables.ColumnInfo) sql.Type {
	coll := ColumnCollation(c.Kind)
	switch c.Kind.Type {
	case tables.TypeVarChar:
		return types.MustCreateString(querypb.Type_VARCHAR, int64(c.Kind.Len), coll)
	case tables.TypeChar:
		return types.MustCreateString(querypb.Type_CHAR, int64(c.Kind.Len), coll)
	case tables.TypeText:
		return types.CreateText(coll)
	case tables.TypeMediumText:
		return types.CreateMediumText(coll)
	case tables.TypeLongText:
		return types.CreateLongText(coll)
	case tables.TypeJSON:
		return types.JSON
	case tables.TypeLongBlob:
		return types.LongBlob
	case tables.TypeBigIntUnsigned:
		return types.Uint64
	case tables.TypeBigInt:
		return types.Int64
	case tables.TypeIntUnsigned:
		return types.Uint32
	case tables.TypeInt:
		return types.Int32
	case tables.TypeMediumIntUnsigned:
		return types.Uint24
	case tables.TypeSmallInt:
		return types.Int16
	case tables.TypeTinyInt:
		return types.Int8
	case tables.TypeDouble:
		if c.Kind.Len == 0 {
			return types.Float64
		}
		return sqlvalue.NewDouble(c.Kind.Len, c.Kind.Decimals)
	case tables.TypeDate:
		return types.Date
	case tables.TypeTimestamp:
		return types.MustCreateDatetimeType(querypb.Type_TIMESTAMP, c.Kind.Len)
	case tables.TypeEnum, tables.TypeSet:
		return sqlvalue.NewChoice(c.Name, c.Kind.Values, c.Kind.Type == tables.TypeSet)
	}
	panic("engine: " + c.Name + " has a type that has no SQL type: " + c.Kind.String())
}

// columnDefault returns the default of a column, nil for none or NULL.
func columnDefault(c tables.ColumnInfo, typ sql.Type) *sql.ColumnDefaultValue {
	text := c.Default
	switch text {
	case "":
		return nil
	case tables.EmptyDefault:
		text = ""
	}
	return &sql.ColumnDefaultValue{Expr: expression.NewLiteral(text, types.LongText), OutType: typ, Literal: true}
}

// Position returns the position of a column in the declaration, -1 if there is none.
func (t *Table) Position(column string) int {
	return slices.IndexFunc(t.Fields, func(c *sql.Column) bool { return c.Name == column })
}

// Name implements sql.Table.
func (t *Table) Name() string { return t.Def.Name() }

// String implements sql.Table.
func (t *Table) String() string { return t.Def.Name() }

// Comment implements sql.CommentedTable.
func (t *Table) Comment() string { return executor.EngineMark + "PERFORMANCE_SCHEMA" }

// Collation implements sql.Table.
func (t *Table) Collation() sql.CollationID {
	if t.Def.Binary() {
		return sql.Collation_utf8mb4_bin
	}
	return Collation
}

// Schema implements sql.Table.
func (t *Table) Schema(*sql.Context) sql.Schema {
	if t.names == nil {
		return t.Fields
	}
	s := make(sql.Schema, len(t.cols))
	for i, c := range t.cols {
		s[i] = t.Fields[c]
	}
	return s
}

// PrimaryKeySchema implements sql.PrimaryKeyTable: the schema without
// projections, which go-mysql-server needs to resolve the columns of its expressions.
func (t *Table) PrimaryKeySchema(*sql.Context) sql.PrimaryKeySchema {
	return sql.NewPrimaryKeySchema(t.Fields, t.primary...)
}

// Projections implements sql.ProjectedTable.
func (t *Table) Projections() []string { return t.names }

// WithProjections implements sql.ProjectedTable.
func (t *Table) WithProjections(_ *sql.Context, names []string) (sql.Table, error) {
	narrow := *t
	narrow.names = append([]string{}, names...)
	narrow.cols = nil
	for _, n := range names {
		i := slices.IndexFunc(t.Fields, func(c *sql.Column) bool { return strings.EqualFold(c.Name, n) })
		if i < 0 {
			return nil, mysqlerr.UnknownColumn(n, "field list")
		}
		narrow.cols = append(narrow.cols, i)
	}
	return &narrow, nil
}

// RowCount implements sql.StatisticsTable; the number is an estimate.
func (t *Table) RowCount(*sql.Context) (uint64, bool, error) {
	return uint64(t.Def.Estimate(t.Model)), false, nil
}

// DataLength implements sql.StatisticsTable.
func (t *Table) DataLength(*sql.Context) (uint64, error) { return 0, nil }

// Partitions implements sql.Table: there is one, the rows that match an empty key.
func (t *Table) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(lookup{}), nil
}

// PartitionRows implements sql.Table.
func (t *Table) PartitionRows(_ *sql.Context, p sql.Partition) (sql.RowIter, error) {
	l := p.(lookup)
	s := NewScan(t, l.key)
	if len(l.key) > 0 {
		s.Requests = Requests{ReadKey, 1, ReadNext, l.single}
	}
	return s, nil
}

// Truncate implements sql.TruncateableTable. Access has been checked.
func (t *Table) Truncate(ctx *sql.Context) (int, error) {
	if !t.Def.Truncatable() {
		return 0, mysqlerr.TableDenied(ctx, "DROP", t.Name())
	}
	return 0, mysqlerr.OfTable(t.Def.Truncate(t.Model), t.Name(), "")
}

// KeysInOrder returns the keys in MySQL's order: the primary key, the unique keys, the others.
func (t *Table) KeysInOrder() (keys []tables.Index) {
	rank := func(ix tables.Index) int {
		switch {
		case ix.Name == "PRIMARY":
			return 0
		case ix.Unique:
			return 1
		}
		return 2
	}
	for r := range 3 {
		for _, ix := range t.Def.Indexes() {
			if rank(ix) == r {
				keys = append(keys, ix)
			}
		}
	}
	return keys
}

// PrimaryKey returns the position of the primary key, or of the unique key that replaces it; -1 if there is none.
func (t *Table) PrimaryKey() int {
	place := -1
	for i, ix := range t.Def.Indexes() {
		if ix.Name == "PRIMARY" {
			return i
		}
		if !ix.Unique || place >= 0 {
			continue
		}
		place = i
		for _, c := range ix.Columns {
			if t.Fields[t.Position(c)].Nullable {
				place = -1
				break
			}
		}
	}
	return place
}

// HasVariableRows reports whether rows may differ in length, for ROW_FORMAT.
func (t *Table) HasVariableRows() bool {
	for _, c := range t.Def.Columns() {
		switch c.Kind.Type {
		case tables.TypeVarChar, tables.TypeText, tables.TypeMediumText, tables.TypeLongText, tables.TypeLongBlob, tables.TypeJSON:
			return true
		}
	}
	return false
}
