package nodes

import "github.com/dolthub/go-mysql-server/sql"

// Answer is a node of a plan whose rows the engine makes. Safe for concurrent use.
type Answer struct {
	Kind    string // what EXPLAIN calls it
	Columns sql.Schema
	Rows    func(*sql.Context) ([]sql.Row, error)
}

var _ sql.ExecSourceRel = Answer{}

// Resolved implements sql.Node.
func (Answer) Resolved() bool { return true }

// String implements sql.Node.
func (n Answer) String() string { return n.Kind }

// Schema implements sql.Node.
func (n Answer) Schema(*sql.Context) sql.Schema { return n.Columns }

// Children implements sql.Node.
func (Answer) Children() []sql.Node { return nil }

// WithChildren implements sql.Node.
func (n Answer) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) > 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 0)
	}
	return n, nil
}

// IsReadOnly implements sql.Node.
func (Answer) IsReadOnly() bool { return true }

// RowIter implements sql.ExecSourceRel.
func (n Answer) RowIter(ctx *sql.Context, _ sql.Row) (sql.RowIter, error) {
	rows, err := n.Rows(ctx)
	if err != nil {
		return nil, err
	}
	return sql.RowsToRowIter(rows...), nil
}
