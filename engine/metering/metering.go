package metering

import (
	"io"
	"math"
	"reflect"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
	"pfsd/engine/executor"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/nodes"
	"pfsd/engine/usertables"
)

// Meter charges the rows that the statements of a connection keep: it knows which nodes are going to be built next, and what is to be
// done with their rows. Owned by the connection's goroutine.
type Meter struct {
	account *budget.Connection
	memory  *charge.Memory
	// assigned charges the user variables that a node has set.
	assigned func(*sql.Context) error
	nodes    []expectation
	// lasting are nodes that are built again and again.
	lasting map[sql.Node]func(rows sql.RowIter) sql.RowIter
	// wrapped is a node that is being built and whose rows are taken care of, built one whose children are, too.
	wrapped, built sql.Node
}

// New makes the meter of a connection, which has account; memory are the instruments of what statements keep, and assigned charges the
// user variables that a node has set.
func New(account *budget.Connection, memory *charge.Memory, assigned func(*sql.Context) error) Meter {
	return Meter{account: account, memory: memory, assigned: assigned}
}

// expectation is a node that is going to be built, and what is to be done with its rows.
type expectation struct {
	node sql.Node
	with func(rows sql.RowIter) sql.RowIter
}

// add says what is to be done with the rows of a node.
func (e *Meter) add(n sql.Node, with func(rows sql.RowIter) sql.RowIter) {
	if isPointer(n) {
		e.nodes = append(e.nodes, expectation{n, with})
	}
}

// addLasting is add of a node that is built again and again.
func (e *Meter) addLasting(n sql.Node, with func(rows sql.RowIter) sql.RowIter) {
	if !isPointer(n) {
		return
	}
	if e.lasting == nil {
		e.lasting = map[sql.Node]func(rows sql.RowIter) sql.RowIter{}
	}
	e.lasting[n] = with
}

// take returns what is to be done with the rows of n, nil for nothing.
func (e *Meter) take(n sql.Node) func(rows sql.RowIter) sql.RowIter {
	for i := len(e.nodes) - 1; i >= 0; i-- {
		if e.nodes[i].node == n { // which is a pointer: add makes sure of it
			with := e.nodes[i].with
			e.nodes = append(e.nodes[:i], e.nodes[i+1:]...)
			return with
		}
	}
	if len(e.lasting) == 0 || !isPointer(n) {
		return nil
	}
	return e.lasting[n]
}

// isPointer tells whether n can be the key of a map.
func isPointer(n sql.Node) bool { return reflect.TypeOf(n).Kind() == reflect.Pointer }

// Forget drops what is expected of all nodes: a statement begins.
func (e *Meter) Forget() { e.nodes, e.lasting, e.wrapped, e.built = e.nodes[:0], nil, nil, nil }

// Bytes that something takes which keeps rows, for each of them, besides the row.
const (
	sortEntry   = 32 // its place in a slice that has grown
	windowEntry = 32 // the same, and its place in the input
	hashEntry   = 72 // its place in a map and in a list of rows with the same key
	hashOnly    = 40 // a hash in a map
	cacheEntry  = 32
	writeEntry  = 96 // its place in a map under its key
)

// Builder builds the nodes of a plan. Safe for concurrent use.
type Builder interface {
	// Executor builds a node and asks the meter about it again.
	Executor() nodes.Executor
	// BuildNode builds a node without the meter.
	BuildNode(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error)
}

// Build builds n, which is part of the connection's statement, and has it charged what is kept of its children's rows and its own.
func (e *Meter) Build(ctx *sql.Context, b Builder, n sql.Node, row sql.Row) (sql.RowIter, error) {
	switch {
	case e.built == n:
		e.built = nil
		return b.BuildNode(ctx, n, row)
	case e.wrapped == n:
		e.wrapped = nil
	case len(e.nodes)+len(e.lasting) > 0:
		if with := e.take(n); with != nil {
			e.wrapped = n
			rows, err := b.Executor().Build(ctx, n, row)
			if err != nil {
				return nil, err
			}
			return with(rows), nil
		}
	}
	mark := len(e.nodes)
	own, err := e.expect(ctx, n)
	if err != nil {
		return nil, err
	}
	var rows sql.RowIter
	if own != nil {
		e.built = n
		rows, err = b.Executor().Build(ctx, n, row)
	} else {
		rows, err = b.BuildNode(ctx, n, row)
	}
	if (rows != nil || err != nil) && len(e.nodes) > mark {
		e.nodes = e.nodes[:mark] // who has built n did without them
	}
	if own == nil || err != nil {
		return rows, err
	}
	metered, err := own(rows)
	if err != nil {
		_ = rows.Close(ctx)
		return nil, err
	}
	return metered, nil
}

// expect notes what is going to be kept of the rows of the children of n, and returns what is to be done with those of n itself. It is one case for each
// kind of nodes that keep rows.
func (e *Meter) expect(ctx *sql.Context, n sql.Node) (own func(rows sql.RowIter) (sql.RowIter, error), err error) {
	account, m := e.account.Statement(), e.memory
	switch n := n.(type) {
	case *plan.Sort:
		e.add(n.Child, func(rows sql.RowIter) sql.RowIter {
			return charge.NewRows(rows, account.NewHold(m.Sort), sortEntry, false)
		})
	case *plan.TopN:
		limit, err := iters.GetInt64Value(ctx, n.Limit)
		if err != nil {
			return nil, err
		}
		if limit < 0 {
			limit = math.MaxInt64
		}
		e.add(n.Child, func(rows sql.RowIter) sql.RowIter {
			return charge.NewTop(rows, account.NewHold(m.Sort), limit, sortEntry)
		})
	case *plan.Window:
		e.add(n.Child, func(rows sql.RowIter) sql.RowIter {
			return charge.NewRows(rows, account.NewHold(m.Cached), windowEntry, false)
		})
	case *plan.HashLookup:
		if n.Lookup != nil || executor.HashesSubquery(ctx, n) {
			break
		}
		hold := account.KeyedHold(n, m.Join)
		if _, kept := n.Child.(*plan.CachedResults); kept { // whose rows are charged already
			e.add(n.Child, func(rows sql.RowIter) sql.RowIter { return charge.NewEntries(rows, hold, hashEntry) })
			break
		}
		e.add(n.Child, func(rows sql.RowIter) sql.RowIter { return charge.NewRows(rows, hold, hashEntry, true) })
	case *plan.CachedResults:
		if n.NoCache || n.Finalized || n.GetCachedResults() != nil {
			break
		}
		hold := account.KeyedHoldToEnd(cachedKey{n.Manager, n.Id}, m.Cached)
		e.add(n.Child, func(rows sql.RowIter) sql.RowIter {
			return &cachedRows{RowIter: charge.NewRows(rows, hold, cacheEntry, true), hold: hold}
		})
	case *plan.JoinNode:
		return e.expectJoin(ctx, n), nil
	case *plan.RecursiveCte:
		return e.expectRecursion(n), nil
	case *plan.Concat:
		e.add(n.Left(), func(rows sql.RowIter) sql.RowIter {
			return charge.NewEntries(rows, account.NewHold(m.Groups), hashOnly)
		})
	case *plan.Into:
		e.add(n.Child, func(rows sql.RowIter) sql.RowIter {
			return charge.NewRows(rows, account.NewHold(m.Cached), sortEntry, true)
		})
		return e.chargingAssigned(ctx), nil
	case *plan.LoadData:
		return e.chargingAssigned(ctx), nil
	case *plan.Block, *plan.BeginEndBlock:
		for _, child := range n.Children() {
			e.add(child, func(rows sql.RowIter) sql.RowIter {
				return charge.NewRows(rows, account.NewHold(m.Cached), sortEntry, true)
			})
		}
	case *plan.InsertInto:
		if !inStore(n) {
			expectWritten(e, n.Source, account, m)
		}
	case *plan.Update:
		if !inStore(n) {
			expectWritten(e, n.Child, account, m)
		}
	case *plan.UpdateJoin: // go-mysql-server keeps the rows that it has seen
		expectWritten(e, n.Child, account, m)
	case *plan.DeleteFrom:
		if !inStore(n) {
			expectWritten(e, n.Child, account, m)
		}
	case *plan.JSONTable:
		hold := account.KeyedHold(n, m.JSON)
		return func(rows sql.RowIter) (sql.RowIter, error) {
			if t, ok := rows.(*executor.JSONTableRows); ok {
				return rows, hold.Charge(charge.Size(t.Document()))
			}
			return rows, nil
		}, nil
	case *plan.ResolvedTable:
		if db := n.SqlDatabase; db != nil && db.Name() == sql.InformationSchemaDatabaseName {
			hold := account.KeyedHold(n, m.Schema)
			return func(rows sql.RowIter) (sql.RowIter, error) {
				return &schemaRows{charge.NewRows(rows, hold, sortEntry, true), hold}, nil
			}, nil
		}
	}
	return nil, nil
}

// chargingAssigned has the user variables charged that a node has set when its rows have been made.
func (e *Meter) chargingAssigned(ctx *sql.Context) func(rows sql.RowIter) (sql.RowIter, error) {
	return func(rows sql.RowIter) (sql.RowIter, error) { return rows, e.assigned(ctx) }
}

// inStore tells whether a statement writes to a table of users, whose rows are in files when they are many.
func inStore(n sql.Node) bool {
	t := mysqlerr.WrittenTable(n)
	if t == nil {
		return false
	}
	_, is := sql.GetUnderlyingTable(t.Table).(usertables.StoredTable)
	return is
}

// expectWritten has the rows metered that a statement writes to other tables: these keep them apart until the statement ends.
func expectWritten(e *Meter, n sql.Node, account *budget.Statement, m *charge.Memory) {
	if _, values := n.(*plan.Values); values {
		return // which are part of the statement
	}
	e.add(n, func(rows sql.RowIter) sql.RowIter {
		return charge.NewRows(rows, account.NewHold(m.Written), writeEntry, true)
	})
}

// expectJoin is expect of a join that keeps rows otherwise than in a HashLookup.
func (e *Meter) expectJoin(ctx *sql.Context, n *plan.JoinNode) func(rows sql.RowIter) (sql.RowIter, error) {
	account, m := e.account.Statement(), e.memory
	switch {
	case n.Op.IsMerge():
		columns := mergeColumns(ctx, n)
		e.add(n.Right(), func(rows sql.RowIter) sql.RowIter {
			return charge.NewRuns(rows, account.NewHold(m.Join), columns)
		})
	case n.Op.IsRange():
		heap, ok := n.Right().(*plan.RangeHeap)
		if !ok {
			break
		}
		hold := account.NewHold(m.Join)
		e.addLasting(heap.Child, func(rows sql.RowIter) sql.RowIter { return charge.NewRows(rows, hold, sortEntry, true) })
		return func(rows sql.RowIter) (sql.RowIter, error) {
			return &ending{rows, func() {
				delete(e.lasting, heap.Child)
				hold.Drop()
			}}, nil
		}
	case n.Op.IsFullOuter():
		hold := account.NewHold(m.Join)
		return func(rows sql.RowIter) (sql.RowIter, error) { return charge.NewEntries(rows, hold, 2*hashOnly), nil }
	}
	return nil
}

// mergeColumns are the places, among the columns of the right side of a merge join, of those that it is ordered by.
func mergeColumns(ctx *sql.Context, n *plan.JoinNode) (columns []int) {
	left := len(n.Left().Schema(ctx))
	filters := expression.SplitConjunction(ctx, n.Filter)
	if len(filters) == 0 {
		return nil
	}
	sql.Inspect(ctx, filters[0], func(_ *sql.Context, e sql.Expression) bool {
		if f, ok := e.(*expression.GetField); ok {
			for i, c := range n.Right().Schema(ctx) {
				if c.Name == f.Name() && c.Source == f.Table() && f.Index() >= left {
					columns = append(columns, i)
				}
			}
		}
		return true
	})
	return columns
}

// AddRule lets the analyzer, once it is done with a plan, have its subqueries charge what they keep; id is the number of the rule.
func AddRule(a *analyzer.Analyzer, id analyzer.RuleId) {
	last := a.Batches[len(a.Batches)-1]
	last.Rules = append(slices.Clip(last.Rules), analyzer.Rule{Id: id, Apply: func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if !flags.SubqueryIsSet() {
			return n, transform.SameTree, nil
		}
		return charge.Subqueries(ctx, n, a.ExecBuilder)
	}})
}

// cachedKey tells the rows apart that a statement keeps to read them again.
type cachedKey struct {
	manager *plan.CachedResultsManager
	id      uint64
}

// cachedRows are rows that are kept once all have been read, and forgotten if they are closed before. Owned by one goroutine.
type cachedRows struct {
	sql.RowIter
	hold *budget.Hold
	all  bool
}

// Next implements sql.RowIter.
func (c *cachedRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := c.RowIter.Next(ctx)
	c.all = c.all || err == io.EOF
	return row, err
}

// Close implements sql.RowIter.
func (c *cachedRows) Close(ctx *sql.Context) error {
	if !c.all {
		c.hold.Release()
	}
	return c.RowIter.Close(ctx)
}

// schemaRows are rows that are all made before the first one is read. Owned by one goroutine.
type schemaRows struct {
	sql.RowIter
	hold *budget.Hold
}

// Close implements sql.RowIter.
func (s *schemaRows) Close(ctx *sql.Context) error {
	s.hold.Release()
	return s.RowIter.Close(ctx)
}

// ending are rows with something to be done when they are closed. Owned by one goroutine.
type ending struct {
	sql.RowIter
	end func()
}

// Close implements sql.RowIter.
func (e *ending) Close(ctx *sql.Context) error {
	e.end()
	return e.RowIter.Close(ctx)
}

// recursion is what a recursive CTE keeps: the rows that it makes, those that it makes them from, and the hashes of all if it
// tells them apart. Owned by one goroutine.
type recursion struct {
	sql.RowIter
	now, before, hashes *budget.Hold
	end                 func()
}

// expectRecursion is expect of a recursive CTE. Its first part is built once, its second one each time that it has made rows.
func (e *Meter) expectRecursion(n *plan.RecursiveCte) func(rows sql.RowIter) (sql.RowIter, error) {
	account, m := e.account.Statement(), e.memory
	r := &recursion{now: account.NewHold(m.Cached), before: account.NewHold(m.Cached), hashes: account.NewHold(m.Cached)}
	r.end = func() {
		delete(e.lasting, n.Left())
		delete(e.lasting, n.Right())
	}
	e.addLasting(n.Left(), func(rows sql.RowIter) sql.RowIter { return charge.NewRows(rows, r.now, cacheEntry, true) })
	e.addLasting(n.Right(), func(rows sql.RowIter) sql.RowIter {
		if len(n.Union().SortFields) == 0 { // or else all rows are kept
			r.before.Release()
			r.now, r.before = r.before, r.now
		}
		return charge.NewRows(rows, r.now, cacheEntry, true)
	})
	distinct := n.Union().Distinct
	return func(rows sql.RowIter) (sql.RowIter, error) {
		if r.RowIter = rows; distinct {
			r.RowIter = charge.NewEntries(rows, r.hashes, hashOnly)
		}
		return r, nil
	}
}

// Close implements sql.RowIter.
func (r *recursion) Close(ctx *sql.Context) error {
	r.end()
	for _, h := range []*budget.Hold{r.now, r.before, r.hashes} {
		h.Drop()
	}
	return r.RowIter.Close(ctx)
}
