package engine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/vtable"
)

// reading is how a table's rows are found.
type reading uint8

const (
	readWhole  reading = iota // one after the other
	readValues                // by values in an index
	readRanges                // by ranges of an index, or several values
)

// readingOf is how the rows of a table are found in an index.
func readingOf(ctx *sql.Context, n *plan.IndexedTableAccess) reading {
	if len(n.Expressions()) > 0 {
		return readValues // of the tables before it
	}
	l, inRange, err := n.GetLookup(ctx, nil)
	if err != nil || !inRange {
		return readValues
	}
	if t, ok := sql.GetUnderlyingTable(n.Table).(*vtable.Table); ok {
		switch keys, ok := t.Keys(l); {
		case !ok:
			return readWhole // a hash has no order
		case len(keys) > 1:
			return readRanges
		}
		return readValues
	}
	ranges, ok := l.Ranges.(sql.MySQLRangeCollection)
	if !ok || len(ranges) != 1 {
		return readRanges
	}
	if len(ranges[0]) == 0 {
		return readWhole
	}
	for i, col := range ranges[0] {
		_, one := vtable.Point(col)
		switch {
		case one || col.Type() == sql.RangeType_EqualNull:
		case !all(col):
			return readRanges
		case i == 0:
			return readWhole // in the index's order
		}
	}
	return readValues
}

// all tells whether r leaves nothing out, or nothing but NULL.
func all(r sql.MySQLRangeColumnExpr) bool {
	return r.Type() == sql.RangeType_All || r.Type() != sql.RangeType_EqualNull && vtable.NullOrNot(r)
}
