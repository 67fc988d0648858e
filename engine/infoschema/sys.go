package infoschema

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/moment"
	"pfsd/engine/sys"
	"pfsd/engine/sysschema"
	"pfsd/engine/vtable"
)

// SysSchema describes the views of sys and the key of sys_config in information_schema.
// go-mysql-server describes the rest of sys, like any other database.
type SysSchema struct{ Config *sysschema.Config }

// Name implements infoschema.OwnSchema.
func (SysSchema) Name() string { return sys.Schema }

// Rest implements infoschema.OwnSchema.
func (SysSchema) Rest(db sql.Database) sql.Database { return withoutViews{db} }

// withoutViews is a database that hides its views.
type withoutViews struct{ sql.Database }

// Described implements infoschema.OwnSchema.
func (s SysSchema) Described(ctx *sql.Context, infoTable, only string) (rows []sql.Row, ok bool) {
	var describe func(*sql.Context, *sys.View) []sql.Row
	switch infoTable {
	case "tables":
		describe = s.describeTable
	case "columns":
		describe = describeViewColumns
	case "statistics":
		if inScope(sys.Schema, sysschema.ConfigName, "", only) {
			rows = append(rows, describeConfigKey(s.Config))
		}
		return rows, true
	default:
		return nil, false
	}
	for i := range sys.Views {
		if v := &sys.Views[i]; only == "" || strings.EqualFold(only, v.Name) {
			rows = append(rows, describe(ctx, v)...)
		}
	}
	return rows, true
}

// describeTable returns the view's row of information_schema.TABLES.
func (s SysSchema) describeTable(ctx *sql.Context, v *sys.View) []sql.Row {
	const view = uint16(2)
	row := sql.Row{catalogName, sys.Schema, v.Name, view}
	for len(row) < 21 {
		row = append(row, nil)
	}
	row[infoCreated], row[infoTableComment] = moment.Wall(s.Config.Created, 0, moment.Zone(ctx)), "VIEW"
	return []sql.Row{row}
}

// Positions of columns in information_schema.TABLES.
const (
	infoTableKind, infoCount, infoIncrement = 3, 7, 13

	infoCreated, infoChecksum, infoTableComment = 14, 18, 20
)

// sysViewOf returns the view of sys in n, nil if there is none.
func sysViewOf(n sql.Node) *sys.View {
	a, ok := n.(*plan.SubqueryAlias)
	if !ok {
		return nil
	}
	v := sys.ViewNamed(a.Name())
	if v == nil || strings.TrimSpace(a.TextDefinition) != v.Select {
		return nil
	}
	return v
}

// describeViewColumns returns the view's rows of information_schema.COLUMNS.
func describeViewColumns(_ *sql.Context, v *sys.View) (rows []sql.Row) {
	for i, c := range v.Columns {
		base, _, _ := strings.Cut(c.Type, "(")
		base, _, _ = strings.Cut(base, " ")
		chars, octets, digits, scale, fraction := typeSizes(sysschema.ColumnTypes[v.Name][i])
		var charset, coll any
		if chars != nil {
			charset, coll = vtable.Collation.CharacterSet().Name(), vtable.Collation.Name()
		}
		rows = append(rows, sql.Row{
			catalogName, sys.Schema, v.Name, c.Name, uint32(i + 1), nil, yesNo(!c.NotNull), base,
			chars, octets, digits, scale, fraction, charset, coll, c.Type, uint16(keyNone), "", "", "", "", nil,
		})
	}
	return rows
}

// typeSizes returns the length of a text in characters and bytes, the precision and scale of a number, and the
// fractional digits of a time; nil where a type has none.
func typeSizes(t sql.Type) (chars, octets, digits, scale, fraction any) {
	switch t := t.(type) {
	case sql.DecimalType:
		return nil, nil, uint64(t.Precision()), uint64(t.Scale()), nil
	case sql.NumberType:
		n := uint64(19)
		switch t {
		case types.Uint64:
			n = 20
		case types.Int32:
			n = 10
		}
		return nil, nil, n, uint64(0), nil
	case sql.StringType:
		return t.MaxCharacterLength(), t.MaxByteLength(), nil, nil, nil
	case sql.DatetimeType:
		return nil, nil, nil, nil, uint32(t.Precision())
	}
	if t == types.Time {
		return nil, nil, nil, nil, uint32(0)
	}
	return nil, nil, nil, nil, nil
}

// describeConfigKey returns the row of SHOW INDEX and STATISTICS for the key of sys_config.
func describeConfigKey(c *sysschema.Config) sql.Row {
	return sql.Row{
		catalogName, sys.Schema, sysschema.ConfigName, int32(0), sys.Schema, "PRIMARY", uint32(1), "variable",
		"A", int64(c.Len()), nil, nil, "", "BTREE", "", "", "YES", nil,
	}
}
