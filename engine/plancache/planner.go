package plancache

import (
	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/planning"
	"pfsd/engine/processor"
	"pfsd/engine/rights"
)

// Planner plans statements, keeps their plans, and executes them. Safe for concurrent use.
//
// It keeps the plan of a text if the plan reads only tables of performance_schema, directly or
// through views of sys: nobody can change these tables or make others with these names. Plans of
// users' tables (values.go) serve other values, too.
type Planner struct {
	*Cache
	Engine *sqle.Engine
	// Auth checks the privileges that a kept plan needs.
	Auth sql.AuthorizationHandler
	// Definitions returns the version of users' tables and of what belongs to them.
	Definitions interface{ Version() uint64 }
	// Globals returns a number for the values of the global variables.
	Globals interface{ StateNumber() uint64 }
}

// Statement is a statement to execute. Owned by one goroutine.
type Statement struct {
	Query    string
	Parsed   ast.Statement // nil if Query is still to be parsed
	Bindings map[string]ast.Expr
	More     bool // another statement of the same command follows
	// key is the key of the plan. keep tells that the plan should be kept. kept is the kept plan
	// that the statement uses, nil if there is none.
	key  Key
	keep bool
	kept *Plan
	// values are the values of a statement whose plan should be kept for other values, nil if it
	// should not.
	values *keptValues
}

// Columns returns the packets that describe the columns of a kept plan to the client; nil if there
// are none yet.
func (s *Statement) Columns() []byte {
	if s.kept == nil {
		return nil
	}
	return s.kept.Columns
}

// Release returns the plan of a statement to the cache, if the statement is not executed.
func (p *Planner) Release(s *Statement) {
	if s.kept != nil {
		p.Put(s.kept, false)
	}
}

// Executes says that s is an EXECUTE, whose plan does not depend on its own text.
func (s *Statement) Executes() { s.keep, s.values = false, nil }

// mayKeep tells whether, in the present state of the session, the plan of a text may be kept, or a
// kept plan may be used.
func (p *Planner) mayKeep(c *Session, text string) bool {
	return p.IsOn() && len(text) <= TextMax && c.variables != nil && !c.locks.Restricted()
}

// keyOf returns the key for the plan of a text in the present state of the session.
func (p *Planner) keyOf(ctx *sql.Context, c *Session, kind Kind, text string) Key {
	return Key{Kind: kind, Text: text, Database: ctx.GetCurrentDatabase(), Values: c.variables.StateNumber(), Globals: p.Globals.StateNumber()}
}

// Parse sets s to the first statement of a text, with a kept plan if there is one. It returns the
// rest of the text. The text may have several statements if multi is true.
func (p *Planner) Parse(ctx *sql.Context, c *Session, text string, multi bool, s *Statement) (rest string, err error) {
	_, prepared := ctx.Session.GetPreparedQuery(text) // if a prepared statement has this name, go-mysql-server executes that
	if !prepared && p.mayKeep(c, text) {
		s.key = p.keyOf(ctx, c, TextKey, text)
		s.key.Multi = multi
		if p.parseShape(ctx, c, text, s) {
			return "", nil
		}
		if s.kept, s.keep = p.Take(s.key); s.kept != nil {
			s.Query, s.Parsed = s.kept.One, s.kept.Parsed
			return "", nil
		}
	}
	s.Parsed, s.Query, rest, err = p.Engine.Parser.Parse(ctx, text, multi)
	s.More = rest != ""
	return rest, err
}

// follow records how the plan of s is made. The returned function ends the recording. It keeps the
// plan if that is possible and the statement has ended without an error.
func (p *Planner) follow(ctx *sql.Context, c *Session, s Statement) (*record, Sent) {
	r := &record{database: s.key.Database, flags: new(sql.QueryFlags)}
	c.record = r
	return r, func(schema sql.Schema, columns []byte, err error) {
		c.record = nil
		if err != nil || r.unkeepable || r.node == nil {
			return
		}
		if weight, refused := keepable(ctx, r.node, virtualTable); refused == "" && weight <= WeightMax {
			p.Put(&Plan{
				Key: s.key, Parsed: s.Parsed, One: s.Query, Steps: r.steps, Uses: r.columns, Node: withFreshParts(ctx, r.node), Flags: r.flags, Schema: schema, Columns: columns, Weight: weight,
			}, true)
		}
	}
}

// Sent is called when the rows of a statement, of this schema, have been sent, or with an error if
// they cannot be sent. columns are the packets that described the columns to the client. The plan
// is used again only without an error.
type Sent func(schema sql.Schema, columns []byte, err error)

// Rows executes s, with a kept plan if it has one.
func (p *Planner) Rows(ctx *sql.Context, c *Session, s *Statement) (schema sql.Schema, rows sql.RowIter, sent Sent, err error) {
	if k := s.kept; k != nil {
		rows, ok, err := p.run(ctx, c, k)
		switch {
		case !ok: // a privilege is missing, or a table has changed
			s.kept, s.values = nil, nil
			p.Put(k, false)
			c.locks.Refused = nil
			if k.Key.Kind != PreparedKey {
				if s.Parsed, _, _, err = p.Engine.Parser.Parse(ctx, s.Query, k.Key.Multi); err != nil {
					return nil, nil, nil, err
				}
			}
		case err != nil:
			p.Drop(k)
			return nil, nil, nil, err
		default:
			return k.Schema, rows, p.whenSent(k), nil
		}
	}
	if s.values != nil {
		switch rows, ok, err := p.tryValues(ctx, c, s); {
		case err != nil:
			return nil, nil, nil, err
		case ok:
			return s.kept.Schema, rows, p.whenSent(s.kept), nil
		}
	}
	processor.WakeScheduler()
	flags, sent := &sql.QueryFlags{}, func(sql.Schema, []byte, error) {}
	if s.keep && !s.More && repeatable(s.Parsed) {
		var r *record
		r, sent = p.follow(ctx, c, *s)
		flags = r.flags
	}
	schema, rows, _, err = planning.Query(ctx, p.Engine, s.Query, s.Parsed, s.Bindings, flags, c.bound)
	if err != nil {
		sent(nil, nil, err)
	}
	return schema, rows, sent, err
}

// whenSent returns the function to call when the rows of a statement with plan k have been sent or
// cannot be sent.
func (p *Planner) whenSent(k *Plan) Sent {
	return func(_ sql.Schema, columns []byte, err error) {
		if err != nil {
			p.Drop(k)
			return
		}
		if k.Columns == nil {
			k.Columns = columns
		}
		p.Put(k, false)
	}
}

// run executes a kept plan, as QueryWithBindings of go-mysql-server does after planning. It reports
// false if the plan cannot be used: then only things have happened that happen again when another
// plan is made.
func (p *Planner) run(ctx *sql.Context, c *Session, k *Plan) (sql.RowIter, bool, error) {
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
	for i := range k.Steps {
		if step := &k.Steps[i]; step.Stage != nil {
			c.thread.StartStage(step.Stage)
		} else if err := p.Auth.HandleAuth(ctx, nil, step.Info); err != nil {
			return nil, false, nil
		}
	}
	if r := rights.Of(ctx); r.Partial() && r.AuthorizeUses(ctx, k.Uses) != nil {
		return nil, false, nil
	}
	if k.Key.Definitions != 0 && k.Key.Definitions != p.Definitions.Version() {
		return nil, false, nil // while this statement waited for a lock, another one has changed the definitions
	}
	node := k.executable(ctx)
	c.clauses, c.known = k.Clauses, true
	rows, err := p.Engine.Analyzer.ExecBuilder.Build(ctx, node, nil)
	c.clauses, c.known = nil, false
	if err == nil {
		var schema sql.Schema
		if rows, schema, err = k.Finish(ctx, node, rows); k.Schema == nil {
			k.Schema = schema // the schema of a write, which the node does not know
		}
		if k.Schema == nil {
			k.Schema = node.Schema(ctx)
		}
	}
	if err != nil && !ctx.GetIgnoreAutoCommit() {
		if autocommit, e := plan.IsSessionAutocommit(ctx); e == nil && autocommit {
			ctx.SetTransaction(nil)
		}
	}
	return rows, true, err
}
