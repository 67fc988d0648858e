package compat

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// sharedValues are variables of a server, all of whose sessions begin with one map.
type sharedValues struct {
	Variables
	values map[string]sql.SystemVarValue
}

func (s sharedValues) Session() map[string]sql.SystemVarValue { return s.values }

// The sessions of a server have one map of system variables until they set one.
func TestSessionsShareTheirValues(t *testing.T) {
	NewEngine(analyzer.NewDefault(memory.NewDBProvider()), sql.EmptyProcessList{})
	same := func(a, b sql.Session) bool {
		return reflect.ValueOf(SessionValues(a)).Pointer() == reflect.ValueOf(SessionValues(b)).Pointer()
	}
	defer servedVariables.Store(servedVariables.Load())
	servedVariables.Store(nil)
	if same(sql.NewBaseSession(), sql.NewBaseSession()) {
		noLongerNeeded(t, "sessionvalues.go")
	}
	of := Variables(sharedValues{values: map[string]sql.SystemVarValue{"a": {Val: 1}}})
	ServeVariables(func() Variables { return of })
	var one, other *sql.BaseSession
	NewSession(func() { one, other = sql.NewBaseSession(), sql.NewBaseSession() })
	if !same(one, other) {
		t.Error("two sessions have two maps")
	}
	OwnSessionValues(one)
	if same(one, other) || SessionValues(one)["a"].Val != 1 {
		t.Errorf("a session that sets a variable has %v", SessionValues(one))
	}
}

// The type of a text variable takes another collation.
func TestTextVariable(t *testing.T) {
	if _, ok := types.NewSystemStringType("a").(sql.TypeWithCollation); ok {
		noLongerNeeded(t, "textvariable.go")
	}
	changed, err := TextVariable("a").(sql.TypeWithCollation).WithNewCollation(sql.Collation_utf8mb4_bin)
	if err != nil || changed.(sql.TypeWithCollation).Collation() != sql.Collation_utf8mb4_bin {
		t.Errorf("%v, %v", changed, err)
	}
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A number with a far exponent becomes a DECIMAL without the digits that it would have.
func TestFarExponents(t *testing.T) {
	ctx := sql.NewEmptyContext()
	const number, few = "1e-100000", 20_000
	plain := types.MustCreateDecimalType(10, 2)
	if allocated(func() { _, _, _ = plain.Convert(ctx, number) }) < few {
		noLongerNeeded(t, "decimalconversion.go")
	}
	if n := allocated(func() { _, _, _ = Target(plain).Convert(ctx, number) }); n >= few {
		t.Errorf("%s takes %d bytes", number, n)
	}
}

// The order of many tables is not looked for among all orders.
func TestJoinOrder(t *testing.T) {
	provider := memory.NewDBProvider(memory.NewDatabase("d"))
	const few = 8 << 20
	query := "SELECT 1 FROM t t0"
	for i := range 9 {
		query += fmt.Sprintf(" JOIN t t%d ON t%d.a = t%d.a", i+1, i, i+1)
	}
	planned := func(ordered bool) uint64 {
		e := sqle.NewDefault(provider)
		defer func() { _ = e.Close() }()
		if ordered {
			if err := ReplaceRule(e.Analyzer, "optimizeJoins", func(r analyzer.Rule) []analyzer.Rule {
				return []analyzer.Rule{{Id: r.Id, Apply: JoinOrder(r.Apply)}}
			}); err != nil {
				t.Fatal(err)
			}
		}
		ctx := sql.NewContext(t.Context(), sql.WithSession(memory.NewSession(sql.NewBaseSession(), provider)))
		ctx.SetCurrentDatabase("d")
		_, rows, _, err := e.Query(ctx, "CREATE TABLE IF NOT EXISTS t (a INT PRIMARY KEY)")
		if err == nil {
			_, err = sql.RowIterToRows(ctx, rows)
		}
		if err != nil {
			t.Fatal(err)
		}
		return allocated(func() {
			if _, err := e.AnalyzeQuery(ctx, query); err != nil {
				t.Error(err)
			}
		})
	}
	if planned(false) < few {
		noLongerNeeded(t, "joinorder.go")
	}
	if n := planned(true); n >= few {
		t.Errorf("a join of ten tables takes %d bytes to plan", n)
	}
}

// A text that is compared with a time is read as far as a time can go.
func TestLongTextsBesideTimes(t *testing.T) {
	ctx := sql.NewEmptyContext()
	column := expression.NewGetField(0, types.Datetime, "t", false)
	allocations := func(length int, short bool) float64 {
		text := sql.Expression(expression.NewLiteral(strings.Repeat("1", length), types.LongText))
		if short {
			_, text, _ = shortTimes(ctx, column, text)
		}
		return testing.AllocsPerRun(1, func() {
			v, _ := text.Eval(ctx, nil)
			_, _, _ = types.Datetime.Convert(ctx, v)
		})
	}
	grows := func(short bool) bool { return allocations(2000, short) > allocations(1000, short)*3/2 }
	if !grows(false) {
		noLongerNeeded(t, "timetext.go")
	}
	if grows(true) {
		t.Error("a text of 2000 characters takes more than one of 1000")
	}
}
