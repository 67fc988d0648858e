package gmsplan

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/vtable"
)

// Reading is how a table's rows are found.
type Reading uint8

const (
	ReadWhole  Reading = iota // one after the other
	ReadValues                // by values in an index
	ReadRanges                // by ranges of an index, or several values
)

// ReadingOf is how the rows of a table are found in an index.
func ReadingOf(ctx *sql.Context, n *plan.IndexedTableAccess) Reading {
	if len(n.Expressions()) > 0 {
		return ReadValues // of the tables before it
	}
	l, inRange, err := n.GetLookup(ctx, nil)
	if err != nil || !inRange {
		return ReadValues
	}
	if t, ok := sql.GetUnderlyingTable(n.Table).(*vtable.Table); ok {
		switch keys, ok := t.Keys(l); {
		case !ok:
			return ReadWhole // a hash has no order
		case len(keys) > 1:
			return ReadRanges
		}
		return ReadValues
	}
	ranges, ok := l.Ranges.(sql.MySQLRangeCollection)
	if !ok || len(ranges) != 1 {
		return ReadRanges
	}
	if len(ranges[0]) == 0 {
		return ReadWhole
	}
	for i, col := range ranges[0] {
		_, one := vtable.Point(col)
		switch {
		case one || col.Type() == sql.RangeType_EqualNull:
		case !all(col):
			return ReadRanges
		case i == 0:
			return ReadWhole // in the index's order
		}
	}
	return ReadValues
}

// all tells whether r leaves nothing out, or nothing but NULL.
func all(r sql.MySQLRangeColumnExpr) bool {
	return r.Type() == sql.RangeType_All || r.Type() != sql.RangeType_EqualNull && vtable.NullOrNot(r)
}
