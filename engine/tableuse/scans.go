package tableuse

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/executor"
	"pfsd/engine/explain/gmsplan"
	"pfsd/engine/planning"
	"pfsd/engine/stages"
	"pfsd/engine/usertables"
	"pfsd/instr"
)

// Scans are how a plan reads its tables and what it keeps in between, in the terms of MySQL's
// counters. Some of these stay 0, for what they count does not exist here; docs/differences.md
// says why. Owned by one goroutine.
type Scans struct {
	scan, fullJoin, ranges, rangeJoin uint64
	sortScan, sortRange               uint64
	tmp                               uint64 // tables of rows that are kept in between
	noIndex                           bool
	write                             bool // it is an UPDATE or DELETE of one table, which is no SELECT
	long                              []longScan
	// targets are the tables that are updated or deleted from.
	targets []usertables.StoredTable
}

// longScan is a node of a plan that reads a table of many rows, once.
type longScan struct {
	node sql.Node
	rows uint64 // of the table, which is at least as many as are read
}

// block is what is known of the part of a plan that is one SELECT.
type block struct {
	tables    *Tables
	forUpdate bool // the statement is SELECT ... FOR UPDATE
	inner     bool // it is carried out for rows of another
	joined    bool // it has a table
	byRange   bool // its first table is read by ranges of an index
}

// beside is a block that is carried out as often as b.
func (b *block) beside() *block {
	return &block{tables: b.tables, forUpdate: b.forUpdate, inner: b.inner}
}

// within is a block that is carried out for rows of b.
func (b *block) within() *block {
	return &block{tables: b.tables, forUpdate: b.forUpdate, inner: true}
}

// None tells whether there is nothing that AddTo adds besides NoIndexUsed.
func (p *Scans) None() bool {
	return p.scan|p.fullJoin|p.ranges|p.rangeJoin|p.sortScan|p.sortRange|p.tmp == 0
}

// AddTo adds to a statement's counters.
func (p *Scans) AddTo(counters *[instr.StatementCounterCount]uint64) {
	counters[instr.SelectScan] += p.scan
	counters[instr.SelectFullJoin] += p.fullJoin
	counters[instr.SelectRange] += p.ranges
	counters[instr.SelectFullRangeJoin] += p.rangeJoin
	counters[instr.SortScan] += p.sortScan
	counters[instr.SortRange] += p.sortRange
	counters[instr.CreatedTmpTables] += p.tmp
	if p.noIndex {
		counters[instr.NoIndexUsed]++
	}
}

// Read takes in plan n, which is about to be carried out, and opens its tables among ts; forUpdate tells that the statement is SELECT ...
// FOR UPDATE.
func (p *Scans) Read(ctx *sql.Context, ts *Tables, forUpdate bool, n sql.Node) {
	p.node(ctx, n, &block{tables: ts, forUpdate: forUpdate})
}

// node takes in a node, which is part of block b, in one case for each kind of nodes.
func (p *Scans) node(ctx *sql.Context, n sql.Node, b *block) {
	switch n := n.(type) {
	case *plan.DescribeQuery:
		if n.Format.Analyze {
			p.node(ctx, n.Child, b)
		}
		return
	case *plan.SubqueryAlias:
		p.node(ctx, n.Child, b.beside())
		return
	case *plan.TriggerExecutor:
		p.node(ctx, n.Left(), b) // what the trigger reads, its statements count
		return
	case *planning.Triggered:
		p.node(ctx, n.Child, b)
		return
	case *plan.SetOp:
		p.node(ctx, n.Left(), b.beside())
		p.node(ctx, n.Right(), b.beside())
		if n.Distinct || n.SetOpType != plan.UnionType {
			p.tmp++
		}
		if len(n.SortFields) > 0 {
			p.sortScan++
		}
		return
	case *plan.GroupBy:
		if len(n.GroupByExprs) > 0 {
			p.tmp++
		}
	case *plan.Distinct, *plan.Window, *plan.RecursiveCte, *plan.CachedResults:
		p.tmp++
	case *plan.ResolvedTable:
		if n.Name() != plan.DualTableName {
			p.table(ctx, b, n, n.Table, gmsplan.FullScan)
		}
		return
	case *plan.IndexedTableAccess:
		p.table(ctx, b, n, n.Table, gmsplan.AccessOf(ctx, n))
		return
	case *plan.InsertInto:
		p.node(ctx, n.Source, b)
		return
	case *plan.TableCopier:
		p.node(ctx, n.Source, b)
		return
	case *plan.Update:
		p.write = true
		if t := tableBelow(n.Child); t != nil {
			p.target(t)
		} else if t, err := plan.GetUpdatable(n.Child); err == nil {
			p.target(t)
		}
	case *plan.DeleteFrom:
		p.write = true
		for _, target := range n.GetDeleteTargets() {
			if t, err := plan.GetDeletable(target); err == nil {
				p.target(t)
			}
		}
	case *plan.UpdateJoin:
		p.write = false
		for _, target := range n.UpdateTargets {
			if t, err := plan.GetUpdatable(target); err == nil {
				p.target(t)
			}
		}
	}
	for _, c := range n.Children() {
		p.node(ctx, c, b)
	}
	switch n.(type) {
	case *plan.Sort, *plan.TopN:
		if b.byRange {
			p.sortRange++
		} else {
			p.sortScan++
		}
	}
	e, ok := n.(sql.Expressioner)
	if !ok {
		return
	}
	for _, e := range e.Expressions() {
		if !transform.InspectExpr(ctx, e, isSubquery) {
			continue
		}
		sql.Inspect(ctx, e, func(ctx *sql.Context, e sql.Expression) bool {
			switch e := e.(type) {
			case *plan.InSubquery:
				if s, ok := e.RightChild.(*plan.Subquery); ok && s.CanCacheResults() {
					p.tmp++
				}
			case *plan.Subquery:
				p.node(ctx, e.Query, b.within())
				return false
			}
			return true
		})
	}
}

// tableBelow is the table that the rows of n come from, if nodes are between that an UPDATE of one table has; else nil.
func tableBelow(n sql.Node) sql.Table {
	for {
		switch m := n.(type) {
		case *plan.UpdateSource:
			n = m.Child
		case *executor.Stored:
			n = m.Child
		case *plan.Filter:
			n = m.Child
		case *plan.Sort:
			n = m.Child
		case *plan.Limit:
			n = m.Child
		case *plan.IndexedTableAccess:
			n = m.TableNode
		case *plan.ResolvedTable:
			return m.Table
		default:
			return nil
		}
	}
}

// isSubquery tells whether an expression is a subquery or has one.
func isSubquery(_ *sql.Context, e sql.Expression) bool {
	switch e.(type) {
	case *plan.Subquery, *plan.InSubquery, *plan.ExistsSubquery:
		return true
	}
	return false
}

// target notes that rows of a table are updated or deleted.
func (p *Scans) target(t sql.Table) {
	if _, joined := t.(sql.Node); joined {
		if h, ok := t.(*plan.ForeignKeyHandler); ok {
			t = h.Table
		}
	}
	if m := usertables.Stored(t); m != nil {
		p.targets = append(p.targets, m)
	}
}

// writes tells whether rows of a table are updated or deleted.
func (p *Scans) writes(t usertables.StoredTable) bool {
	return slices.ContainsFunc(p.targets, func(o usertables.StoredTable) bool { return o.Name() == t.Name() && o.Database() == t.Database() })
}

// table takes in the next table of block b, which node n reads.
func (p *Scans) table(ctx *sql.Context, b *block, n sql.Node, t sql.Table, r gmsplan.Access) {
	if m := usertables.Stored(t); m != nil && !usertables.IsTemporary(m) {
		b.tables.Use(ctx, n, m, b.forUpdate || !b.inner && p.writes(m))
	}
	first := !b.joined
	b.joined = true
	if first && !b.inner && r != gmsplan.ValueLookUp {
		if rows := stages.RowsOf(ctx, t); rows >= stages.LongRows {
			p.long = append(p.long, longScan{n, rows})
		}
	}
	if first {
		b.byRange = r == gmsplan.RangeScan
	}
	if r == gmsplan.FullScan {
		p.noIndex = true
	}
	if p.write {
		return
	}
	switch {
	case r == gmsplan.FullScan && first:
		p.scan++
	case r == gmsplan.FullScan:
		p.fullJoin++
	case r == gmsplan.RangeScan && first:
		p.ranges++
	case r == gmsplan.RangeScan:
		p.rangeJoin++
	}
}

// Long tells whether node n reads a table of many rows, and how many rows the table has.
func (p *Scans) Long(n sql.Node) (rows uint64, ok bool) {
	for _, s := range p.long {
		if s.node == n {
			return s.rows, true
		}
	}
	return 0, false
}
