package globals

import (
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends/mendtest"
)

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
		mendtest.NoLongerNeeded(t, "engine.go")
	}
}

// TestStatusVariablesCountNothing checks that the sessions of a server have no status variables and
// count nothing, and that the sessions of other engines have theirs.
func TestStatusVariablesCountNothing(t *testing.T) {
	NewEngine(analyzer.NewDefault(memory.NewDBProvider()), sql.EmptyProcessList{})
	if own := sql.NewBaseSession().GetAllStatusVariables(sql.NewEmptyContext()); len(own) == 0 {
		t.Error("a session of another engine has no status variables")
	}
	defer servedVariables.Store(servedVariables.Load())
	of := Variables(&oneVariable{MysqlSystemVariable: sql.MysqlSystemVariable{Name: "max_connections", Type: types.Int64, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Both)}})
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
		mendtest.NoLongerNeeded(t, "statusvars.go")
	}
}

// oneVariable is the Variables of a test: a single variable and its value.
type oneVariable struct {
	sql.MysqlSystemVariable
	value any
}

func (g *oneVariable) Get(name string) (sql.SystemVariable, any, bool) {
	return &g.MysqlSystemVariable, g.value, name == g.Name
}

func (g *oneVariable) Set(_ *sql.Context, _ string, value any) error { g.value = value; return nil }

func (g *oneVariable) Session() map[string]sql.SystemVarValue {
	return map[string]sql.SystemVarValue{g.Name: {Var: &g.MysqlSystemVariable, Val: g.value}}
}

// TestServedVariables checks that servers of one process have variables of their own. Sessions that
// only print expressions share one map of them, the other sessions have copies.
func TestServedVariables(t *testing.T) {
	NewEngine(analyzer.NewDefault(memory.NewDBProvider()), sql.EmptyProcessList{})
	if _, _, ok := sql.SystemVariables.GetGlobal("max_connections"); !ok {
		t.Error("there are no variables without a server")
	}
	of := func(n int64) *oneVariable {
		return &oneVariable{sql.MysqlSystemVariable{Name: "max_connections", Type: types.Int64, Dynamic: true, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Both)}, n}
	}
	one, other := of(1), of(2)
	current := Variables(one)
	before := servedVariables.Load()
	ServeVariables(func() Variables { return current })
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
	for _, current = range []Variables{one, other} {
		var own *sql.BaseSession
		NewSession(func() { own = sql.NewBaseSession() })
		_, want, _ := sql.SystemVariables.GetGlobal("max_connections")
		if got := sql.SystemVariables.GetAllGlobalVariables()["max_connections"]; got != want || in(own) != want || in(sql.NewBaseSession()) != want {
			t.Errorf("global value %v, session value %v, want %v", got, in(own), want)
		}
		if err := own.SetSessionVariable(ctx, "max_connections", int64(7)); err != nil || in(own) != int64(7) || in(sql.NewBaseSession()) != want {
			t.Errorf("error %v: the session has %v, another session %v", err, in(own), in(sql.NewBaseSession()))
		}
	}

	make := func() { _ = sql.NewBaseSession() }
	with := testing.AllocsPerRun(10, make)
	servedVariables.Store(nil)
	if without := testing.AllocsPerRun(10, make); with >= without {
		t.Logf("%v allocations to make a session, %v before", with, without)
		mendtest.NoLongerNeeded(t, "the sessions of systemvars.go")
	}
}
