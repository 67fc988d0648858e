package tables

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pfsd/instr"
)

// Column is one column of a table whose rows are R values.
type Column[R any] struct {
	Name string
	Kind Kind
	Get  func(R) Value
	// Set applies an UPDATE of this column; nil where MySQL refuses one (error 1683).
	Set func(Model, R, Value) error
	// Default is the text of the column's default. "" means NULL for a nullable column, else no
	// default; the empty text as a default is EmptyDefault.
	Default string
	// Doc says what the value is and its unit.
	Doc string
	// Since is the major version of MySQL that has the column first; 0 is 8.
	Since int
}

func (c Column[R]) since(version int) Column[R] { c.Since = version; return c }

// EmptyDefault says that the default is the empty text.
const EmptyDefault = "''"

// Index is a key of a table: an exact match on a prefix of Columns narrows the scan.
type Index struct {
	// Name is "PRIMARY" for the primary key, which is unique.
	Name    string
	Columns []string
	Unique  bool
}

// Order is an order of rows, by one column; NULL is less than any value. A query that asks for the
// order of a table needs no sort.
type Order struct {
	Column     string
	Descending bool
}

// Source yields the rows of one scan: it fills buf and returns how many rows it put there, 0 at the
// end. A row may point to memory of the source, and is valid until the next call. A source is owned
// by one goroutine.
type Source[R any] func(buf []R) int

// Def declares a table. It is all that there is to write for one.
type Def[R any] struct {
	Name string
	// Since is the major version of MySQL that has the table first; 0 is 8.
	Since int
	// Doc is one line; the comment above the declaration has MySQL's version and the differences.
	Doc string
	// Recorded is whom the rows are about in a server that shows a recording.
	Recorded Origin
	// Empty says why the table never has rows here, Static why its rows never change; else they are
	// "".
	Empty, Static string
	Columns       []Column[R]
	Indexes       []Index
	// Binary says that the collation of the table is utf8mb4_bin instead of utf8mb4_0900_ai_ci. It
	// has no effect on columns, whose Kind says which collation they have.
	Binary bool
	// Rows starts a scan. It may skip rows that do not match key, but need not: the framework tests
	// every row.
	Rows func(model Model, key Key) Source[R]
	// Narrow, if it is not nil, is called instead of Rows for a scan that reads only some columns: it
	// need not set what the others show. columns is not nil, also if it has none.
	Narrow func(model Model, key Key, columns []string) Source[R]
	// Unknown says why the rows that there are do not answer what the table is asked for, as a switch is off, in a sentence for people; "" if they do. nil is "".
	Unknown func(model Model) string
	// Order is the order in which scans return the rows; nil if there is none.
	Order *Order
	// Estimate is about how many rows a full scan yields.
	Estimate func(model Model) int
	// Insert adds a row: a value for each column, as its kind stores it. nil where MySQL
	// refuses INSERT (error 1142).
	Insert func(model Model, row []Value) error
	// Delete removes a row; nil where MySQL refuses DELETE (error 1142).
	Delete func(model Model, row R) error
	// Truncate is TRUNCATE TABLE; nil where MySQL refuses it (error 1142). Clear is the same where it can fail: a table has one of both
	// at most.
	Truncate func(model Model)
	Clear    func(model Model) error
}

// Table is a declared table with its row type erased. Safe for concurrent use.
type Table interface {
	Name() string
	Doc() string
	// Empty says why the table never has rows, Static why its rows never change. A table for which
	// both are "" is live.
	Empty() string
	Static() string
	Columns() []ColumnInfo
	Indexes() []Index
	// Binary reports whether the table's collation is utf8mb4_bin.
	Binary() bool
	// Order is the order in which a scan returns the rows; nil if there is none.
	Order() *Order
	// Estimate is about how many rows a full scan yields.
	Estimate(model Model) int
	// Scan starts reading the columns at positions cols of the rows that match key.
	Scan(model Model, cols []int, key Key) Cursor
	// Update sets one column of the rows that match key. It returns ErrColumnNotUpdatable,
	// ErrBadValue, ErrTooLong, ErrNull or what the column's Set returns.
	Update(model Model, key Key, column string, v Value) error
	// Updatable reports whether any column can be set.
	Updatable() bool
	// Insertable reports whether Insert can be called, Deletable whether Delete can.
	Insertable() bool
	Deletable() bool
	// Insert adds a row: a value for each column. It returns ErrBadValue, ErrTooLong or ErrNull
	// in a ColumnError, or what the declaration's Insert returns.
	Insert(model Model, row []Value) error
	// Delete removes the rows that match key. It stops at the first error of the declaration's Delete.
	Delete(model Model, key Key) error
	// Truncatable reports whether Truncate can be called.
	Truncatable() bool
	// Truncate removes all rows, or sets what they count to 0. It returns what the declaration's Clear returns.
	Truncate(model Model) error
}

// ColumnInfo is what a catalog shows of a column.
type ColumnInfo struct {
	Name, Doc string
	Default   string // as Column.Default
	Kind      Kind
	Updatable bool
}

// Cursor reads the rows of one scan. Owned by one goroutine; it needs no closing.
type Cursor interface {
	// Next puts the next row's values into dst, one for each requested column, and
	// reports whether there was one.
	Next(dst []Value) bool
	// Advance goes to the next row, and reports whether there is one: for callers that do not need
	// all values of all rows.
	Advance() bool
	// Value is the value of the requested column i in the row that Advance has gone to.
	Value(i int) Value
}

// Bound is how a column of moments must compare with a value.
type Bound uint8

const (
	Exactly Bound = iota
	AtLeast
	AtMost
)

// Eq is one equality that the rows of a scan must meet; or, for a column of moments, a bound.
type Eq struct {
	Column string
	Value  Value
	// Bound, unless it is Exactly, makes Value the earliest or the latest moment. No other field applies then.
	Bound Bound
	// Same requires the identical value: texts are compared byte by byte in any column, and NULL
	// equals NULL.
	Same bool
	// Near accepts every text that is not plain printable ASCII, because a collation may treat it
	// as equal: the caller tests the rows again.
	Near bool
	// exact says that the column is a binary one. The table sets it: see resolved.
	exact bool
}

// holds reports whether a row whose column is v meets the equality.
func (e *Eq) holds(v Value) bool {
	switch e.Bound {
	case AtLeast:
		return v.IsTime() && !v.Time().Before(e.Value.Time())
	case AtMost:
		return v.IsTime() && !v.Time().After(e.Value.Time())
	}
	if e.Same {
		return v == e.Value
	}
	if e.Near && v.IsText() && !instr.PlainText(v.s) {
		return true
	}
	return equal(v, e.Value, e.exact)
}

// Key is a conjunction of equalities and bounds; an empty one matches every row. Column names are in the
// table's own spelling. Text is compared byte by byte in a binary column, in any other without
// regard to the case of ASCII letters; no value equals NULL. Eq.Same requires more.
type Key []Eq

// Uint returns the number that column must equal, if the key says so.
func (k Key) Uint(column string) (uint64, bool) {
	for _, e := range k {
		if e.Column == column {
			return e.Value.Uint()
		}
	}
	return 0, false
}

// Allows reports whether a row with this moment in column can match.
func (k Key) Allows(column string, moment time.Time) bool { return k.allows(column, Time(moment)) }

// allows reports whether a row whose column is v can match.
func (k Key) allows(column string, v Value) bool {
	for i := range k {
		if k[i].Column == column && !k[i].holds(v) {
			return false
		}
	}
	return true
}

// Text returns the text that column must equal, if the key says so.
func (k Key) Text(column string) (string, bool) {
	for _, e := range k {
		if e.Column == column && e.Value.kind == kindText {
			return e.Value.s, true
		}
	}
	return "", false
}

// near reports whether the key has Eq.Near for column.
func (k Key) near(column string) bool {
	return slices.ContainsFunc(k, func(e Eq) bool { return e.Column == column && e.Near })
}

// name returns the text that column must equal, if the key says so and all names in the registry
// that equal it only differ in letter case.
func (k Key) name(model Model, column string) (string, bool) {
	s, ok := k.Text(column)
	return s, ok && !(k.near(column) && model.HasForeignNames())
}

// same returns the text that column must be identical to, if the key says so.
func (k Key) same(column string) (string, bool) {
	for _, e := range k {
		if e.Column == column && e.Same && e.Value.kind == kindText {
			return e.Value.s, true
		}
	}
	return "", false
}

type table[R any] struct {
	schema  string
	def     Def[R]
	byName  map[string]int
	columns []ColumnInfo
	binary  bool // some column is a binary one
}

// all has the tables of each version.
var all = map[int][]Table{}

// Versions are the major versions of MySQL whose tables are declared.
var Versions = []int{8, 9}

// recordedOrigins has the origin of each table in a server that shows a recording.
var recordedOrigins = map[string]Origin{}

// RecordedOrigin is whom the rows of a table of performance_schema are about in a server that shows a recording.
func RecordedOrigin(name string) Origin { return recordedOrigins[name] }

// register adds a declared table to All. It panics on a programmer's error.
func register[R any](def Def[R]) (newest Table) {
	recordedOrigins[def.Name] = def.Recorded
	for _, version := range Versions {
		if def.Since > version {
			continue
		}
		if slices.ContainsFunc(all[version], func(o Table) bool { return o.Name() == def.Name }) {
			panic("tables: " + def.Name + " is declared twice")
		}
		of := def
		of.Columns = slices.DeleteFunc(slices.Clone(def.Columns), func(c Column[R]) bool { return c.Since > version })
		newest = newTable(Schema, of)
		all[version] = append(all[version], newest)
	}
	return newest
}

func newTable[R any](schema string, def Def[R]) *table[R] {
	t := &table[R]{schema: schema, def: def, byName: map[string]int{}}
	for i, c := range def.Columns {
		if c.Get == nil || c.Doc == "" {
			panic(fmt.Sprintf("tables: %s.%s lacks a getter or its documentation", def.Name, c.Name))
		}
		t.byName[c.Name] = i
		t.binary = t.binary || c.Kind.Binary
		t.columns = append(t.columns, ColumnInfo{Name: c.Name, Doc: c.Doc, Default: c.Default, Kind: c.Kind, Updatable: c.Set != nil})
	}
	for _, ix := range def.Indexes {
		for _, c := range ix.Columns {
			if _, ok := t.byName[c]; !ok {
				panic(fmt.Sprintf("tables: index %s of %s names no column %s", ix.Name, def.Name, c))
			}
		}
	}
	return t
}

// All returns every table of MySQL 8.4, sorted by name.
func All() []Table { return AllOf(8) }

// AllOf returns every table of a major version of MySQL, one of Versions, sorted by name.
func AllOf(version int) []Table {
	s := slices.Clone(all[version])
	slices.SortFunc(s, func(a, b Table) int { return strings.Compare(a.Name(), b.Name()) })
	return s
}

func (t *table[R]) Name() string          { return t.def.Name }
func (t *table[R]) Doc() string           { return t.def.Doc }
func (t *table[R]) Empty() string         { return t.def.Empty }
func (t *table[R]) Static() string        { return t.def.Static }
func (t *table[R]) Columns() []ColumnInfo { return t.columns }
func (t *table[R]) Indexes() []Index      { return t.def.Indexes }
func (t *table[R]) Binary() bool          { return t.def.Binary }
func (t *table[R]) Order() *Order         { return t.def.Order }
func (t *table[R]) Insertable() bool      { return t.def.Insert != nil }
func (t *table[R]) Deletable() bool       { return t.def.Delete != nil }
func (t *table[R]) Truncatable() bool     { return t.def.Truncate != nil || t.def.Clear != nil }

func (t *table[R]) Estimate(model Model) int { return t.def.Estimate(model) }

// Unknown says why the rows do not answer what the table is asked for; "" if they do.
func (t *table[R]) Unknown(model Model) string {
	if t.def.Unknown == nil {
		return ""
	}
	return t.def.Unknown(model)
}

func (t *table[R]) Updatable() bool {
	return slices.ContainsFunc(t.columns, func(c ColumnInfo) bool { return c.Updatable })
}

// A cursor asks its source for firstBatch rows, and for more rows each time that the source fills the buffer, up to batch:
// so looking up one row does not cost as much as reading many.
const (
	firstBatch = 8
	batch      = 128
)

type test[R any] struct {
	get  func(R) Value
	want Eq
}

type cursor[R any] struct {
	source Source[R]
	get    []func(R) Value
	tests  []test[R]
	buf    []R
	n, i   int
	at     R // the row that Advance has gone to
}

// resolved returns key with exact set as the kinds of its columns say.
func (t *table[R]) resolved(key Key) Key {
	if !t.binary || len(key) == 0 {
		return key
	}
	key = slices.Clone(key)
	for i := range key {
		key[i].exact = t.columns[t.byName[key[i].Column]].Kind.Binary
	}
	return key
}

func (t *table[R]) newCursor(model Model, cols []int, key Key) *cursor[R] {
	key = t.resolved(key)
	c := &cursor[R]{get: make([]func(R) Value, len(cols))}
	for i, col := range cols {
		c.get[i] = t.def.Columns[col].Get
	}
	for _, e := range key {
		c.tests = append(c.tests, test[R]{t.def.Columns[t.byName[e.Column]].Get, e})
	}
	if o := model.Origin(t.schema, t.def.Name); o == NotKept || o.Err(t.schema, t.def.Name) != nil {
		c.source = list[R](nil)
	} else if t.def.Narrow != nil {
		c.source = t.def.Narrow(model, key, t.names(cols, key))
	} else {
		c.source = t.def.Rows(model, key)
	}
	return c
}

// names are the names of columns and of those that a key tests; never nil.
func (t *table[R]) names(cols []int, key Key) []string {
	names := make([]string, 0, len(cols)+len(key))
	for _, col := range cols {
		names = append(names, t.def.Columns[col].Name)
	}
	for _, e := range key {
		names = append(names, e.Column)
	}
	return names
}

// Scan implements Table.
func (t *table[R]) Scan(model Model, cols []int, key Key) Cursor {
	return t.newCursor(model, cols, key)
}

// fill gets more rows from the source, and reports whether there are any.
func (c *cursor[R]) fill() bool {
	if len(c.buf) < batch && c.n == len(c.buf) {
		c.buf = make([]R, max(firstBatch, 4*len(c.buf)))
	}
	c.n, c.i = c.source(c.buf), 0
	return c.n > 0
}

// row advances to the next row that meets the tests.
func (c *cursor[R]) row() (r R, ok bool) {
	for c.i < c.n || c.fill() {
		r = c.buf[c.i]
		c.i++
		if len(c.tests) == 0 || c.meets(r) {
			return r, true
		}
	}
	return r, false
}

func (c *cursor[R]) meets(r R) bool {
	for i := range c.tests {
		if t := &c.tests[i]; !t.want.holds(t.get(r)) {
			return false
		}
	}
	return true
}

// Next implements Cursor.
func (c *cursor[R]) Next(dst []Value) bool {
	r, ok := c.row()
	if !ok {
		return false
	}
	for i, get := range c.get {
		dst[i] = get(r)
	}
	return true
}

// Advance implements Cursor.
func (c *cursor[R]) Advance() (ok bool) {
	c.at, ok = c.row()
	return ok
}

// Value implements Cursor.
func (c *cursor[R]) Value(i int) Value { return c.get[i](c.at) }

// Truncate implements Table.
func (t *table[R]) Truncate(model Model) error {
	if t.def.Clear != nil {
		return t.def.Clear(model)
	}
	if around, _ := model.Provided(aroundKey{}).(func() func()); around != nil && isCumulative(t.def.Name) {
		defer around()()
	}
	t.def.Truncate(model)
	return nil
}

// Update implements Table.
func (t *table[R]) Update(model Model, key Key, column string, v Value) error {
	col := t.def.Columns[t.byName[column]]
	if col.Set == nil {
		return ErrColumnNotUpdatable
	}
	v, err := col.Kind.check(v)
	if err != nil {
		return err
	}
	c := t.newCursor(model, nil, key)
	for r, ok := c.row(); ok; r, ok = c.row() {
		if err := col.Set(model, r, v); err != nil {
			return err
		}
	}
	return nil
}

// Insert implements Table.
func (t *table[R]) Insert(model Model, row []Value) error {
	checked := make([]Value, len(row))
	for i, v := range row {
		var err error
		if checked[i], err = t.columns[i].Kind.check(v); err != nil {
			return &ColumnError{t.columns[i].Name, err}
		}
	}
	return t.def.Insert(model, checked)
}

// Delete implements Table.
func (t *table[R]) Delete(model Model, key Key) error {
	c := t.newCursor(model, nil, key)
	for r, ok := c.row(); ok; r, ok = c.row() {
		if err := t.def.Delete(model, r); err != nil {
			return err
		}
	}
	return nil
}
