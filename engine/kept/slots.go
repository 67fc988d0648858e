package kept

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Refusal is the reason why a plan does not serve other values. Its text contains none of the
// values.
type Refusal string

// Error implements error.
func (r Refusal) Error() string { return string(r) }

// Slots are the places of the values in a plan. Owned by the statement that uses the plan.
type Slots struct {
	all []slot
	// columns are the columns of ranges that have values as bounds.
	columns []*sql.MySQLRangeColumnExpr
	// lists are the values of each IN, in the plan's order. orders are the orders of the operands
	// with which columns are compared. ranges are the ranges of each lookup, and positions the
	// relative positions of these ranges. scratch is a buffer for values.
	lists     []list
	orders    []order
	ranges    [][]sql.MySQLRange
	positions [][]int8
	scratch   []any
	// hashed are the IN lists with values for which the plan also has hashes.
	hashed []*expression.HashInTuple
}

// list has the numbers of the values of one class in one IN.
type list struct {
	values []int
	typ    sql.Type // the column's type
}

// order is an order of operands. same says for each operand but the first whether it equals the one
// before.
type order struct {
	operands []operand
	same     []bool
}

// slot is a place of value number n.
type slot struct {
	n       int
	literal *expression.Literal // nil if the value is a bound of a range
	convert sql.Type            // the type into which the plan converts the value; nil if it does not
	column  *sql.MySQLRangeColumnExpr
	upper   bool     // the value is the column's upper bound
	fits    sql.Type // a type that must have room for the value; nil if there is none
}

// Find finds the places of values in plan a. Plan b is a plan of the same statement. trial has the
// stand-ins with which both were made, and uses says how the statement uses its values. The error
// is the reason why plan a does not serve other values: the plans differ in a place without a
// value, or a value has no place.
//
// Find compares all that the plans hold, including unexported fields. It does not look at what the
// plans share, such as definitions of tables.
func Find(ctx *sql.Context, a, b sql.Node, trial *Trial, uses *Uses) (*Slots, error) {
	classes := trial.classes
	f := finder{ctx: ctx, Trial: trial, seen: map[[2]unsafe.Pointer]bool{}, slots: &Slots{}}
	f.compare(reflect.ValueOf(a), reflect.ValueOf(b), "plan")
	if f.err != nil {
		return nil, f.err
	}
	found := make([]bool, len(classes))
	for _, s := range f.slots.all {
		found[s.n] = true
	}
	for i, c := range classes {
		if !c.fixed() && !found[i] {
			return nil, Refusal(fmt.Sprintf("the plan does not have value %d", i+1))
		}
	}
	if err := f.slots.checkKinds(ctx, a, classes); err != nil {
		return nil, err
	}
	if err := f.slots.setOrders(uses, trial); err != nil {
		return nil, err
	}
	f.slots.setLists(uses, classes)
	for _, r := range f.slots.ranges {
		positions, err := positionsOf(r, nil)
		if err != nil {
			return nil, err
		}
		f.slots.positions = append(f.slots.positions, positions)
	}
	return f.slots, nil
}

// setOrders notes the order that the operands of a column must keep. If all operands are values
// that may change, joined by AND, the plan has all of them, and their order is free. Otherwise the
// plan may lack operands that others make redundant. The same operands are redundant as long as the
// order is the same; orders are known only for integers.
func (s *Slots) setOrders(uses *Uses, trial *Trial) error {
	classes := trial.classes
	for _, operands := range uses.columns {
		if !uses.or && !slices.ContainsFunc(operands, func(o operand) bool { return o.value < 0 || classes[o.value].fixed() }) {
			continue
		}
		trials := [2]order{}
		for i := range trials {
			var err error
			if trials[i], err = newOrder(operands, func(n int) any {
				if v := trial.standIn(n, i == 1); v != nil {
					return v
				}
				return map[Class]any{Zero: int8(0), One: int8(1)}[classes[n]]
			}); err != nil {
				return err
			}
		}
		if !slices.Equal(trials[0].operands, trials[1].operands) || !slices.Equal(trials[0].same, trials[1].same) {
			return Refusal("a column is compared with values whose order depends on them")
		}
		s.orders = append(s.orders, trials[0])
	}
	return nil
}

// newOrder returns the order of operands; value returns the value with a number.
func newOrder(operands []operand, value func(n int) any) (o order, err error) {
	numbers := map[operand]int64{}
	for _, x := range operands {
		n, ok := x.number(value)
		if !ok {
			return o, Refusal("a column is compared with a value and something else")
		}
		numbers[x] = n
	}
	o.operands = slices.SortedStableFunc(slices.Values(operands), func(a, b operand) int { return cmp.Compare(numbers[a], numbers[b]) })
	for i := 1; i < len(o.operands); i++ {
		o.same = append(o.same, numbers[o.operands[i-1]] == numbers[o.operands[i]])
	}
	return o, nil
}

// number returns the integer of an operand. It reports false if the operand is not an integer.
func (o operand) number(value func(n int) any) (int64, bool) {
	if o.value < 0 {
		return o.constant, true
	}
	v := value(o.value)
	_, text := v.(string)
	return toInt(v), v != nil && !text
}

// holds reports whether values have the order.
func (o *order) holds(values []any) bool {
	value := func(n int) any { return values[n] }
	last, ok := o.operands[0].number(value)
	for i := 1; ok && i < len(o.operands); i++ {
		var n int64
		if n, ok = o.operands[i].number(value); !ok || n < last || (n == last) != o.same[i-1] {
			return false
		}
		last = n
	}
	return ok
}

// setLists finds the values of an IN that have the same class. Set sorts them.
func (s *Slots) setLists(uses *Uses, classes []Class) {
	for _, all := range uses.lists {
		byClass := map[Class][]int{}
		for _, n := range all {
			byClass[classes[n]] = append(byClass[classes[n]], n)
		}
		for c, values := range byClass {
			if c.fixed() || len(values) < 2 {
				continue
			}
			for _, t := range s.all {
				if t.n == values[0] && t.column != nil {
					s.lists = append(s.lists, list{values, t.column.Typ})
					break
				}
			}
		}
	}
}

// positionsOf returns the position of each range relative to the range before: how their bounds
// compare, column by column. If want is not nil, it returns errPositions if the positions are not
// want.
func positionsOf(ranges []sql.MySQLRange, want []int8) (all []int8, err error) {
	for i := 1; i < len(ranges); i++ {
		before, r := ranges[i-1], ranges[i]
		for j := range min(len(before), len(r)) {
			for _, pair := range [...][2]sql.MySQLRangeCut{{before[j].LowerBound, r[j].LowerBound}, {before[j].UpperBound, r[j].UpperBound}, {before[j].UpperBound, r[j].LowerBound}} {
				n, err := pair[0].Compare(pair[1], r[j].Typ)
				if err != nil {
					return nil, err
				}
				if all = append(all, int8(n)); want != nil && int8(n) != want[len(all)-1] {
					return nil, errPositions
				}
			}
		}
	}
	return all, nil
}

var errPositions = errors.New("kept: the ranges have other positions")

// sort returns values with the values of each list sorted.
func (s *Slots) sort(ctx *sql.Context, values []any) (sorted []any, err error) {
	if len(s.lists) == 0 {
		return values, nil
	}
	s.scratch = append(s.scratch[:0], values...)
	for _, l := range s.lists {
		own := make([]any, len(l.values))
		for i, n := range l.values {
			own[i] = values[n]
		}
		slices.SortFunc(own, func(a, b any) int {
			n, e := l.typ.Compare(ctx, a, b)
			if e != nil {
				err = e
			}
			return n
		})
		for i, n := range l.values {
			s.scratch[n] = own[i]
		}
	}
	return s.scratch, err
}

// checkKinds refuses a value beside an expression of another kind, such as a text beside a number:
// the result then depends on each single value.
func (s *Slots) checkKinds(ctx *sql.Context, n sql.Node, classes []Class) (err error) {
	class, place := map[*expression.Literal]Class{}, map[*expression.Literal]*slot{}
	for i := range s.all {
		if t := &s.all[i]; t.literal != nil {
			class[t.literal], place[t.literal] = classes[t.n], t
		}
	}
	transform.InspectExpressions(ctx, n, func(ctx *sql.Context, e sql.Expression) bool {
		if _, assigns := e.(*expression.SetField); e == nil || assigns {
			return true
		}
		children, others := e.Children(), e.Children()
		if in, is := e.(expression.Comparer); is {
			if list, is := in.Right().(expression.Tuple); is {
				children, others = list, []sql.Expression{in.Left()}
			}
		}
		for _, child := range children {
			l, _ := child.(*expression.Literal)
			c, ok := class[l]
			if !ok {
				continue
			}
			for _, other := range others {
				if _, is := other.(*expression.Literal); is {
					continue
				}
				t := other.Type(ctx)
				if c == Text && !types.IsTextOnly(t) || c != Text && !types.IsNumber(t) {
					err = Refusal(fmt.Sprintf("a value stands beside %s, which is of another kind", t))
				}
				if types.IsNumber(t) && !types.IsInteger(t) && !types.IsFloat(t) && e.Type(ctx) == types.Boolean {
					// Some plans fail for a number that a DECIMAL, a YEAR, or a BIT cannot have.
					place[l].fits = t
				}
			}
		}
		return err == nil
	})
	return err
}

// Set puts values into the plan. It reports false if the plan does not serve them. Then the plan is
// unusable until a Set that reports true.
func (s *Slots) Set(ctx *sql.Context, values []any) bool {
	values, err := s.sort(ctx, values)
	if err != nil {
		return false
	}
	for i := range s.orders {
		if !s.orders[i].holds(values) {
			return false
		}
	}
	for i := range s.all {
		t := &s.all[i]
		v := values[t.n]
		if t.convert != nil {
			converted, inRange, err := t.convert.Convert(ctx, v)
			if err != nil || inRange != sql.InRange {
				return false
			}
			v = converted
		}
		if t.fits != nil {
			if _, inRange, err := t.fits.Convert(ctx, v); err != nil || inRange != sql.InRange {
				return false
			}
		}
		switch {
		case t.literal != nil:
			*t.literal = *expression.NewLiteral(v, t.literal.Typ)
		case t.upper:
			t.column.UpperBound = withKey(t.column.UpperBound, v)
		default:
			t.column.LowerBound = withKey(t.column.LowerBound, v)
		}
	}
	for _, in := range s.hashed {
		now, err := expression.NewHashInTuple(ctx, in.Left(), in.Right())
		if err != nil {
			return false
		}
		*in = *now
	}
	for _, c := range s.columns {
		if order, err := c.LowerBound.Compare(c.UpperBound, c.Typ); err != nil || order > 0 {
			return false // for an empty range, another plan reads nothing
		}
	}
	for i, r := range s.ranges {
		if _, err := positionsOf(r, s.positions[i]); err != nil {
			return false
		}
	}
	return true
}

// withKey returns a bound of the same kind with another key.
func withKey(c sql.MySQLRangeCut, key any) sql.MySQLRangeCut {
	if _, ok := c.(sql.Above); ok {
		return sql.Above{Key: key}
	}
	return sql.Below{Key: key}
}

// keyOf returns the key of a bound, false if it has none.
func keyOf(c sql.MySQLRangeCut) (any, bool) {
	switch c := c.(type) {
	case sql.Above:
		return c.Key, true
	case sql.Below:
		return c.Key, true
	}
	return nil, false
}

type finder struct {
	*Trial
	ctx   *sql.Context
	seen  map[[2]unsafe.Pointer]bool
	slots *Slots
	err   error
}

func (f *finder) differ(at string) {
	if f.err == nil {
		f.err = Refusal("plans for other values differ in " + at[max(0, len(at)-150):])
	}
}

// number returns the number of the value that is x in plan a and y in plan b, and whether the plans
// have it converted to type t.
func (f *finder) number(x, y any, t sql.Type) (n int, converted, ok bool) {
	for i, c := range f.classes {
		if !c.fixed() && x == f.standIn(i, false) && y == f.standIn(i, true) {
			return i, false, true
		}
	}
	for i, c := range f.classes {
		if c.fixed() || !convertible(c, t) {
			continue
		}
		a, inRange, err := t.Convert(f.ctx, f.standIn(i, false))
		if err != nil || inRange != sql.InRange || !reflect.DeepEqual(a, x) {
			continue
		}
		if b, inRange, err := t.Convert(f.ctx, f.standIn(i, true)); err == nil && inRange == sql.InRange && reflect.DeepEqual(b, y) {
			return i, true, true
		}
	}
	return 0, false, false
}

// convertible reports whether values of a class keep their order and stay different when they are
// converted to a type that has room for them.
func convertible(c Class, t sql.Type) bool {
	if c == Text {
		return types.IsTextOnly(t)
	}
	return types.IsInteger(t) || sql.IsDecimalType(t)
}

var (
	literalType = reflect.TypeFor[*expression.Literal]()
	hashedType  = reflect.TypeFor[*expression.HashInTuple]()
	columnType  = reflect.TypeFor[sql.MySQLRangeColumnExpr]()
	rangesType  = reflect.TypeFor[sql.MySQLRangeCollection]()
)

// compare compares two parts of the plans; at is their path, for the error.
func (f *finder) compare(a, b reflect.Value, at string) {
	if f.err != nil {
		return
	}
	if a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type() {
		f.differ(at)
		return
	}
	if !a.IsValid() {
		return
	}
	same := true
	switch a.Kind() {
	case reflect.Pointer:
		p, q := a.UnsafePointer(), b.UnsafePointer()
		pair := [2]unsafe.Pointer{p, q}
		if p == q || f.seen[pair] {
			return
		}
		f.seen[pair] = true
		switch {
		case p == nil || q == nil:
			same = false
		case a.Type() == literalType:
			f.literal((*expression.Literal)(p), (*expression.Literal)(q), at)
		case a.Type() == hashedType:
			f.hashed((*expression.HashInTuple)(p), (*expression.HashInTuple)(q), at)
		default:
			f.compare(a.Elem(), b.Elem(), at)
		}
	case reflect.Interface:
		f.compare(a.Elem(), b.Elem(), at)
	case reflect.Struct:
		name := a.Type().String()
		at += "." + name[strings.LastIndexByte(name, '.')+1:]
		switch {
		case a.Type() == columnType && a.CanAddr() && b.CanAddr():
			f.column((*sql.MySQLRangeColumnExpr)(a.Addr().UnsafePointer()), (*sql.MySQLRangeColumnExpr)(b.Addr().UnsafePointer()), at)
		case a.Type().PkgPath() == "sync" || a.Type().PkgPath() == "sync/atomic":
		default:
			for i := range a.NumField() {
				f.compare(a.Field(i), b.Field(i), at+"."+a.Type().Field(i).Name)
			}
		}
	case reflect.Slice, reflect.Array:
		if a.Type() == rangesType && a.Len() > 1 {
			f.slots.ranges = append(f.slots.ranges, unsafe.Slice((*sql.MySQLRange)(a.UnsafePointer()), a.Len()))
		}
		if same = a.Len() == b.Len(); same {
			for i := range a.Len() {
				f.compare(a.Index(i), b.Index(i), at)
			}
		}
	case reflect.Map:
		if same = a.Len() == b.Len(); same {
			for i := a.MapRange(); i.Next(); {
				if i.Key().Kind() == reflect.Interface || i.Key().Kind() == reflect.Pointer {
					continue // each plan has keys of its own
				}
				f.compare(i.Value(), b.MapIndex(i.Key()), at)
			}
		}
	case reflect.Func:
		same = a.Pointer() == b.Pointer()
	case reflect.Chan, reflect.UnsafePointer:
		same = (a.UnsafePointer() == nil) == (b.UnsafePointer() == nil)
	default:
		same = a.Equal(b)
	}
	if !same {
		f.differ(at)
	}
}

func (f *finder) literal(a, b *expression.Literal, at string) {
	f.compare(reflect.ValueOf(&a.Typ).Elem(), reflect.ValueOf(&b.Typ).Elem(), at+".Literal.Typ")
	if f.err != nil || reflect.DeepEqual(a.Val, b.Val) {
		return
	}
	n, converted, ok := f.number(a.Val, b.Val, a.Typ)
	if !ok {
		f.differ(at + ".Literal")
		return
	}
	s := slot{n: n, literal: a}
	if converted {
		s.convert = a.Typ
	}
	f.slots.all = append(f.slots.all, s)
}

// hashed compares two lists of IN. Other values have other hashes, so Set makes these anew.
func (f *finder) hashed(a, b *expression.HashInTuple, at string) {
	before := len(f.slots.all)
	x, y := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	hashes := -1
	for i := range x.NumField() {
		if x.Field(i).Kind() == reflect.Map {
			hashes = i
			continue
		}
		f.compare(x.Field(i), y.Field(i), at+"."+x.Type().Field(i).Name)
	}
	switch {
	case len(f.slots.all) > before:
		f.slots.hashed = append(f.slots.hashed, a)
	case hashes >= 0:
		f.compare(x.Field(hashes), y.Field(hashes), at)
	}
}

func (f *finder) column(a, b *sql.MySQLRangeColumnExpr, at string) {
	f.compare(reflect.ValueOf(&a.Typ).Elem(), reflect.ValueOf(&b.Typ).Elem(), at+".Typ")
	if _, all := a.LowerBound.(sql.AboveAll); all {
		f.err = Refusal("the plan reads an empty range, without the bounds that make it empty")
		return
	}
	before := len(f.slots.all)
	f.bound(a, a.LowerBound, b.LowerBound, false, at)
	f.bound(a, a.UpperBound, b.UpperBound, true, at)
	if len(f.slots.all) > before {
		f.slots.columns = append(f.slots.columns, a)
	}
}

func (f *finder) bound(c *sql.MySQLRangeColumnExpr, a, b sql.MySQLRangeCut, upper bool, at string) {
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		f.differ(at)
		return
	}
	x, has := keyOf(a)
	y, _ := keyOf(b)
	if !has || reflect.DeepEqual(x, y) {
		return
	}
	n, _, ok := f.number(x, y, c.Typ)
	if !ok || !convertible(f.classes[n], c.Typ) {
		f.differ(at)
		return
	}
	f.slots.all = append(f.slots.all, slot{n: n, convert: c.Typ, column: c, upper: upper})
}
