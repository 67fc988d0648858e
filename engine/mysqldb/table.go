package mysqldb

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/accounts"
	"pfsd/engine/executor"
	"pfsd/engine/sqlvalue"
)

// definition declares a table.
type definition struct {
	name    string
	key     []string // the columns of the primary key
	columns []column
	engine  string // "" is InnoDB
	comment string
	// rows makes the rows of all accounts, which are sorted by host and user; nil for a table
	// without rows.
	rows func(all []*accounts.Account) []sql.Row
}

// column declares a column: its name, its type as in CREATE TABLE, its default, and whether it may
// be NULL. A default of two single quotes is an empty text, and "" means that there is none.
type column struct {
	name, typ, def string
	null           bool
}

// Types of many columns.
const (
	hostType  = "char(255) character set ascii collate ascii_general_ci"
	userType  = "char(32) character set utf8mb3 collate utf8mb3_bin"
	nameType  = "char(64) character set utf8mb3 collate utf8mb3_bin"
	pluginTyp = "char(64) character set utf8mb3 collate utf8mb3_bin"
	yesNo     = "enum('N','Y')"
	longID    = "varchar(288) character set utf8mb3 collate utf8mb3_bin"
	bin64     = "varchar(64) character set utf8mb3 collate utf8mb3_bin"
	text64    = "char(64) character set utf8mb3 collate utf8mb3_general_ci"
)

// flags returns columns of the type ENUM('N','Y') with the default N.
func flags(names ...string) (all []column) {
	for _, n := range names {
		all = append(all, column{n, yesNo, "N", false})
	}
	return all
}

// yesOrNo returns Y or N.
func yesOrNo(b bool) string {
	if b {
		return "Y"
	}
	return "N"
}

// table is a table of the database. Safe for concurrent use.
type table struct {
	definition
	schema sql.Schema
	store  *accounts.Store
	clock  Clock
	// edits are the edits of the database.
	edits *edits
	log   *LogTable // the log that the table shows; nil if none
}

// Clock converts times to the time zone of a session (Local) with a number of fractional digits,
// and back (Moment).
type Clock struct {
	Local  func(ctx *sql.Context, t time.Time, digits int) time.Time
	Moment func(*sql.Context, time.Time) time.Time
}

var (
	_ sql.PrimaryKeyTable       = (*table)(nil)
	_ sql.CommentedTable        = (*table)(nil)
	_ sql.IndexAddressableTable = (*table)(nil)
	_ sql.InsertableTable       = (*table)(nil)
	_ sql.ReplaceableTable      = (*table)(nil)
	_ sql.UpdatableTable        = (*table)(nil)
	_ sql.DeletableTable        = (*table)(nil)
	_ sql.TruncateableTable     = (*table)(nil)
)

func newTable(def definition, store *accounts.Store, clock Clock, w *edits) *table {
	t := &table{definition: def, store: store, clock: clock, edits: w}
	for _, c := range def.columns {
		typ := typeOf(c)
		s := &sql.Column{
			Name: c.name, Type: typ, Nullable: c.null, Source: def.name, DatabaseSource: databaseName, PrimaryKey: slices.Contains(def.key, c.name),
		}
		if c.def != "" {
			s.Default = defaultOf(c, typ)
		}
		t.schema = append(t.schema, s)
	}
	return t
}

// typeOf returns the type of a column. ENUM and SET are texts to go-mysql-server.
func typeOf(c column) sql.Type {
	for i, kind := range []string{"enum(", "set("} {
		if list, ok := strings.CutPrefix(c.typ, kind); ok {
			return sqlvalue.NewChoice(c.name, strings.Split(strings.TrimSuffix(strings.TrimPrefix(list, "'"), "')"), "','"), i == 1)
		}
	}
	typ, err := planbuilder.ParseColumnTypeString(c.typ)
	if err != nil {
		panic(fmt.Sprintf("mysqldb: column %s: %v", c.name, err))
	}
	return typ
}

// defaultOf returns the default of a column, converted to its type.
func defaultOf(c column, typ sql.Type) *sql.ColumnDefaultValue {
	literal := expression.NewLiteral(strings.Trim(c.def, "'"), types.LongText)
	if types.IsNumber(typ) {
		v, _, err := typ.Convert(context.Background(), c.def)
		if err != nil {
			panic(fmt.Sprintf("mysqldb: column %s: %v", c.name, err))
		}
		literal = expression.NewLiteral(v, typ)
	}
	return &sql.ColumnDefaultValue{Expr: literal, OutType: typ, Literal: true}
}

// Name implements sql.Table.
func (t *table) Name() string { return t.name }

// String implements sql.Table.
func (t *table) String() string { return t.name }

// Collation implements sql.Table.
func (t *table) Collation() sql.CollationID { return sql.Collation_utf8mb3_bin }

// Schema implements sql.Table.
func (t *table) Schema(*sql.Context) sql.Schema { return t.schema }

// Comment implements sql.CommentedTable.
func (t *table) Comment() string {
	if t.engine != "" {
		return executor.EngineMark + t.engine
	}
	return t.comment
}

// PrimaryKeySchema implements sql.PrimaryKeyTable.
func (t *table) PrimaryKeySchema(*sql.Context) sql.PrimaryKeySchema {
	places := make([]int, len(t.key))
	for i, k := range t.key {
		places[i] = slices.IndexFunc(t.schema, func(c *sql.Column) bool { return c.Name == k })
	}
	return sql.NewPrimaryKeySchema(t.schema, places...)
}

// Partitions implements sql.Table.
func (t *table) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(wholeTable{}), nil
}

// PartitionRows implements sql.Table.
func (t *table) PartitionRows(ctx *sql.Context, _ sql.Partition) (sql.RowIter, error) {
	var rows []sql.Row
	for _, r := range t.currentRows() {
		rows = append(rows, t.sessionRow(ctx, r))
	}
	return sql.RowsToRowIter(rows...), nil
}

// wholeTable is the one partition of a table.
type wholeTable struct{}

// Key implements sql.Partition.
func (wholeTable) Key() []byte { return nil }

// GetIndexes implements sql.IndexAddressable: the primary key, for SHOW INDEX and plans.
func (t *table) GetIndexes(*sql.Context) ([]sql.Index, error) {
	if len(t.key) == 0 {
		return nil, nil
	}
	return []sql.Index{primaryKey{t}}, nil
}

// IndexedAccess implements sql.IndexAddressable.
func (t *table) IndexedAccess(*sql.Context, sql.IndexLookup) sql.IndexedTable { return lookupTable{t} }

// PreciseMatch implements sql.IndexAddressable.
func (t *table) PreciseMatch() bool { return false }

// lookupTable is a table with a look-up by key. It filters all rows, which are few. Safe for
// concurrent use.
type lookupTable struct{ *table }

var _ sql.IndexedTable = lookupTable{}

// LookupPartitions implements sql.IndexedTable.
func (t lookupTable) LookupPartitions(ctx *sql.Context, lookup sql.IndexLookup) (sql.PartitionIter, error) {
	ranges, ok := lookup.Ranges.(sql.MySQLRangeCollection)
	if !ok {
		return t.Partitions(ctx)
	}
	var key []sql.Expression
	for _, k := range t.key {
		i := slices.IndexFunc(t.schema, func(c *sql.Column) bool { return c.Name == k })
		key = append(key, expression.NewGetField(i, t.schema[i].Type, k, false))
	}
	asked, err := expression.NewRangeFilterExpr(ctx, key, ranges)
	if err != nil || asked == nil {
		return sql.PartitionsToPartitionIter(), err
	}
	return sql.PartitionsToPartitionIter(matchingRows{condition: asked}), nil
}

// PartitionRows implements sql.Table.
func (t lookupTable) PartitionRows(ctx *sql.Context, p sql.Partition) (sql.RowIter, error) {
	rows, err := t.table.PartitionRows(ctx, p)
	if s, ok := p.(matchingRows); ok && err == nil {
		return plan.NewFilterIter(s.condition, rows), nil
	}
	return rows, err
}

// matchingRows is a partition: the rows that meet a condition.
type matchingRows struct {
	wholeTable
	condition sql.Expression
}

// primaryKey is the primary key of a table. Safe for concurrent use.
type primaryKey struct{ *table }

var _ sql.Index = primaryKey{}

// ID implements sql.Index.
func (p primaryKey) ID() string { return "PRIMARY" }

// Database implements sql.Index.
func (p primaryKey) Database() string { return databaseName }

// Table implements sql.Index.
func (p primaryKey) Table() string { return p.name }

// Expressions implements sql.Index.
func (p primaryKey) Expressions() (all []string) {
	for _, k := range p.key {
		all = append(all, p.name+"."+k)
	}
	return all
}

// IsUnique implements sql.Index.
func (p primaryKey) IsUnique() bool { return true }

// IsSpatial implements sql.Index.
func (p primaryKey) IsSpatial() bool { return false }

// IsFullText implements sql.Index.
func (p primaryKey) IsFullText() bool { return false }

// IsVector implements sql.Index.
func (p primaryKey) IsVector() bool { return false }

// Comment implements sql.Index.
func (p primaryKey) Comment() string { return "" }

// IndexType implements sql.Index.
func (p primaryKey) IndexType() string { return "BTREE" }

// IsGenerated implements sql.Index.
func (p primaryKey) IsGenerated() bool { return false }

// ColumnExpressionTypes implements sql.Index.
func (p primaryKey) ColumnExpressionTypes(*sql.Context) (all []sql.ColumnExpressionType) {
	for _, k := range p.key {
		i := slices.IndexFunc(p.schema, func(c *sql.Column) bool { return c.Name == k })
		all = append(all, sql.ColumnExpressionType{Expression: p.name + "." + k, Type: p.schema[i].Type})
	}
	return all
}

// CanSupport implements sql.Index.
func (p primaryKey) CanSupport(*sql.Context, ...sql.Range) bool { return true }

// CanSupportOrderBy implements sql.Index.
func (p primaryKey) CanSupportOrderBy(sql.Expression) bool { return false }

// PrefixLengths implements sql.Index.
func (p primaryKey) PrefixLengths() []uint16 { return nil }

// ErrTable is error 3554: the table cannot be written or changed.
func ErrTable(name string) error {
	return mysql.NewSQLError(3554, "HY000", "Access to system table '%s.%s' is rejected.", databaseName, strings.ToLower(name))
}

// ErrSchema is error 3552: the database cannot be changed.
func ErrSchema() error {
	return mysql.NewSQLError(3552, "HY000", "Access to system schema '%s' is rejected.", databaseName)
}
