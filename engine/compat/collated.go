package compat

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// go-mysql-server: the text that a function makes has the type of a text whose collation is
// utf8mb4_0900_bin, which is also its default, whatever it is made of; sorts, groups and comparisons
// of such texts are by bytes. MySQL: it has a collation, that of what it is made of or that of the
// connection.

// collationOf is the collation of the texts of e; false if they have the one that their type says.
func collationOf(ctx *sql.Context, e sql.Expression) (sql.CollationID, bool) {
	if a, ok := e.(*expression.Alias); ok {
		e = a.Child
	}
	if !byDefault(e.Type(ctx)) {
		return 0, false
	}
	if f, ok := e.(*expression.GetField); ok {
		return connectionCollation(ctx), f.Database() == "" // a column of a derived table
	}
	c, _ := coercibilityOf(ctx, e)
	if c == sql.Collation_Unspecified || c == sql.Collation_Default {
		c = connectionCollation(ctx)
	}
	return c, c != sql.Collation_Default && c != sql.Collation_binary
}

// coercibilityOf is the collation of e and how strong that is.
//
// go-mysql-server: functions are made without a context, and many panic when they are asked for a collation without one. MySQL: they have one.
func coercibilityOf(ctx *sql.Context, e sql.Expression) (sql.CollationID, byte) {
	if ctx == nil {
		ctx = sql.NewEmptyContext()
	}
	return sql.GetCoercibility(ctx, e)
}

// byDefault tells whether t is a text type that may have got its collation from nothing.
func byDefault(t sql.Type) bool {
	s, ok := t.(sql.StringType)
	return ok && types.IsTextOnly(t) && s.Collation() == sql.Collation_Default
}

// withCollation is the type t of a text, with a collation.
func withCollation(t sql.Type, c sql.CollationID) sql.Type {
	if own, ok := t.(sql.TypeWithCollation); ok {
		if changed, err := own.WithNewCollation(c); err == nil {
			return changed
		}
	}
	return types.CreateLongText(c) // a system variable's
}

// keySchema is the schema of rows of these expressions, to tell rows apart by.
func keySchema(ctx *sql.Context, expressions []sql.Expression) sql.Schema {
	schema := make(sql.Schema, len(expressions))
	for i, e := range expressions {
		schema[i] = &sql.Column{Type: e.Type(ctx)}
		if c, ok := collationOf(ctx, e); ok {
			schema[i].Type = withCollation(schema[i].Type, c)
		}
	}
	return schema
}

// rowSchema is the schema of a node's rows, to tell rows apart by.
func rowSchema(ctx *sql.Context, schema sql.Schema) sql.Schema {
	own := make(sql.Schema, len(schema))
	for i, column := range schema {
		own[i] = column
		if byDefault(column.Type) && column.DatabaseSource == "" {
			own[i] = &sql.Column{Type: withCollation(column.Type, connectionCollation(ctx))}
		}
	}
	return own
}

// withCollations are the sides of a comparison of texts with the collations that they have.
func withCollations(ctx *sql.Context, left, right sql.Expression) (l, r sql.Expression, changed bool) {
	if !types.IsTextOnly(left.Type(ctx)) || !types.IsTextOnly(right.Type(ctx)) {
		return left, right, false
	}
	if c, ok := collationOf(ctx, left); ok {
		left, changed = newCollated(left, c), true
	}
	if c, ok := collationOf(ctx, right); ok {
		right, changed = newCollated(right, c), true
	}
	return left, right, changed
}

// SortFields are fields to sort by, with the collations that their texts have; DECIMALs may be texts, as in a UNION with those. A sort
// by them ends when the statement is to end. They belong to one goroutine.
func SortFields(ctx *sql.Context, fields sql.SortFields) sql.SortFields {
	if !sortCollations.On() {
		return fields
	}
	if len(fields) == 0 {
		return fields
	}
	own := append(sql.SortFields{}, fields...)
	for i, f := range own {
		if c, ok := collationOf(ctx, f.Column); ok {
			own[i].Column = newCollated(f.Column, c)
		} else if t, ok := f.Column.Type(ctx).(types.DecimalType_); ok {
			own[i].Column = &decimalSort{expression.UnaryExpressionStub{Child: f.Column}, decimalTarget{t}}
		}
	}
	own[0].Column = &pacedKey{UnaryExpressionStub: expression.UnaryExpressionStub{Child: own[0].Column}}
	return own
}

// pacedKey is the first of the values that rows are sorted by. Owned by one goroutine.
//
// go-mysql-server: does not ask while it sorts whether the statement has been killed. MySQL: does.
type pacedKey struct {
	expression.UnaryExpressionStub
	asked uint
}

// pacedKeys is how often a key is asked for between two moments at which the sort can be stopped.
const pacedKeys = 256

// Eval implements sql.Expression.
func (p *pacedKey) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if p.asked++; p.asked%pacedKeys == 0 {
		if err := Pace(ctx, pacedKeys); err != nil {
			return nil, err
		}
	}
	return p.Child.Eval(ctx, row)
}

// Type implements sql.Expression.
func (p *pacedKey) Type(ctx *sql.Context) sql.Type { return p.Child.Type(ctx) }

// String implements sql.Expression.
func (p *pacedKey) String() string { return p.Child.String() }

// WithChildren implements sql.Expression.
func (p *pacedKey) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(p, len(children), 1)
	}
	return &pacedKey{UnaryExpressionStub: expression.UnaryExpressionStub{Child: children[0]}}, nil
}

// collated is a text with a collation. Safe for concurrent use.
type collated struct {
	expression.UnaryExpressionStub
	collation sql.CollationID
}

func newCollated(child sql.Expression, c sql.CollationID) *collated {
	return &collated{expression.UnaryExpressionStub{Child: child}, c}
}

var (
	_ sql.Expression         = (*collated)(nil)
	_ sql.CollationCoercible = (*collated)(nil)
)

// Eval implements sql.Expression.
func (c *collated) Eval(ctx *sql.Context, row sql.Row) (any, error) { return c.Child.Eval(ctx, row) }

// Type implements sql.Expression.
func (c *collated) Type(ctx *sql.Context) sql.Type {
	return withCollation(c.Child.Type(ctx), c.collation)
}

// CollationCoercibility implements sql.CollationCoercible.
func (c *collated) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	_, coercibility := coercibilityOf(ctx, c.Child)
	return c.collation, coercibility
}

// String implements sql.Expression.
func (c *collated) String() string { return c.Child.String() }

// WithChildren implements sql.Expression.
func (c *collated) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 1)
	}
	return newCollated(children[0], c.collation), nil
}

// connectionCollation is collation_connection; the default one where no session is known, as while the SQL engine makes expressions.
func connectionCollation(ctx *sql.Context) sql.CollationID {
	if ctx == nil || ctx.Session == nil {
		return sql.Collation_Default
	}
	return ctx.GetCollation()
}
