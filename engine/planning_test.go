package engine

import (
	"context"
	databasesql "database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/catalog"
	"pfsd/tables"
)

// KILL and max_execution_time end a statement while it is planned, in whichever batch of the analyzer's rules it is.
func TestPlanningCanBeStopped(t *testing.T) {
	s, err := newServer(Options{Addr: "127.0.0.1:0", InitializeInsecure: true, ProcessorShare: -1, MaxRunningStatements: -1, LogError: t.TempDir() + "/error.log"}, tables.All())
	if err != nil {
		t.Fatal(err)
	}
	batches := s.handler.Engine.Analyzer.Batches
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

// heldStatistics and heldDatabases call a function before the planner is told of a table's rows, or of a database.
type heldStatistics struct {
	sql.StatsProvider
	before func(*sql.Context)
}

func (h heldStatistics) GetTableStats(ctx *sql.Context, db string, t sql.Table) ([]sql.Statistic, error) {
	h.before(ctx)
	return h.StatsProvider.GetTableStats(ctx, db, t)
}

func (h heldStatistics) GetStats(ctx *sql.Context, q sql.StatQualifier, columns []string) (sql.Statistic, bool) {
	h.before(ctx)
	return h.StatsProvider.GetStats(ctx, q, columns)
}

type heldDatabases struct {
	*catalog.Provider
	before func(*sql.Context)
}

func (h heldDatabases) Database(ctx *sql.Context, name string) (sql.Database, error) {
	if name == "parents" {
		h.before(ctx)
	}
	return h.Provider.Database(ctx, name)
}

// KILL and max_execution_time end a statement that go-mysql-server plans with a few rules of its own: one that reads or changes one table, or writes
// values.
func TestShortPlanningCanBeStopped(t *testing.T) {
	s, err := newServer(Options{Addr: "127.0.0.1:0", InitializeInsecure: true, ProcessorShare: -1, MaxRunningStatements: -1, LogError: t.TempDir() + "/error.log"}, tables.All())
	if err != nil {
		t.Fatal(err)
	}
	a := s.handler.Engine.Analyzer
	planned := make(chan struct{})
	hold := func(ctx *sql.Context) {
		if strings.Contains(ctx.Query(), "'held'") && ctx.Err() == nil {
			planned <- struct{}{}
			<-ctx.Done()
		}
	}
	for _, b := range a.Batches {
		b.Rules = append(b.Rules, analyzer.Rule{Id: -1001, Apply: func(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
			if strings.Contains(ctx.Query(), "'held'") {
				t.Errorf("%s is planned with all rules", ctx.Query())
			}
			return n, transform.SameTree, nil
		}})
	}
	a.Catalog.StatsProvider = heldStatistics{a.Catalog.StatsProvider, hold}
	a.Catalog.DbProvider = heldDatabases{a.Catalog.DbProvider.(*catalog.Provider), hold}
	r := serving(t, s)
	r.db = r.open(t, "")
	for _, q := range []string{
		"CREATE DATABASE parents", "CREATE TABLE parents.p (a INT PRIMARY KEY)", "INSERT INTO parents.p VALUES (1)",
		"CREATE DATABASE d", "CREATE TABLE d.t (a INT PRIMARY KEY, s VARCHAR(10))", "CREATE TABLE d.c (a INT PRIMARY KEY, s VARCHAR(10), FOREIGN KEY (a) REFERENCES parents.p (a))",
	} {
		r.exec(t, q)
	}
	killed, id := r.conn(t)
	timed, _ := r.conn(t)
	if _, err := timed.ExecContext(t.Context(), "SET max_execution_time = 50"); err != nil {
		t.Fatal(err)
	}
	run := func(c *databasesql.Conn, q string) chan error {
		ended := make(chan error, 1)
		go func() {
			_, err := count(context.Background(), c, q)
			ended <- err
		}()
		return ended
	}
	for _, q := range []string{
		"SELECT s, 'held' FROM d.t WHERE a = 1", "INSERT INTO d.c VALUES (1, 'held')", "REPLACE INTO d.c VALUES (1, 'held')", "UPDATE d.c SET s = 'held' WHERE a = 1",
		"DELETE FROM d.c WHERE s = 'held'",
	} {
		ended := run(killed, q)
		select {
		case <-planned:
		case err := <-ended:
			t.Fatalf("%s has not been held: %v", q, err)
		}
		r.exec(t, fmt.Sprintf("KILL QUERY %d", id))
		if got := code(<-ended); !strings.HasPrefix(got, "1317 70100 ") {
			t.Errorf("KILL QUERY of %s: %s", q, got)
		}
		if !strings.HasPrefix(q, "SELECT") {
			continue
		}
		ended = run(timed, q)
		select {
		case <-planned:
			err = <-ended
		case err = <-ended: // the time was over before
		}
		if got := code(err); !strings.HasPrefix(got, "3024 HY000 ") {
			t.Errorf("max_execution_time of %s: %s", q, got)
		}
	}
}

// KILL ends SHOW VARIABLES between two variables.
func TestShowVariablesCanBeStopped(t *testing.T) {
	needGeneralFunctions(t)
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
