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

// Class is what plans depend on of a value: its type as go-mysql-server reads it, or the value itself if plans look at it.
type Class byte

// The classes of values that may be others the next time are those of integers and of texts. 0, 1 and the empty text are classes of their own,
// as plans depend on them: 0 asks for a number of AUTO_INCREMENT.
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
	// Exact are all other values: each needs a plan of its own.
	Exact
)

// fixed tells whether a plan serves one value of the class alone.
func (c Class) fixed() bool { return c >= Zero }

// MaxValues is how many values a statement can have whose plan serves other ones.
const MaxValues = 40

// classOfInt is the class of an integer, which go-mysql-server gives the smallest type that it fits in, and the integer in that type.
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

// Bound is the class of what a parameter stands for, and its value as plans have it.
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

// firsts are the first values of each class that stand for others.
var firsts = [...]int64{Int8 - 'a': 20, Uint8 - 'a': 130, Int16 - 'a': 1000, Uint16 - 'a': 40_000, Int32 - 'a': 100_000_007, Uint32 - 'a': 3_000_000_007, Int64 - 'a': 5_000_000_000_007}

// standIn is what stands for the value with rank i of class c, in one of the two plans that are compared; nil if nothing does. In each of them those of a class
// are in order.
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
	_, v := classOfInt(firsts[c-'a'] + int64(2*i+n))
	return v
}

// literal is a value as a statement writes it.
func literal(v any) string {
	if v, ok := v.(string); ok {
		return "'" + v + "'"
	}
	return fmt.Sprint(v)
}

// Trial is what stands for the values of a statement in the two plans that are compared. Those of a class are in the order of the values, so that
// conditions say of them what they say of the values.
type Trial struct {
	classes []Class
	ranks   []int // of each value among those of its class
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

// toInt is the integer that a value is, 0 if it is none.
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

// standIn is what stands for value number i.
func (t *Trial) standIn(i int, second bool) any { return standIn(t.classes[i], t.ranks[i], second) }

// StandIns are the expressions that stand for the parameters of a prepared statement, v1 and so on, in one of the two plans: those that have
// no class are what they are.
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
