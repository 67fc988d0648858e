package executor

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/collations"
	"pfsd/engine/mends"
	"pfsd/engine/sqlvalue"
)

// keySchema returns the schema of rows of these expressions, with the collations that compare them.
func keySchema(ctx *sql.Context, expressions []sql.Expression) sql.Schema {
	schema := make(sql.Schema, len(expressions))
	for i, e := range expressions {
		schema[i] = &sql.Column{Type: e.Type(ctx)}
		if c, ok := collations.Of(ctx, e); ok {
			schema[i].Type = collations.With(schema[i].Type, c)
		}
	}
	return schema
}

// rowSchema returns the schema of a node's rows, with the collations that compare them.
func rowSchema(ctx *sql.Context, schema sql.Schema) sql.Schema {
	own := make(sql.Schema, len(schema))
	for i, column := range schema {
		own[i] = column
		if collations.IsDefault(column.Type) && column.DatabaseSource == "" {
			own[i] = &sql.Column{Type: collations.With(column.Type, collations.OfConnection(ctx))}
		}
	}
	return own
}

// SortFields returns sort fields with the collations of their texts. A DECIMAL field may have
// texts, as in a UNION.
func SortFields(ctx *sql.Context, fields sql.SortFields) sql.SortFields {
	if !mends.SortCollations.On() {
		return fields
	}
	if len(fields) == 0 {
		return fields
	}
	own := append(sql.SortFields{}, fields...)
	for i, f := range own {
		if c, ok := collations.Of(ctx, f.Column); ok {
			own[i].Column = collations.NewCollated(f.Column, c)
		} else if t, ok := f.Column.Type(ctx).(types.DecimalType_); ok {
			own[i].Column = &decimalSort{expression.UnaryExpressionStub{Child: f.Column}, sqlvalue.Target(t)}
		}
	}
	return own
}

// pacedFields returns fields for a sort by go-mysql-server. KILL can end the sort. The fields
// belong to one goroutine.
func pacedFields(fields sql.SortFields) sql.SortFields {
	if len(fields) == 0 {
		return fields
	}
	own := append(sql.SortFields{}, fields...)
	own[0].Column = &pacedKey{UnaryExpressionStub: expression.UnaryExpressionStub{Child: own[0].Column}}
	return own
}

// pacedKey is the first sort key. It checks now and then whether the statement has been killed.
// Owned by one goroutine.
//
// go-mysql-server: does not check during a sort whether the statement has been killed. MySQL: does.
type pacedKey struct {
	expression.UnaryExpressionStub
	asked uint
}

// pacedKeys is how many keys are read between two points where the sort can end.
const pacedKeys = 256

// Eval implements sql.Expression.
func (p *pacedKey) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if p.asked++; p.asked%pacedKeys == 0 {
		if err := sqlvalue.Pace(ctx, pacedKeys); err != nil {
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

// decimalSort is a DECIMAL sort key.
type decimalSort struct {
	expression.UnaryExpressionStub
	kind sql.Type
}

// Eval implements sql.Expression.
func (d *decimalSort) Eval(ctx *sql.Context, row sql.Row) (any, error) { return d.Child.Eval(ctx, row) }

// Type implements sql.Expression.
func (d *decimalSort) Type(*sql.Context) sql.Type { return d.kind }

// String implements sql.Expression.
func (d *decimalSort) String() string { return d.Child.String() }

// WithChildren implements sql.Expression.
func (d *decimalSort) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(d, len(children), 1)
	}
	return &decimalSort{expression.UnaryExpressionStub{Child: children[0]}, d.kind}, nil
}
