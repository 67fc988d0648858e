package gmsplan

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/vtable"
)

// Access is the access method of a table.
type Access uint8

const (
	FullScan    Access = iota // read all rows
	ValueLookUp               // look up a value in an index
	RangeScan                 // read ranges of an index, or look up several values
)

// AccessOf returns the access method of an indexed table.
func AccessOf(ctx *sql.Context, n *plan.IndexedTableAccess) Access {
	if len(n.Expressions()) > 0 {
		return ValueLookUp // values of the tables before it
	}
	l, inRange, err := n.GetLookup(ctx, nil)
	if err != nil || !inRange {
		return ValueLookUp
	}
	if t, ok := sql.GetUnderlyingTable(n.Table).(*vtable.Table); ok {
		switch keys, ok := t.Keys(l); {
		case !ok:
			return FullScan // a hash has no order
		case len(keys) > 1:
			return RangeScan
		}
		return ValueLookUp
	}
	ranges, ok := l.Ranges.(sql.MySQLRangeCollection)
	if !ok || len(ranges) != 1 {
		return RangeScan
	}
	if len(ranges[0]) == 0 {
		return FullScan
	}
	for i, col := range ranges[0] {
		_, one := vtable.Point(col)
		switch {
		case one || col.Type() == sql.RangeType_EqualNull:
		case !unbounded(col):
			return RangeScan
		case i == 0:
			return FullScan // the whole index, in its order
		}
	}
	return ValueLookUp
}

// unbounded reports whether a range excludes nothing, or only NULL.
func unbounded(r sql.MySQLRangeColumnExpr) bool {
	return r.Type() == sql.RangeType_All || r.Type() != sql.RangeType_EqualNull && vtable.IsNullOrNotNull(r)
}
