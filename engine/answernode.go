package engine

import "github.com/dolthub/go-mysql-server/sql"

// answerNode is a node of a plan whose rows the engine makes. Safe for concurrent use.
type answerNode struct {
	kind   string // what EXPLAIN calls it
	schema sql.Schema
	rows   func(*sql.Context) ([]sql.Row, error)
}

var _ sql.ExecSourceRel = answerNode{}

// Resolved implements sql.Node.
func (answerNode) Resolved() bool { return true }

// String implements sql.Node.
func (n answerNode) String() string { return n.kind }

// Schema implements sql.Node.
func (n answerNode) Schema(*sql.Context) sql.Schema { return n.schema }

// Children implements sql.Node.
func (answerNode) Children() []sql.Node { return nil }

// WithChildren implements sql.Node.
func (n answerNode) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) > 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 0)
	}
	return n, nil
}

// IsReadOnly implements sql.Node.
func (answerNode) IsReadOnly() bool { return true }

// RowIter implements sql.ExecSourceRel.
func (n answerNode) RowIter(ctx *sql.Context, _ sql.Row) (sql.RowIter, error) {
	rows, err := n.rows(ctx)
	if err != nil {
		return nil, err
	}
	return sql.RowsToRowIter(rows...), nil
}
