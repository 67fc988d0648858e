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

// killedAt is a context that the n-th call of Err cancels.
type killedAt struct {
	context.Context
	kill     context.CancelCauseFunc
	calls, n int // calls of Err so far, and the call that cancels the context
}

func (k *killedAt) Err() error {
	if k.calls++; k.calls == k.n {
		k.kill(errKilled)
	}
	return k.Context.Err()
}

// A statement that is killed while go-mysql-server plans it ends before the next rule, in every
// batch of rules.
func TestStopPlanning(t *testing.T) {
	provider := memory.NewDBProvider(memory.NewDatabase("d"))
	batches := map[string]bool{}
	applied := 0
	planned := func(stop bool, q string, n int) (*killedAt, error) {
		e := sqle.NewDefault(provider)
		defer func() { _ = e.Close() }()
		if stop {
			applied = 0
			for _, b := range e.Analyzer.Batches { // add a rule, so that no batch is empty
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
	if batchCount := len(sqle.NewDefault(provider).Analyzer.Batches); len(batches) != batchCount || all.calls < 2*applied {
		t.Fatalf("the analyzer has applied %d of %d batches, with %d rules, and checked %d times whether the statement must end", len(batches), batchCount, applied, all.calls)
	}
	last := -1
	for n := 1; n <= all.calls; n++ {
		k, err := planned(true, q, n)
		if !errors.Is(err, errKilled) || k.calls > n+1 {
			t.Errorf("killed at check %d of %d: %v, after %d checks", n, all.calls, err, k.calls)
		}
		if applied < last || applied > last+1 && last >= 0 {
			t.Errorf("killed at check %d: the analyzer has applied %d rules; at the check before: %d", n, applied, last)
		}
		last = applied
	}
}
