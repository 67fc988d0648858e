package vtable

import (
	"io"
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/moment"
	"pfsd/engine/mysqlerr"
	"pfsd/tables"
)

// Scan reads some columns of the rows of a table that match a key and conditions, and may sort and
// limit them. Plans read rows of Go values through Next; if the plan is only a scan, its values are
// written to the client without Go values. Columns are read only when they are needed: first those
// of the conditions, and the others only for rows that match. Owned by one goroutine.
type Scan struct {
	Table      *Table
	Cols       []int // positions in the declaration, one for each output column
	key        tables.Key
	conditions []valueCondition
	moments    []momentCondition
	rest       []rowCondition
	order      *ordering // nil if the rows are not sorted
	cursor     tables.Cursor
	places     []int // positions of the output columns among the columns that the cursor reads
	Values     []tables.Value
	sorted     *sortedRows    // the rows in their order, nil until they are read
	Zone       *time.Location // of timestamps
	read       uint           // number of rows read
	statement  statement      // nil if there is none
	counts     *Counts        // counts of the statement
	Requests
	asked, ended bool
	mayFail      bool // whether the model may have an error
	refused      error
}

// pacedRows is the number of rows between two calls of Pace.
const pacedRows = 128

func NewScan(t *Table, key tables.Key) *Scan {
	return &Scan{Table: t, Cols: t.cols, key: key, Requests: WholeTable}
}

// addKey adds conditions to a scan that is not open yet.
func (s *Scan) addKey(key tables.Key) {
	for _, eq := range key {
		if !slices.Contains(s.key, eq) {
			s.key = append(slices.Clip(s.key), eq)
		}
	}
}

// Kind returns the type of an output column.
func (s *Scan) Kind(i int) *tables.Kind { return s.kindOf(s.Cols[i]) }

// kindOf returns the type of a column of the declaration.
func (s *Scan) kindOf(col int) *tables.Kind { return &s.Table.Def.Columns()[col].Kind }

// Open starts the scan; it is called when the first row is read.
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
	for i := range s.moments {
		s.moments[i].place = place(s.moments[i].col)
		s.moments[i].test.open(place)
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
	if d, ok := s.Table.Def.(interface{ Unknown(tables.Model) string }); ok {
		if why := d.Unknown(s.Table.Model); why != "" {
			warnOnce(ctx, "Warning", why)
		}
	}
	s.statement, s.counts = statementOf(ctx), countsOf(ctx)
	s.cursor, s.mayFail = s.Table.Def.Scan(s.counts.readingOf(s.Table.Model), read, s.key), tables.MayFail(s.Table.Model)
	s.refused = Noted(ctx, s.Table.Model, s.Table.DB, s.Table.Name())
	s.Values = make([]tables.Value, len(s.Cols))
}

// warnOnce adds a warning about what an answer is not, unless the statement has it, as one does that reads a table several times.
func warnOnce(ctx *sql.Context, level, text string) {
	if !slices.ContainsFunc(ctx.Session.Warnings(), func(w *sql.Warning) bool { return w.Message == text }) {
		ctx.Session.Warn(&sql.Warning{Level: level, Code: mysql.ERUnknownError, Message: text})
	}
}

// Advance reads the next row into Values, and reports whether there is one. What the model could not read is an error, and no row.
func (s *Scan) Advance(ctx *sql.Context) (bool, error) {
	if s.refused != nil {
		return false, s.refused
	}
	ok, err := s.advance(ctx)
	if err == nil && s.mayFail {
		if err = s.Table.Model.Err(); err != nil {
			ok, err = false, mysqlerr.OfTable(err, s.Table.Name(), "")
		}
	}
	return ok, err
}

func (s *Scan) advance(ctx *sql.Context) (bool, error) {
	if s.order == nil || s.order.table {
		if s.order != nil {
			if s.order.keep == 0 {
				return false, nil
			}
			s.order.keep--
		}
		ok, err := s.find(ctx)
		if ok {
			s.copyRow(s.Values)
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

// find moves to the next row that matches, and reports whether there is one.
func (s *Scan) find(ctx *sql.Context) (bool, error) {
	for {
		if s.read++; s.read%pacedRows == 0 {
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			if s.statement != nil {
				if err := s.statement.Pace(pacedRows); err != nil {
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
		wanted, err := s.matches(ctx)
		if wanted || err != nil {
			return wanted, err
		}
	}
}

// matches reports whether the current row meets the conditions.
func (s *Scan) matches(ctx *sql.Context) (bool, error) {
	for i := range s.conditions {
		if c := &s.conditions[i]; !c.holds(s.cursor.Value(c.place)) {
			return false, nil
		}
	}
	for i := range s.moments {
		if ok, err := s.moments[i].holds(ctx, s); !ok || err != nil {
			return false, err
		}
	}
	for i := range s.rest {
		if ok, err := s.rest[i].holds(ctx, s); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// copyRow copies the current row to dst.
func (s *Scan) copyRow(dst []tables.Value) {
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
		row[i] = box(s.Kind(i), v, s.Zone)
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

// box converts v, of kind k, to a value of go-mysql-server; zone is the session's.
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

// unbox converts a value of go-mysql-server to one of a table; zone is the session's.
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
		return tables.Time(moment.Instant(x, zone))
	}
	return tables.Null
}
