package executor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/budget"
	"pfsd/engine/builtins"
	"pfsd/engine/charge"
	"pfsd/engine/collations"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// GroupConcatCall returns the call that replaces e. Its arguments are: the number of texts,
// DISTINCT, the separator, the directions and the positions of the sort keys, the texts, and the
// sort keys that are not among the texts. A text that is a sort key is not repeated: in nested
// calls it would double at each level.
func GroupConcatCall(e *ast.GroupConcatExpr) ast.Expr {
	builtins.WrapColumns(e.Exprs, builtins.MemberName)
	separator, directions, places := ",", "", make([]string, 0, len(e.OrderBy))
	if !e.Separator.DefaultSeparator {
		separator = e.Separator.SeparatorString
	}
	var by ast.SelectExprs
	for _, o := range e.OrderBy {
		directions += o.Direction[:1]
		if v, ok := o.Expr.(*ast.SQLVal); ok && v.Type == ast.IntVal {
			if n, err := strconv.Atoi(string(v.Val)); err == nil && 0 < n && n <= len(e.Exprs) {
				places = append(places, strconv.Itoa(n))
				continue
			}
		}
		by = append(by, &ast.AliasedExpr{Expr: o.Expr})
		places = append(places, strconv.Itoa(len(e.Exprs)+len(by)))
	}
	call := &ast.FuncExpr{Name: sqlexpr.GroupConcatName}
	for _, s := range []string{strconv.Itoa(len(e.Exprs)), e.Distinct, separator, directions, strings.Join(places, " ")} {
		call.Exprs = append(call.Exprs, &ast.AliasedExpr{Expr: ast.NewStrVal([]byte(s))})
	}
	call.Exprs = append(append(call.Exprs, e.Exprs...), by...)
	return call
}

func GroupConcatFunctions() map[string]sql.Function {
	name := sqlexpr.GroupConcatName.Lowered()
	return map[string]sql.Function{name: sql.FunctionN{Name: name, Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		g := newGroupConcat(aggregation.NewGroupConcat("", nil, "", args, 0))
		if !g.fits() {
			return nil, sql.ErrFunctionNotFound.New(name)
		}
		return g, nil
	}}}
}

// groupConcat is GROUP_CONCAT.
//
// go-mysql-server: takes only the first of several texts, leaves out empty texts, sorts by the
// number 1 if that is the first text, and compares texts by their bytes. MySQL: concatenates the
// texts of a row, and leaves out rows in which one of them is NULL.
type groupConcat struct{ *aggregation.GroupConcat }

var _ sql.Aggregation = groupConcat{}

func newGroupConcat(g *aggregation.GroupConcat) groupConcat { return groupConcat{g} }

// fits reports whether the arguments are those of GroupConcatCall. A statement with the name in
// quotes can have others.
func (g groupConcat) fits() bool {
	args := g.OutputExpressions()
	if len(args) < sqlexpr.GroupConcatSettings {
		return false
	}
	n, err := strconv.Atoi(g.setting(0))
	places := strings.Fields(g.setting(4))
	return err == nil && 0 < n && n <= len(args)-sqlexpr.GroupConcatSettings && len(g.setting(3)) == len(places) && !slices.ContainsFunc(places, func(place string) bool {
		i, err := strconv.Atoi(place)
		return err != nil || i < 1 || i > len(args)-sqlexpr.GroupConcatSettings
	})
}

// setting returns setting i.
func (g groupConcat) setting(i int) string {
	l, ok := g.OutputExpressions()[i].(*expression.Literal)
	if !ok {
		return ""
	}
	return fmt.Sprint(l.Value())
}

// parts returns the texts of a row, and its sort keys.
func (g groupConcat) parts() (texts, by []sql.Expression) {
	n, _ := strconv.Atoi(g.setting(0))
	rest := g.OutputExpressions()[sqlexpr.GroupConcatSettings:]
	for _, place := range strings.Fields(g.setting(4)) {
		i, _ := strconv.Atoi(place)
		by = append(by, rest[i-1])
	}
	return rest[:n], by
}

// String implements sql.Expression.
func (g groupConcat) String() string {
	texts, by := g.parts()
	var b strings.Builder
	b.WriteString("group_concat(" + g.setting(1))
	for i, e := range texts {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(e.String())
	}
	for i, e := range by {
		b.WriteString([]string{" order by ", ", "}[min(i, 1)] + e.String() + " " + map[byte]string{'d': "desc", 'a': "asc"}[g.setting(3)[i]])
	}
	return b.String() + " separator '" + g.setting(2) + "')"
}

// DebugString implements sql.DebugStringer.
func (g groupConcat) DebugString(*sql.Context) string { return g.String() }

// Type implements sql.Expression.
func (g groupConcat) Type(ctx *sql.Context) sql.Type {
	texts, _ := g.parts()
	binary := slices.ContainsFunc(texts, func(e sql.Expression) bool { return types.IsBinaryType(e.Type(ctx)) })
	switch n := maxConcat(ctx); {
	case binary && n <= 512:
		return types.MustCreateBinary(sqltypes.VarBinary, 512)
	case binary:
		return types.Blob
	case n <= 512:
		return types.MustCreateString(sqltypes.VarChar, 512, sql.Collation_Default)
	}
	return types.Text
}

// IsNullable implements sql.Expression.
func (groupConcat) IsNullable(*sql.Context) bool { return true }

// WithChildren implements sql.Expression.
func (g groupConcat) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := g.GroupConcat.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return newGroupConcat(e.(*aggregation.GroupConcat).WithId(g.Id()).(*aggregation.GroupConcat)), nil
}

// WithId implements sql.IdExpression.
func (g groupConcat) WithId(id sql.ColumnId) sql.IdExpression {
	return newGroupConcat(g.GroupConcat.WithId(id).(*aggregation.GroupConcat))
}

// WithWindow implements sql.WindowAdaptableExpression.
func (g groupConcat) WithWindow(ctx *sql.Context, w *sql.WindowDefinition) sql.WindowAdaptableExpression {
	return newGroupConcat(g.GroupConcat.WithWindow(ctx, w).(*aggregation.GroupConcat))
}

// maxConcat returns the value of group_concat_max_len.
func maxConcat(ctx *sql.Context) int {
	const usual = 1024
	if ctx == nil || ctx.Session == nil {
		return usual
	}
	v, err := ctx.GetSessionVariable(ctx, "group_concat_max_len")
	if n, ok := v.(uint64); ok && err == nil {
		return int(min(n, uint64(sqlvalue.MaxAllowedPacket(ctx))))
	}
	return usual
}

// NewBuffer implements sql.Aggregation.
func (g groupConcat) NewBuffer(ctx *sql.Context) (sql.AggregationBuffer, error) {
	return g.newBuffer(ctx, nil), nil
}

// newBuffer returns a new buffer, whose texts are charged to hold.
func (g groupConcat) newBuffer(ctx *sql.Context, hold *budget.Hold) *concatBuffer {
	texts, by := g.parts()
	b := &concatBuffer{by: by, separator: g.setting(2), max: maxConcat(ctx), hold: hold}
	for _, e := range texts {
		if collations.NeedsText(e.Type(ctx)) {
			e = sqlexpr.AsText(e)
		}
		b.texts = append(b.texts, e)
	}
	if g.setting(1) != "" {
		distinct := newDistinctArgs(ctx, texts, hold)
		b.distinct = &distinct
	}
	for i, column := range keySchema(ctx, by) {
		order := sql.Ascending
		if g.setting(3)[i] == 'd' {
			order = sql.Descending
		}
		b.order = append(b.order, sql.SortField{Column: expression.NewGetField(i, column.Type, "", true), Order: order})
	}
	return b
}

// concatBuffer is a buffer of GROUP_CONCAT. Owned by one goroutine.
type concatBuffer struct {
	texts, by []sql.Expression
	order     sql.SortFields // order sorts by the keys
	separator string
	max       int
	distinct  *distinctArgs // nil without DISTINCT
	rows      []string
	keys      []sql.Row
	size      int // of all rows, including separators
	hold      *budget.Hold
}

// Update implements sql.AggregationBuffer.
func (b *concatBuffer) Update(ctx *sql.Context, row sql.Row) error {
	whole := ""
	for _, e := range b.texts {
		v, err := e.Eval(ctx, row)
		if err != nil || v == nil {
			return err
		}
		text, err := b.text(ctx, v)
		if err != nil {
			return err
		}
		if whole += text; len(whole) > b.max {
			whole = whole[:b.max+1] // the rest is cut in any case
		}
	}
	if b.distinct != nil {
		if isNew, err := b.distinct.add(ctx, row); err != nil || !isNew {
			return err
		}
	}
	key := make(sql.Row, len(b.by))
	for i, e := range b.by {
		var err error
		if key[i], err = e.Eval(ctx, row); err != nil {
			return err
		}
	}
	if len(b.order) == 0 && b.size-len(b.separator) > b.max {
		return nil // the text is full
	}
	if err := b.hold.Charge(charge.Size(whole) + charge.RowSize(key)); err != nil {
		return err
	}
	b.size += len(whole) + len(b.separator)
	b.rows, b.keys = append(b.rows, whole), append(b.keys, key)
	return nil
}

func (*concatBuffer) text(ctx *sql.Context, v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	}
	text, err := sqlvalue.TextOf(ctx, v)
	if err != nil {
		return "", err
	}
	s, _, err := sql.Unwrap[string](ctx, text)
	return s, err
}

// Eval implements sql.AggregationBuffer.
func (b *concatBuffer) Eval(ctx *sql.Context) (any, error) {
	if len(b.rows) == 0 {
		return nil, nil
	}
	places, err := b.places(ctx)
	if err != nil {
		return nil, err
	}
	var whole strings.Builder
	for i, place := range places {
		if i > 0 {
			whole.WriteString(b.separator)
		}
		whole.WriteString(b.rows[place])
		if whole.Len() > b.max {
			cut := b.max
			for s := whole.String(); cut > 0 && !utf8.RuneStart(s[cut]); cut-- {
			}
			return whole.String()[:cut], sqlvalue.Complain(ctx, 1260, "HY000", fmt.Sprintf("Row %d was cut by GROUP_CONCAT()", i+1))
		}
	}
	return whole.String(), nil
}

// places returns the positions of the rows in the order in which they are concatenated.
func (b *concatBuffer) places(ctx *sql.Context) ([]int, error) {
	if len(b.order) == 0 {
		places := make([]int, len(b.rows))
		for i := range places {
			places[i] = i
		}
		return places, nil
	}
	sorter := newSorter(ctx, SortFields(ctx, b.order), b.hold)
	for _, row := range b.keys {
		if err := sorter.add(ctx, row); err != nil {
			return nil, err
		}
	}
	return sorter.sorted(ctx)
}

// Dispose implements sql.Disposable.
func (b *concatBuffer) Dispose(ctx *sql.Context) {
	for _, e := range append(slices.Clone(b.texts), b.by...) {
		expression.Dispose(ctx, e)
	}
}
