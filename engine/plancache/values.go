package plancache

import (
	"errors"
	"slices"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/alldigits"
	"pfsd/engine/kept"
	"pfsd/engine/session"
	"pfsd/engine/settypes"
)

// Plans that serve other values. Their keys are texts with marks in place of values, or the texts
// of prepared statements. When such a key comes for the second time, two plans are made, with two
// sets of values in place of the real ones. If the plans differ only in these values, one of them
// is kept (package kept). If the plan does not serve a value, for example because it is out of a
// column's range, a plan is made for that value.

// parseShape finds a kept plan for the shape of a text, puts it into s and sets the plan's values
// to those of the text. It reports false if there is no plan that serves these values.
func (p *Planner) parseShape(ctx *sql.Context, c *Session, text string, s *Statement) bool {
	if c.users.HasTemporaries() || !c.shape.Read(text) {
		return false
	}
	key := s.key
	key.Kind, key.Text, key.Definitions = ShapeKey, string(c.shape.Key), p.Definitions.Version()
	k, again := p.Take(key)
	if k == nil {
		if again {
			s.values = &keptValues{key: key, classes: append([]kept.Class(nil), c.shape.Classes...), values: append([]any{}, c.shape.Values...)}
		}
		return false
	}
	if !k.Slots.Set(ctx, c.shape.Values) {
		p.Put(k, false)
		return false
	}
	s.kept, s.Query, s.Parsed = k, sql.RemoveSpaceAndDelimiter(text, ';'), k.Parsed
	return true
}

// keptValues are the values of a statement whose plan may be kept to serve others.
type keptValues struct {
	key      Key
	classes  []kept.Class
	values   []any
	uses     *kept.Uses
	trial    *kept.Trial
	bindings map[string]ast.Expr // of a prepared statement; nil for a text
	tree     ast.Statement       // of a prepared statement; nil for a text
}

// PreparedUses says how a prepared statement uses its values. Its own literals count as further
// values. The zero value belongs to a statement that has not been executed. Owned by the
// connection's goroutine.
type PreparedUses struct {
	*kept.Uses
	tree     ast.Statement
	literals []ast.Expr
	classes  []kept.Class // the classes of literals
	values   []any        // the values of literals
	failed   bool
	room     boundRoom
}

// boundRoom is memory that all executions of a prepared statement share.
type boundRoom struct {
	bindings map[string]ast.Expr
	values   keptValues
	text     []byte
	key      string // the last key, made from text
}

// StartBindings returns an empty map for the n values of an execution. Its contents are valid until
// EndBindings.
func (u *PreparedUses) StartBindings(n int) map[string]ast.Expr {
	if u == nil {
		return make(map[string]ast.Expr, n)
	}
	r := &u.room
	if r.bindings == nil {
		r.bindings = make(map[string]ast.Expr, n)
	}
	return r.bindings
}

// EndBindings clears the values of an execution, of which there were n.
func (u *PreparedUses) EndBindings(n int) {
	if u == nil {
		return
	}
	r := &u.room
	if clear(r.bindings); n > kept.MaxValues {
		r.bindings = nil // the map has grown
	}
	clear(r.values.values)
	if cap(r.text) > 2*TextMax {
		r.text = nil
	}
}

// parameterNames are the names of a prepared statement's parameters.
var parameterNames = func() (all [kept.MaxValues]string) {
	for i := range all {
		all[i] = "v" + strconv.Itoa(i+1)
	}
	return all
}()

// Prepared is a prepared statement: its text, its number of markers, how it uses its values, and
// its syntax tree, which is nil if the session has none.
type Prepared struct {
	Text    string
	Markers int
	Uses    *PreparedUses
	Tree    ast.Statement
}

// usesOf returns how prepared statement s uses its values.
func (p *Planner) usesOf(ctx *sql.Context, s *Prepared) *PreparedUses {
	u := s.Uses
	if u.Uses != nil || u.failed {
		return u
	}
	var err error
	if u.tree, _, _, err = p.Engine.Parser.Parse(ctx, s.Text, false); err != nil {
		u.failed = true
		return u
	}
	u.literals = kept.Literals(u.tree, s.Markers)
	for _, l := range u.literals {
		class, value := kept.Bound(l)
		u.classes, u.values = append(u.classes, class), append(u.values, value)
	}
	u.Uses = kept.Parameters(u.tree, s.Markers+len(u.literals))
	u.failed = slices.Contains(u.Free[s.Markers:], false)
	return u
}

// FindPrepared looks for a kept plan for s, which executes a prepared statement.
func (p *Planner) FindPrepared(ctx *sql.Context, c *Session, prepared Prepared, s *Statement) {
	if prepared.Tree == nil || !keepableKind(prepared.Tree) || !p.mayKeep(c, prepared.Text) || c.users.HasTemporaries() ||
		prepared.Markers != len(s.Bindings) || prepared.Markers > kept.MaxValues {
		return
	}
	u := p.usesOf(ctx, &prepared)
	if u.failed {
		return
	}
	key := p.keyOf(ctx, c, PreparedKey, "")
	room := &u.room
	v := &room.values
	*v = keptValues{bindings: s.Bindings, tree: u.tree, uses: u.Uses, classes: v.classes[:0], values: v.values[:0]}
	size := 0
	text := append(append(room.text[:0], prepared.Text...), 0)
	for i := range prepared.Markers {
		b := s.Bindings[parameterNames[i]]
		class, value := kept.Bound(b)
		if !u.Free[i] && class <= kept.Text {
			class, value = kept.Exact, nil
		}
		if t, ok := value.(string); ok {
			size += len(t) // the plan keeps the text until its next use
		}
		if text = append(text, byte(class)); class == kept.Exact {
			if b == nil {
				return
			}
			text = append(append(text, ast.String(b)...), 0)
		}
		v.classes, v.values = append(v.classes, class), append(v.values, value)
	}
	if len(text) > 2*TextMax || size > TextMax {
		return
	}
	v.classes, v.values = append(v.classes, u.classes...), append(v.values, u.values...)
	if room.text = text; room.key != string(text) {
		room.key = string(text)
	}
	key.Text, key.Definitions = room.key, p.Definitions.Version()
	v.key = key
	found, again := p.Take(key)
	switch {
	case found == nil:
		if again {
			s.values = v
		}
	case !found.Slots.Set(ctx, v.values):
		p.Put(found, false)
	default:
		s.kept = found
	}
}

// errNotKept is the reason why a plan does not serve other values, if there is none that is more
// exact.
var errNotKept error = kept.Refusal("it cannot be planned for other values, or what it does can be another the next time")

// tryValues makes a plan for statement s that serves other values, and executes it. It reports
// false if there is no such plan: then only things have happened that happen again when an ordinary
// plan is made.
func (p *Planner) tryValues(ctx *sql.Context, c *Session, s *Statement) (rows sql.RowIter, ok bool, err error) {
	v := s.values
	k, err := p.planFor(ctx, c, s)
	if err != nil {
		why := errNotKept // other errors contain values of the statement
		if refusal := (kept.Refusal("")); errors.As(err, &refusal) {
			why = refusal
		}
		p.Refuse(v.key, why.Error())
		return nil, false, nil
	}
	if p.Definitions.Version() != v.key.Definitions || !k.Slots.Set(ctx, v.values) {
		return nil, false, nil
	}
	rows, ok, err = p.run(ctx, c, k)
	if !ok {
		c.locks.Refused = nil
		return nil, false, nil
	}
	if err != nil {
		return nil, true, err
	}
	s.kept = k
	p.Lend(k)
	return rows, true, nil
}

// planFor makes a plan for statement s that serves other values.
func (p *Planner) planFor(ctx *sql.Context, c *Session, s *Statement) (k *Plan, err error) {
	defer func() {
		if r := recover(); r != nil { // the panic happens again, and is reported, when the ordinary plan is made
			k, err = nil, errNotKept
		}
	}()
	v := s.values
	warnings := len(ctx.Session.Warnings())
	v.trial = kept.NewTrial(v.classes, v.values)
	var plans [2]Plan
	for i := range plans {
		if plans[i], err = p.planTrial(ctx, c, s, i == 1); err != nil {
			return nil, err
		}
	}
	if len(ctx.Session.Warnings()) > warnings {
		return nil, errNotKept
	}
	k = &plans[0]
	weight, refused := keepable(ctx, k.Node, keepableTable)
	if refused != "" {
		return nil, kept.Refusal("its plan has " + refused)
	}
	if weight > WeightMax {
		return nil, kept.Refusal("its plan is large")
	}
	if k.Slots, err = kept.Find(ctx, k.Node, plans[1].Node, v.trial, v.uses); err != nil {
		return nil, err
	}
	k.Simple, k.Query = !k.Flags.IsSet(sql.QFlagTrigger) && endsSimply(ctx, k.Node), plan.GetQueryType(ctx, k.Node) == plan.QueryTypeSelect
	k.Key, k.Weight, k.Clauses = v.key, weight+len(v.key.Text)/TextUnit, session.ReadClauses(k.Parsed)
	return k, nil
}

// planTrial makes one of the two plans that are compared. It checks no privileges and shows no
// stages.
func (p *Planner) planTrial(ctx *sql.Context, c *Session, s *Statement, second bool) (k Plan, err error) {
	v := s.values
	query, b := s.Query, planbuilder.New(ctx, p.Engine.Analyzer.Catalog, p.Engine.EventScheduler)
	if k.Parsed = v.tree; v.key.Kind == PreparedKey {
		b.SetBindings(v.trial.StandIns(v.bindings, second))
	} else {
		query = sql.RemoveSpaceAndDelimiter(v.trial.StandIn(v.key.Text, second), ';')
		if k.Parsed, _, _, err = p.Engine.Parser.Parse(ctx, query, false); err != nil {
			return k, err
		}
		if !second {
			if v.uses = v.trial.Uses(k.Parsed); slices.Contains(v.uses.Free, false) {
				return k, kept.Refusal("a value stands where it cannot be another")
			}
		}
	}
	if !keepableKind(k.Parsed) || !repeatableParts(k.Parsed, true) {
		return k, errNotKept
	}
	r := &record{database: v.key.Database, flags: new(sql.QueryFlags), trial: true}
	c.record = r
	defer func() { c.record = nil }()
	bound, flags, err := b.BindOnly(k.Parsed, query, r.flags)
	if err != nil {
		return k, err
	}
	if !second {
		c.notePlan(ctx, bound)
	}
	if bound, err = settypes.Mended(ctx, bound); err != nil {
		return k, err
	}
	if bound, err = alldigits.WithAllDigits(ctx, bound); err != nil {
		return k, err
	}
	if k.Node, err = p.Engine.Analyzer.Analyze(ctx, bound, nil, flags); err != nil {
		return k, err
	}
	if r.unkeepable {
		return k, errNotKept
	}
	if k.Node, err = form(ctx, k.Node); err != nil {
		return k, err
	}
	k.Steps, k.Uses, k.Flags = r.steps, r.columns, flags
	return k, nil
}
