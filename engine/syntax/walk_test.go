package syntax

import (
	"reflect"
	"slices"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// A Walker finds all values of a wanted type, also in the bodies of stored programs. It finds the
// values inside a value before that value, and the caller can replace each.
func TestWalker(t *testing.T) {
	expr := reflect.TypeFor[ast.Expr]()
	literals := NewWalker(func(t reflect.Type) bool { return t == expr })
	for text, want := range map[string][]string{
		"select 1, a + 2 from t where (b = 3)":                                {"1", "a", "2", "a + 2", "b", "3", "b = 3", "(b = 3)"},
		"insert into t values (1, (select 2))":                                {"1", "2", "(select 2)"},
		"create procedure p() begin if a then set @b = 1; end if; end":        {"a", "1"},
		"select 1 from t where a in (1, 2)":                                   {"1", "a", "1", "2", "('one', 2)", "a in ('one', 2)"},
		"with c as (select 1) select 2 from c join d on a = b order by 3 asc": {"1", "2", "a", "b", "a = b", "3"},
	} {
		s, err := ast.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var got []string
		literals.Walk(reflect.ValueOf(s), func(v reflect.Value) {
			if v.IsNil() {
				return
			}
			e := v.Interface().(ast.Expr)
			got = append(got, ast.String(e))
			if l, ok := e.(*ast.SQLVal); ok && string(l.Val) == "1" {
				v.Set(reflect.ValueOf(ast.NewStrVal([]byte("one"))))
			}
		})
		slices.Sort(got)
		sorted := slices.Sorted(slices.Values(want))
		if !slices.Equal(got, sorted) {
			t.Errorf("%s: got %q, want %q", text, got, sorted)
		}
		found := false
		literals.Walk(reflect.ValueOf(s), func(v reflect.Value) {
			if !v.IsNil() {
				found = found || ast.String(v.Interface().(ast.Expr)) == "'one'"
			}
		})
		if !found {
			t.Errorf("%s: 1 is still there", text)
		}
	}
}
