package engine

import (
	databasesql "database/sql"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/shopspring/decimal"

	"pfsd/engine/syntax"
)

// Each function, operator and form that is nested in itself is gone over a number of times that grows with the depth. Where
// it doubled at each level, twenty levels would take minutes.

// leaf is the innermost expression of a nest. It counts what is asked of it.
type leaf struct {
	kind  *leafKind
	steps *atomic.Int64
}

// leafKind is what a leaf is.
type leafKind struct {
	name  string
	typ   sql.Type
	value any
	other string // what stands beside it
}

var leafKinds = []leafKind{
	{"leaf_text", types.LongText, "1", "'1'"}, {"leaf_number", types.Int64, int64(1), "1"}, {"leaf_decimal", types.MustCreateDecimalType(10, 2), decimal.New(150, -2), "1.5"},
	{"leaf_time", types.DatetimeMaxPrecision, time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC), "TIMESTAMP'2020-01-02 03:04:05'"}, {"leaf_json", types.JSON, types.JSONDocument{Val: []any{float64(1)}}, "'$[0]'"},
}

func (l *leaf) count() *leafKind {
	l.steps.Add(1)
	return l.kind
}

// Resolved implements sql.Expression.
func (l *leaf) Resolved() bool { return l.count() != nil }

// String implements sql.Expression.
func (l *leaf) String() string { return l.count().name + "()" }

// Type implements sql.Expression.
func (l *leaf) Type(*sql.Context) sql.Type { return l.count().typ }

// IsNullable implements sql.Expression.
func (l *leaf) IsNullable(*sql.Context) bool { return l.count() != nil }

// Eval implements sql.Expression.
func (l *leaf) Eval(*sql.Context, sql.Row) (any, error) { return l.count().value, nil }

// Children implements sql.Expression.
func (l *leaf) Children() []sql.Expression {
	l.count()
	return nil
}

// WithChildren implements sql.Expression.
func (l *leaf) WithChildren(*sql.Context, ...sql.Expression) (sql.Expression, error) {
	l.count()
	return l, nil
}

// IsNonDeterministic implements sql.NonDeterministicExpression.
func (l *leaf) IsNonDeterministic() bool { return true }

// nest is a text around itself: %s is where the inner one stands.
type nest struct{ name, level string }

func (n *nest) text(inner string, deep int) string {
	before, behind, _ := strings.Cut(n.level, "%s")
	return strings.Repeat(before, deep) + inner + strings.Repeat(behind, deep)
}

// nestsOf are the nests of a text in which %s stands for operands: one for each of them. What stands in the place of the others
// is other.
func nestsOf(text, other string) (all []nest) {
	parts := strings.Split(strings.ReplaceAll(text, "%%", "%"), "%s")
	for i := range len(parts) - 1 {
		all = append(all, nest{fmt.Sprintf("operand %d of %s", i+1, text), strings.Join(parts[:i+1], other) + "(%s)" + strings.Join(parts[i+1:], other)})
	}
	return all
}

// nestForms are forms beside those that take large arguments.
var nestForms = []string{
	"%s != %s", "%s > %s", "%s <= %s", "%s >= %s", "%s NOT IN (%s, %s)", "%s NOT REGEXP %s", "%s NOT BETWEEN %s AND %s", "%s IS NOT NULL", "%s IS TRUE", "%s IS NOT TRUE", "%s IS FALSE", "%s IS NOT FALSE",
	"%s | %s", "%s ^ %s", "%s >> %s", "+%s", "!%s", "%s XOR %s", "%s OR %s", "%s - INTERVAL 1 MONTH", "%s + INTERVAL '1:1' MINUTE_SECOND", "INTERVAL 1 DAY + %s", "DATE_ADD(%s, INTERVAL %s YEAR)", "DATE_SUB(%s, INTERVAL %s YEAR)",
	"TRIM(LEADING %s FROM %s)", "TRIM(TRAILING %s FROM %s)", "SUBSTRING(%s, %s)", "SUBSTRING(%s FROM %s FOR %s)", "MID(%s, %s, %s)", "CASE WHEN %s THEN %s END", "CASE %s WHEN %s THEN %s WHEN %s THEN %s ELSE %s END",
	"_utf8mb4 %s", "_binary %s", "CONVERT(%s, CHAR)", "CONVERT(%s USING latin1)", "CAST(%s AS DATE)", "CAST(%s AS UNSIGNED)", "%s COLLATE utf8mb4_bin", "%s SOUNDS LIKE %s", "{fn ABS(%s)}", "(%s, %s) = (%s, %s)", "(%s, %s) IN ((%s, 1), (2, 3))",
	"JSON_EXTRACT(%s, '$')", "JSON_EXTRACT(%s, '$.a', '$.b')", "GROUP_CONCAT(%s)", "GROUP_CONCAT(%s ORDER BY 1)", "COUNT(DISTINCT %s, %s)", "SUM(%s) OVER ()", "SUM(a) OVER (PARTITION BY %s ORDER BY %s)", "LAG(%s) OVER (ORDER BY 1)",
	"MATCH (s) AGAINST (%s)", "(((%s)))",
}

// nestQueries are queries in each other.
var nestQueries = []string{
	"(SELECT %s)", "(SELECT %s FROM test.one)", "(SELECT MAX(%s) FROM test.one)", "(SELECT GROUP_CONCAT(%s ORDER BY 1) FROM test.one)", "EXISTS (SELECT %s)", "EXISTS (SELECT 1 FROM test.one WHERE %s)", "1 IN (SELECT %s)", "%s IN (SELECT a FROM test.one)",
	"1 = ANY (SELECT %s)", "1 > ALL (SELECT %s)", "(SELECT a FROM (SELECT %s AS a) d)", "(WITH c AS (SELECT %s AS a) SELECT a FROM c)", "(WITH RECURSIVE c AS (SELECT %s AS a UNION SELECT a FROM c) SELECT MAX(a) FROM c)",
	"(SELECT %s UNION SELECT 1 LIMIT 1)", "(SELECT 1 UNION SELECT %s LIMIT 1)", "(SELECT a FROM test.one GROUP BY %s)", "(SELECT a FROM test.one ORDER BY %s)", "(SELECT MAX(a) FROM test.one HAVING %s)", "(SELECT SUM(a) OVER (ORDER BY %s) FROM test.one)",
	"(SELECT a.a FROM test.one a JOIN test.one b ON %s)", "(SELECT a.a FROM test.one a LEFT JOIN test.one b ON a.a = %s)", "(SELECT d.a FROM test.one o, LATERAL (SELECT %s AS a) d)", "(SELECT d.a FROM JSON_TABLE(%s, '$' COLUMNS (a INT PATH '$')) d)",
	"(SELECT d.a FROM (VALUES ROW(%s)) d (a))", "(SELECT DISTINCT %s FROM test.one)",
}

// nestBounds are the forms, other than queries, that are refused at fewer levels than are tried here, and why: bounds.Weight
// counts their operands more than once.
var nestBounds = map[string]string{
	"%s BETWEEN %s AND %s": "what is between is compared twice", "%s NOT BETWEEN %s AND %s": "what is between is compared twice",
}

// nestRun plans and carries out nests. Owned by one goroutine.
type nestRun struct {
	t          *testing.T
	conn       *databasesql.Conn
	steps      atomic.Int64 // of leaves
	statements int
	errors     map[string]int // statements by the number of their error
}

func newNestRun(t *testing.T) *nestRun {
	t.Helper()
	r := serve(t, Options{})
	r.exec(t, "CREATE TABLE test.one (a INT, s VARCHAR(10), FULLTEXT KEY (s))")
	r.exec(t, "INSERT INTO test.one VALUES (1, 'a')")
	r.exec(t, "CREATE TABLE test.none (a INT, s VARCHAR(10))")
	n := &nestRun{t: t, errors: map[string]int{}}
	for i := range leafKinds {
		k := &leafKinds[i]
		r.Server.handler.Engine.Analyzer.Catalog.RegisterFunction(sql.NewEmptyContext(), sql.FunctionN{Name: k.name, Fn: func(*sql.Context, ...sql.Expression) (sql.Expression, error) {
			return &leaf{k, &n.steps}, nil
		}})
	}
	n.conn, _ = r.conn(t)
	return n
}

// nestCost is what a statement has taken.
type nestCost struct {
	steps int64
	bytes uint64
	err   string // the number of its error
}

func (r *nestRun) run(statement string) nestCost {
	r.t.Helper()
	r.statements++
	r.steps.Store(0)
	before := allocatedBytes()
	err := readAll(r.conn, statement)
	c := nestCost{steps: r.steps.Load(), bytes: allocatedBytes() - before}
	if err != nil {
		c.err, _, _ = strings.Cut(code(err), " ")
		if c.err == "1815" || c.err == "" {
			r.t.Errorf("%v: %s", err, statement)
		}
	}
	r.errors[c.err]++
	return c
}

const nestFew, nestMany = 8, 16

// grows tells whether b, of twice the depth of a, has grown as what doubles at each level does. The square of the depth has not.
func (a nestCost) grows(b nestCost) bool {
	return b.steps > 4*a.steps+100 || b.bytes > 4*a.bytes+1<<20
}

// check nests a text in itself. It tells whether it is refused.
func (r *nestRun) check(n *nest, k *leafKind) (refused bool) {
	r.t.Helper()
	const endless = 50_000 // steps of few levels where each makes four of one
	text := func(deep int, from string) string { return "SELECT " + n.text(k.name+"()", deep) + from }
	few := r.run(text(nestFew, ""))
	if few.steps > endless {
		r.t.Errorf("%s takes %d steps at %d levels: %s", n.name, few.steps, nestFew, text(2, ""))
		return false
	}
	many := r.run(text(nestMany, ""))
	if many.err == "1436" {
		r.bounded(n, text)
		return true
	}
	// Values may grow as much as max_allowed_packet lets them, so there are none. Others may allocate meanwhile, so it is tried again.
	for again := 0; again < 3 && few.grows(many) && 4*few.steps+100 >= many.steps; again++ {
		few, many = r.run(text(nestFew, " FROM test.none")), r.run(text(nestMany, " FROM test.none"))
	}
	if few.grows(many) {
		r.t.Errorf("%s takes %d steps and %d bytes at %d levels, %d and %d at %d: %s", n.name, few.steps, few.bytes, nestFew, many.steps, many.bytes, nestMany, text(2, ""))
	}
	return false
}

// bounded holds the deepest nest that is not refused to what a statement may take.
func (r *nestRun) bounded(n *nest, text func(int, string) string) {
	r.t.Helper()
	for deep := nestMany - 1; deep > 0; deep-- {
		c := r.run(text(deep, ""))
		if c.err == "1436" {
			continue
		}
		if c.steps > 200_000 || c.bytes > 400<<20 {
			r.t.Errorf("%s takes %d steps and %d bytes at %d levels, which are not refused", n.name, c.steps, c.bytes, deep)
		}
		return
	}
}

func TestNestedFunctions(t *testing.T) {
	oneAtATime(t)
	r := newNestRun(t)
	functions := registeredFunctions()
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if withoutCalls[name] {
			continue
		}
		for n := 1; n <= 4; n++ {
			call := "`" + name + "`"
			if s, sys := strings.CutPrefix(name, "sys."); sys {
				call = "sys." + s
			}
			call += "(%s" + strings.Repeat(", %s", n-1) + ")"
			if err := readAll(r.conn, "SELECT "+strings.ReplaceAll(call, "%s", "'1'")); err != nil && slices.Contains([]string{"1582", "1064", "1318", "1305", "1128"}, code(err)[:4]) {
				continue
			}
			for i := range leafKinds {
				k := &leafKinds[i]
				for _, x := range nestsOf(call, k.other) {
					r.check(&x, k)
				}
			}
		}
	}
	t.Logf("%d statements, by error %v", r.statements, r.errors)
}

func TestNestedForms(t *testing.T) {
	oneAtATime(t)
	r := newNestRun(t)
	all := slices.Concat(forms, nestForms)
	for _, f := range all {
		refused := false
		for i := range leafKinds {
			k := &leafKinds[i]
			for _, x := range nestsOf(f, k.other) {
				refused = r.check(&x, k) || refused
			}
		}
		if why := nestBounds[f]; refused != (why != "") {
			t.Errorf("%s: refused: %v, because %q", f, refused, why)
		}
	}
	for _, q := range nestQueries { // all of which are refused, as the analyzer goes into a query in a query twice
		for _, x := range nestsOf(q, "1") {
			if !r.check(&x, &leafKinds[0]) {
				t.Errorf("%s is not refused at %d levels", x.name, nestMany)
			}
		}
	}
	t.Logf("%d statements, by error %v", r.statements, r.errors)
	known := expressionsOf(t, append(all, nestQueries...))
	for _, e := range parserExpressions(t) {
		if !known[e] && withoutOperands[e] == "" {
			t.Errorf("no form has %s: add one", e)
		}
	}
}

// withoutOperands are the expressions of the parser that are in no form, and why.
var withoutOperands = map[string]string{
	"ColName": "a name", "ListArg": "for clients of vitess", "Default": "of a column", "ValuesFuncExpr": "of a column", "InjectedExpr": "of the SQL engine's own", "NullVal": "a value", "BoolVal": "a value",
	"SubstrExpr": "a call, as package syntax has it", "ComparisonExpr ->": "a call of JSON_EXTRACT behind a column", "ComparisonExpr ->>": "a call of JSON_UNQUOTE behind a column",
}

// expressionsOf are the types of the expressions in forms, and their operators.
func expressionsOf(t *testing.T, forms []string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, f := range forms {
		f = strings.NewReplacer("%s", "(a)", "%%", "%").Replace(f)
		s, err := syntax.Default.ParseSimple("SELECT " + f)
		if err != nil {
			t.Logf("%s is no expression: %v", f, err)
			continue
		}
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			if e, ok := n.(ast.Expr); ok {
				v := reflect.Indirect(reflect.ValueOf(e))
				all[v.Type().Name()] = true
				if v.Kind() == reflect.Struct && v.FieldByName("Operator").IsValid() {
					all[v.Type().Name()+" "+v.FieldByName("Operator").String()] = true
				}
			}
			return true, nil
		}, s)
	}
	return all
}

// parserExpressions are the types of expressions that the parser knows, and their operators, by its source.
func parserExpressions(t *testing.T) (all []string) {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/dolthub/vitess").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "go/vt/sqlparser/ast.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`func \((?:\w+ )?\*?(\w+)\) iExpr\(\)`).FindAllSubmatch(source, -1) {
		all = append(all, string(m[1]))
	}
	for _, block := range regexp.MustCompile(`// (\w+)\.Operator\nconst \(\n([^)]*)\)`).FindAllSubmatch(source, -1) {
		for _, m := range regexp.MustCompile(`= "([^_"][^"]*)"`).FindAllSubmatch(block[2], -1) { // the character sets of texts are alike
			all = append(all, string(block[1])+" "+string(m[1]))
		}
	}
	if len(all) < 60 {
		t.Errorf("the parser's source has %q alone", all)
	}
	return all
}
