package storage

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/storage/codec"
)

// box is the area that a lookup in a spatial index searches.
type box struct {
	column                 int
	minX, minY, maxX, maxY float64
}

// findBox reads all rows, and returns those whose geometries touch the area.
func (r *rows) findBox(x *Index, ranges sql.MySQLRangeCollection) error {
	if len(ranges) == 0 || len(ranges[0]) == 0 {
		return nil
	}
	lower, ok1 := sql.GetMySQLRangeCutKey(ranges[0][0].LowerBound).(types.Point)
	upper, ok2 := sql.GetMySQLRangeCutKey(ranges[0][0].UpperBound).(types.Point)
	if !ok1 || !ok2 {
		return sql.ErrInvalidGISData.New()
	}
	r.box = &box{x.columns[0], lower.X, lower.Y, upper.X, upper.Y}
	lo := r.table.def.prefix()
	r.spans = []span{{lower: lo, upper: codec.After(lo), exact: true}}
	return nil
}

func (b *box) touches(ctx *sql.Context, row sql.Row) bool {
	g, err := types.UnwrapGeometry(ctx, row[b.column])
	if err != nil {
		return false
	}
	minX, minY, maxX, maxY := g.BBox()
	return minX <= b.maxX && b.minX <= maxX && minY <= b.maxY && b.minY <= maxY
}
