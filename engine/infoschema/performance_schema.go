package infoschema

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/moment"
	"pfsd/engine/vtable"
	"pfsd/tables"
)

// The rows of information_schema and SHOW about the tables of performance_schema.

var (
	_ OwnSchema = (*PerformanceSchema)(nil)
	_ OwnSchema = SysSchema{}
)

// PerformanceSchema makes the rows of information_schema about performance_schema, or another schema of such tables. Safe for
// concurrent use.
type PerformanceSchema struct {
	Schema string
	// Tables are its tables by name in lower case. Names are their names in
	// order.
	Tables map[string]*vtable.Table
	Names  []string
	// Created is when the tables were made.
	Created time.Time
}

// Name implements infoschema.OwnSchema.
func (d *PerformanceSchema) Name() string { return d.Schema }

// Rest implements infoschema.OwnSchema.
func (d *PerformanceSchema) Rest(sql.Database) sql.Database { return nil }

// Described implements infoschema.OwnSchema.
func (d *PerformanceSchema) Described(ctx *sql.Context, infoTable, only string) (rows []sql.Row, ok bool) {
	describe := map[string]func(*sql.Context, *vtable.Table) []sql.Row{
		"tables":            d.describeTable,
		"columns":           describeColumns,
		"statistics":        describeKeys,
		"table_constraints": describeConstraints,
		"key_column_usage":  describeConstraintColumns,
	}[infoTable]
	if describe == nil {
		return nil, false
	}
	if only != "" {
		if t := d.Tables[strings.ToLower(only)]; t != nil {
			rows = describe(ctx, t)
		}
		return rows, true
	}
	for _, name := range d.Names {
		rows = append(rows, describe(ctx, d.Tables[strings.ToLower(name)])...)
	}
	return rows, true
}

const catalogName = "def"

// createdAt returns the creation time of the tables in the session's time zone.
func (d *PerformanceSchema) createdAt(ctx *sql.Context) time.Time {
	return moment.Wall(d.Created, 0, moment.Zone(ctx))
}

// Values of ROW_FORMAT, in the order of its ENUM.
const rowsFixed, rowsDynamic = uint16(1), uint16(2)

// describeTable returns the table's row of information_schema.TABLES.
func (d *PerformanceSchema) describeTable(ctx *sql.Context, t *vtable.Table) []sql.Row {
	const baseTable = uint16(1)
	format := rowsFixed
	if t.HasVariableRows() {
		format = rowsDynamic
	}
	zero := uint64(0)
	return []sql.Row{{
		catalogName, t.DB, t.Name(), baseTable, tables.Engine, int32(10), format,
		uint64(t.Def.Estimate(t.Model)), zero, zero, zero, zero, zero, nil, // TABLE_ROWS to AUTO_INCREMENT
		d.createdAt(ctx), nil, nil, t.Collation().Name(), nil, "", "",
	}}
}

// describeColumns returns the table's rows of information_schema.COLUMNS.
func describeColumns(_ *sql.Context, t *vtable.Table) (rows []sql.Row) {
	columns := t.Def.Columns()
	for i := range columns {
		c := &columns[i]
		typ, _, _ := strings.Cut(c.Kind.String(), "(")
		typ, _, _ = strings.Cut(typ, " ")
		chars, octets := textLength(c.Kind)
		precision, scale, digits := precision(c.Kind)
		var charset, coll any
		if has, ok := t.Fields[i].Type.(sql.TypeWithCollation); ok && chars != nil && c.Kind.Type != tables.TypeLongBlob {
			charset, coll = has.Collation().CharacterSet().Name(), has.Collation().Name()
		}
		rows = append(rows, sql.Row{
			catalogName, t.DB, t.Name(), c.Name, uint32(i + 1), defaultText(c), yesNo(c.Kind.Nullable), typ,
			chars, octets, precision, scale, digits, charset, coll, c.Kind.String(), uint16(columnKeyOf(t, c.Name)),
			"", "", "", "", nil,
		})
	}
	return rows
}

func yesNo(b bool) string {
	if b {
		return "YES"
	}
	return "NO"
}

// defaultText returns the default of a column, nil for none and for NULL.
func defaultText(c *tables.ColumnInfo) any {
	switch c.Default {
	case "":
		return nil
	case tables.EmptyDefault:
		return ""
	}
	return c.Default
}

// textLength returns the maximal length of a text in characters and bytes; nil if k is not a text.
func textLength(k tables.Kind) (chars, octets any) {
	const (
		text     = int64(1)<<16 - 1
		medium   = int64(1)<<24 - 1
		long     = int64(1)<<32 - 1
		maxBytes = 4 // of a character of utf8mb4
	)
	n := int64(0)
	switch k.Type {
	case tables.TypeText:
		return text, text
	case tables.TypeMediumText:
		return medium, medium
	case tables.TypeLongText, tables.TypeLongBlob:
		return long, long
	case tables.TypeVarChar, tables.TypeChar:
		n = int64(k.Len)
	case tables.TypeEnum:
		for _, v := range k.Values {
			n = max(n, int64(len(v)))
		}
	case tables.TypeSet:
		n = int64(len(strings.Join(k.Values, ",")))
	default:
		return nil, nil
	}
	width := int64(maxBytes)
	switch vtable.ColumnCollation(k).CharacterSet() {
	case sql.CharacterSet_ascii:
		width = 1
	case sql.CharacterSet_utf8mb3:
		width = 3
	}
	return n, n * width
}

// precision returns the precision and scale of a number, and the fractional digits of a time; nil where
// k has none.
func precision(k tables.Kind) (digits, scale, fraction any) {
	none := uint64(0)
	switch k.Type {
	case tables.TypeBigIntUnsigned:
		return uint64(20), none, nil
	case tables.TypeBigInt:
		return uint64(19), none, nil
	case tables.TypeInt, tables.TypeIntUnsigned:
		return uint64(10), none, nil
	case tables.TypeMediumIntUnsigned:
		return uint64(7), none, nil
	case tables.TypeSmallInt:
		return uint64(5), none, nil
	case tables.TypeTinyInt:
		return uint64(3), none, nil
	case tables.TypeDouble:
		if k.Len == 0 {
			return uint64(22), nil, nil
		}
		return uint64(k.Len), uint64(k.Decimals), nil
	case tables.TypeTimestamp:
		return nil, nil, uint32(k.Len)
	}
	return nil, nil, nil
}

// columnKey is a value of COLUMN_KEY, in the order of its ENUM.
type columnKey uint16

const (
	keyNone columnKey = iota + 1
	keyPrimary
	keyUnique
	keyMultiple
)

// String returns the value as SHOW COLUMNS shows it.
func (k columnKey) String() string { return [...]string{"", "", "PRI", "UNI", "MUL"}[k] }

// columnKeyOf returns COLUMN_KEY of a column: PRI for a column of the primary key or, without one,
// of the first unique key that has no nullable columns; UNI for the only column of a unique key;
// MUL for the first column of another key.
func columnKeyOf(t *vtable.Table, column string) columnKey {
	key := keyNone
	primary := t.PrimaryKey()
	for i, ix := range t.Def.Indexes() {
		switch {
		case i == primary:
			for _, c := range ix.Columns {
				if c == column {
					return keyPrimary
				}
			}
		case ix.Columns[0] != column:
		case ix.Unique && len(ix.Columns) == 1:
			key = keyUnique
		case key == keyNone:
			key = keyMultiple
		}
	}
	return key
}

// describeKeys returns the table's rows of information_schema.STATISTICS. A hash has no order
// and no cardinality.
func describeKeys(_ *sql.Context, t *vtable.Table) (rows []sql.Row) {
	for _, ix := range t.KeysInOrder() {
		nonUnique := int32(1)
		if ix.Unique {
			nonUnique = 0
		}
		for i, c := range ix.Columns {
			nullable := ""
			if t.Fields[t.Position(c)].Nullable {
				nullable = "YES"
			}
			rows = append(rows, sql.Row{
				catalogName, t.DB, t.Name(), nonUnique, t.DB, ix.Name, uint32(i + 1), c,
				nil, nil, nil, nil, nullable, "HASH", "", "", "YES", nil,
			})
		}
	}
	return rows
}

// describeConstraints returns the table's rows of information_schema.TABLE_CONSTRAINTS.
func describeConstraints(_ *sql.Context, t *vtable.Table) (rows []sql.Row) {
	for _, ix := range t.KeysInOrder() {
		kind := "UNIQUE"
		if ix.Name == "PRIMARY" {
			kind = "PRIMARY KEY"
		}
		if ix.Unique {
			rows = append(rows, sql.Row{catalogName, t.DB, ix.Name, t.DB, t.Name(), kind, "YES"})
		}
	}
	return rows
}

// describeConstraintColumns returns the table's rows of information_schema.KEY_COLUMN_USAGE.
func describeConstraintColumns(_ *sql.Context, t *vtable.Table) (rows []sql.Row) {
	for _, ix := range t.KeysInOrder() {
		for i, c := range ix.Columns {
			if ix.Unique {
				rows = append(rows, sql.Row{catalogName, t.DB, ix.Name, catalogName, t.DB, t.Name(), c, uint32(i + 1), nil, nil, nil, nil})
			}
		}
	}
	return rows
}

// ColumnPrivileges returns the privileges of the session on a column.
func ColumnPrivileges(ctx *sql.Context, schema, table, column string) string {
	if strings.EqualFold(schema, sql.InformationSchemaDatabaseName) {
		return "select"
	}
	have := access.Of(ctx).Column(schema, table, column).With(access.TableRights(access.Of(ctx), schema, table))
	return strings.ToLower(strings.Join(have.And(accounts.ColumnLevel).Names(), ","))
}
