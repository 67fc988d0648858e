package diagnostics

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"pfsd/engine/budget"
	"pfsd/engine/grammar"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/nodes"
)

// Area is a connection's diagnostics area: the conditions that its last statement has
// Raised which is not about them. Owned by the connection's goroutine.
//
// go-mysql-server keeps warnings in the session, the last one first, has no errors among them, and
// forgets them when the next statement is planned. They are taken from it when a statement ends.
type Area struct {
	conditions []condition
	// errors and all count the conditions, those that there was no room for too.
	errors, all uint64
	// before are errors and all of the statement before the one that runs, which may ask for them.
	before struct{ errors, all uint64 }
	// Raised are the conditions of the statement that runs.
	Raised uint64
	// stacked are those of the statements whose handlers run, the last one last.
	stacked []Area
	failed  *mysql.SQLError // the last error
	// Said is what SIGNAL says of the error that it is about to raise, by the names of the items.
	Said map[string]string
	// Hold is what the conditions are charged to, nil if they are not charged. Those that no limit allows are counted, and not kept.
	Hold *budget.Hold
}

// condition is one of them.
type condition struct {
	level, state, message string
	number                int
	items                 map[string]string // what SIGNAL has given it beyond these, by name
	old                   bool              // it was there when the handler was called
}

// conditionsKept is how many places for conditions an area keeps that has none, at the most: they are not charged.
const conditionsKept = 64

// Levels of conditions.
const (
	levelError   = "Error"
	levelWarning = "Warning"
	levelNote    = "Note"
)

// Begin notes that a statement begins, maybe inside another one.
func (d *Area) Begin(ctx *sql.Context) {
	d.Collect(ctx)
	d.Raised = 0
}

// Unstack forgets the handlers that ran: a command begins.
func (d *Area) Unstack() {
	if d.stacked != nil {
		d.stacked = nil
		_ = d.settle() // which asks for less
	}
}

// Reset forgets everything: the session begins anew.
func (d *Area) Reset() {
	d.Hold.Release()
	*d = Area{Hold: d.Hold}
}

// RaisedBefore are how many errors and conditions of all sorts the statement before the one that runs has raised.
func (d *Area) RaisedBefore() (errors, all uint64) { return d.before.errors, d.before.all }

// Push notes that a handler is called, for the conditions that there are. The error is that a memory limit does not allow to keep them for it.
func (d *Area) Push() error {
	for i := range d.conditions {
		d.conditions[i].old = true
	}
	called := *d
	called.conditions, called.stacked = slices.Clone(d.conditions), nil
	d.stacked = append(d.stacked, called)
	err := d.settle()
	if err != nil {
		d.stacked = d.stacked[:len(d.stacked)-1]
	}
	return err
}

// Pop notes that the handler has returned. Unless it has failed, what it was called for has been
// taken care of.
func (d *Area) Pop(failed bool) {
	d.stacked = d.stacked[:len(d.stacked)-1]
	if failed {
		return
	}
	d.conditions = slices.DeleteFunc(d.conditions, func(c condition) bool { return c.old })
	d.all, d.errors, d.failed = uint64(len(d.conditions)), 0, nil
	for _, c := range d.conditions {
		if c.level == levelError {
			d.errors++
		}
	}
	_ = d.settle() // which asks for less
}

// Resignal makes the conditions for which the handler was called those that there are. If the
// last one is replaced, it goes.
func (d *Area) Resignal(replaced bool) {
	called := &d.stacked[len(d.stacked)-1]
	d.conditions = append(d.conditions[:0], called.conditions...)
	d.all, d.errors, d.failed = called.all, called.errors, called.failed
	if n := len(d.conditions); replaced && n > 0 {
		if d.conditions[n-1].level == levelError {
			d.errors--
		}
		d.conditions, d.all = d.conditions[:n-1], d.all-1
	}
}

// Clear forgets all conditions: a statement begins that is not about them.
func (d *Area) Clear() {
	d.before.errors, d.before.all = d.errors, d.all
	if len(d.conditions) > 0 {
		clear(d.conditions)
		d.conditions = d.conditions[:0]
		if cap(d.conditions) > conditionsKept {
			d.conditions = nil
		}
		_ = d.settle() // which asks for less
	}
	d.errors, d.all, d.failed = 0, 0, nil
}

// add notes a condition.
func (d *Area) add(ctx *sql.Context, c condition) {
	if c.level == levelNote && !notes(ctx) {
		return
	}
	if c.state == "" {
		c.state = stateOf(c.number)
	}
	if c.number != mysqlerr.Rewritten {
		c.message = mysqlerr.Clip(c.message)
	}
	d.all++
	d.Raised++
	if c.level == levelError {
		d.errors++
	}
	if d.room(ctx) && d.Hold.Charge(c.bytes()) == nil {
		d.conditions = append(d.conditions, c)
	}
}

// room tells whether one more condition is kept.
func (d *Area) room(ctx *sql.Context) bool {
	if v, err := ctx.GetSessionVariable(ctx, "max_error_count"); err == nil {
		if n, ok := v.(uint64); ok {
			return uint64(len(d.conditions)) < n
		}
	}
	return true
}

// stateOf is the SQLSTATE of a condition by its number.
func stateOf(number int) string {
	if s := mysqlerr.States[number]; s != "" {
		return s
	}
	return "HY000"
}

// Collect takes the warnings from the session, which has the last one first.
func (d *Area) Collect(ctx *sql.Context) {
	unkept := d.unkept(ctx)
	if ctx.Session.WarningCount() == 0 && unkept == 0 {
		return
	}
	all := ctx.Session.Warnings()
	ctx.Session.ClearWarnings()
	for i := len(all) - 1; i >= 0; i-- {
		d.add(ctx, worded(ctx, all[i], ctx.Err() == nil && d.room(ctx)))
	}
	d.all, d.Raised = d.all+unkept, d.Raised+unkept
}

// truncated is how a warning begins about a value that is not all that it should be. The value follows, which can be long.
var truncated = regexp.MustCompile(`^Truncated incorrect (\w+)(?:\([^)]*\))?(?: unsigned)? value: '?`)

// numberWords are the names of types in such warnings.
var numberWords = map[string]string{
	"tinyint": "INTEGER", "smallint": "INTEGER", "mediumint": "INTEGER", "int": "INTEGER", "bigint": "INTEGER",
	"float": "DOUBLE", "double": "DOUBLE", "decimal": "DECIMAL",
}

// worded is the condition that a warning of the SQL engine is to MySQL. For the database of a table it reads the whole statement, if the condition is
// kept.
func worded(ctx *sql.Context, w *sql.Warning, kept bool) condition {
	c := condition{level: w.Level, number: w.Code, message: w.Message}
	switch {
	case c.number == 0:
		c.number = mysql.ERUnknownError
	case c.number == 1292:
		if m := truncated.FindStringSubmatch(c.message); m != nil {
			word, value := m[1], strings.TrimSuffix(c.message[len(m[0]):], "'")
			if known, ok := numberWords[strings.ToLower(word)]; ok {
				word = known
			} else if word == "CHAR" || word == "BINARY" {
				break
			}
			c.message = fmt.Sprintf("Truncated incorrect %s value: '%s'", word, value)
		}
	case c.number == 1051 && kept:
		if m := mysqlerr.FirstQuoted.FindStringSubmatch(c.message); m != nil && !strings.Contains(m[1], ".") {
			c.message = fmt.Sprintf("Unknown table '%s'", mysqlerr.Qualified(ctx, m[1]))
		}
	}
	if why := ignored(ctx, w); why != nil {
		c.level, c.number, c.state, c.message = levelWarning, why.Num, why.State, why.Message
	}
	return c
}

// ignoredDuplicate is what the SQL engine says of a row that IGNORE leaves out.
var ignoredDuplicate = regexp.MustCompile(`^duplicate (?:primary|unique) key given: (` + mysqlerr.DuplicateEntry + `(?s:.*))$`)

// ignored is what a warning of INSERT IGNORE or UPDATE IGNORE would be as an error; nil for any other.
func ignored(ctx *sql.Context, w *sql.Warning) *mysql.SQLError {
	s, ok := ctx.ProcessList.(Session)
	if w.Level != levelNote || !ok || s.Writes() == nil {
		return nil
	}
	switch w.Code {
	case 1048:
		if m := mysqlerr.FirstQuoted.FindStringSubmatch(w.Message); m != nil {
			return mysqlerr.Numbered(1048, fmt.Sprintf("Column '%s' cannot be null", m[1]))
		}
	case 1062:
		if m := ignoredDuplicate.FindStringSubmatch(w.Message); m != nil {
			return mysqlerr.Numbered(1062, m[1])
		}
	case mysql.ERUnknownError:
		if strings.Contains(w.Message, "is too large for column") {
			return mysqlerr.Numbered(1265, "Data truncated for column '"+quotedIn(w.Message)+"' at row 1")
		}
	}
	return nil
}

// quotedIn is the last word in quotation marks of a message.
func quotedIn(message string) string {
	m := regexp.MustCompile(`'([^']*)'$`).FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	return m[1]
}

// Fail notes the error that a statement fails with, unless it is known from a statement inside it.
func (d *Area) Fail(ctx *sql.Context, e *mysql.SQLError) {
	d.Collect(ctx)
	if d.failed != nil && *d.failed == *e {
		return
	}
	d.failed = e
	d.add(ctx, condition{level: levelError, number: e.Num, state: e.State, message: e.Message, items: d.Said})
	d.Said = nil
}

// Warn notes a warning.
func (d *Area) Warn(ctx *sql.Context, e *mysql.SQLError, items map[string]string) {
	d.Collect(ctx)
	d.add(ctx, condition{level: levelWarning, number: e.Num, state: e.State, message: e.Message, items: items})
}

// conditionsSchema is the answer to SHOW WARNINGS and SHOW ERRORS.
var conditionsSchema = sql.Schema{
	{Name: "Level", Type: types.MustCreateString(querypb.Type_VARCHAR, 7, sql.Collation_Default)},
	{Name: "Code", Type: types.Uint32},
	{Name: "Message", Type: types.MustCreateString(querypb.Type_VARCHAR, 512, sql.Collation_Default)},
}

// Show makes n the answer to SHOW WARNINGS, SHOW ERRORS, or to how many there are.
func Show(u *grammar.Statement, n *nodes.Answer) {
	only := u.Kind == "show_errors"
	if len(u.Options) > 0 {
		name := "@@session.warning_count"
		if only {
			name = "@@session.error_count"
		}
		n.Columns = sql.Schema{{Name: name, Type: types.Uint64}}
		n.Rows = func(ctx *sql.Context) ([]sql.Row, error) {
			d := Of(ctx)
			if only {
				return []sql.Row{{d.errors}}, nil
			}
			return []sql.Row{{d.all}}, nil
		}
		return
	}
	n.Columns = conditionsSchema
	n.Rows = func(ctx *sql.Context) (rows []sql.Row, err error) {
		for _, c := range Of(ctx).conditions {
			if !only || c.level == levelError {
				rows = append(rows, sql.Row{c.level, uint32(c.number), c.message})
			}
		}
		rows = rows[min(u.Limit.Skip, uint64(len(rows))):]
		return rows[:min(u.Limit.Rows, uint64(len(rows)))], nil
	}
}

// Session is the session of a statement, which has conditions. The ProcessList of the statement's context implements it.
type Session interface {
	// Diagnostics are the session's, nil if it is the server itself that works.
	Diagnostics() *Area
	// Writes is the node that writes a table, nil for none.
	Writes() sql.Node
	// SetUser sets a user variable.
	SetUser(ctx *sql.Context, name string, value any, kind sql.Type) error
}

// Of is the area of the connection that ctx belongs to, an empty one if it belongs to none.
func Of(ctx *sql.Context) *Area {
	if s, ok := ctx.ProcessList.(Session); ok {
		if d := s.Diagnostics(); d != nil {
			return d
		}
	}
	return &Area{}
}

// item is what GET DIAGNOSTICS says of a condition.
func (c *condition) item(name string) (value any, known bool) {
	origin := "ISO 9075"
	if given, ok := c.items[name]; ok {
		return given, true
	}
	switch name {
	case "RETURNED_SQLSTATE":
		return c.state, true
	case "MESSAGE_TEXT":
		return c.message, true
	case "MYSQL_ERRNO":
		return int64(c.number), true
	case "CLASS_ORIGIN":
		if !standardClass(c.state) {
			origin = "MySQL"
		}
		return origin, true
	case "SUBCLASS_ORIGIN":
		if !standardClass(c.state) && !strings.HasSuffix(c.state, "000") {
			origin = "MySQL"
		}
		return origin, true
	case "CONSTRAINT_CATALOG", "CONSTRAINT_SCHEMA", "CONSTRAINT_NAME", "CATALOG_NAME", "SCHEMA_NAME", "TABLE_NAME", "COLUMN_NAME", "CURSOR_NAME":
		return "", true
	}
	return nil, false
}

// standardClass tells whether the class of an SQLSTATE is one of the standard's: what begins with
// a digit up to 4 or a letter up to H.
func standardClass(state string) bool {
	return state != "" && (state[0] >= '0' && state[0] <= '4' || state[0] >= 'A' && state[0] <= 'H')
}

// What GET DIAGNOSTICS can say of a statement.
const (
	itemNumber   = "NUMBER"
	itemRowCount = "ROW_COUNT"
)

// statementItem is what GET DIAGNOSTICS says of the statement.
func (d *Area) statementItem(ctx *sql.Context, name string) (value any, known bool) {
	switch name {
	case itemNumber:
		return int64(len(d.conditions)), true
	case itemRowCount:
		return ctx.GetLastQueryInfo().RowCount.Load(), true
	}
	return nil, false
}

// errCondition is for a number that no condition has.
var errCondition = mysql.NewSQLError(1758, "35000", "Invalid condition number")

// errNotStacked is for GET STACKED DIAGNOSTICS outside a handler.
var errNotStacked = mysql.NewSQLError(1887, "0Z002", "GET STACKED DIAGNOSTICS when handler not active")

// Get is what GET DIAGNOSTICS asks for: of the statement, or of its condition with this number.
func (d *Area) Get(ctx *sql.Context, ask *grammar.Diagnostics, number int64) (values []any, err error) {
	if ask.Stacked {
		if len(d.stacked) == 0 {
			return nil, errNotStacked
		}
		d = &d.stacked[len(d.stacked)-1]
	}
	item := func(name string) (any, bool) { return d.statementItem(ctx, name) }
	if ask.Condition != nil {
		if number < 1 || number > int64(len(d.conditions)) {
			return nil, errCondition
		}
		item = d.conditions[number-1].item
	}
	for _, a := range ask.Items {
		v, known := item(strings.ToUpper(a.Item))
		if !known {
			return nil, mysqlerr.Syntax(" near '" + a.Item + "'")
		}
		values = append(values, v)
	}
	return values, nil
}

// Get is GET DIAGNOSTICS outside a program, where there are user variables alone.
func Get(ctx *sql.Context, u *grammar.Statement, children []any) error {
	ask := u.Diagnostics
	for _, a := range ask.Items {
		if !strings.HasPrefix(a.Target, "@") {
			return mysql.NewSQLError(1327, "42000", "Undeclared variable: %s", a.Target)
		}
	}
	var number int64
	if ask.Condition != nil {
		e, ok := children[0].(sql.Expression)
		if !ok {
			return errCondition
		}
		v, err := e.Eval(ctx, nil)
		if err != nil {
			return err
		}
		number = ConditionNumber(ctx, v)
	}
	values, err := Of(ctx).Get(ctx, ask, number)
	if err != nil {
		return err
	}
	for i, a := range ask.Items {
		if err := ctx.ProcessList.(Session).SetUser(ctx, a.Target[1:], values[i], TypeOf(values[i])); err != nil {
			return err
		}
	}
	return nil
}

// ConditionNumber is the number of a condition, 0 where v is none.
func ConditionNumber(ctx *sql.Context, v any) int64 {
	n, _, err := types.Int64.Convert(ctx, v)
	if number, ok := n.(int64); ok && err == nil {
		return number
	}
	return 0
}

// TypeOf is the type of what GET DIAGNOSTICS says.
func TypeOf(v any) sql.Type {
	if _, ok := v.(int64); ok {
		return types.Int64
	}
	return types.LongText
}

// Signal is SIGNAL outside a program.
func Signal(ctx *sql.Context, u *grammar.Statement, children []any) error {
	if u.Signal.ConditionName != "" {
		return mysql.NewSQLError(1319, "42000", "Undefined CONDITION: %s", u.Signal.ConditionName)
	}
	texts := make([]*string, len(children))
	for i, child := range children {
		e, ok := child.(sql.Expression)
		if !ok {
			continue
		}
		v, err := e.Eval(ctx, nil)
		if err != nil {
			return err
		}
		if v != nil {
			text := mysqlerr.ShownValue(ctx, e.Type(ctx), v)
			texts[i] = &text
		}
	}
	e, items, err := grammar.Signal(u.Signal, u.Signal.SqlStateValue, nil, texts, grammar.LongItem(ctx))
	if err != nil {
		return err
	}
	d := Of(ctx)
	if strings.HasPrefix(e.State, "01") {
		d.Warn(ctx, e, items)
		return nil
	}
	d.Said = items
	return e
}
