package executor

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/json"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/sqlvalue"
)

// JSONTableRows are the rows of a JSON_TABLE. Owned by one goroutine.
//
// go-mysql-server: follows paths with a library that panics at null and at .* and [last] of an
// array; a path that it cannot read finds nothing; if $ finds an array, each element becomes a row.
// MySQL: refuses texts that are not paths, and follows paths as JSON_EXTRACT does.
type JSONTableRows struct {
	document any
	root     *jsonLevel
	started  bool
}

// NewJSONTable returns the rows of n.
func NewJSONTable(ctx *sql.Context, n *plan.JSONTable, row sql.Row) (*JSONTableRows, error) {
	root, err := newJSONLevel(ctx, n.RootPath, n.Cols, row)
	if err != nil {
		return nil, err
	}
	data, err := n.DataExpr.Eval(ctx, row)
	if err != nil || data == nil {
		return &JSONTableRows{root: root, started: true}, err
	}
	document, err := json.GetJSONFromWrapperOrCoercibleString(ctx, data, "json_table", 1)
	return &JSONTableRows{document: document, root: root}, err
}

// Document returns the document that the rows come from.
func (t *JSONTableRows) Document() any { return t.document }

// Next implements sql.RowIter.
func (t *JSONTableRows) Next(ctx *sql.Context) (sql.Row, error) {
	if err := sqlvalue.Pace(ctx, 1); err != nil {
		return nil, err
	}
	if !t.started {
		if err := t.root.start(ctx, t.document); err != nil {
			return nil, err
		}
		t.started = true
	}
	switch more, err := t.root.next(ctx); {
	case err != nil:
		return nil, err
	case !more:
		return nil, io.EOF
	}
	return t.root.row(ctx, nil, true)
}

// Close implements sql.RowIter.
func (*JSONTableRows) Close(*sql.Context) error { return nil }

// jsonLevel is a path of a JSON_TABLE with its columns: the path of the table or a nested path.
// Owned by one goroutine.
type jsonLevel struct {
	path   []sqlvalue.JSONStep
	parts  []jsonPart
	nested []*jsonLevel // the nested paths among the parts
	found  []any        // the values that the path finds
	at     int          // place in found, -1 before the first
	inner  int          // the nested path that the row is from, len(nested) if there is none
}

// jsonPart is a column, or a nested path with its columns.
type jsonPart struct {
	nested         *jsonLevel
	path           []sqlvalue.JSONStep
	opts           *plan.JSONTableColOpts
	onEmpty, onErr any
}

func newJSONLevel(ctx *sql.Context, path string, columns []plan.JSONTableCol, row sql.Row) (*jsonLevel, error) {
	l := &jsonLevel{at: -1}
	var err error
	if l.path, err = sqlvalue.ParseJSONPath(path); err != nil {
		return nil, err
	}
	for _, c := range columns {
		part := jsonPart{opts: c.Opts}
		switch {
		case c.Opts == nil:
			if part.nested, err = newJSONLevel(ctx, c.Path, c.NestedCols, row); err == nil {
				l.nested = append(l.nested, part.nested)
			}
		case !c.Opts.ForOrd:
			part.path, err = sqlvalue.ParseJSONPath(c.Path)
			if err == nil {
				part.onEmpty, err = c.Opts.DefEmptyVal.Eval(ctx, row)
			}
			if err == nil {
				part.onErr, err = c.Opts.DefErrorVal.Eval(ctx, row)
			}
		}
		if err != nil {
			return nil, err
		}
		l.parts = append(l.parts, part)
	}
	return l, nil
}

// start sets the value that the path starts from.
func (l *jsonLevel) start(ctx *sql.Context, value any) (err error) {
	l.at = -1
	l.found, err = found(ctx, value, l.path)
	return err
}

// found returns the values that a path leads to, at most as many as a document has bytes.
func found(ctx *sql.Context, value any, path []sqlvalue.JSONStep) ([]any, error) {
	finder := sqlvalue.JSONFinder{Work: sqlvalue.NewWork(ctx), Most: int(sqlvalue.MaxDocument(ctx))}
	err := finder.Follow(value, path)
	if err == nil && finder.Full {
		err = sqlvalue.ErrTooManyValues(ctx)
	}
	return finder.Found, err
}

// next moves to the next row, and reports whether there is one. A value has the rows of its nested
// paths, one path after the other, or one row if there are none.
func (l *jsonLevel) next(ctx *sql.Context) (bool, error) {
	if l.at >= 0 {
		if more, err := l.nextNested(ctx); more || err != nil {
			return more, err
		}
	}
	if l.at++; l.at >= len(l.found) {
		return false, nil
	}
	l.inner = -1
	_, err := l.nextNested(ctx)
	return err == nil, err
}

func (l *jsonLevel) nextNested(ctx *sql.Context) (bool, error) {
	for l.inner < len(l.nested) {
		if l.inner >= 0 {
			if more, err := l.nested[l.inner].next(ctx); more || err != nil {
				return more, err
			}
		}
		if l.inner++; l.inner < len(l.nested) {
			if err := l.nested[l.inner].start(ctx, l.found[l.at]); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// row appends the columns of the level; they are NULL if the row comes from another nested path.
func (l *jsonLevel) row(ctx *sql.Context, to sql.Row, from bool) (_ sql.Row, err error) {
	for i := range l.parts {
		p := &l.parts[i]
		switch {
		case p.nested != nil:
			if to, err = p.nested.row(ctx, to, from && l.inner < len(l.nested) && l.nested[l.inner] == p.nested); err != nil {
				return nil, err
			}
		case !from:
			to = append(to, nil)
		default:
			v, err := p.value(ctx, l.found[l.at], l.at+1)
			if err != nil {
				return nil, err
			}
			to = append(to, v)
		}
	}
	return to, nil
}

// value returns the value of the column for a value that the path finds. number is the position of
// that value.
func (p *jsonPart) value(ctx *sql.Context, of any, number int) (any, error) {
	if p.opts.ForOrd {
		return p.converted(ctx, number)
	}
	found, err := found(ctx, of, p.path)
	if err != nil {
		return nil, err
	}
	if p.opts.Exists {
		return p.converted(ctx, min(len(found), 1))
	}
	if len(found) == 0 {
		if p.opts.ErrorOnEmpty {
			return nil, mysql.NewSQLError(3665, "22035", "Missing value for JSON_TABLE column '%s'", p.opts.Name)
		}
		return p.converted(ctx, p.onEmpty)
	}
	if p.opts.Type == types.JSON {
		if len(found) > 1 {
			return types.JSONDocument{Val: found}, nil
		}
		return types.JSONDocument{Val: found[0]}, nil
	}
	v, err := found[0], error(mysql.NewSQLError(3666, "2203F", "Can't store an array or an object in the scalar column '%s' of JSON_TABLE", p.opts.Name))
	if len(found) == 1 && !isContainer(v) {
		if v, err = p.converted(ctx, v); err == nil {
			return v, nil
		}
	}
	if p.opts.ErrorOnError {
		return nil, err
	}
	return p.converted(ctx, p.onErr)
}

func (p *jsonPart) converted(ctx *sql.Context, v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	v, _, err := p.opts.Type.Convert(ctx, v)
	if sql.ErrTruncatedIncorrect.Is(err) {
		err = sql.ErrInvalidJSONText.New(1, "JSON_TABLE", "Invalid value.")
	}
	return v, err
}

// isContainer tells whether a value of a document is an array or an object.
func isContainer(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}
