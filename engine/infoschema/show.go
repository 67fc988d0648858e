package infoschema

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/sysschema"
	"pfsd/engine/vtable"
)

// describeRows returns the rows of SHOW COLUMNS and SHOW INDEX for tables of performance_schema, and of SHOW TABLE
// STATUS for any database, made from information_schema. ok is false for any other n.
func describeRows(ctx *sql.Context, n sql.Node, info *Database) (rows sql.RowIter, ok bool, err error) {
	pick := func(from []sql.Row, columns ...int) sql.RowIter {
		picked := make([]sql.Row, 0, len(from))
		for _, r := range from {
			row := make(sql.Row, len(columns))
			for i, c := range columns {
				row[i] = r[c]
			}
			picked = append(picked, row)
		}
		return sql.RowsToRowIter(picked...)
	}
	switch n := n.(type) {
	case *plan.ShowColumns:
		var all []sql.Row
		key := func(string) columnKey { return keyNone }
		t, v := tableOf(n.Child), sysViewOf(n.Child)
		switch {
		case t != nil:
			all, key = describeColumns(ctx, t), func(column string) columnKey { return columnKeyOf(t, column) }
		case v != nil:
			all = describeViewColumns(ctx, v)
		default:
			return nil, false, nil
		}
		seen := all[:0]
		for _, r := range all {
			name := cellText(r[infoColumn])
			if p := ColumnPrivileges(ctx, cellText(r[infoSchema]), cellText(r[infoTable]), name); p != "" {
				r[infoPrivileges], r[infoKey] = p, key(name).String()
				seen = append(seen, r)
			}
		}
		if n.Full {
			return pick(seen, infoColumn, infoType, infoCollation, infoNullable, infoKey, infoDefault, infoExtra, infoPrivileges, infoComment), true, nil
		}
		return pick(seen, infoColumn, infoType, infoNullable, infoKey, infoDefault, infoExtra), true, nil
	case *plan.ShowIndexes:
		if rt, ok := n.Child.(*plan.ResolvedTable); ok {
			if config, ok := sql.GetUnderlyingTable(rt.Table).(*sysschema.Config); ok {
				return pick([]sql.Row{describeConfigKey(config)}, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17), true, nil
			}
		}
		if t := tableOf(n.Child); t != nil {
			return pick(describeKeys(ctx, t), 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17), true, nil
		}
	case *plan.ShowTableStatus:
		all, err := info.TableRows(ctx, n.Database().Name())
		if err != nil {
			return nil, false, err
		}
		slices.SortFunc(all, func(a, b sql.Row) int { return strings.Compare(cellText(a[infoTable]), cellText(b[infoTable])) })
		return pick(all, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20), true, nil
	}
	return nil, false, nil
}

// Positions of columns in information_schema.COLUMNS and TABLES.
const (
	infoSchema, infoTable = 1, 2

	infoColumn, infoDefault, infoNullable, infoCollation      = 3, 5, 6, 14
	infoType, infoKey, infoExtra, infoPrivileges, infoComment = 15, 16, 17, 18, 19
)

// tableOf returns the table of performance_schema in a node; nil if there is none.
func tableOf(n sql.Node) *vtable.Table {
	rt, ok := n.(*plan.ResolvedTable)
	if !ok {
		return nil
	}
	t, _ := sql.GetUnderlyingTable(rt.Table).(*vtable.Table)
	return t
}

// ShowSchema returns the result schema of s. SHOW TABLES and SHOW DATABASES with LIKE have the
// pattern in the name of their first column.
func ShowSchema(s ast.Statement, schema sql.Schema) sql.Schema {
	show, ok := s.(*ast.Show)
	if !ok || len(schema) == 0 {
		return schema
	}
	filter := show.Filter
	switch strings.ToLower(show.Type) {
	case "tables":
		if show.ShowTablesOpt != nil {
			filter = show.ShowTablesOpt.Filter
		}
	case "databases", "schemas":
	default:
		return schema
	}
	if filter == nil || filter.Like == "" {
		return schema
	}
	own, first := slices.Clone(schema), *schema[0]
	first.Name += " (" + filter.Like + ")"
	own[0] = &first
	return own
}
