package engine

import (
	"io"
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/tables"
)

// scan reads some columns of the rows of one table that match a key. The plan around it
// reads rows of Go values through Next; a plan that is nothing but a scan is written to
// the client without them (see stream). Owned by one goroutine.
type scan struct {
	table  *table
	cols   []int // positions in the declaration, one for each output column
	key    tables.Key
	cursor tables.Cursor
	values []tables.Value
	zone   *time.Location // of timestamps
	read   uint           // rows
	work   *work          // that reads; nil if it is nobody's
	asks
	asked, ended bool
}

func newScan(t *table, key tables.Key) *scan {
	return &scan{table: t, cols: t.cols, key: key, asks: wholeTable}
}

// narrow adds the conditions of key to a scan that is not open yet.
func (s *scan) narrow(key tables.Key) {
	for _, eq := range key {
		if !slices.Contains(s.key, eq) {
			s.key = append(slices.Clip(s.key), eq)
		}
	}
}

// kind is the type of an output column.
func (s *scan) kind(i int) *tables.Kind { return &s.table.def.Columns()[s.cols[i]].Kind }

// open starts the scan, not earlier than its first row is asked for.
func (s *scan) open(ctx *sql.Context) {
	if s.cursor == nil {
		if slices.ContainsFunc(s.cols, func(c int) bool { return s.table.def.Columns()[c].Kind.Type == tables.TypeTimestamp }) {
			s.zone = zoneOf(ctx)
		}
		s.cursor = s.table.def.Scan(s.table.reg, s.cols, s.key)
		s.work = workOf(ctx)
		s.values = make([]tables.Value, len(s.cols))
	}
}

// advance reads the next row of an open scan into its values, and reports whether there is one.
func (s *scan) advance() bool {
	ok := s.cursor.Next(s.values)
	if s.work != nil && !s.ended {
		if ok {
			s.work.statement.examined++
		}
		s.ended = !ok
		s.asks.count(s.work, &s.asked, 1)
	}
	return ok
}

// Next implements sql.RowIter.
func (s *scan) Next(ctx *sql.Context) (sql.Row, error) {
	if s.read++; s.read%batchRows == 0 && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.open(ctx)
	if !s.advance() {
		return nil, io.EOF
	}
	row := make(sql.Row, len(s.values))
	for i, v := range s.values {
		row[i] = box(s.kind(i), v, s.zone)
	}
	return row, nil
}

// Close implements sql.RowIter.
func (s *scan) Close(*sql.Context) error { return nil }

// box is v as the executor holds a value of kind k; zone is the session's.
func box(k *tables.Kind, v tables.Value, zone *time.Location) any {
	switch {
	case v.IsNull():
		return nil
	case k.Type == tables.TypeLongBlob:
		return []byte(v.Str())
	case k.Type == tables.TypeJSON:
		return types.NewLazyJSONDocument([]byte(v.Str()))
	case v.IsText():
		return v.Str()
	}
	switch k.Type {
	case tables.TypeTimestamp:
		return boxTime(v, k.Len, zone)
	case tables.TypeDate:
		return v.Time()
	case tables.TypeBigInt:
		return int64(v.Bits())
	case tables.TypeIntUnsigned:
		return uint32(v.Bits())
	case tables.TypeInt:
		return int32(v.Bits())
	case tables.TypeMediumIntUnsigned:
		return uint32(v.Bits())
	case tables.TypeSmallInt:
		return int16(v.Bits())
	case tables.TypeTinyInt:
		return int8(v.Bits())
	case tables.TypeDouble:
		return v.Float()
	}
	return v.Bits()
}

// unbox is the executor's value v as a table takes it; zone is the session's.
func unbox(v any, zone *time.Location) tables.Value {
	switch x := v.(type) {
	case string:
		return tables.Text(x)
	case []byte:
		return tables.Text(string(x))
	case uint64:
		return tables.Uint(x)
	case uint32:
		return tables.Uint(uint64(x))
	case int8:
		return tables.Int(int64(x))
	case int16:
		return tables.Int(int64(x))
	case int64:
		return tables.Int(x)
	case int32:
		return tables.Int(int64(x))
	case float64:
		return tables.Double(x)
	case time.Time:
		return unboxTime(x, zone)
	}
	return tables.Null
}
