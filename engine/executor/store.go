package executor

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/shopspring/decimal"

	"pfsd/engine/mends"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// Stored is a node with the rows of its child, converted to the columns of a table.
//
// go-mysql-server: clips numbers that are out of range in some places only, does not know the
// number of the row, and always assumes strict mode. MySQL: a value that does not fit into a column
// is error 1264, 1265, 1292, 1366 or 1406 with the column and the row in strict mode, else the
// nearest value and a warning.
type Stored struct {
	plan.UnaryNode
	columns sql.Schema
	row     *int64     // how many rows have been read
	before  *sql.Row   // the row that was read last, of an UPDATE; nil for other statements
	schema  sql.Schema // in place of the child's, nil for that
	seen    bool       // a trigger sees the rows then
	// generated are the generated columns, which are calculated from the converted values; nil for none.
	generated *Generated
}

// StoreInsert returns n with rows that fit into its table, and false if they fit already. changes says that a trigger sees the rows that
// ON DUPLICATE KEY UPDATE changes before they are written.
func StoreInsert(ctx *sql.Context, n *plan.InsertInto, changes bool) (*plan.InsertInto, bool, error) {
	if !mends.StoredRows.On() {
		return nil, false, nil
	}
	if _, ok := n.Source.(*Stored); ok {
		return n, false, nil
	}
	row := new(int64)
	source, err := decimalSource(ctx, n.Source)
	if err != nil {
		return nil, false, err
	}
	columns := n.Destination.Schema(ctx)
	generated, err := NewGenerated(ctx, columns)
	if err == nil && generated != nil {
		source, err = generatedLater(ctx, source, columns, false)
	}
	if err != nil {
		return nil, false, err
	}
	if source, err = storedBefore(ctx, source, columns); err != nil {
		return nil, false, err
	}
	stored := n.WithSource(&Stored{UnaryNode: plan.UnaryNode{Child: source}, columns: columns, row: row, generated: generated})
	if !n.OnDupExprs.HasUpdates() {
		return stored, true, nil
	}
	updates, _, err := transform.Exprs(ctx, withDefaults(n.OnDupExprs.AllExpressions(), n.Destination.Schema(ctx)), sqlexpr.AsDecimalDefault)
	if err != nil {
		return nil, false, err
	}
	for i, e := range updates {
		if updates[i], err = sqlexpr.MendExpression(ctx, e); err != nil {
			return nil, false, err
		}
	}
	rule := atOnce
	switch {
	case changes:
		rule = later
	case !n.Ignore && oneRow(n.Source):
		rule = never
	}
	set, err := n.OnDupExprs.WithExpressions(storing(ctx, updates, row, rule, nil))
	stored.OnDupExprs = set
	return stored, true, err
}

// UpdatedDefaults is an analyzer rule that puts the defaults of columns in the place of DEFAULT in ON DUPLICATE KEY UPDATE.
func UpdatedDefaults(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return transform.Node(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		i, ok := n.(*plan.InsertInto)
		if !ok || !i.OnDupExprs.HasUpdates() || i.OnDupExprs.Resolved() {
			return n, transform.SameTree, nil
		}
		set, err := i.OnDupExprs.WithExpressions(withDefaults(i.OnDupExprs.AllExpressions(), i.Destination.Schema(ctx)))
		if err != nil {
			return nil, transform.SameTree, err
		}
		changed := *i
		changed.OnDupExprs = set
		return &changed, transform.NewTree, nil
	})
}

// withDefaults returns set expressions in which DEFAULT and DEFAULT(column) are replaced by the
// columns' defaults.
//
// go-mysql-server: accepts DEFAULT in VALUES and UPDATE, and panics at one in ON DUPLICATE KEY
// UPDATE. MySQL: accepts it there too.
func withDefaults(set []sql.Expression, table sql.Schema) []sql.Expression {
	all := slices.Clone(set)
	for i, e := range set {
		f, ok := e.(*expression.SetField)
		if !ok {
			continue
		}
		w, ok := f.RightChild.(*expression.Wrapper)
		if !ok {
			continue
		}
		d, ok := w.Unwrap().(*expression.DefaultColumn)
		if !ok {
			continue
		}
		name := d.Name()
		if column, ok := f.LeftChild.(*expression.GetField); ok && name == "" {
			name = column.Name()
		}
		value := sql.Expression(expression.NewLiteral(nil, types.Null))
		if at := slices.IndexFunc(table, func(c *sql.Column) bool { return strings.EqualFold(c.Name, name) }); at >= 0 && table[at].Default != nil {
			value = table[at].Default
		} else if at >= 0 && table[at].Generated == nil {
			value = withoutDefault(table[at])
		}
		all[i] = expression.NewSetField(f.LeftChild, value)
	}
	return all
}

// storedBefore returns source with values that fit where triggers see its rows.
//
// go-mysql-server: converts values when the triggers are through, so they see the statement's. MySQL: triggers see what a column would keep.
func storedBefore(ctx *sql.Context, source sql.Node, columns sql.Schema) (sql.Node, error) {
	t, ok := source.(*plan.TriggerExecutor)
	if !ok {
		return source, nil
	}
	left, err := storedBefore(ctx, t.Left(), columns)
	if err != nil {
		return nil, err
	}
	if left == t.Left() {
		left = &Stored{UnaryNode: plan.UnaryNode{Child: left}, columns: columns, row: new(int64), seen: true}
	}
	return t.WithChildren(ctx, left, t.Right())
}

// oneRow tells whether source is one row of VALUES.
func oneRow(source sql.Node) bool {
	for {
		if v, ok := source.(*plan.Values); ok {
			return len(v.ExpressionTuples) == 1
		}
		children := source.Children()
		if len(children) == 0 {
			return false
		}
		source = children[0]
	}
}

// StoreUpdate does the same as StoreInsert for the rows of an UPDATE. What writes the rows of a join calculates the columns that the statement
// does not name.
func StoreUpdate(ctx *sql.Context, n *plan.UpdateSource, changes bool) (*plan.UpdateSource, bool, error) {
	if !mends.StoredRows.On() {
		return nil, false, nil
	}
	if _, ok := n.Child.(*Stored); ok {
		return n, false, nil
	}
	row, before := new(int64), new(sql.Row)
	exprs := n.UpdateExprs
	if exprs.HasDerivedUpdates() && !oneTable(n.Child.Schema(ctx)) && mends.WrittenRows.On() {
		set := exprs.ExplicitUpdateExprs()
		exprs = plan.NewUpdateExprs(set, len(set))
	}
	updates := exprs.AllExpressions()
	if columns := n.Child.Schema(ctx); oneTable(columns) {
		updates = setMissingDefaults(updates, columns)
	}
	updates, _, err := transform.Exprs(ctx, updates, sqlexpr.AsDecimalDefault)
	if err != nil {
		return nil, false, err
	}
	rule, rows := atOnce, sql.Node(nil)
	if hasOuterJoin(n.Child) { // whose columns may all be NULL
		rows = n.Child
	} else if changes {
		rule = later
	}
	all, err := settingPresent(ctx, storing(ctx, updates, row, rule, rows), rows, before)
	if err != nil {
		return nil, false, err
	}
	set, err := exprs.WithExpressions(all)
	return plan.NewUpdateSource(&Stored{UnaryNode: plan.UnaryNode{Child: n.Child}, row: row, before: before}, n.Ignore, set), true, err
}

// StoreSet returns n, a SET in a trigger, with values that fit into the DECIMAL columns of NEW.
func StoreSet(ctx *sql.Context, n *plan.Set) *plan.Set {
	for _, e := range n.Exprs {
		if _, column := Assignment(e); column != nil && types.IsDecimal(column.Type(ctx)) {
			row := int64(1)
			return plan.NewSet(storing(ctx, n.Exprs, &row, later, nil))
		}
	}
	return n
}

// nullRule says what becomes of NULL where a set expression assigns it to a column that is NOT NULL.
//
// go-mysql-server: looks at the row when all columns are assigned, so SET c = NULL, c = 1 is no error. MySQL: looks at each assignment, unless a
// trigger sees the row before it is written.
type nullRule int

const (
	later  nullRule = iota // it is looked at when the row is written
	atOnce                 // it is an error in strict mode, and else becomes the value that is the type's own
	never                  // it is an error
)

// storing returns set expressions whose values fit into their columns. rows are those of an outer join, nil for others.
func storing(ctx *sql.Context, set []sql.Expression, row *int64, rule nullRule, rows sql.Node) []sql.Expression {
	all := make([]sql.Expression, len(set))
	for i, e := range set {
		all[i] = e
		f, column := Assignment(e)
		if f == nil {
			continue
		}
		own := rule
		if nullable(ctx, column, rows) {
			own = later
		}
		all[i] = expression.NewSetField(column, &storedValue{
			expression.UnaryExpressionStub{Child: f.RightChild}, column.Name(), column.Type(ctx), row, own,
		})
	}
	return all
}

// String implements sql.Node.
func (s *Stored) String() string { return s.Child.String() }

// Schema implements sql.Node.
func (s *Stored) Schema(ctx *sql.Context) sql.Schema {
	if s.schema != nil {
		return s.schema
	}
	return s.Child.Schema(ctx)
}

// WithSchema returns s with columns of other types, by which its rows are compared.
func (s *Stored) WithSchema(schema sql.Schema) *Stored {
	c := *s
	c.schema = schema
	return &c
}

// IsReadOnly implements sql.Node.
func (s *Stored) IsReadOnly() bool { return s.Child.IsReadOnly() }

// WithChildren implements sql.Node.
func (s *Stored) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	c := *s
	c.Child = children[0]
	return &c, nil
}

// Rows returns the converted rows of the child.
func (s *Stored) Rows(child sql.RowIter) sql.RowIter {
	*s.row = 0
	return &storedRows{child, s}
}

// storedRows is an iterator. Owned by one goroutine.
type storedRows struct {
	sql.RowIter
	node *Stored
}

// Next implements sql.RowIter.
func (s *storedRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := s.RowIter.Next(ctx)
	if err != nil {
		return row, err
	}
	*s.node.row++
	if s.node.before != nil {
		*s.node.before = row
		return row, nil
	}
	outer := len(row) - len(s.node.columns) // columns of statements around this one come first
	for i, column := range s.node.columns {
		if v := row[outer+i]; v != nil {
			if row[outer+i], err = store(ctx, column.Name, column.Type, v, *s.node.row); err != nil {
				return nil, s.node.firstError(row[outer:outer+i], err)
			}
		}
	}
	return row, s.node.generated.Fill(ctx, row[outer:], *s.node.row, false)
}

// firstError returns the error of the first column of a row that cannot have its value; err is that of the column behind those in before.
//
// go-mysql-server: looks for NULL when all columns are converted. MySQL: at each column, but where a trigger sees the row first.
func (s *Stored) firstError(before sql.Row, err error) error {
	for i, v := range before {
		c := s.columns[i]
		if v == nil && !c.Nullable && !c.AutoIncrement && c.Generated == nil && !s.seen && !s.triggered() {
			return sql.ErrInsertIntoNonNullableProvidedNull.New(c.Name)
		}
	}
	return err
}

// triggered tells whether a trigger sees the rows of s before they are inserted.
func (s *Stored) triggered() (found bool) {
	transform.Inspect(s.Child, func(n sql.Node) bool {
		_, is := n.(*plan.TriggerExecutor)
		found = found || is
		return !found
	})
	return found
}

// storedValue is a value that is converted to a column.
type storedValue struct {
	expression.UnaryExpressionStub
	column string
	typ    sql.Type
	row    *int64
	null   nullRule
}

// String implements sql.Expression.
func (s *storedValue) String() string { return s.Child.String() }

// Type implements sql.Expression.
func (s *storedValue) Type(*sql.Context) sql.Type { return s.typ }

// WithChildren implements sql.Expression.
func (s *storedValue) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	return &storedValue{expression.UnaryExpressionStub{Child: children[0]}, s.column, s.typ, s.row, s.null}, nil
}

// Eval implements sql.Expression.
func (s *storedValue) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := s.Child.Eval(ctx, row)
	if v == nil && err == nil && s.null != later && sqlvalue.Strict != nil {
		if s.null == never || sqlvalue.Strict(ctx) {
			return nil, sql.ErrInsertIntoNonNullableProvidedNull.New(s.column)
		}
		ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: mysql.ERBadNullError, Message: fmt.Sprintf("Column '%s' cannot be null", s.column)})
		return s.typ.Zero(), nil
	}
	if v == nil || err != nil {
		return nil, err
	}
	return store(ctx, s.column, s.typ, v, *s.row)
}

// storage converts one value to a column.
type storage struct {
	ctx    *sql.Context
	column string
	row    int64
	reads  bool  // the value is read, and does what it can to fit
	lossy  error // the first error about a value that does not fit, if it must end the statement
}

func (s *storage) strict() bool { return !s.reads && sqlvalue.Strict != nil && sqlvalue.Strict(s.ctx) }

// complain reports that a value does not fit into the column.
func (s *storage) complain(number int, state, format string, args ...any) {
	if s.reads {
		return
	}
	message := fmt.Sprintf(format, args...) + fmt.Sprintf(" column '%s' at row %d", s.column, s.row)
	if err := sqlvalue.Complain(s.ctx, number, state, message); err != nil && s.lossy == nil {
		s.lossy = err
	}
}

func (s *storage) outOfRange() {
	s.complain(errOutOfRangeValue, "22003", "Out of range value for")
}

func (s *storage) truncated() { s.complain(errTruncated, "01000", "Data truncated for") }

// note reports that the column keeps less than the value. It never fails the statement.
func (s *storage) note() {
	if s.reads {
		return
	}
	s.ctx.Session.Warn(&sql.Warning{Level: "Note", Code: errTruncated, Message: fmt.Sprintf("Data truncated for column '%s' at row %d", s.column, s.row)})
}

const (
	errOutOfRangeValue = 1264
	errTruncated       = 1265
	errIncorrect       = 1366
	errTooLong         = 1406
)

// store returns v, which is not nil, converted to a column of a type.
func store(ctx *sql.Context, column string, t sql.Type, v any, row int64) (any, error) {
	return (&storage{ctx: ctx, column: column, row: row}).stored(t, v)
}

// stored returns v, which is not nil, converted to type t.
func (s *storage) stored(t sql.Type, v any) (any, error) {
	switch kind := t.Type(); kind {
	case querypb.Type_INT8:
		return s.integer(t, v, 8, false)
	case querypb.Type_INT16:
		return s.integer(t, v, 16, false)
	case querypb.Type_INT24:
		return s.integer(t, v, 24, false)
	case querypb.Type_INT32:
		return s.integer(t, v, 32, false)
	case querypb.Type_INT64:
		return s.integer(t, v, 64, false)
	case querypb.Type_UINT8:
		return s.integer(t, v, 8, true)
	case querypb.Type_UINT16:
		return s.integer(t, v, 16, true)
	case querypb.Type_UINT24:
		return s.integer(t, v, 24, true)
	case querypb.Type_UINT32:
		return s.integer(t, v, 32, true)
	case querypb.Type_UINT64:
		return s.integer(t, v, 64, true)
	case querypb.Type_FLOAT32, querypb.Type_FLOAT64:
		return s.float(t, v)
	case querypb.Type_DECIMAL:
		return s.decimal(t.(sql.DecimalType), v)
	case querypb.Type_YEAR:
		return s.year(t, v)
	case querypb.Type_BIT:
		if b, ok := t.(types.BitType); ok {
			return s.bits(t, v, int(b.NumberOfBits()))
		}
	case querypb.Type_JSON:
		return sqlvalue.ConvertJSON(s.ctx, v)
	case querypb.Type_ENUM:
		return s.enum(t, v)
	case querypb.Type_SET:
		return s.set(t, v)
	case querypb.Type_DATE, querypb.Type_DATETIME, querypb.Type_TIMESTAMP, querypb.Type_TIME:
		return s.time(t, v)
	case querypb.Type_CHAR, querypb.Type_VARCHAR, querypb.Type_TEXT, querypb.Type_BINARY, querypb.Type_VARBINARY, querypb.Type_BLOB:
		if text, ok := t.(sql.StringType); ok {
			if _, ours := t.(*sqlvalue.Choice); !ours {
				return s.text(text, v)
			}
		}
	}
	return v, nil
}

// result returns the value that the column keeps.
func (s *storage) result(t sql.Type, v any) (any, error) {
	if s.lossy != nil {
		return nil, s.lossy
	}
	kept, _, err := t.Convert(s.ctx, v)
	return kept, err
}

// number returns v as a number. The result also says whether there is text after the number.
func (s *storage) number(t sql.Type, word string, v any) sqlvalue.Number {
	text, ok := v.(string)
	if bytes, is := v.([]byte); is {
		text, ok = string(bytes), true
	}
	if !ok {
		n, err := sqlvalue.NumberOf(s.ctx, t, v)
		if err != nil && s.lossy == nil {
			s.lossy = err
		}
		return n
	}
	trimmed := strings.TrimLeft(text, sqlvalue.Blanks)
	length := sqlvalue.NumberLength(trimmed)
	switch {
	case length == 0 && word == "":
		s.truncated()
	case length == 0:
		s.complain(errIncorrect, "HY000", "Incorrect %s value: '%s' for", word, text)
	case strings.TrimRight(trimmed[length:], sqlvalue.Blanks) != "":
		s.truncated()
	}
	if length == 0 {
		return sqlvalue.Number{}
	}
	if word == "" {
		f, _ := sqlvalue.LeadingDouble(trimmed)
		return sqlvalue.DoubleNumber(f)
	}
	return sqlvalue.DecimalNumber(sqlvalue.TextDecimal(trimmed[:length]))
}

func (s *storage) integer(t sql.Type, v any, width int, unsigned bool) (any, error) {
	n, ok := s.number(t, "integer", v).Rounded()
	most := uint64(math.MaxUint64) >> (64 - width)
	least := uint64(0)
	if !unsigned {
		least, most = most/2+1, most/2
	}
	if n.Negative {
		if most = least; most == 0 {
			n.Negative = false
			ok = ok && n.Size == 0
		}
	}
	if !ok || n.Size > most {
		s.outOfRange()
		n.Size = most
	}
	if unsigned {
		return s.result(t, n.Size)
	}
	if n.Negative {
		return s.result(t, int64(-n.Size))
	}
	return s.result(t, int64(n.Size))
}

func (s *storage) float(t sql.Type, v any) (any, error) {
	f := s.number(t, "", v).Float()
	most := math.MaxFloat64
	if t.Type() == querypb.Type_FLOAT32 {
		most = math.MaxFloat32
	}
	if math.Abs(f) > most {
		s.outOfRange()
		f = math.Copysign(most, f)
	}
	return s.result(t, f)
}

func (s *storage) decimal(t sql.DecimalType, v any) (any, error) {
	n := s.number(t, "decimal", v)
	if n.Kind == sqlvalue.Integer && n.Size < 1<<52 && int(t.Precision())-int(t.Scale()) > 15 {
		return s.result(t, n.Exactly())
	}
	d := n.Exactly()
	rounded := d.Round(int32(t.Scale()))
	if most := t.ExclusiveUpperBound(); rounded.Abs().GreaterThanOrEqual(most) {
		s.outOfRange()
		least := decimal.New(1, -int32(t.Scale()))
		if rounded = most.Sub(least); d.IsNegative() {
			rounded = rounded.Neg()
		}
	} else if n.Kind == sqlvalue.Exact && !rounded.Equal(d) {
		s.note()
	}
	return s.result(t, rounded)
}

// year converts v to a YEAR. A text without digits is 0000, as the number 0 is, and the text of four characters that is 0; other texts that are
// 0 are 2000.
func (s *storage) year(t sql.Type, v any) (any, error) {
	n, ok := s.number(t, "integer", v).Rounded()
	digits, text := v.(string)
	if bytes, is := v.([]byte); is {
		digits, text = string(bytes), true
	}
	switch {
	case text && sqlvalue.NumberLength(strings.TrimLeft(digits, sqlvalue.Blanks)) == 0:
		n.Size = 0
	case !ok || n.Negative && n.Size > 0 || n.Size > 2155 || n.Size >= 100 && n.Size <= 1900:
		s.outOfRange()
		n.Size = 0
	case n.Size == 0 && (!text || len(digits) == 4), n.Size > 1900:
	case n.Size < 70:
		n.Size += 2000
	default:
		n.Size += 1900
	}
	return s.result(t, int64(n.Size))
}

func (s *storage) bits(t sql.Type, v any, width int) (any, error) {
	var n sqlvalue.Number
	ok := true
	switch x := v.(type) {
	case string:
		return s.bits(t, []byte(x), width)
	case []byte:
		for len(x) > 0 && x[0] == 0 {
			x = x[1:]
		}
		for _, b := range x {
			n.Size = n.Size<<8 | uint64(b)
		}
		ok = len(x) <= 8
	default:
		n = s.number(t, "integer", v)
		n = sqlvalue.UnsignedNumber(n.Bits())
	}
	if most := uint64(math.MaxUint64) >> (64 - width); !ok || n.Size > most {
		if n.Size = most; s.strict() {
			s.complain(errTooLong, "22001", "Data too long for")
		} else {
			s.outOfRange()
		}
	}
	return s.result(t, n.Size)
}

func (s *storage) enum(t sql.Type, v any) (any, error) {
	kept, _, err := t.Convert(s.ctx, v)
	if e, ok := t.(sql.EnumType); err == nil && ok {
		if n, ok := kept.(uint16); !ok || n <= e.NumberOfElements() && (n > 0 || isText(v, "")) {
			return kept, nil
		}
	}
	s.truncated()
	return uint16(0), s.lossy
}

func isText(v any, text string) bool {
	s, ok := v.(string)
	return ok && s == text
}

func (s *storage) set(t sql.Type, v any) (any, error) {
	if kept, inRange, err := t.Convert(s.ctx, v); err == nil && inRange == sql.InRange {
		return kept, nil
	}
	s.truncated()
	var bits uint64
	if text, ok := v.(string); ok {
		for _, member := range strings.Split(text, ",") {
			if kept, _, err := t.Convert(s.ctx, member); err == nil {
				if n, ok := kept.(uint64); ok {
					bits |= n
				}
			}
		}
	}
	return bits, s.lossy
}

func (s *storage) time(t sql.Type, v any) (any, error) {
	kept, inRange, err := t.Convert(s.ctx, sqlvalue.NumberAsMoment(v, !types.IsTime(t)))
	clipped := false
	if span, ok := kept.(types.Timespan); ok && err == nil {
		span = columnTime(t, span)
		kept = span
		// The type clips without a warning.
		text, isText := v.(string)
		clipped = isText && (span == mostTime || span == -mostTime) && !strings.HasPrefix(strings.TrimLeft(text, "- "), "838")
	}
	zero := err == nil && s.refusesZero(v, kept)
	if err == nil && inRange == sql.InRange && !clipped && !zero {
		return kept, nil
	}
	word := typeName(t)
	if word == "timestamp" {
		word = "datetime"
	}
	shown := v
	if at, ok := v.(time.Time); ok {
		shown = at.Format(sql.TimestampDatetimeLayout)
	}
	if s.strict() {
		s.complain(mysql.ERTruncatedWrongValue, sqlvalue.WrongValueState, "Incorrect %s value: '%v' for", word, shown)
	} else if clipped || zero {
		s.outOfRange()
		return kept, nil
	} else {
		s.truncated()
	}
	return t.Zero(), s.lossy
}

// refusesZero tells whether kept, which v was converted to, is 0000-00-00, and the sql_mode does not allow that. A time.Time may be the
// default of its column, which is not looked at again.
//
// go-mysql-server: looks at DATE alone. MySQL: at DATETIME and TIMESTAMP too.
func (s *storage) refusesZero(v, kept any) bool {
	at, ok := kept.(time.Time)
	if _, typed := v.(time.Time); typed || !ok || !at.Equal(types.ZeroTime) {
		return false
	}
	return sql.LoadSqlMode(s.ctx).ModeEnabled("NO_ZERO_DATE")
}

// mostTime is the longest TIME.
const mostTime = types.Timespan((838*3600 + 59*60 + 59) * 1_000_000)

func typeName(t sql.Type) string {
	word, _, _ := strings.Cut(strings.ToLower(t.String()), "(")
	return word
}

func (s *storage) text(t sql.StringType, v any) (any, error) {
	switch v := v.(type) {
	case string: // the text fits, whatever number of bytes each character takes
		if own, ok := t.(types.StringType); ok && types.IsTextOnly(t) && int64(len(v)) <= min(own.MaxCharacterLength(), own.MaxByteLength()) {
			return v, nil
		}
	}
	switch v.(type) {
	case float64, float32:
		v, _ = sqlvalue.TextOf(s.ctx, v)
	}
	kept, _, err := t.Convert(s.ctx, v)
	if !types.ErrLengthBeyondLimit.Is(err) {
		if err != nil {
			return v, nil // the error is reported when the value is stored
		}
		return kept, nil
	}
	whole, err := sqlvalue.TextOf(s.ctx, v)
	text, ok := whole.(string)
	if types.IsBinaryType(t) {
		whole, _, err = types.LongBlob.Convert(s.ctx, v)
		var bytes []byte
		bytes, ok = whole.([]byte)
		text = string(bytes)
	}
	if err != nil || !ok {
		return v, nil
	}
	cut := firstCharacters(text, t)
	switch {
	case strings.Trim(text[len(cut):], " ") == "" && !types.IsBinaryType(t):
		if t.Type() != querypb.Type_CHAR {
			s.note()
		}
	case s.strict():
		s.complain(errTooLong, "22001", "Data too long for")
	default:
		s.truncated()
	}
	return s.result(t, cut)
}

// firstCharacters returns the characters of a text that a column keeps.
func firstCharacters(text string, t sql.StringType) string {
	if types.IsBinaryType(t) {
		return text[:min(len(text), int(t.MaxByteLength()))]
	}
	left := t.MaxCharacterLength()
	for i := range text {
		if left == 0 {
			return text[:i]
		}
		left--
	}
	return text
}
