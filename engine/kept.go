package engine

import (
	"cmp"
	"hash/maphash"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/compat"
	"pfsd/engine/kept"
	"pfsd/engine/processor"
	"pfsd/engine/secrets"
	"pfsd/engine/sysschema"
	"pfsd/engine/vtable"
	"pfsd/instr"
	"pfsd/tables"
)

// Plans of statements that come again are kept: making one takes ten times as long as reading a short table.
//
// A plan is kept if it depends on nothing but what its key has. Its functions are some that say the same for the same arguments. What the making
// of a plan does besides is done again each time, in the same order: the privileges are asked for, the tables are locked, and the stages
// begin. One statement at a time uses a plan.
//
// The plan of a text is kept if its tables are those of performance_schema, which nobody can change, read by themselves or through views of sys; nobody
// can make other tables of these names. Plans of users' tables, in keptvalues.go, serve other values, too.

// keptKey is what a plan depends on.
type keptKey struct {
	kind           planKey
	text, database string
	values         uint64 // of the session's variables
	globals        uint64 // of the global ones
	definitions    uint64 // of users' tables and what belongs to them; 0 where a plan has none
	multi          bool   // the text may have several statements
}

// planKey is what the text of a key is.
type planKey uint8

const (
	textKey         planKey = iota // a statement's
	shapeKey                       // the same with marks for values
	preparedStmtKey                // a prepared statement's, and the classes of its values
)

// keptPlan is the plan of a statement. Owned by the statement that uses it.
type keptPlan struct {
	key    keptKey
	parsed ast.Statement
	one    string // the text without what ends it
	steps  []planStep
	node   sql.Node
	flags  *sql.QueryFlags
	schema sql.Schema
	// columns are what the client is told of them, as packets.
	columns []byte
	weight  int // how many nodes and expressions it has
	// simple tells that it has nothing to be closed but its rows, and query that it is one.
	simple, query bool
	slots         *kept.Slots
	clauses       []lockClause // its FOR UPDATE and FOR SHARE
	entry         *keptEntry   // that counts it
}

// planStep is what the making of a plan does besides: it asks for something, or begins a stage.
type planStep struct {
	info  ast.AuthInformation
	stage *instr.StageClass // nil if it asks
}

const (
	keptTextMax   = 4 << 10 // bytes of a text
	keptWeightMax = 4_000   // of one plan
	// keptTotalMax bounds the weight of all plans, and with it what they take: some 300 bytes each.
	keptTotalMax = 20_000
	// keptCopies is how many statements with one key can have a plan at once.
	keptCopies = 32
	// keptTextUnit is how many bytes of a text weigh as much as a node.
	keptTextUnit = 256
	// seenSets and seenWays say how many texts are remembered that had no plan: a plan is kept when its text comes again.
	seenSets, seenWays = 256, 4
)

// keptPlans are the plans that a server keeps. Safe for concurrent use.
type keptPlans struct {
	seed   maphash.Seed
	mu     sync.Mutex
	plans  map[keptKey]*keptEntry     // guarded by mu
	total  int                        // guarded by mu; weight
	clock  uint64                     // guarded by mu; counts uses
	seen   [seenSets][seenWays]uint64 // guarded by mu; hashes of texts, those of a set the latest first
	uses   uint64                     // guarded by mu
	misses uint64                     // guarded by mu
	off    atomic.Bool                // none is kept
}

// keptEntry is what is known of a key.
type keptEntry struct {
	refused string // why no plan can be kept, "" if one can
	idle    []*keptPlan
	copies  int // idle or in use
	uses    uint64
	weight  int
	used    uint64 // when it was used last, by the clock
}

func newKeptPlans() *keptPlans {
	return &keptPlans{seed: maphash.MakeSeed(), plans: map[keptKey]*keptEntry{}}
}

// take returns a plan for a key, nil if there is none. Without one, again tells whether the text has come before.
func (k *keptPlans) take(key keptKey) (p *keptPlan, again bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.plans[key]; e != nil {
		k.clock++
		e.used = k.clock
		if n := len(e.idle); n > 0 {
			k.uses++
			e.uses++
			p = e.idle[n-1]
			e.idle = e.idle[:n-1]
			return p, true
		}
		return nil, e.copies < keptCopies && e.refused == ""
	}
	k.misses++
	h := maphash.String(k.seed, key.text) + uint64(key.kind)
	set := &k.seen[h%seenSets]
	at := slices.Index(set[:], h)
	again = at >= 0
	if !again {
		at = seenWays - 1
	}
	copy(set[1:at+1], set[:at])
	set[0] = h
	return nil, again
}

// lend keeps a new plan that is in use.
func (k *keptPlans) lend(p *keptPlan) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keep(p)
}

// keep keeps a new plan; mu is held. It reports false if there are enough.
func (k *keptPlans) keep(p *keptPlan) bool {
	e := k.plans[p.key]
	if e == nil {
		e = &keptEntry{}
		k.plans[p.key] = e
	}
	if e.copies == keptCopies {
		return false
	}
	p.entry = e
	e.copies++
	e.weight += p.weight
	k.total += p.weight
	k.clock++
	e.used = k.clock
	k.shrink()
	return true
}

// put gives a plan back, or a new one to be kept.
func (k *keptPlans) put(p *keptPlan, fresh bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if fresh && !k.keep(p) {
		return
	}
	if e := k.plans[p.key]; e != nil && e == p.entry { // it was not too much in the meantime
		k.clock++
		e.used = k.clock
		e.idle = append(e.idle, p)
	}
}

// refuse notes that no plan can be kept for a key, and why.
func (k *keptPlans) refuse(key keptKey, why string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.plans[key] == nil {
		k.clock++
		weight := 2 + len(key.text)/keptTextUnit
		k.plans[key] = &keptEntry{refused: why, weight: weight, used: k.clock}
		k.total += weight
	}
	k.shrink()
}

// drop forgets a plan whose statement has failed.
func (k *keptPlans) drop(p *keptPlan) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.plans[p.key]; e != nil && e == p.entry {
		e.copies--
		e.weight -= p.weight
		k.total -= p.weight
		if e.copies == 0 {
			delete(k.plans, p.key)
		}
	}
}

// rows are what the table plan_cache shows.
func (k *keptPlans) rows(tables.Key) (all []tables.PlanCacheRow) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, e := range k.plans {
		text, _, _ := strings.Cut(key.text, "\x00") // what follows are the classes of values
		all = append(all, tables.PlanCacheRow{
			Kind: [...]string{"TEXT", "SHAPE", "PREPARED"}[key.kind], Schema: key.database, Statement: secrets.Hide(text),
			Plans: uint64(e.copies), Hits: e.uses, Refused: e.refused,
		})
	}
	return all
}

// forget forgets all plans.
func (k *keptPlans) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.plans)
	clear(k.seen[:])
	k.total = 0
}

// status adds the status variables.
func (k *keptPlans) status(l *statusList) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var plans, refused uint64
	for _, e := range k.plans {
		plans += uint64(e.copies)
		if e.refused != "" {
			refused++
		}
	}
	l.number("Plan_cache_hits", k.uses)
	l.number("Plan_cache_misses", k.misses)
	l.number("Plan_cache_plans", plans)
	l.number("Plan_cache_refused_statements", refused)
}

// shrink forgets what has not been used for the longest time if there is too much: a quarter, so that it is not looked for each time; mu is held.
func (k *keptPlans) shrink() {
	if k.total <= keptTotalMax {
		return
	}
	keys := slices.SortedFunc(maps.Keys(k.plans), func(a, b keptKey) int { return cmp.Compare(k.plans[a].used, k.plans[b].used) })
	for _, key := range keys {
		if k.total <= keptTotalMax*3/4 {
			break
		}
		k.total -= k.plans[key].weight
		delete(k.plans, key)
	}
}

// planRecord follows the making of a plan, to keep it. Owned by one goroutine.
type planRecord struct {
	database string // the session's
	flags    *sql.QueryFlags
	steps    []planStep
	node     sql.Node
	spoiled  bool // the plan depends on more than its key
	// trial tells that the plan is only looked at: what its making asks for is noted and not asked.
	trial bool
}

// askedFor notes that the making of a plan asks for something.
func (w *work) askedFor(ctx *sql.Context, info ast.AuthInformation) {
	r := w.record
	if r == nil || r.node != nil {
		return
	}
	if ctx.GetCurrentDatabase() != r.database {
		r.spoiled = true
	}
	if info.AuthType == ast.AuthType_CREATE_VIEW { // the SQL engine begins a view as if it was made
		return
	}
	if set, _ := ctx.Session.GetPrivilegeSet(); set != nil {
		// A view with somebody else's rights: those are another's to ask.
		if w.rights.AccessIn(ctx, info) != w.rights.Access() {
			r.spoiled = true
		}
	}
	r.steps = append(r.steps, planStep{info: info})
}

// entersStage notes that the making of a plan begins a stage, and tells whether it is seen.
func (w *work) entersStage(stage *instr.StageClass) bool {
	r := w.record
	if r != nil && r.node == nil {
		r.steps = append(r.steps, planStep{stage: stage})
	}
	return r == nil || !r.trial
}

// readsView notes the text of a view that the statement reads, as it has been parsed.
func (w *work) readsView(s ast.Statement) {
	r := w.record
	if r == nil {
		return
	}
	ddl, ok := s.(*ast.DDL)
	if !ok || ddl.ViewSpec == nil || !repeatable(ddl.ViewSpec.ViewExpr) {
		r.spoiled = true
	}
}

// mayKeep tells whether the plan of a text may be kept, or one that was be used, as the session is now.
func (h *handler) mayKeep(w *work, text string) bool {
	return !h.kept.off.Load() && len(text) <= keptTextMax && w.variables != nil && w.program == nil && !w.locks.Restricted()
}

// keyOf is the key for the plan of a text, as the session is now.
func (h *handler) keyOf(ctx *sql.Context, w *work, kind planKey, text string) keptKey {
	return keptKey{
		kind: kind, text: text, database: ctx.GetCurrentDatabase(), values: w.variables.StateNumber(), globals: h.variables.StateNumber(),
	}
}

// parse makes statement s of the first one in a text, with the plan that was kept of it if there is one. It returns the others.
func (h *handler) parse(ctx *sql.Context, w *work, text string, multi bool, s *statement) (rest string, err error) {
	_, prepared := ctx.Session.GetPreparedQuery(text) // the SQL engine takes the text for its name
	if !prepared && h.mayKeep(w, text) {
		s.key = h.keyOf(ctx, w, textKey, text)
		s.key.multi = multi
		if h.parseShape(ctx, w, text, multi, s) {
			return "", nil
		}
		if s.kept, s.keep = h.kept.take(s.key); s.kept != nil {
			s.query, s.parsed = s.kept.one, w.parsed(ctx, s.kept.parsed, s.kept.one, nil)
			return "", nil
		}
	}
	s.parsed, s.query, rest, err = h.engine.Parser.Parse(ctx, text, multi)
	s.parsed = w.parsed(ctx, s.parsed, s.query, err)
	s.more = rest != ""
	return rest, err
}

// follow has the making of the plan of s followed. The returned function ends that, and keeps the plan if it can be kept and
// err, how the statement has ended, is nil.
func (h *handler) follow(ctx *sql.Context, w *work, s statement) (*planRecord, func(schema sql.Schema, columns []byte, err error)) {
	r := &planRecord{database: s.key.database, flags: new(sql.QueryFlags)}
	w.record = r
	return r, func(schema sql.Schema, columns []byte, err error) {
		w.record = nil
		if err != nil || r.spoiled || r.node == nil {
			return
		}
		if weight, refused := keepable(ctx, r.node, virtualTable); refused == "" && weight <= keptWeightMax {
			h.kept.put(&keptPlan{
				key: s.key, parsed: s.parsed, one: s.query, steps: r.steps, node: anew(ctx, r.node), flags: r.flags, schema: schema, columns: columns, weight: weight,
			}, true)
		}
	}
}

// planned notes which plan the statement has.
func (r *planRecord) planned(ctx *sql.Context, n sql.Node) {
	if r != nil && r.node == nil {
		r.node = n
		r.spoiled = r.spoiled || len(ctx.Session.Warnings()) > 0 // which the making of the plan has raised
	}
}

// rowsOf has s carried out, with a plan that was kept if it has one. The returned function is called when the rows have been sent, or
// cannot be for the reason err: the plan is used again if they have.
func (h *handler) rowsOf(ctx *sql.Context, w *work, s *statement) (schema sql.Schema, rows sql.RowIter, sent func(schema sql.Schema, columns []byte, err error), err error) {
	if p := s.kept; p != nil {
		rows, ok, err := h.repeat(ctx, w, p)
		switch {
		case !ok: // the privileges are not what they were for others, or the tables are not
			s.kept, s.values = nil, nil
			h.kept.put(p, false)
			w.statement.refused = nil
			if p.key.kind != preparedStmtKey {
				if s.parsed, _, _, err = h.engine.Parser.Parse(ctx, s.query, p.key.multi); err != nil {
					return nil, nil, nil, err
				}
			}
		case err != nil:
			h.kept.drop(p)
			return nil, nil, nil, err
		default:
			return p.schema, rows, h.givesBack(p), nil
		}
	}
	if s.values != nil {
		switch rows, ok, err := h.tryValues(ctx, w, s); {
		case err != nil:
			return nil, nil, nil, err
		case ok:
			return s.kept.schema, rows, h.givesBack(s.kept), nil
		}
	}
	processor.WakeScheduler()
	flags, sent := &sql.QueryFlags{}, func(sql.Schema, []byte, error) {}
	if s.keep && !s.more && repeatable(s.parsed) {
		var r *planRecord
		r, sent = h.follow(ctx, w, *s)
		flags = r.flags
	}
	schema, rows, _, err = h.engine.QueryWithBindings(ctx, s.query, s.parsed, s.bindings, flags)
	if err != nil {
		sent(nil, nil, err)
	}
	return schema, rows, sent, err
}

// givesBack returns what is called when the rows of a statement have been sent, or cannot be: its plan is used again if they have.
func (h *handler) givesBack(p *keptPlan) func(sql.Schema, []byte, error) {
	return func(_ sql.Schema, columns []byte, err error) {
		if err != nil {
			h.kept.drop(p)
			return
		}
		if p.columns == nil {
			p.columns = columns
		}
		h.kept.put(p, false)
	}
}

// repeat carries out a plan that was kept: what QueryWithBindings of the SQL engine does, but for the making of the plan. It
// reports false if the plan cannot be used, and nothing has happened that does not happen again with another one.
func (h *handler) repeat(ctx *sql.Context, w *work, p *keptPlan) (sql.RowIter, bool, error) {
	if ctx.GetTransaction() == nil {
		if s, ok := ctx.Session.(sql.TransactionSession); ok {
			tx, err := s.StartTransaction(ctx, sql.ReadWrite)
			if err != nil {
				return nil, true, err
			}
			ctx.SetTransaction(tx)
		}
	}
	ctx.ClearWarnings()
	for i := range p.steps {
		if step := &p.steps[i]; step.stage != nil {
			w.thread.StartStage(step.stage)
		} else if err := (authorizer{catalog: h.engine.Analyzer.Catalog}).HandleAuth(ctx, nil, step.info); err != nil {
			return nil, false, nil
		}
	}
	if p.key.definitions != 0 && p.key.definitions != h.tables.Version() {
		return nil, false, nil // it has waited for a statement that has changed them
	}
	w.statement.clauses, w.statement.clausesKnown = p.clauses, true
	node := anew(ctx, p.node)
	rows, err := h.engine.Analyzer.ExecBuilder.Build(ctx, node, nil)
	if err == nil {
		var schema sql.Schema
		if rows, schema, err = p.finishes(ctx, node, rows); p.schema == nil {
			p.schema = schema // of a write, which the node does not know
		}
		if p.schema == nil {
			p.schema = node.Schema(ctx)
		}
	}
	if err != nil && !ctx.GetIgnoreAutoCommit() {
		if autocommit, e := plan.IsSessionAutocommit(ctx); e == nil && autocommit {
			ctx.SetTransaction(nil)
		}
	}
	return rows, true, err
}

// repeatable tells whether statement s reads tables, and nothing that may be another the next time: no variable, no function but some
// that depend on their arguments alone.
func repeatable(s ast.Statement) bool {
	if show, ok := s.(*ast.Show); ok {
		return strings.EqualFold(show.Type, "processlist")
	}
	sel, ok := s.(*ast.Select)
	if !ok || sel.Into != nil || sel.Lock != nil && sel.Lock.Type != "" || sel.QueryOpts.SQLCalcFoundRows {
		return false
	}
	return repeatableParts(s, false)
}

// repeatableParts tells whether the parts of a statement say the same each time, parameters if they may have any.
func repeatableParts(s ast.Statement, parameters bool) bool {
	ok := true
	err := ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Select:
			ok = ok && n.Into == nil && (parameters || n.Lock == nil || n.Lock.Type == "")
		case *ast.ColName:
			ok = ok && !strings.HasPrefix(n.Name.String(), "@") && !strings.HasPrefix(n.Qualifier.Name.String(), "@")
		case *ast.FuncExpr:
			name := n.Name.Lowered()
			if n.Qualifier.String() != "" {
				name = strings.ToLower(n.Qualifier.String()) + "." + name
			}
			ok = ok && repeatableFunctions[name] && (!strings.HasPrefix(name, "sys.") || ofColumns(n))
		case *ast.SQLVal:
			ok = ok && (parameters || n.Type != ast.ValArg)
		case *ast.AndExpr, *ast.OrExpr, *ast.NotExpr, *ast.ParenExpr, *ast.ComparisonExpr, *ast.RangeCond, *ast.IsExpr, *ast.NullVal, ast.BoolVal,
			ast.ValTuple, *ast.Subquery, *ast.BinaryExpr, *ast.UnaryExpr, *ast.CaseExpr:
		case ast.Expr:
			ok = false
		case *ast.With:
			ok = ok && n == nil
		case *ast.JSONTableExpr, *ast.ValuesStatement, *ast.SetOp:
			ok = false
		}
		return ok, nil
	}, s)
	return ok && err == nil
}

// repeatableFunctions are those that a statement may call whose plan is kept. The arguments alone decide what each of them says.
var repeatableFunctions = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range []string{
		"count", "sum", "avg", "min", "max", "if", "ifnull", "nullif", "coalesce", "concat", "replace", "lower", "upper",
		"format_bytes", "format_pico_time", "round", "sys.format_bytes", "sys.format_time", "sys.format_path", "sys.format_statement",
		// What the engine itself puts into a statement.
		"sum exact", "avg exact", "text of", "number of", "as compared", " like ", "case of", sysschema.DeclaredName,
		"+", "-", "*", "/", " div ", "%", "-x",
		// With a window.
		"row_number", "rank", "dense_rank",
	} {
		all[name] = true
	}
	return all
}()

// ofColumns tells whether a function is called with columns: those of sys look at more than their arguments when they are called, which must not be when a plan is made.
func ofColumns(f *ast.FuncExpr) (found bool) {
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		_, column := n.(*ast.ColName)
		found = found || column
		return !found, nil
	}, f.Exprs)
	return found
}

// keepable tells whether a plan keeps nothing of a time it was carried out, and has no tables but those that may be in it. The weight is how many
// nodes and expressions it has; what is a part that it cannot have, "" if there is none.
func keepable(ctx *sql.Context, n sql.Node, may func(sql.Table) bool) (weight int, what string) {
	refuse := func(part string) {
		if what == "" {
			what = part
		}
	}
	var walk func(n sql.Node)
	walk = func(n sql.Node) {
		weight++
		switch n := n.(type) {
		case *plan.ResolvedTable:
			if n.Name() != plan.DualTableName && !may(n.Table) {
				refuse("table " + n.Name())
			}
		case *plan.IndexedTableAccess:
			if !may(n.Table) {
				refuse("table " + n.Name())
			}
		case *plan.SubqueryAlias:
			if n.IsLateral || !n.Correlated.Empty() {
				refuse("a derived table that depends on others")
			}
			walk(n.Child)
			return
		case *plan.InsertInto:
			walk(n.Source)
		}
		if name := reflect.TypeOf(n).String(); !keptNodes[name] {
			refuse(name)
		}
		if e, is := n.(sql.Expressioner); is {
			for _, e := range e.Expressions() {
				transform.InspectExpr(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
					weight++
					if e == nil {
						return true
					}
					if name := reflect.TypeOf(compat.Unlimited(e)).String(); !keptExpressions[name] {
						refuse(name)
					}
					return what != ""
				})
			}
		}
		for _, c := range n.Children() {
			if what == "" {
				walk(c)
			}
		}
	}
	walk(n)
	return weight, what
}

// virtualTable tells whether a table is one of performance_schema.
func virtualTable(t sql.Table) bool {
	_, virtual := sql.GetUnderlyingTable(t).(*vtable.Table)
	return virtual
}

// anew returns plan n with new ones for those of its parts that keep rows while they are carried out. What has none of them below it is
// n's own.
func anew(ctx *sql.Context, n sql.Node) sql.Node {
	switch n := n.(type) {
	case *plan.CachedResults:
		return plan.NewCachedResults(anew(ctx, n.Child), plan.NewCachedResultsManager())
	case *plan.HashLookup:
		lookup := *n
		lookup.Child, lookup.Mutex, lookup.Lookup = anew(ctx, n.Child), new(sync.Mutex), nil
		return &lookup
	case *plan.SubqueryAlias:
		if child := anew(ctx, n.Child); child != n.Child {
			return n.WithChild(child)
		}
		return n
	}
	children, other := n.Children(), false
	for i, c := range children {
		if copied := anew(ctx, c); copied != c {
			if !other {
				children, other = slices.Clone(children), true
			}
			children[i] = copied
		}
	}
	if !other {
		return n
	}
	copied, err := n.WithChildren(ctx, children...)
	if err != nil {
		panic("engine: " + err.Error()) // as many as it had
	}
	return copied
}

// keptNodes and keptExpressions are the parts of plans that keep nothing while they are carried out, as a test says.
var (
	keptNodes = setOf("*plan.Project", "*plan.Filter", "*plan.Having", "*plan.ResolvedTable", "*plan.IndexedTableAccess", "*plan.TableAlias",
		"*plan.Limit", "*plan.Offset", "*plan.TopN", "*plan.Sort", "*plan.GroupBy", "*plan.JoinNode",
		"*plan.Window", "*plan.Distinct", "*plan.Update", "*plan.UpdateSource", "*compat.Stored", "*plan.DeleteFrom", "*plan.InsertInto", "*plan.InsertDestination", "*plan.Values", "*plan.RowUpdateAccumulator", "*plan.CachedResults", "*plan.HashLookup", "*plan.ShowProcessList")
	keptExpressions = setOf("*expression.GetField", "*expression.Literal", "*expression.Alias", "*expression.And", "*expression.Or", "*expression.Not",
		"*expression.IsNull", "*expression.Equals", "*expression.GreaterThan", "*expression.GreaterThanOrEqual", "*expression.LessThan",
		"*expression.LessThanOrEqual", "*expression.Star", "*expression.Like", "*function.If", "*function.NullIf", "*function.Concat", "*function.Replace", "*function.Coalesce", "*function.Round",
		"*aggregation.Count", "*aggregation.Max", "*aggregation.Min", "*compat.Sum", "*compat.Arithmetic", "*compat.chosen", "*compat.exactFunction",
		"*expression.AutoIncrement", "*expression.Between", "*expression.Arithmetic", "*expression.Wrapper", "*sql.ColumnDefaultValue", "*expression.SetField", "*compat.Call", "*compat.nullIf", "*compat.weight", "*compat.storedValue", "*window.RowNumber", "*sysschema.typedColumn", "*functions.nativeFunction", "*sysschema.call", "expression.Tuple")
)

func setOf(names ...string) map[string]bool {
	all := map[string]bool{}
	for _, name := range slices.Compact(names) {
		all[name] = true
	}
	return all
}
