package vtable

import (
	"io"
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/moment"
	"pfsd/tables"
)

// Scan reads some columns of the rows of one table that match a key and conditions, and may sort
// them and keep the first ones. The plan around it reads rows of Go values through Next; a plan
// that is nothing but a scan is written to the client without them (see stream). What a scan asks
// of a row is read from the columns themselves: the others are looked at only if the row is wanted.
// Owned by one goroutine.
type Scan struct {
	Table      *Table
	Cols       []int // positions in the declaration, one for each output column
	key        tables.Key
	conditions []valueCondition
	rest       []rowCondition
	order      *ordering // nil if the rows come as they are found
	cursor     tables.Cursor
	places     []int // of the output columns among what the cursor reads
	Values     []tables.Value
	sorted     *sortedRows    // the rows in their order, nil until they are read
	Zone       *time.Location // of timestamps
	read       uint           // rows
	reader     reader         // nil if it is nobody's
	counts     *Counts        // of the reader
	Requests
	asked, ended bool
}

// pacedRows is how many rows of a table are read at a time without asking whether the statement may go on.
const pacedRows = 128

func NewScan(t *Table, key tables.Key) *Scan {
	return &Scan{Table: t, Cols: t.cols, key: key, Requests: WholeTable}
}

// narrow adds the conditions of key to a scan that is not open yet.
func (s *Scan) narrow(key tables.Key) {
	for _, eq := range key {
		if !slices.Contains(s.key, eq) {
			s.key = append(slices.Clip(s.key), eq)
		}
	}
}

// Kind is the type of an output column.
func (s *Scan) Kind(i int) *tables.Kind { return s.kindOf(s.Cols[i]) }

// kindOf is the type of a column of the declaration.
func (s *Scan) kindOf(col int) *tables.Kind { return &s.Table.Def.Columns()[col].Kind }

// Open starts the scan, not earlier than its first row is asked for.
func (s *Scan) Open(ctx *sql.Context) {
	if s.cursor != nil {
		return
	}
	read := slices.Clip(s.Cols)
	place := func(col int) int {
		i := slices.Index(read, col)
		if i < 0 {
			i = len(read)
			read = append(read, col)
		}
		return i
	}
	s.places = make([]int, len(s.Cols))
	for i, col := range s.Cols {
		s.places[i] = place(col)
	}
	for i := range s.conditions {
		s.conditions[i].place = place(s.conditions[i].col)
	}
	for i := range s.rest {
		s.rest[i].open(place)
	}
	if s.order != nil {
		for i := range s.order.by {
			s.order.by[i].place = place(s.order.by[i].col)
		}
	}
	if slices.ContainsFunc(read, func(c int) bool { return s.kindOf(c).Type == tables.TypeTimestamp }) {
		s.Zone = moment.Zone(ctx)
	}
	s.cursor = s.Table.Def.Scan(s.Table.Reg, read, s.key)
	s.reader, s.counts = readerOf(ctx), countsOf(ctx)
	s.Values = make([]tables.Value, len(s.Cols))
}

// Advance reads the next row of an open scan into its values, and reports whether there is one.
func (s *Scan) Advance(ctx *sql.Context) (bool, error) {
	if s.order == nil {
		ok, err := s.find(ctx)
		if ok {
			s.take(s.Values)
		}
		return ok, err
	}
	if s.sorted == nil {
		if err := s.sort(ctx); err != nil {
			return false, err
		}
	}
	ok := s.sorted.next(s.Values)
	if ok {
		s.counts.Sorted++
	}
	return ok, nil
}

// find goes to the next row in the table that is wanted, and reports whether there is one.
func (s *Scan) find(ctx *sql.Context) (bool, error) {
	for {
		if s.read++; s.read%pacedRows == 0 {
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			if s.reader != nil {
				if err := s.reader.Pace(pacedRows); err != nil {
					return false, err
				}
			}
		}
		ok := s.cursor.Advance()
		if !s.ended {
			if ok {
				s.counts.Examined++
			}
			s.ended = !ok
			s.Requests.Count(s.counts, &s.asked, 1)
		}
		if !ok {
			return false, nil
		}
		wanted, err := s.wants(ctx)
		if wanted || err != nil {
			return wanted, err
		}
	}
}

// wants tells whether the row that the scan has found meets its conditions.
func (s *Scan) wants(ctx *sql.Context) (bool, error) {
	for i := range s.conditions {
		if c := &s.conditions[i]; !c.holds(s.cursor.Value(c.place)) {
			return false, nil
		}
	}
	for i := range s.rest {
		if ok, err := s.rest[i].holds(ctx, s); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// take puts the row that the scan has found into dst.
func (s *Scan) take(dst []tables.Value) {
	for i, place := range s.places {
		dst[i] = s.cursor.Value(place)
	}
}

// Next implements sql.RowIter.
func (s *Scan) Next(ctx *sql.Context) (sql.Row, error) {
	s.Open(ctx)
	if ok, err := s.Advance(ctx); !ok {
		if err == nil {
			err = io.EOF
		}
		return nil, err
	}
	row := make(sql.Row, len(s.Values))
	for i, v := range s.Values {
		row[i] = Box(s.Kind(i), v, s.Zone)
	}
	return row, nil
}

// Close implements sql.RowIter.
func (s *Scan) Close(*sql.Context) error {
	if s.sorted != nil {
		s.sorted.hold.Drop()
		s.sorted = nil
	}
	return nil
}

// Box is v as the executor holds a value of kind k; zone is the session's.
func Box(k *tables.Kind, v tables.Value, zone *time.Location) any {
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
		return moment.Wall(v.Time(), k.Len, zone)
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

// Unbox is the executor's value v as a table takes it; zone is the session's.
func Unbox(v any, zone *time.Location) tables.Value {
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
		return tables.Time(moment.Instant(x, zone))
	}
	return tables.Null
}
