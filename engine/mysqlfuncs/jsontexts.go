package mysqlfuncs

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/mends"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// jsonFunctions returns JSON_PRETTY, JSON_SEARCH, JSON_ARRAYAGG and JSON_OBJECTAGG. Their results
// can be many times as large as their arguments.
//
// go-mysql-server: makes results of any size; JSON_SEARCH does not quote keys in its paths, and
// ignores the collation of JSON. MySQL: a result larger than max_allowed_packet is NULL, with
// warning 1301.
func jsonFunctions() map[string]sql.Function {
	all := map[string]sql.Function{
		"json_arrayagg": sql.Function1{Name: "json_arrayagg", Fn: func(_ *sql.Context, e sql.Expression) sql.Expression {
			return arrayAggregate{aggregation.NewJsonArray(e)}
		}},
		"json_objectagg": sql.Function2{Name: "json_objectagg", Fn: func(ctx *sql.Context, key, value sql.Expression) sql.Expression {
			return objectAggregate{aggregation.NewJSONObjectAgg(ctx, key, value).(*aggregation.JSONObjectAgg)}
		}},
	}
	sqlexpr.DefineAll(all,
		&sqlexpr.Definition{Name: "json_pretty", Least: 1, Most: 1, TypeOf: sqlexpr.AlwaysType(types.LongText), Value: jsonPretty},
		&sqlexpr.Definition{Name: "json_search", Least: 3, Most: sqlexpr.AnyNumber, Nulls: true, TypeOf: sqlexpr.AlwaysType(types.JSON), Value: jsonSearch},
	)
	return all
}

// document returns argument i as a JSON document, or the document in its text.
func document(ctx *sql.Context, c *sqlexpr.Call, i int, v any) (any, error) {
	switch w := v.(type) {
	case sql.JSONWrapper:
		return w.ToInterface(ctx)
	case string, []byte:
	default:
		return nil, mysql.NewSQLError(3146, "22032", "Invalid data type for JSON data in argument %d to function %s; a JSON string or JSON type is required.", i+1, c.Name)
	}
	var document any
	text, err := c.Text(ctx, i, v)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return nil, mysql.NewSQLError(3141, "22032", "Invalid JSON text in argument %d to function %s: \"Invalid value.\" at position 0.", i+1, c.Name)
	}
	return document, nil
}

func jsonPretty(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	document, err := document(ctx, c, 0, args[0])
	if err != nil {
		return nil, err
	}
	m := sqlvalue.DocumentMeasure{Left: sqlvalue.MaxDocumentSize, Indented: true}
	if m.Value(document, 1); m.TooLarge(ctx) {
		return sqlvalue.TooLongText(ctx, c.Name)
	}
	text, err := json.MarshalIndent(document, "", "  ")
	return string(text), err
}

func jsonSearch(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	if slices.Contains(args[:3], nil) || len(args) > 4 && slices.Contains(args[4:], nil) {
		return nil, nil
	}
	document, err := document(ctx, c, 0, args[0])
	if err != nil {
		return nil, err
	}
	texts, err := c.Texts(ctx, args, 3)
	if err != nil {
		return nil, err
	}
	s := search{left: sqlvalue.MaxDocument(ctx), work: sqlvalue.NewWork(ctx)}
	switch strings.ToLower(texts[1]) {
	case "one":
		s.one = true
	case "all":
	default:
		return nil, mysql.NewSQLError(3154, "42000", "The oneOrAll argument to %s may take these values: 'one' or 'all'.", c.Name)
	}
	escape := `\`
	if len(args) > 3 && args[3] != nil {
		if escape, err = c.Text(ctx, 3, args[3]); err != nil {
			return nil, err
		}
	}
	switch len(escape) {
	case 0:
		escape = `\`
	case 1:
	default:
		return nil, mysql.NewSQLError(1210, "HY000", "Incorrect arguments to ESCAPE")
	}
	if s.matcher, err = sqlvalue.NewLikePattern(sql.Collation_utf8mb4_bin, texts[2], rune(escape[0])); err != nil {
		return nil, err
	}
	paths := []string{"$"}
	for i := 4; i < len(args); i++ {
		path, err := c.Text(ctx, i, args[i])
		if err != nil {
			return nil, err
		}
		if i == 4 {
			paths = nil
		}
		paths = append(paths, path)
	}
	for _, path := range paths {
		steps, err := sqlvalue.ParseJSONPath(path)
		if err != nil {
			return nil, err
		}
		if s.follow(document, append(s.path[:0], '$'), steps); s.ended != nil {
			return nil, s.ended
		}
	}
	switch {
	case s.left < 0:
		return sqlvalue.TooLongText(ctx, c.Name)
	case len(s.found) == 0:
		return nil, nil
	case len(s.found) == 1:
		return types.JSONDocument{Val: s.found[0]}, nil
	}
	return types.JSONDocument{Val: s.found}, nil
}

// search is a search for texts in a document. Owned by one goroutine.
type search struct {
	matcher *sqlvalue.LikePattern
	one     bool
	path    []byte // path of the value that is searched
	found   []any  // paths, as texts
	seen    map[string]bool
	left    int64 // bytes that the result may still have
	work    *sqlvalue.Work
	ended   error // why the statement must end
}

// done reports whether the search is finished.
func (s *search) done() bool { return s.left < 0 || s.one && len(s.found) > 0 || s.ended != nil }

// searchingSteps is the work of looking at one value, in steps of Work.
const searchingSteps = 16

// follow searches the values that the steps find from v. path is the path of v.
func (s *search) follow(v any, path []byte, steps []sqlvalue.JSONStep) {
	if s.ended == nil {
		s.ended = s.work.Step(searchingSteps)
	}
	if s.done() {
		return
	}
	object, _ := v.(map[string]any)
	array, isArray := v.([]any)
	every := func(rest []sqlvalue.JSONStep) {
		for _, key := range sqlvalue.JSONMembers(object) {
			s.follow(object[key], appendMember(path, key), rest)
		}
		for i, cell := range array {
			s.follow(cell, appendCell(path, i), rest)
		}
	}
	if len(steps) == 0 {
		if text, ok := v.(string); ok {
			s.look(text, path)
			return
		}
		every(nil)
		return
	}
	step, rest := steps[0], steps[1:]
	switch {
	case step.Kind == '*':
		s.follow(v, path, rest)
		every(steps)
	case step.Kind == '.' && step.Any:
		for _, key := range sqlvalue.JSONMembers(object) {
			s.follow(object[key], appendMember(path, key), rest)
		}
	case step.Kind == '.':
		if member, ok := object[step.Key]; ok {
			s.follow(member, appendMember(path, step.Key), rest)
		}
	case !isArray: // a value is an array of itself
		if !step.Any && sqlvalue.CellOf(step.From, 1) == 0 {
			s.follow(v, path, rest)
		}
	default:
		from, to := 0, len(array)-1
		if !step.Any {
			from, to = sqlvalue.CellOf(step.From, len(array)), sqlvalue.CellOf(step.To, len(array))
		}
		for i := max(from, 0); i <= min(to, len(array)-1); i++ {
			s.follow(array[i], appendCell(path, i), rest)
		}
	}
}

// look adds the path of text to the result if it matches.
func (s *search) look(text string, path []byte) {
	matches, err := s.matcher.Match(s.work, text)
	if s.ended = err; !matches || s.seen[string(path)] {
		return
	}
	const around = 4 // quotes, comma and blank
	if s.left -= int64(len(path)) + around; s.left < 0 {
		return
	}
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[string(path)] = true
	s.found = append(s.found, string(path))
}

// plainKey matches a key that needs no quotes in a path.
var plainKey = regexp.MustCompile(`^[\pL_$][\pL\pN_$]*$`)

func appendMember(path []byte, key string) []byte {
	path = append(path, '.')
	if plainKey.MatchString(key) {
		return append(path, key...)
	}
	quoted, _ := json.Marshal(key)
	return append(path, quoted...)
}

func appendCell(path []byte, i int) []byte {
	return append(strconv.AppendInt(append(path, '['), int64(i), 10), ']')
}

// arrayAggregate is JSON_ARRAYAGG.
type arrayAggregate struct{ *aggregation.JsonArray }

// objectAggregate is JSON_OBJECTAGG.
type objectAggregate struct{ *aggregation.JSONObjectAgg }

var (
	_ sql.Aggregation = arrayAggregate{}
	_ sql.Aggregation = objectAggregate{}
)

// WithChildren implements sql.Expression.
func (a arrayAggregate) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := a.JsonArray.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return arrayAggregate{e.(*aggregation.JsonArray)}, nil
}

// WithId implements sql.IdExpression.
func (a arrayAggregate) WithId(id sql.ColumnId) sql.IdExpression {
	return arrayAggregate{a.JsonArray.WithId(id).(*aggregation.JsonArray)}
}

// WithWindow implements sql.WindowAdaptableExpression.
func (a arrayAggregate) WithWindow(ctx *sql.Context, w *sql.WindowDefinition) sql.WindowAdaptableExpression {
	return arrayAggregate{a.JsonArray.WithWindow(ctx, w).(*aggregation.JsonArray)}
}

// NewBuffer implements sql.Aggregation.
func (a arrayAggregate) NewBuffer(ctx *sql.Context) (sql.AggregationBuffer, error) {
	return &documentBuffer{name: "json_arrayagg", value: a.Child, measure: sqlvalue.DocumentMeasure{Left: sqlvalue.MaxDocumentSize}}, nil
}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (a arrayAggregate) NewWindowFunction(ctx *sql.Context) (sql.WindowFunction, error) {
	w, err := a.JsonArray.NewWindowFunction(ctx)
	return documentWindow{w, "json_arrayagg"}, err
}

// WithChildren implements sql.Expression.
func (o objectAggregate) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := o.JSONObjectAgg.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	a := e.(*aggregation.JSONObjectAgg).WithId(o.Id()).(*aggregation.JSONObjectAgg)
	if w := o.Window(); w != nil {
		a = a.WithWindow(ctx, w).(*aggregation.JSONObjectAgg)
	}
	return objectAggregate{a}, nil
}

// WithId implements sql.IdExpression.
func (o objectAggregate) WithId(id sql.ColumnId) sql.IdExpression {
	return objectAggregate{o.JSONObjectAgg.WithId(id).(*aggregation.JSONObjectAgg)}
}

// WithWindow implements sql.WindowAdaptableExpression.
func (o objectAggregate) WithWindow(ctx *sql.Context, w *sql.WindowDefinition) sql.WindowAdaptableExpression {
	return objectAggregate{o.JSONObjectAgg.WithWindow(ctx, w).(*aggregation.JSONObjectAgg)}
}

// NewBuffer implements sql.Aggregation.
func (o objectAggregate) NewBuffer(*sql.Context) (sql.AggregationBuffer, error) {
	pair := o.Children()
	return &documentBuffer{name: "json_objectagg", key: pair[0], value: pair[1], measure: sqlvalue.DocumentMeasure{Left: sqlvalue.MaxDocumentSize}}, nil
}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (o objectAggregate) NewWindowFunction(ctx *sql.Context) (sql.WindowFunction, error) {
	w, err := o.JSONObjectAgg.NewWindowFunction(ctx)
	return documentWindow{w, "json_objectagg"}, err
}

// KeepsArguments marks an aggregate that keeps all values: they are charged to the memory limits.
func (arrayAggregate) KeepsArguments() {}

// KeepsArguments marks an aggregate that keeps all keys and values: they are charged to the memory
// limits.
func (objectAggregate) KeepsArguments() {}

// documentWindow makes a document for each frame.
type documentWindow struct {
	sql.WindowFunction
	name string
}

// Compute implements sql.WindowFunction.
func (w documentWindow) Compute(ctx *sql.Context, frame sql.WindowInterval, rows sql.WindowBuffer) (any, error) {
	v, err := w.WindowFunction.Compute(ctx, frame, rows)
	if v == nil || err != nil {
		return nil, err
	}
	return sqlvalue.LimitedValue(ctx, w.name, v)
}

// documentBuffer collects values into a document, until it is too large. Owned by one goroutine.
type documentBuffer struct {
	name       string
	key, value sql.Expression // key is nil for an array
	array      []any
	object     map[string]any
	rows       int
	measure    sqlvalue.DocumentMeasure
}

// Update implements sql.AggregationBuffer.
func (b *documentBuffer) Update(ctx *sql.Context, row sql.Row) error {
	b.rows++
	key := ""
	if b.key != nil {
		k, err := b.key.Eval(ctx, row)
		if err != nil {
			return err
		}
		if k == nil {
			return sql.ErrJSONObjectAggNullKey.New()
		}
		if k, _, err = types.LongText.Convert(ctx, k); err != nil {
			return err
		}
		if key, _, err = sql.Unwrap[string](ctx, k); err != nil {
			return err
		}
		b.measure.Text(key)
	}
	v, err := b.value.Eval(ctx, row)
	if err != nil {
		return err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil {
		return err
	}
	if w, ok := v.(sql.JSONWrapper); ok {
		if v, err = w.ToInterface(ctx); err != nil {
			return err
		}
	}
	switch b.measure.Value(v, 2); { // inside the array or object, which is one level
	case b.measure.Deepest > sqlvalue.MaxDocumentDepth:
		return sqlvalue.ErrTooDeep()
	case b.measure.TooLarge(ctx):
		b.array, b.object = nil, nil
	case b.key == nil:
		b.array = append(b.array, v)
	case b.object == nil:
		b.object = map[string]any{key: v}
	default:
		b.object[key] = v
	}
	return nil
}

// Eval implements sql.AggregationBuffer.
func (b *documentBuffer) Eval(ctx *sql.Context) (any, error) {
	switch {
	case b.measure.TooLarge(ctx):
		return sqlvalue.TooLongText(ctx, b.name)
	case b.rows == 0 && (b.key != nil || mends.NothingAggregated.On()):
		return nil, nil
	case b.key == nil:
		return types.JSONDocument{Val: b.array}, nil
	}
	return types.JSONDocument{Val: b.object}, nil
}

// Dispose implements sql.Disposable.
func (b *documentBuffer) Dispose(ctx *sql.Context) {
	expression.Dispose(ctx, b.value)
	if b.key != nil {
		expression.Dispose(ctx, b.key)
	}
}
