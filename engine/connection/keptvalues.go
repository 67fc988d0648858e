package connection

import (
	"errors"
	"slices"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/kept"
	"pfsd/engine/plancache"
)

// Plans that serve other values. Their keys are texts with marks for the values, or those of prepared statements. When such a key comes for the second
// time, plans are made with two sets of values that stand for the true ones; if they are the same but where these stand, one of them is kept
// (package kept). A value that the plan does not serve, as it is out of a column's range, has a plan of its own.

// parseShape makes statement s of a text whose plan serves other values, and reports whether there is one that serves its own.
func (h *Handler) parseShape(ctx *sql.Context, w *Work, text string, multi bool, s *statement) bool {
	if w.users.HasTemporaries() || !w.shape.Read(text) {
		return false
	}
	key := s.key
	key.Kind, key.Text, key.Definitions = plancache.ShapeKey, string(w.shape.Key), h.Tables.Version()
	p, again := h.Kept.Take(key)
	if p == nil {
		if again {
			s.values = &keptValues{key: key, classes: append([]kept.Class(nil), w.shape.Classes...), values: append([]any{}, w.shape.Values...)}
		}
		return false
	}
	if !p.Slots.Set(ctx, w.shape.Values) {
		h.Kept.Put(p, false)
		return false
	}
	s.kept, s.query = p, sql.RemoveSpaceAndDelimiter(text, ';')
	s.parsed = w.noteParsed(ctx, p.Parsed, s.query, nil)
	return true
}

// keptValues are the values of a statement whose plan may be kept to serve others.
type keptValues struct {
	key      plancache.Key
	classes  []kept.Class
	values   []any
	uses     *kept.Uses
	trial    *kept.Trial
	bindings map[string]ast.Expr // of a prepared statement
	tree     ast.Statement       // of a prepared statement
}

// preparedUses are how the values of a prepared statement are used, and the statement with its own literals as further ones.
type preparedUses struct {
	*kept.Uses
	tree     ast.Statement
	literals []ast.Expr
	classes  []kept.Class // of the literals
	values   []any        // of the literals
	failed   bool
	room     boundRoom
}

// boundRoom is memory that each execution of a prepared statement uses again.
type boundRoom struct {
	bindings map[string]ast.Expr
	values   keptValues
	text     []byte
	key      string // the last one that was made of text
}

// startBindings is an empty map for the n values of an execution, which are forgotten with endBindings.
func (p preparedStatement) startBindings(n int) map[string]ast.Expr {
	if p.uses == nil {
		return make(map[string]ast.Expr, n)
	}
	r := &p.uses.room
	if r.bindings == nil {
		r.bindings = make(map[string]ast.Expr, n)
	}
	return r.bindings
}

// endBindings forgets the values of an execution.
func (p preparedStatement) endBindings() {
	if p.uses == nil {
		return
	}
	r := &p.uses.room
	if clear(r.bindings); p.markers > kept.MaxValues {
		r.bindings = nil // it has grown
	}
	clear(r.values.values)
	if cap(r.text) > 2*plancache.TextMax {
		r.text = nil
	}
}

// parameterNames are the names of parameters.
var parameterNames = func() (all [kept.MaxValues]string) {
	for i := range all {
		all[i] = "v" + strconv.Itoa(i+1)
	}
	return all
}()

// usesOf are how the values of prepared statement p are used.
func (h *Handler) usesOf(ctx *sql.Context, p preparedStatement) *preparedUses {
	u := p.uses
	if u.Uses != nil || u.failed {
		return u
	}
	var err error
	if u.tree, _, _, err = h.Engine.Parser.Parse(ctx, p.text, false); err != nil {
		u.failed = true
		return u
	}
	u.literals = kept.Literals(u.tree, p.markers)
	for _, l := range u.literals {
		class, value := kept.Bound(l)
		u.classes, u.values = append(u.classes, class), append(u.values, value)
	}
	u.Uses = kept.Parameters(u.tree, p.markers+len(u.literals))
	u.failed = slices.Contains(u.Free[p.markers:], false)
	return u
}

// findPreparedPlan looks for a plan of the prepared statement s, which may be carried out with other values.
func (h *Handler) findPreparedPlan(ctx *sql.Context, w *Work, p preparedStatement, s *statement) {
	tree, prepared := ctx.Session.GetPreparedQuery(preparedKey(p.text))
	if !prepared || !plancache.KeepableKind(tree) || !h.mayKeep(w, p.text) || w.users.HasTemporaries() || p.markers != len(s.bindings) || p.markers > kept.MaxValues {
		return
	}
	u := h.usesOf(ctx, p)
	if u.failed {
		return
	}
	key := h.keyOf(ctx, w, plancache.PreparedKey, "")
	room := &u.room
	v := &room.values
	*v = keptValues{bindings: s.bindings, tree: u.tree, uses: u.Uses, classes: v.classes[:0], values: v.values[:0]}
	size := 0
	text := append(append(room.text[:0], p.text...), 0)
	for i := range p.markers {
		b := s.bindings[parameterNames[i]]
		class, value := kept.Bound(b)
		if !u.Free[i] && class <= kept.Text {
			class, value = kept.Exact, nil
		}
		if t, ok := value.(string); ok {
			size += len(t) // the plan keeps it until it is used again
		}
		if text = append(text, byte(class)); class == kept.Exact {
			if b == nil {
				return
			}
			text = append(append(text, ast.String(b)...), 0)
		}
		v.classes, v.values = append(v.classes, class), append(v.values, value)
	}
	if len(text) > 2*plancache.TextMax || size > plancache.TextMax {
		return
	}
	v.classes, v.values = append(v.classes, u.classes...), append(v.values, u.values...)
	if room.text = text; room.key != string(text) {
		room.key = string(text)
	}
	key.Text, key.Definitions = room.key, h.Tables.Version()
	v.key = key
	found, again := h.Kept.Take(key)
	switch {
	case found == nil:
		if again {
			s.values = v
		}
	case !found.Slots.Set(ctx, v.values):
		h.Kept.Put(found, false)
	default:
		s.kept = found
	}
}

// errNotKept says why a plan does not serve other values.
var errNotKept error = kept.Refusal("it cannot be planned for other values, or what it does can be another the next time")

// tryValues makes a plan for statement s that serves other values, and carries it out. It reports false if there is none; nothing has happened then that does not happen
// again with an ordinary one.
func (h *Handler) tryValues(ctx *sql.Context, w *Work, s *statement) (rows sql.RowIter, ok bool, err error) {
	v := s.values
	p, err := h.planFor(ctx, w, s)
	if err != nil {
		why := errNotKept // others' errors have values in them
		if refusal := (kept.Refusal("")); errors.As(err, &refusal) {
			why = refusal
		}
		h.Kept.Refuse(v.key, why.Error())
		return nil, false, nil
	}
	if h.Tables.Version() != v.key.Definitions || !p.Slots.Set(ctx, v.values) {
		return nil, false, nil
	}
	rows, ok, err = h.runKept(ctx, w, p)
	if !ok {
		w.Current.refused = nil
		return nil, false, nil
	}
	if err != nil {
		return nil, true, err
	}
	s.kept = p
	h.Kept.Lend(p)
	return rows, true, nil
}

// planFor makes a plan for statement s that serves other values.
func (h *Handler) planFor(ctx *sql.Context, w *Work, s *statement) (p *plancache.Plan, err error) {
	defer func() {
		if r := recover(); r != nil { // it is told of when the ordinary plan is made
			p, err = nil, errNotKept
		}
	}()
	v := s.values
	warnings := len(ctx.Session.Warnings())
	v.trial = kept.NewTrial(v.classes, v.values)
	var plans [2]plancache.Plan
	for i := range plans {
		if plans[i], err = h.planTrial(ctx, w, s, i == 1); err != nil {
			return nil, err
		}
	}
	if len(ctx.Session.Warnings()) > warnings {
		return nil, errNotKept
	}
	p = &plans[0]
	weight, refused := plancache.Keepable(ctx, p.Node, plancache.KeepableTable)
	if refused != "" {
		return nil, kept.Refusal("its plan has " + refused)
	}
	if weight > plancache.WeightMax {
		return nil, kept.Refusal("its plan is large")
	}
	if p.Slots, err = kept.Find(ctx, p.Node, plans[1].Node, v.trial, v.uses); err != nil {
		return nil, err
	}
	p.Simple, p.Query = !p.Flags.IsSet(sql.QFlagTrigger) && plancache.EndsSimply(ctx, p.Node), plan.GetQueryType(ctx, p.Node) == plan.QueryTypeSelect
	p.Key, p.Weight, p.Clauses = v.key, weight+len(v.key.Text)/plancache.TextUnit, lockClauses(p.Parsed)
	return p, nil
}

// planTrial makes one of the two plans that are compared. Nothing is asked for, nothing is seen of it.
func (h *Handler) planTrial(ctx *sql.Context, w *Work, s *statement, second bool) (p plancache.Plan, err error) {
	v := s.values
	query, b := s.query, planbuilder.New(ctx, h.Engine.Analyzer.Catalog, h.Engine.EventScheduler)
	if p.Parsed = v.tree; v.key.Kind == plancache.PreparedKey {
		b.SetBindings(v.trial.StandIns(v.bindings, second))
	} else {
		query = sql.RemoveSpaceAndDelimiter(v.trial.StandIn(v.key.Text, second), ';')
		if p.Parsed, _, _, err = h.Engine.Parser.Parse(ctx, query, false); err != nil {
			return p, err
		}
		if !second {
			if v.uses = v.trial.Uses(p.Parsed); slices.Contains(v.uses.Free, false) {
				return p, kept.Refusal("a value stands where it cannot be another")
			}
		}
	}
	if !plancache.KeepableKind(p.Parsed) || !plancache.RepeatableParts(p.Parsed, true) {
		return p, errNotKept
	}
	r := &planRecord{database: v.key.Database, flags: new(sql.QueryFlags), trial: true}
	w.record = r
	defer func() { w.record = nil }()
	bound, flags, err := b.BindOnly(p.Parsed, query, r.flags)
	if err != nil {
		return p, err
	}
	if p.Node, err = h.Engine.Analyzer.Analyze(ctx, bound, nil, flags); err != nil {
		return p, err
	}
	if r.unkeepable {
		return p, errNotKept
	}
	if p.Node, err = plancache.Form(ctx, p.Node); err != nil {
		return p, err
	}
	p.Steps, p.Flags = r.steps, flags
	return p, nil
}
