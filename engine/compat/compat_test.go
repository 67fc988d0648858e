package compat

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	vtlog "github.com/dolthub/vitess/go/vt/log"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/sirupsen/logrus"
)

// Each test also looks whether go-mysql-server still does what its file mends; where it
// says that it does not, the file can go.

func noLongerNeeded(t *testing.T, file string) {
	t.Helper()
	t.Errorf("go-mysql-server does what MySQL does: %s can go", file)
}

func TestChoice(t *testing.T) {
	ctx := sql.NewEmptyContext()
	left := func(typ sql.Type, v any) (any, error) {
		return function.NewLeft(ctx, expression.NewLiteral(v, typ), expression.NewLiteral(int64(1), types.Int64)).Eval(ctx, nil)
	}
	if got, err := left(types.MustCreateEnumType([]string{"YES", "NO"}, sql.Collation_utf8mb4_0900_ai_ci), uint16(1)); err == nil && got == "Y" {
		noLongerNeeded(t, "enumtype.go")
	}
	yesNo := NewChoice("C", []string{"YES", "NO"}, false)
	flags := NewChoice("F", []string{"a", "b"}, true)
	if got, err := left(yesNo, "YES"); err != nil || got != "Y" {
		t.Errorf("LEFT('YES', 1) = %v, %v", got, err)
	}
	for _, c := range []struct {
		typ      *Choice
		in, want any
	}{
		{yesNo, "no", "NO"}, {yesNo, 1, "YES"}, {yesNo, uint8(2), "NO"}, {yesNo, []byte("Yes"), "YES"}, {yesNo, 2.0, "NO"}, {yesNo, 1.5, "YES"}, {yesNo, nil, nil},
		{flags, "B,A", "a,b"}, {flags, "", ""}, {flags, 2, "b"}, {flags, 3, "a,b"},
	} {
		if got, _, err := c.typ.Convert(ctx, c.in); err != nil || got != c.want {
			t.Errorf("%s: %v is %v, %v; want %v", c.typ, c.in, got, err, c.want)
		}
	}
	for typ, bad := range map[*Choice][]any{yesNo: {"", "maybe", 0, 3, -1, 0.5, 3.0}, flags: {"c", "a,c", 4}} {
		for _, v := range bad {
			if _, _, err := typ.Convert(ctx, v); err == nil || !strings.Contains(err.Error(), "Data truncated for column") {
				t.Errorf("%s takes %v: %v", typ, v, err)
			}
		}
	}
	if yesNo.String() != "enum('YES','NO')" || flags.String() != "set('a','b')" || yesNo.Equals(flags) {
		t.Error("types are told wrong")
	}
}

// rows is an iterator over fixed rows; what comes after them is end.
type rows struct {
	rows []sql.Row
	end  error
}

func (r *rows) Next(*sql.Context) (sql.Row, error) {
	if len(r.rows) == 0 {
		return nil, r.end
	}
	row := r.rows[0]
	r.rows = r.rows[1:]
	return row, nil
}
func (r *rows) Close(*sql.Context) error { return nil }

func TestGroupByTellsGroupsOfOneHashApart(t *testing.T) {
	ctx := sql.NewEmptyContext()
	field := expression.NewGetField(0, types.Int64, "a", true)
	n := plan.NewGroupBy([]sql.Expression{field, aggregation.NewCount(expression.NewLiteral(int64(1), types.Int64))}, []sql.Expression{field}, nil)
	it := NewGroupBy(ctx, n, &rows{[]sql.Row{{int64(1)}, {int64(2)}, {nil}, {int64(1)}, {nil}}, io.EOF})
	it.(*groupBy).keys.hash = func(*sql.Context, sql.Schema, sql.Row) (uint64, error) { return 7, nil }
	got, err := sql.RowIterToRows(ctx, it)
	if err != nil {
		t.Fatal(err)
	}
	want := []sql.Row{{int64(1), int64(2)}, {int64(2), int64(1)}, {nil, int64(2)}}
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i := range want {
		if got[i][0] != want[i][0] || got[i][1] != want[i][1] {
			t.Errorf("group %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestGroupByReturnsTheErrorOfItsInput(t *testing.T) {
	ctx := sql.NewEmptyContext()
	field := expression.NewGetField(0, types.Int64, "a", true)
	n := plan.NewGroupBy([]sql.Expression{field}, []sql.Expression{field}, nil)
	it := NewGroupBy(ctx, n, &rows{[]sql.Row{{int64(1)}}, io.ErrUnexpectedEOF})
	if _, err := it.Next(ctx); err != io.ErrUnexpectedEOF {
		t.Errorf("got %v", err)
	}
	if err := it.Close(ctx); err != nil {
		t.Error(err)
	}
}

func TestInfoSchemaGivesEachQueryItsOwnTable(t *testing.T) {
	ctx := sql.NewEmptyContext()
	shared := information_schema.NewInformationSchemaDatabase()
	mended := &InfoSchema{Database: shared, Own: []OwnSchema{ownSchema{}}, Catalog: noDatabases{}}
	for _, name := range []string{"tables", "columns", "routines", "ENGINES"} {
		get := func(db sql.Database) sql.Table {
			t.Helper()
			table, ok, err := db.GetTableInsensitive(ctx, name)
			if err != nil || !ok {
				t.Fatalf("%s: %t, %v", name, ok, err)
			}
			return table
		}
		if name == "tables" && get(shared) != get(shared) {
			noLongerNeeded(t, "infoschema.go")
		}
		if get(mended) == get(mended) {
			t.Errorf("%s is shared", name)
		}
	}
}

// ownSchema has no tables.
type ownSchema struct{}

func (ownSchema) Name() string                                                     { return "own" }
func (ownSchema) Rest(sql.Database) sql.Database                                   { return nil }
func (ownSchema) Described(*sql.Context, string, string) (rows []sql.Row, ok bool) { return nil, true }

// noDatabases is a catalog without databases.
type noDatabases struct{ sql.Catalog }

func (noDatabases) AllDatabases(*sql.Context) []sql.Database { return nil }

func TestSchemaFormatter(t *testing.T) {
	plain := &sql.MySqlSchemaFormatter{}
	create := func(f sql.SchemaFormatter, comment string) string {
		return f.GenerateCreateTableStatement("t", nil, "", "", "utf8mb4", "utf8mb4_bin", comment)
	}
	col := &sql.Column{Name: "a", Type: types.Int32, Nullable: true}
	if strings.Contains(plain.GenerateCreateTableColumnDefinition(col, "", "", sql.Collation_Default), "DEFAULT NULL") {
		noLongerNeeded(t, "GenerateCreateTableColumnDefinition in schemaformat.go")
	}
	f := SchemaFormatter{plain}
	if got := f.GenerateCreateTableColumnDefinition(col, "", "", sql.Collation_Default); got != "  `a` int DEFAULT NULL" {
		t.Errorf("got %q", got)
	}
	bin := &sql.Column{Name: "b", Type: types.MustCreateString(types.Text.Type(), 10, sql.Collation_utf8mb4_bin)}
	if strings.Contains(plain.GenerateCreateTableColumnDefinition(bin, "", "", sql.Collation_Default), "CHARACTER SET") {
		noLongerNeeded(t, "the character set in schemaformat.go")
	}
	if got := f.GenerateCreateTableColumnDefinition(bin, "", "", sql.Collation_Default); !strings.Contains(got, " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin") {
		t.Errorf("got %q", got)
	}
	stamp := &sql.Column{Name: "a`b", Type: types.MustCreateDatetimeType(types.Timestamp.Type(), 6), Nullable: true}
	if strings.Contains(plain.GenerateCreateTableColumnDefinition(stamp, "", "", sql.Collation_Default), " NULL") {
		noLongerNeeded(t, "the TIMESTAMP in schemaformat.go")
	}
	if got, want := f.GenerateCreateTableColumnDefinition(stamp, "", "", sql.Collation_Default), "  `a``b` timestamp(6) NULL DEFAULT NULL"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	stamp.Default = &sql.ColumnDefaultValue{}
	if got, want := f.GenerateCreateTableColumnDefinition(stamp, "NOW()", "", sql.Collation_Default), "  `a``b` timestamp(6) NULL DEFAULT NOW()"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	stamp.Nullable = false
	if got, want := f.GenerateCreateTableColumnDefinition(stamp, "NOW()", "", sql.Collation_Default), "  `a``b` timestamp(6) NOT NULL DEFAULT NOW()"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := create(f, EngineMark+"X"); !strings.Contains(got, ") ENGINE=X DEFAULT") || strings.Contains(got, "COMMENT") {
		t.Errorf("got %q", got)
	}
	if got := create(f, "c"); got != create(plain, "c") {
		t.Errorf("got %q", got)
	}
}

func TestDouble(t *testing.T) {
	ctx := sql.NewEmptyContext()
	d := NewDouble(7, 6)
	for v, want := range map[any]string{0.5: "0.500000", 0.0: "0.000000", 1.0: "1.000000", 0.9999994: "0.999999", int64(2): "2.000000"} {
		if got, err := d.SQL(ctx, nil, v); err != nil || got.ToString() != want || got.Type() != types.Float64.Type() {
			t.Errorf("%v prints as %v, %v", v, got, err)
		}
	}
	if v, err := d.SQL(ctx, nil, nil); err != nil || !v.IsNull() {
		t.Errorf("NULL prints as %v, %v", v, err)
	}
	if d.String() != "double(7,6)" || !d.Equals(NewDouble(7, 6)) || d.Equals(NewDouble(7, 5)) || d.Equals(types.Float64) {
		t.Error("types are told wrong")
	}
	buf := []byte("before")
	if got, err := d.SQL(ctx, buf, 0.25); err != nil || got.ToString() != "0.250000" {
		t.Errorf("behind other values 0.25 prints as %v, %v", got, err)
	}

	if types.IsFloat(d) {
		noLongerNeeded(t, "PlainDoubles in doubletype.go")
	}
	column := expression.NewGetFieldWithTable(1, 2, d, "db", "t", "q", true)
	sum := expression.NewPlus(column, column)
	n, _, err := PlainDoubles(ctx, nil, plan.NewProject([]sql.Expression{column, expression.NewAlias("a", column), sum}, plan.NewValues(nil)), nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []sql.Type{d, d, types.Float64} {
		if got := n.(*plan.Project).Projections[i].Type(ctx); got != want {
			t.Errorf("column %d is %s, want %s", i, got, want)
		}
	}
	plain := n.(*plan.Project).Projections[2].Children()[0].(*expression.GetField)
	if plain.Type(ctx) != types.Float64 || plain.Index() != 1 || plain.TableId() != 2 || plain.Id() != column.Id() || plain.String() != column.String() {
		t.Errorf("the column in the sum is %#v", plain)
	}
}

func TestDelete(t *testing.T) {
	parse := func(q string) *ast.Delete {
		t.Helper()
		s, err := sql.DefaultMySQLParser.ParseSimple(q)
		if err != nil {
			t.Fatal(err)
		}
		return s.(*ast.Delete)
	}
	if parse("DELETE FROM t").Where != nil {
		noLongerNeeded(t, "delete.go")
	}
	for q, want := range map[string]string{
		"DELETE FROM t": "t DELETE",
		"DELETE FROM t WHERE a = (SELECT 1 FROM s)":    "t DELETE, s SELECT",
		"DELETE t FROM t JOIN s":                       "t DELETE, s SELECT",
		"DELETE x FROM t x JOIN t s":                   "x DELETE, s SELECT",
		"DELETE FROM x, s USING t x JOIN s JOIN d.u":   "x DELETE, s DELETE, u SELECT",
		"DELETE d.t FROM d.t JOIN e.t ON d.t.a=e.t.a":  "t DELETE, t SELECT",
		"DELETE t FROM t JOIN (SELECT * FROM s) q":     "t DELETE, s SELECT",
		"DELETE T FROM t JOIN s ON t.a = s.a":          "t DELETE, s SELECT",
		"DELETE t FROM d.t JOIN s ON t.a = s.a":        "t DELETE, s SELECT",
		"DELETE t FROM t, u LEFT JOIN v ON u.a = v.a":  "t DELETE, u SELECT, v SELECT",
		"DELETE FROM t USING t WHERE a IN (1)":         "t DELETE",
		"DELETE FROM t WHERE a = 1 ORDER BY a LIMIT 1": "t DELETE",
	} {
		d := parse(q)
		Delete(d)
		if d.Where == nil {
			t.Errorf("%s has no WHERE", q)
		}
		var got []string
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			if e, ok := n.(*ast.AliasedTableExpr); ok {
				if name, ok := e.Expr.(ast.TableName); ok {
					as := e.As.String()
					if as == "" {
						as = name.Name.String()
					}
					got = append(got, as+" "+e.Auth.AuthType)
				}
			}
			return true, nil
		}, d)
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s\n got %s\nwant %s", q, s, want)
		}
	}
}

func TestHashesSubquery(t *testing.T) {
	provider := memory.NewDBProvider(memory.NewDatabase("d"))
	e := sqle.NewDefault(provider)
	defer func() { _ = e.Close() }()
	ctx := sql.NewContext(t.Context(), sql.WithSession(memory.NewSession(sql.NewBaseSession(), provider)))
	ctx.SetCurrentDatabase("d")
	query := func(q string) []sql.Row {
		t.Helper()
		_, it, _, err := e.Query(ctx, q)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		rows, err := sql.RowIterToRows(ctx, it)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		return rows
	}
	for _, q := range []string{
		"CREATE TABLE a (i INT, m INT)", "INSERT INTO a VALUES (1, 10), (2, 20)",
		"CREATE TABLE b (i INT, m INT)", "INSERT INTO b VALUES (1, 10), (2, 20)",
	} {
		query(q)
	}
	const join = "SELECT /*+ JOIN_ORDER(b, a) HASH_JOIN(b, a) */ a.i FROM a JOIN b ON a.i = b.i AND "
	if len(query(join+"b.m = (SELECT MAX(m) FROM a n WHERE n.i = b.i)")) == 2 {
		noLongerNeeded(t, "hashlookup.go")
	}
	for condition, want := range map[string]bool{"b.m = (SELECT MAX(m) FROM a n WHERE n.i = b.i)": true, "b.m = a.m": false} {
		n, err := e.AnalyzeQuery(ctx, join+condition)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		transform.Inspect(n, func(n sql.Node) bool {
			if l, ok := n.(*plan.HashLookup); ok {
				found = true
				if got := HashesSubquery(ctx, l); got != want {
					t.Errorf("%s: %t, want %t", condition, got, want)
				}
			}
			return true
		})
		if !found {
			t.Errorf("%s: no hash is looked up", condition)
		}
	}
}

func TestKeepSorts(t *testing.T) {
	rules := func(b *analyzer.Builder) (n int) {
		for _, batch := range b.Build().Batches {
			for _, rule := range batch.Rules {
				if rule.Id.String() == "replaceIdxSort" {
					n++
				}
			}
		}
		return n
	}
	if rules(analyzer.NewBuilder(memory.NewDBProvider())) == 0 {
		noLongerNeeded(t, "keepsorts.go")
	}
	kept, err := KeepSorts(analyzer.NewBuilder(memory.NewDBProvider()))
	if err != nil {
		t.Fatal(err)
	}
	if n := rules(kept); n != 0 {
		t.Errorf("%d rules leave sorts out", n)
	}
}

func TestTextIn(t *testing.T) {
	ctx := sql.NewEmptyContext()
	ci := types.MustCreateString(types.Text.Type(), 10, sql.Collation_utf8mb4_0900_ai_ci)
	column := expression.NewGetField(0, ci, "c", true)
	list := expression.NewTuple(expression.NewLiteral("A", types.Text), expression.NewLiteral("b", types.Text), expression.NewLiteral(nil, types.Null))
	in, err := expression.NewHashInTuple(ctx, column, list)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := in.Eval(ctx, sql.Row{"a"}); err == nil && v == true {
		noLongerNeeded(t, "textin.go")
	}
	mended, _, err := mend(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]any{"a": true, "B": true, "c": nil} {
		if v, err := mended.Eval(ctx, sql.Row{value}); err != nil || v != want {
			t.Errorf("'%s' IN ('A', 'b', NULL) is %v, %v", value, v, err)
		}
	}
}

// plainErrorf is how vitess logs an error where nothing is put in its place.
var plainErrorf = vtlog.Errorf

func TestSetLog(t *testing.T) {
	var printed strings.Builder
	logrus.SetOutput(&printed)
	plainErrorf("client %d", 5)
	logrus.SetOutput(os.Stderr)
	if printed.Len() == 0 {
		noLongerNeeded(t, "vitesslog.go")
	}
	var got []string
	release := SetLog(func(panicked string) { got = append(got, panicked) })
	vtlog.Errorf("client %d", 5)
	vtlog.Errorf("mysql_server caught panic:\n%v\n%s", "index", "stack")
	vtlog.Warning("slow")
	vtlog.Infof("not %s", "this")
	release()
	vtlog.Errorf("mysql_server caught panic:\n%v", "nobody hears")
	if !slices.Equal(got, []string{"mysql_server caught panic:\nindex\nstack"}) {
		t.Errorf("got %q", got)
	}
}

func TestNewEngineKeepsTheStatusVariables(t *testing.T) {
	NewEngine(analyzer.NewDefault(memory.NewDBProvider()), sql.EmptyProcessList{})
	questions := func() any {
		_, v, _ := sql.StatusVariables.GetGlobal("Questions")
		return v
	}
	if err := sql.StatusVariables.SetGlobal("Questions", 5); err != nil {
		t.Fatal(err)
	}
	NewEngine(analyzer.NewDefault(memory.NewDBProvider()), sql.EmptyProcessList{})
	if got := questions(); got != uint64(5) {
		t.Errorf("Questions is %v after another engine", got)
	}
	sqle.NewDefault(memory.NewDBProvider())
	if questions() == uint64(5) {
		noLongerNeeded(t, "engine.go")
	}
}

// Sessions of a server have no status variables, and nobody counts any; those of other engines have theirs.
func TestStatusVariablesCountNothing(t *testing.T) {
	NewEngine(analyzer.NewDefault(memory.NewDBProvider()), sql.EmptyProcessList{})
	if own := sql.NewBaseSession().GetAllStatusVariables(sql.NewEmptyContext()); len(own) == 0 {
		t.Error("a session of another engine has no status variables")
	}
	defer servedVariables.Store(servedVariables.Load())
	of := Variables(&given{MysqlSystemVariable: sql.MysqlSystemVariable{Name: "max_connections", Type: types.Int64, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Both)}})
	ServeVariables(func() Variables { return of })
	ctx := sql.NewEmptyContext()
	NewSession(func() { ctx = sql.NewContext(t.Context(), sql.WithSession(sql.NewBaseSession())) })
	if own := ctx.Session.GetAllStatusVariables(ctx); len(own) > 0 {
		t.Errorf("a session has %d status variables", len(own))
	}
	questions := func() any {
		_, v, _ := sql.StatusVariables.GetGlobal("Questions")
		return v
	}
	before := questions()
	sql.IncrementStatusVariable(ctx, "Questions", 1)
	if got := questions(); got != before {
		t.Errorf("Questions went from %v to %v", before, got)
	}
	print := func() { _ = expression.NewAlias("a", expression.NewLiteral(int64(1), types.Int64)).String() }
	with := testing.AllocsPerRun(10, print)
	sql.StatusVariables = status.StatusVariableRegistry
	defer func() { sql.StatusVariables = status }()
	sql.IncrementStatusVariable(ctx, "Questions", 1)
	if without := testing.AllocsPerRun(10, print); with >= without || questions() == before {
		t.Logf("%v allocations to print an alias, %v before", with, without)
		noLongerNeeded(t, "statusvars.go")
	}
}

func TestSortSetOp(t *testing.T) {
	provider := memory.NewDBProvider(memory.NewDatabase("d"))
	e := sqle.NewDefault(provider)
	defer func() { _ = e.Close() }()
	ctx := sql.NewContext(t.Context(), sql.WithSession(memory.NewSession(sql.NewBaseSession(), provider)))
	ctx.SetCurrentDatabase("d")
	rows := func(n sql.Node) string {
		t.Helper()
		it, err := e.Analyzer.ExecBuilder.Build(ctx, n, nil)
		if err != nil {
			t.Fatal(err)
		}
		all, err := sql.RowIterToRows(ctx, it)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(all)
	}
	setOp := func(q string) (found *plan.SetOp) {
		t.Helper()
		n, err := e.AnalyzeQuery(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		transform.Inspect(n, func(n sql.Node) bool {
			if s, ok := n.(*plan.SetOp); ok && found == nil {
				found = s
			}
			return true
		})
		return found
	}
	const q = "(SELECT 3 AS a) UNION (SELECT 1) UNION (SELECT 2) ORDER BY a LIMIT 2 OFFSET 1"
	if rows(setOp(q)) == "[[2] [3]]" {
		noLongerNeeded(t, "setop.go")
	}
	if got := rows(SortSetOp(ctx, setOp(q))); got != "[[2] [3]]" {
		t.Errorf("got %s", got)
	}
	if SortSetOp(ctx, setOp("SELECT 1 UNION SELECT 2")) != nil {
		t.Error("there is nothing to sort")
	}
}

func TestKeepSemiJoins(t *testing.T) {
	query := func(a *analyzer.Analyzer, provider sql.DatabaseProvider, q string) []sql.Row {
		t.Helper()
		e := sqle.New(a, nil)
		ctx := sql.NewContext(t.Context(), sql.WithSession(memory.NewSession(sql.NewBaseSession(), provider)))
		ctx.SetCurrentDatabase("d")
		var rows []sql.Row
		for _, q := range []string{
			"CREATE TABLE few (u VARCHAR(20))", "INSERT INTO few VALUES ('1'), ('1.0')",
			"CREATE TABLE many (n INT, KEY (n))", "INSERT INTO many VALUES (1), (" + strings.Repeat("2), (", 99) + "3)", q,
		} {
			_, it, _, err := e.Query(ctx, q)
			if err != nil {
				t.Fatalf("%s: %v", q, err)
			}
			if rows, err = sql.RowIterToRows(ctx, it); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
		}
		return rows
	}
	const q = "SELECT n FROM many WHERE EXISTS (SELECT 1 FROM few WHERE few.u = many.n)"
	provider := memory.NewDBProvider(memory.NewDatabase("d"))
	if len(query(analyzer.NewDefault(provider), provider, q)) == 1 {
		noLongerNeeded(t, "semijoin.go")
	}
	provider = memory.NewDBProvider(memory.NewDatabase("d"))
	mended := analyzer.NewDefault(provider)
	for _, b := range mended.Batches {
		for i, r := range b.Rules {
			if r.Id.String() == "optimizeJoins" {
				b.Rules = slices.Insert(slices.Clone(b.Rules), i, analyzer.Rule{Id: -1, Apply: KeepSemiJoins})
				break
			}
		}
	}
	if rows := query(mended, provider, q); len(rows) != 1 {
		t.Errorf("got %v", rows)
	}
}

func TestCommitByDefinitions(t *testing.T) {
	// commits tells whether a transaction ends when it reads a view.
	commits := func(rules ...analyzer.Rule) bool {
		t.Helper()
		provider := memory.NewDBProvider(memory.NewDatabase("d"))
		b := analyzer.NewBuilder(provider)
		for _, r := range rules {
			b.AddPreAnalyzeRule(r.Id, r.Apply)
		}
		e := sqle.New(b.Build(), nil)
		ctx := sql.NewContext(t.Context(), sql.WithSession(memory.NewSession(sql.NewBaseSession(), provider)))
		ctx.SetCurrentDatabase("d")
		for _, q := range []string{"CREATE TABLE t (a INT)", "CREATE VIEW v AS SELECT a FROM t", "START TRANSACTION", "SELECT a FROM v"} {
			_, it, _, err := e.Query(ctx, q)
			if err == nil {
				_, err = sql.RowIterToRows(ctx, it)
			}
			if err != nil {
				t.Fatalf("%s: %v", q, err)
			}
		}
		return ctx.GetTransaction() == nil
	}
	if !commits() {
		noLongerNeeded(t, "viewcommit.go")
	}
	if commits(analyzer.Rule{Id: -1, Apply: CommitByDefinitions}) {
		t.Error("a view that is read ends the transaction")
	}
}

// given are variables for tests: one, with a value that is set.
type given struct {
	sql.MysqlSystemVariable
	value any
}

func (g *given) Get(name string) (sql.SystemVariable, any, bool) {
	return &g.MysqlSystemVariable, g.value, name == g.Name
}
func (g *given) Set(_ *sql.Context, _ string, value any) error { g.value = value; return nil }
func (g *given) Session() map[string]sql.SystemVarValue {
	return map[string]sql.SystemVarValue{g.Name: {Var: &g.MysqlSystemVariable, Val: g.value}}
}

// A process can have servers with variables of their own; sessions that only print have theirs
// in common, the others have copies.
func TestServedVariables(t *testing.T) {
	NewEngine(analyzer.NewDefault(memory.NewDBProvider()), sql.EmptyProcessList{})
	if _, _, ok := sql.SystemVariables.GetGlobal("max_connections"); !ok {
		t.Error("there are no variables without a server")
	}
	of := func(n int64) *given {
		return &given{sql.MysqlSystemVariable{Name: "max_connections", Type: types.Int64, Dynamic: true, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Both)}, n}
	}
	one, other := of(1), of(2)
	now := Variables(one)
	before := servedVariables.Load()
	ServeVariables(func() Variables { return now })
	defer servedVariables.Store(before)
	ctx := sql.NewEmptyContext()
	if err := sql.SystemVariables.SetGlobal(ctx, "max_connections", int64(3)); err != nil || one.value != int64(3) || other.value != int64(2) {
		t.Errorf("%v: one has %v, the other %v", err, one.value, other.value)
	}
	in := func(s *sql.BaseSession) any {
		v, err := s.GetSessionVariable(ctx, "max_connections")
		if err != nil {
			t.Error(err)
		}
		return v
	}
	for _, now = range []Variables{one, other} {
		var own *sql.BaseSession
		NewSession(func() { own = sql.NewBaseSession() })
		_, want, _ := sql.SystemVariables.GetGlobal("max_connections")
		if got := sql.SystemVariables.GetAllGlobalVariables()["max_connections"]; got != want || in(own) != want || in(sql.NewBaseSession()) != want {
			t.Errorf("%v of all, %v of its own, want %v", got, in(own), want)
		}
		if err := own.SetSessionVariable(ctx, "max_connections", int64(7)); err != nil || in(own) != int64(7) || in(sql.NewBaseSession()) != want {
			t.Errorf("%v: %v of its own, %v in common", err, in(own), in(sql.NewBaseSession()))
		}
	}

	make := func() { _ = sql.NewBaseSession() }
	with := testing.AllocsPerRun(10, make)
	servedVariables.Store(nil)
	if without := testing.AllocsPerRun(10, make); with >= without {
		t.Logf("%v allocations to make a session, %v before", with, without)
		noLongerNeeded(t, "the sessions of systemvars.go")
	}
}
