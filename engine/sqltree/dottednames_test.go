package sqltree

import (
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// The name of a function that the statement qualifies with a database includes the database. No
// other name does.
func TestNamesOfFunctions(t *testing.T) {
	for _, query := range []string{
		"select sys.f(1)",
		"select `Sys`.`F` (1)",
		"select sys . f(1)",
		"select sys./* ( */f/**/(1)",
		"select sys.f -- a\n(1)",
		"select 1 where a in (select db.g(x) from t.u)",
		"update t set a = x.f(1) where b = y.g(2)",
		"insert into t.u(a) values (x.f(1))",
		"select 'sys.f(1)', t.a, f(2) from `sys.f`",
		"call sys.p(x.f(1))",
		"set @a = x.f(1)",
		"delete from t where x.f(a)",
		"select a from t group by x.f(a) having y.g(b) order by z.h(a) asc",
	} {
		s, err := ast.Parse(query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		plain, _ := ast.Parse(query)
		Names(s, query)
		if got := ast.String(s); got != ast.String(plain) {
			t.Errorf("%s: got %s, want %s", query, got, ast.String(plain))
		}
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			if f, ok := n.(*ast.FuncExpr); ok && !f.Qualifier.IsEmpty() {
				t.Errorf("%s: %s keeps its database", query, f.Name)
			}
			return true, nil
		}, s)
	}
}

// The name of a user variable can have dots. The name of a column or a system variable is the part
// behind the last dot.
func TestNamesOfVariables(t *testing.T) {
	for query, want := range map[string]string{
		"select @a.b, @a.b.c, t.a, @@global.x, '@a.b' from t": "@a.b @a.b.c a @@global.x",
		"set @a.b = @c.d + 1":                         "a.b @c.d",
		"set @a.b.c = @c.d":                           "a.b.c @c.d",
		"set @a = (select x.y from x where z = @q.r)": "a y z @q.r",
		"select a@b.c from t":                         "",
	} {
		s, err := ast.Parse(query)
		if err != nil {
			if want != "" {
				t.Errorf("%s: %v", query, err)
			}
			continue
		}
		Names(s, query)
		var got []string
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			if c, ok := n.(*ast.ColName); ok {
				got = append(got, c.Name.String())
			}
			return true, nil
		}, s)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}
