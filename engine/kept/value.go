package kept

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Class is the property of a value on which plans depend: its type as go-mysql-server reads it, or
// the value itself if plans depend on that.
type Class byte

// A plan can serve other values of the classes of integers and of texts. 0, 1 and the empty text
// are classes of their own, because plans depend on them: 0 requests a number of AUTO_INCREMENT.
const (
	Int8 Class = 'a' + iota
	Uint8
	Int16
	Uint16
	Int32
	Uint32
	Int64
	Text
	Zero
	One
	Empty
	// Exact is the class of all other values. Each of them needs a plan of its own.
	Exact
)

// fixed reports whether a plan serves only the value of the class for which it was made.
func (c Class) fixed() bool { return c >= Zero }

// MaxValues is the largest number of values in a statement whose plan serves other values.
const MaxValues = 40

// classOfInt returns the class of an integer and the integer in the type of this class.
// go-mysql-server gives an integer the smallest type that has room for it.
func classOfInt(n int64) (Class, any) {
	switch {
	case n == 0:
		return Zero, int8(0)
	case n == 1:
		return One, int8(1)
	case n >= math.MinInt8 && n <= math.MaxInt8:
		return Int8, int8(n)
	case n >= 0 && n <= math.MaxUint8:
		return Uint8, uint8(n)
	case n >= math.MinInt16 && n <= math.MaxInt16:
		return Int16, int16(n)
	case n >= 0 && n <= math.MaxUint16:
		return Uint16, uint16(n)
	case n >= math.MinInt32 && n <= math.MaxInt32:
		return Int32, int32(n)
	case n >= 0 && n <= math.MaxUint32:
		return Uint32, uint32(n)
	}
	return Int64, n
}

// Bound returns the class of the value of a parameter, and the value as plans have it.
func Bound(e ast.Expr) (Class, any) {
	if e, ok := e.(*ast.SQLVal); ok {
		switch e.Type {
		case ast.IntVal:
			if n, err := strconv.ParseInt(string(e.Val), 10, 64); err == nil {
				return classOfInt(n)
			}
		case ast.StrVal:
			if len(e.Val) == 0 {
				return Empty, nil
			}
			if utf8.Valid(e.Val) {
				return Text, string(e.Val)
			}
		}
	}
	return Exact, nil
}

// firstStandIns are the first stand-ins of each class of integers.
var firstStandIns = [...]int64{Int8 - 'a': 20, Uint8 - 'a': 130, Int16 - 'a': 1000, Uint16 - 'a': 40_000, Int32 - 'a': 100_000_007, Uint32 - 'a': 3_000_000_007, Int64 - 'a': 5_000_000_000_007}

// standIn returns the stand-in for the value with rank i of class c, in the first or the second of
// the two plans that are compared; nil if the class has no stand-ins. In each plan, the stand-ins
// of a class are in the order of their ranks.
func standIn(c Class, i int, second bool) any {
	n := 0
	if second {
		n = 1
	}
	switch c {
	case Zero, One, Empty, Exact:
		return nil
	case Text:
		return fmt.Sprintf("~kept~%02d%.*s", i, 1+n, "~~")
	}
	_, v := classOfInt(firstStandIns[c-'a'] + int64(2*i+n))
	return v
}

// literal returns a value as a statement writes it.
func literal(v any) string {
	if v, ok := v.(string); ok {
		return "'" + v + "'"
	}
	return fmt.Sprint(v)
}

// Trial has the stand-ins for the values of a statement, in the two plans that are compared. The
// stand-ins of a class are in the order of the values, so conditions on them have the same results.
type Trial struct {
	classes []Class
	ranks   []int // the rank of each value among the values of its class
}

// NewTrial returns the trial for a statement with values of these classes.
func NewTrial(classes []Class, values []any) *Trial {
	t := &Trial{classes, make([]int, len(classes))}
	places := make([]int, len(classes))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int {
		if classes[a] != classes[b] || classes[a].fixed() {
			return cmp.Compare(classes[a], classes[b])
		}
		if x, ok := values[a].(string); ok {
			return cmp.Compare(x, values[b].(string))
		}
		return cmp.Compare(toInt(values[a]), toInt(values[b]))
	})
	for rank, i := range places {
		t.ranks[i] = rank
	}
	return t
}

// toInt returns the integer in v, 0 if v is not an integer.
func toInt(v any) int64 {
	switch v := v.(type) {
	case int8:
		return int64(v)
	case uint8:
		return int64(v)
	case int16:
		return int64(v)
	case uint16:
		return int64(v)
	case int32:
		return int64(v)
	case uint32:
		return int64(v)
	case int64:
		return v
	}
	return 0
}

// standIn returns the stand-in for value number i, nil if it has none.
func (t *Trial) standIn(i int, second bool) any { return standIn(t.classes[i], t.ranks[i], second) }

// StandIns returns the stand-ins for the parameters of a prepared statement, v1 and so on, in the
// first or the second of the two plans. A parameter without a stand-in keeps its value.
func (t *Trial) StandIns(bindings map[string]ast.Expr, second bool) map[string]ast.Expr {
	all := make(map[string]ast.Expr, len(t.classes))
	for i := range t.classes {
		name := "v" + strconv.Itoa(i+1)
		switch v := t.standIn(i, second).(type) {
		case nil:
			all[name] = bindings[name]
		case string:
			all[name] = ast.NewStrVal([]byte(v))
		default:
			all[name] = ast.NewIntVal([]byte(literal(v)))
		}
	}
	return all
}
