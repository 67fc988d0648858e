package planning

import (
	"context"
	"errors"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends/mendtest"
)

var errKilled = errors.New("killed")

// killedAt is a context that is cancelled when it has been asked for the n-th time.
type killedAt struct {
	context.Context
	kill     context.CancelCauseFunc
	asked, n int
}

func (k *killedAt) Err() error {
	if k.asked++; k.asked == k.n {
		k.kill(errKilled)
	}
	return k.Context.Err()
}

// A statement that is killed while it is planned ends before the next rule, wherever it is.
func TestStopPlanning(t *testing.T) {
	provider := memory.NewDBProvider(memory.NewDatabase("d"))
	batches := map[string]bool{}
	applied := 0
	planned := func(stop bool, q string, n int) (*killedAt, error) {
		e := sqle.NewDefault(provider)
		defer func() { _ = e.Close() }()
		if stop {
			applied = 0
			for _, b := range e.Analyzer.Batches { // each has a rule at least
				b.Rules = append(b.Rules[:len(b.Rules):len(b.Rules)], analyzer.Rule{Id: -1, Apply: func(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
					batches[b.Desc] = true
					return n, transform.SameTree, nil
				}})
				for i, r := range b.Rules {
					b.Rules[i] = analyzer.Rule{Id: r.Id, Apply: func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
						applied++
						return r.Apply(ctx, a, n, scope, sel, flags)
					}}
				}
			}
			StopPlanning(e.Analyzer)
		}
		cancellable, kill := context.WithCancelCause(t.Context())
		defer kill(nil)
		k := &killedAt{Context: cancellable, kill: kill, n: n}
		ctx := sql.NewContext(k, sql.WithSession(memory.NewSession(sql.NewBaseSession(), provider)))
		ctx.SetCurrentDatabase("d")
		_, err := e.AnalyzeQuery(ctx, q)
		return k, err
	}
	const q = "SELECT a FROM (SELECT 1 AS a) t WHERE a IN (SELECT 1)"
	if _, err := planned(false, q, 1); err != nil {
		mendtest.NoLongerNeeded(t, "planning.go")
	}
	all, err := planned(true, q, 0)
	if err != nil {
		t.Fatal(err)
	}
	if batchCount := len(sqle.NewDefault(provider).Analyzer.Batches); len(batches) != batchCount || all.asked < 2*applied {
		t.Fatalf("%d of %d batches have been gone through, and %d rules, and the statement could end %d times", len(batches), batchCount, applied, all.asked)
	}
	last := -1
	for n := 1; n <= all.asked; n++ {
		k, err := planned(true, q, n)
		if !errors.Is(err, errKilled) || k.asked > n+1 {
			t.Errorf("killed at the look number %d of %d: %v, after %d looks", n, all.asked, err, k.asked)
		}
		if applied < last || applied > last+1 && last >= 0 {
			t.Errorf("killed at look %d: %d rules have been applied, at the one before %d", n, applied, last)
		}
		last = applied
	}
}
