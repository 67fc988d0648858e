package engine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// described are the rows of SHOW COLUMNS, SHOW INDEX or SHOW TABLE STATUS of tables of
// performance_schema: the same as those of information_schema. ok is false for any other n.
func (b *builder) described(ctx *sql.Context, n sql.Node) (rows sql.RowIter, ok bool) {
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
			all, key = describeColumns(ctx, t), t.keyOf
		case v != nil:
			all = describeViewColumns(ctx, v)
		default:
			return nil, false
		}
		seen := all[:0]
		for _, r := range all {
			name := text(r[infoColumn])
			if p := columnPrivileges(ctx, text(r[infoSchema]), text(r[infoTable]), name); p != "" {
				r[infoPrivileges], r[infoKey] = p, key(name).String()
				seen = append(seen, r)
			}
		}
		if n.Full {
			return pick(seen, infoColumn, infoType, infoCollation, infoNullable, infoKey, infoDefault, infoExtra, infoPrivileges, infoComment), true
		}
		return pick(seen, infoColumn, infoType, infoNullable, infoKey, infoDefault, infoExtra), true
	case *plan.ShowIndexes:
		if t := tableOf(n.Child); t != nil {
			return pick(describeKeys(ctx, t), 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17), true
		}
	case *plan.ShowTableStatus:
		if !isSchema(n.Database().Name()) {
			return nil, false
		}
		var all []sql.Row
		schema := b.schema
		for _, name := range schema.names {
			if visible(ctx, schemaName, name) {
				for _, r := range schema.describeTable(ctx, schema.tables[name]) {
					r[infoRowFormat] = rowFormats[r[infoRowFormat].(uint16)]
					all = append(all, r)
				}
			}
		}
		return pick(all, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20), true
	}
	return nil, false
}

// Positions of columns in information_schema.COLUMNS, and in TABLES.
const (
	infoSchema, infoTable = 1, 2

	infoColumn, infoDefault, infoNullable, infoCollation      = 3, 5, 6, 14
	infoType, infoKey, infoExtra, infoPrivileges, infoComment = 15, 16, 17, 18, 19

	infoRowFormat = 6
)

// rowFormats are the texts of ROW_FORMAT.
var rowFormats = [...]string{rowsFixed: "Fixed", rowsDynamic: "Dynamic"}

// tableOf is the table of performance_schema that a node is; nil if it is none.
func tableOf(n sql.Node) *table {
	rt, ok := n.(*plan.ResolvedTable)
	if !ok {
		return nil
	}
	t, _ := sql.GetUnderlyingTable(rt.Table).(*table)
	return t
}
