package kept

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Refusal says why a plan does not serve other values. It has no value in it.
type Refusal string

// Error implements error.
func (r Refusal) Error() string { return string(r) }

// Slots are the places of a plan where values stand. Owned by who uses the plan.
type Slots struct {
	all []slot
	// columns are the bounds of the columns of ranges that have values in them.
	columns []*sql.MySQLRangeColumnExpr
}

// slot is where value number n stands.
type slot struct {
	n       int
	literal *expression.Literal // nil if it stands in a range
	convert sql.Type            // that the value is turned into; nil if it stands as it is
	column  *sql.MySQLRangeColumnExpr
	upper   bool // it is the column's upper bound
}

// Find finds the places of values of these classes in plan a. The plan b is of the same statement; StandIn and StandIns say which values they were made with.
// The error says why plan a does not serve other values: the plans differ where no value stands, or a value does not stand anywhere.
//
// What is compared is all that the plans hold, fields that nobody else sees included. What they share, as tables' definitions, is not looked at.
func Find(ctx *sql.Context, a, b sql.Node, classes []Class) (*Slots, error) {
	f := finder{ctx: ctx, classes: classes, seen: map[[2]unsafe.Pointer]bool{}, slots: &Slots{}}
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
	return f.slots, f.slots.meetTheirKind(ctx, a, classes)
}

// meetTheirKind refuses values that stand beside what is of another kind, a text beside a number: what becomes of them depends on each of them.
func (s *Slots) meetTheirKind(ctx *sql.Context, n sql.Node, classes []Class) (err error) {
	class := map[*expression.Literal]Class{}
	for _, t := range s.all {
		if t.literal != nil {
			class[t.literal] = classes[t.n]
		}
	}
	transform.InspectExpressions(ctx, n, func(ctx *sql.Context, e sql.Expression) bool {
		if _, assigns := e.(*expression.SetField); e == nil || assigns {
			return true
		}
		for _, child := range e.Children() {
			l, _ := child.(*expression.Literal)
			c, ok := class[l]
			if !ok {
				continue
			}
			for _, other := range e.Children() {
				if _, is := other.(*expression.Literal); is {
					continue
				}
				if t := other.Type(ctx); c == Text && !types.IsTextOnly(t) || c != Text && !types.IsNumber(t) {
					err = Refusal(fmt.Sprintf("a value stands beside %s, which is of another kind", t))
				}
			}
		}
		return err == nil
	})
	return err
}

// Set puts values into the plan. It reports false if the plan does not serve them; it serves no others then until it is set again.
func (s *Slots) Set(ctx *sql.Context, values []any) bool {
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
		switch {
		case t.literal != nil:
			*t.literal = *expression.NewLiteral(v, t.literal.Typ)
		case t.upper:
			t.column.UpperBound = withKey(t.column.UpperBound, v)
		default:
			t.column.LowerBound = withKey(t.column.LowerBound, v)
		}
	}
	for _, c := range s.columns {
		if order, err := c.LowerBound.Compare(c.UpperBound, c.Typ); err != nil || order > 0 {
			return false // another plan reads nothing
		}
	}
	return true
}

// withKey is a bound with another key.
func withKey(c sql.MySQLRangeCut, key any) sql.MySQLRangeCut {
	if _, ok := c.(sql.Above); ok {
		return sql.Above{Key: key}
	}
	return sql.Below{Key: key}
}

// keyOf is the key of a bound, false if it has none.
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
	ctx     *sql.Context
	classes []Class
	seen    map[[2]unsafe.Pointer]bool
	slots   *Slots
	err     error
}

func (f *finder) differ(at string) {
	if f.err == nil {
		f.err = Refusal("plans for other values differ in " + at[max(0, len(at)-150):])
	}
}

// number is which value is x in plan a and y in plan b, and whether it is converted to t there.
func (f *finder) number(x, y any, t sql.Type) (n int, converted, ok bool) {
	for i, c := range f.classes {
		if !c.fixed() && x == standIn(c, i, false) && y == standIn(c, i, true) {
			return i, false, true
		}
	}
	for i, c := range f.classes {
		if c.fixed() || !convertible(c, t) {
			continue
		}
		a, inRange, err := t.Convert(f.ctx, standIn(c, i, false))
		if err != nil || inRange != sql.InRange || !reflect.DeepEqual(a, x) {
			continue
		}
		if b, inRange, err := t.Convert(f.ctx, standIn(c, i, true)); err == nil && inRange == sql.InRange && reflect.DeepEqual(b, y) {
			return i, true, true
		}
	}
	return 0, false, false
}

// convertible tells whether values of a class keep their order and their difference when they are turned into a type that has room for them.
func convertible(c Class, t sql.Type) bool {
	if c == Text {
		return types.IsTextOnly(t)
	}
	return types.IsInteger(t)
}

var (
	literalType = reflect.TypeFor[*expression.Literal]()
	columnType  = reflect.TypeFor[sql.MySQLRangeColumnExpr]()
)

// compare compares two parts of the plans; at says where they are.
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
		if same = a.Len() == b.Len(); same {
			for i := range a.Len() {
				f.compare(a.Index(i), b.Index(i), at)
			}
		}
	case reflect.Map:
		if same = a.Len() == b.Len(); same {
			for i := a.MapRange(); i.Next(); {
				if i.Key().Kind() == reflect.Interface || i.Key().Kind() == reflect.Pointer {
					continue // of which there are other ones in each plan
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

func (f *finder) column(a, b *sql.MySQLRangeColumnExpr, at string) {
	f.compare(reflect.ValueOf(&a.Typ).Elem(), reflect.ValueOf(&b.Typ).Elem(), at+".Typ")
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
