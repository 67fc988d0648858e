package writes

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/executor"
)

// lenient says what the rows of an INSERT may lack. Owned by one goroutine.
//
// go-mysql-server: refuses NULL in a column that is NOT NULL, and a column without a default that the statement leaves out, unless there is
// IGNORE. MySQL: refuses a column without a default in strict mode alone (1364), and NULL in strict mode or in a row that is the only one of
// the statement (1048); else the column gets the value that is its type's own, with a warning.
type lenient struct {
	node   *plan.InsertInto
	values *plan.Values
	strict bool
	loads  bool // the rows are those of LOAD DATA
	// left has the columns that have no default and that the statement leaves out.
	left sql.FastIntSet
}

func newLenient(ctx *sql.Context, n *plan.InsertInto, values *plan.Values) lenient {
	l := lenient{node: n, values: values, strict: sql.LoadSqlMode(ctx).Strict() && !n.Ignore, left: n.DeferredDefaults}
	source, _ := below(n.Source)
	_, l.loads = source.(*plan.LoadData)
	return l
}

// below returns the node at the bottom of a source of rows, and whether triggers run on the way.
func below(source sql.Node) (bottom sql.Node, triggers bool) {
	for c := source.Children(); len(c) > 0; c = source.Children() {
		if _, ok := source.(*plan.TriggerExecutor); ok {
			triggers = true
		}
		source = c[0]
	}
	return source, triggers
}

// begin warns of the columns that the statement leaves out, once. A trigger may still give them values.
func (l *lenient) begin(ctx *sql.Context, columns sql.Schema) {
	if _, trigger := below(l.node.Source); trigger || l.strict {
		return
	}
	l.left.ForEach(func(i int) {
		if c := columns[i]; !types.IsEnum(c.Type) {
			l.noDefault(ctx, c)
		}
	})
}

// noDefault warns of a column without a default.
func (*lenient) noDefault(ctx *sql.Context, c *sql.Column) {
	ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: 1364, Message: fmt.Sprintf("Field '%s' doesn't have a default value", c.Name)})
}

// fill gives the columns of a row that are NOT NULL, and that the row lacks, values, and calculates the generated columns from those.
func (l *lenient) fill(ctx *sql.Context, columns sql.Schema, row sql.Row, number int64, generated *executor.Generated) error {
	filled, err := l.fillColumns(ctx, columns, row, number, false)
	if err != nil || generated == nil {
		return err
	}
	if filled {
		if err := generated.Fill(ctx, row, number, false); err != nil {
			return err
		}
	}
	_, err = l.fillColumns(ctx, columns, row, number, true)
	return err
}

// fillColumns gives columns values that the row lacks: the generated ones that are stored, or the others. It reports whether there are any.
func (l *lenient) fillColumns(ctx *sql.Context, columns sql.Schema, row sql.Row, number int64, generated bool) (filled bool, err error) {
	for i, c := range columns {
		if c.Nullable || row[i] != nil || c.Virtual || generated != (c.Generated != nil) {
			continue
		}
		if err := l.fillColumn(ctx, c, i, row, number); err != nil {
			return filled, err
		}
		filled = true
	}
	return filled, nil
}

// fillColumn gives the column c, which must have a value, the one that it gets without one.
func (l *lenient) fillColumn(ctx *sql.Context, c *sql.Column, i int, row sql.Row, number int64) error {
	left := l.left.Contains(i) || l.defaulted(c, i, number)
	switch {
	case left && types.IsEnum(c.Type): // its first member is its default
	case left && l.strict:
		return sql.ErrInsertIntoNonNullableDefaultNullColumn.New(c.Name)
	case left:
		if !l.left.Contains(i) {
			l.noDefault(ctx, c)
		}
	case l.strict || !l.node.Ignore && l.values != nil && len(l.values.ExpressionTuples) == 1:
		return sql.ErrInsertIntoNonNullableProvidedNull.New(c.Name)
	default:
		ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: 1048, Message: fmt.Sprintf("Column '%s' cannot be null", c.Name)})
	}
	row[i] = implicit(c)
	return nil
}

// implicit returns the value that a column gets which must have one.
func implicit(c *sql.Column) any {
	if types.IsEnum(c.Type) {
		return uint16(1)
	}
	return c.Type.Zero()
}

// defaulted tells whether a row of VALUES has DEFAULT for a column that has none.
func (l *lenient) defaulted(c *sql.Column, place int, number int64) bool {
	if l.values == nil || c.Default != nil || int(number) > len(l.values.ExpressionTuples) {
		return false
	}
	at := place
	if names := l.node.ColumnNames; len(names) > 0 {
		at = columnAt(names, c.Name)
	}
	row := l.values.ExpressionTuples[number-1]
	if at < 0 || at >= len(row) {
		return false
	}
	w, ok := row[at].(*expression.Wrapper)
	if !ok {
		return false
	}
	d, ok := w.Unwrap().(*sql.ColumnDefaultValue)
	return w.Unwrap() == nil || ok && d == nil
}

// updated is fill for a row that ON DUPLICATE KEY UPDATE has changed.
func (l *lenient) updated(ctx *sql.Context, columns sql.Schema, row sql.Row) error {
	return fillNulls(ctx, columns, row, !l.node.Ignore && (l.strict || l.values != nil && len(l.values.ExpressionTuples) == 1))
}

// fillNulls gives the columns of a row that are NOT NULL, and that the row lacks, the values of their types, with a warning, or refuses the row.
func fillNulls(ctx *sql.Context, columns sql.Schema, row sql.Row, refuse bool) error {
	for i, c := range columns {
		if c.Nullable || row[i] != nil || c.Generated != nil && c.Virtual {
			continue
		}
		if refuse {
			return sql.ErrInsertIntoNonNullableProvidedNull.New(c.Name)
		}
		ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: 1048, Message: fmt.Sprintf("Column '%s' cannot be null", c.Name)})
		row[i] = implicit(c)
	}
	return nil
}

// told tells whether the client gets a text with the answer: not for a single row, unless that has warnings and sql_warnings is on.
func (l *lenient) told(ctx *sql.Context) bool {
	if l.values == nil || len(l.values.ExpressionTuples) != 1 {
		return true
	}
	if ctx.Session.WarningCount() == 0 {
		return false
	}
	v, err := ctx.GetSessionVariable(ctx, "sql_warnings")
	on, _ := sql.ConvertToBool(ctx, v)
	return err == nil && on
}
