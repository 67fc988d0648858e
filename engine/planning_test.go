package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/tables"
)

// KILL and max_execution_time end a statement while it is planned, in whichever batch of the analyzer's rules it is.
func TestPlanningCanBeStopped(t *testing.T) {
	s, err := newServer(Options{Addr: "127.0.0.1:0", InitializeInsecure: true, ProcessorShare: -1, MaxRunningStatements: -1, LogError: t.TempDir() + "/error.log"}, tables.All())
	if err != nil {
		t.Fatal(err)
	}
	batches := s.events.h.engine.Analyzer.Batches
	planned := make(chan struct{}) // a statement is in the batch that it names
	for i, b := range batches {
		wait := func(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
			if strings.Contains(ctx.Query(), fmt.Sprintf("'batch %d'", i)) {
				planned <- struct{}{}
				<-ctx.Done()
			}
			return n, transform.SameTree, nil
		}
		b.Rules = append([]analyzer.Rule{{Id: -1001, Apply: wait}}, b.Rules...)
		if last := len(batches); i == last-1 {
			b.Rules = append(b.Rules, analyzer.Rule{Id: -1002, Apply: func(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
				if strings.Contains(ctx.Query(), fmt.Sprintf("'batch %d'", last)) {
					planned <- struct{}{}
					<-ctx.Done()
				}
				return n, transform.SameTree, nil
			}})
		}
	}
	r := serving(t, s)
	r.db = r.open(t, "")
	killed, id := r.conn(t)
	timed, _ := r.conn(t)
	if _, err := timed.ExecContext(t.Context(), "SET max_execution_time = 50"); err != nil {
		t.Fatal(err)
	}
	for i := range len(batches) + 1 {
		q := fmt.Sprintf("SELECT 'batch %d' FROM performance_schema.threads a JOIN performance_schema.threads b USING (THREAD_ID)", i)
		ended := make(chan error, 1)
		go func() {
			_, err := count(context.Background(), killed, q)
			ended <- err
		}()
		select {
		case <-planned:
		case err := <-ended:
			t.Fatalf("%s has ended before batch %d: %v", q, i, err)
		}
		r.exec(t, fmt.Sprintf("KILL QUERY %d", id))
		if got := code(<-ended); !strings.HasPrefix(got, "1317 70100 ") {
			t.Errorf("KILL QUERY in batch %d: %s", i, got)
		}
		go func() {
			_, err := count(context.Background(), timed, q)
			ended <- err
		}()
		select {
		case <-planned:
			err = <-ended
		case err = <-ended: // the time was over before
		}
		if got := code(err); !strings.HasPrefix(got, "3024 HY000 ") {
			t.Errorf("max_execution_time in batch %d: %s", i, got)
		}
	}
}

// KILL ends SHOW VARIABLES between two variables.
func TestShowVariablesCanBeStopped(t *testing.T) {
	r := serve(t, Options{})
	c, id := r.conn(t)
	const q = "SHOW VARIABLES WHERE BENCHMARK(100000, 1) = 1"
	ended := make(chan error, 1)
	go func() {
		_, err := count(context.Background(), c, q)
		ended <- err
	}()
	eventually(t, "it runs", func() bool { return len(ended) > 0 || r.command(id) == "Query" })
	r.exec(t, fmt.Sprintf("KILL QUERY %d", id))
	if got := code(<-ended); !strings.HasPrefix(got, "1317 ") {
		t.Errorf("%s: %s", q, got)
	}
}
