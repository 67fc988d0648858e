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
	"pfsd/engine/compat"
)

// definition declares a table.
type definition struct {
	name    string
	key     []string // the columns of the primary key
	columns []column
	engine  string // "" is InnoDB
	comment string
	// rows makes the rows of all accounts, which are in the order of host and user; nil if the table has none, ever.
	rows func(all []*accounts.Account) []sql.Row
}

// column declares a column: its name, its type as CREATE TABLE has it, its default, where "”" is an empty text and ""
// none, and whether it may be NULL.
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

// flags are columns that say Y or N, with the default N.
func flags(names ...string) (all []column) {
	for _, n := range names {
		all = append(all, column{n, yesNo, "N", false})
	}
	return all
}

// yn is Y for true.
func yn(b bool) string {
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
	// written is the database's.
	written *written
}

// Clock converts between moments and what the session of a context takes them for.
type Clock struct {
	Local, Moment func(*sql.Context, time.Time) time.Time
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

func newTable(def definition, store *accounts.Store, clock Clock, w *written) *table {
	t := &table{definition: def, store: store, clock: clock, written: w}
	for _, c := range def.columns {
		typ := typeOf(c)
		s := &sql.Column{
			Name: c.name, Type: typ, Nullable: c.null, Source: def.name, DatabaseSource: Name, PrimaryKey: slices.Contains(def.key, c.name),
		}
		if c.def != "" {
			s.Default = defaultOf(c, typ)
		}
		t.schema = append(t.schema, s)
	}
	return t
}

// typeOf is the type of a column. Those of ENUM and SET are texts to the SQL engine.
func typeOf(c column) sql.Type {
	for i, kind := range []string{"enum(", "set("} {
		if list, ok := strings.CutPrefix(c.typ, kind); ok {
			return compat.NewChoice(c.name, strings.Split(strings.TrimSuffix(strings.TrimPrefix(list, "'"), "')"), "','"), i == 1)
		}
	}
	typ, err := planbuilder.ParseColumnTypeString(c.typ)
	if err != nil {
		panic(fmt.Sprintf("mysqldb: column %s: %v", c.name, err))
	}
	return typ
}

// defaultOf is the default of a column: of a number a number.
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
		return compat.EngineMark + t.engine
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
	return sql.PartitionsToPartitionIter(whole{}), nil
}

// PartitionRows implements sql.Table.
func (t *table) PartitionRows(ctx *sql.Context, _ sql.Partition) (sql.RowIter, error) {
	var rows []sql.Row
	for _, r := range t.rowsNow() {
		rows = append(rows, t.shown(ctx, r))
	}
	return sql.RowsToRowIter(rows...), nil
}

// whole is the one partition of a table.
type whole struct{}

// Key implements sql.Partition.
func (whole) Key() []byte { return nil }

// GetIndexes implements sql.IndexAddressable: the primary key, which is for looking at.
func (t *table) GetIndexes(*sql.Context) ([]sql.Index, error) {
	if len(t.key) == 0 {
		return nil, nil
	}
	return []sql.Index{primary{t}}, nil
}

// IndexedAccess implements sql.IndexAddressable.
func (t *table) IndexedAccess(*sql.Context, sql.IndexLookup) sql.IndexedTable { return lookedUp{t} }

// PreciseMatch implements sql.IndexAddressable.
func (t *table) PreciseMatch() bool { return false }

// lookedUp is a table of which rows are looked up: of all rows, which are few. Safe for concurrent use.
type lookedUp struct{ *table }

var _ sql.IndexedTable = lookedUp{}

// LookupPartitions implements sql.IndexedTable.
func (t lookedUp) LookupPartitions(ctx *sql.Context, lookup sql.IndexLookup) (sql.PartitionIter, error) {
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
	return sql.PartitionsToPartitionIter(some{asked: asked}), nil
}

// PartitionRows implements sql.Table.
func (t lookedUp) PartitionRows(ctx *sql.Context, p sql.Partition) (sql.RowIter, error) {
	rows, err := t.table.PartitionRows(ctx, p)
	if s, ok := p.(some); ok && err == nil {
		return plan.NewFilterIter(s.asked, rows), nil
	}
	return rows, err
}

// some are the rows that meet a condition.
type some struct {
	whole
	asked sql.Expression
}

// primary is the primary key of a table. Safe for concurrent use.
type primary struct{ *table }

var _ sql.Index = primary{}

// ID implements sql.Index.
func (p primary) ID() string { return "PRIMARY" }

// Database implements sql.Index.
func (p primary) Database() string { return Name }

// Table implements sql.Index.
func (p primary) Table() string { return p.name }

// Expressions implements sql.Index.
func (p primary) Expressions() (all []string) {
	for _, k := range p.key {
		all = append(all, p.name+"."+k)
	}
	return all
}

// IsUnique implements sql.Index.
func (p primary) IsUnique() bool { return true }

// IsSpatial implements sql.Index.
func (p primary) IsSpatial() bool { return false }

// IsFullText implements sql.Index.
func (p primary) IsFullText() bool { return false }

// IsVector implements sql.Index.
func (p primary) IsVector() bool { return false }

// Comment implements sql.Index.
func (p primary) Comment() string { return "" }

// IndexType implements sql.Index.
func (p primary) IndexType() string { return "BTREE" }

// IsGenerated implements sql.Index.
func (p primary) IsGenerated() bool { return false }

// ColumnExpressionTypes implements sql.Index.
func (p primary) ColumnExpressionTypes(*sql.Context) (all []sql.ColumnExpressionType) {
	for _, k := range p.key {
		i := slices.IndexFunc(p.schema, func(c *sql.Column) bool { return c.Name == k })
		all = append(all, sql.ColumnExpressionType{Expression: p.name + "." + k, Type: p.schema[i].Type})
	}
	return all
}

// CanSupport implements sql.Index.
func (p primary) CanSupport(*sql.Context, ...sql.Range) bool { return true }

// CanSupportOrderBy implements sql.Index.
func (p primary) CanSupportOrderBy(sql.Expression) bool { return false }

// PrefixLengths implements sql.Index.
func (p primary) PrefixLengths() []uint16 { return nil }

// ErrTable is error 3554: the table cannot be written or changed.
func ErrTable(name string) error {
	return mysql.NewSQLError(3554, "HY000", "Access to system table '%s.%s' is rejected.", Name, strings.ToLower(name))
}

// ErrSchema is error 3552: the database cannot be changed.
func ErrSchema() error {
	return mysql.NewSQLError(3552, "HY000", "Access to system schema '%s' is rejected.", Name)
}
