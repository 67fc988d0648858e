package grammar

import (
	"math"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
	"pfsd/engine/syntax"
)

// Diagnostics is a GET DIAGNOSTICS.
type Diagnostics struct {
	// Stacked reports whether the GET DIAGNOSTICS reads the conditions because of which the current
	// handler runs.
	Stacked bool
	// Condition is the number of the condition to read, nil to read the items about the statement.
	Condition ast.Expr
	// Items are the items to read, and the variables that they go to.
	Items []DiagnosticsItem
}

// DiagnosticsItem is the name of an item, and the variable Target that receives its value. Target
// is a user variable if it begins with @, else a variable of a stored program.
type DiagnosticsItem struct{ Target, Item string }

// A GET DIAGNOSTICS becomes a SET whose first variable has one of these names. The value of this
// variable is the number of the condition. The other variables are the targets, and their values
// are the items.
//
// vitess: does not know GET DIAGNOSTICS, neither as a statement nor in procedures. MySQL: has it.
const (
	setDiagnostics   = "GET;"
	setStacked       = "GET;S"
	setCondition     = "GET;C"
	setStackedOfItem = "GET;SC"
)

// DiagnosticsAsSet returns text with a SET in the place of each GET DIAGNOSTICS. The SET has the
// same length, and [DiagnosticsOf] understands it. found is false if text has no GET DIAGNOSTICS.
func DiagnosticsAsSet(text string) (instead string, found bool) {
	if !mends.GetDiagnostics.On() {
		return text, false
	}
	p := NewParser(text)
	out := []byte(text)
	for p.Next(); p.Kind != syntax.End; {
		start := p.At
		if !p.Take("GET") {
			p.Next()
			continue
		}
		name, value := setDiagnostics, "0,"
		stacked := p.Take("STACKED")
		if stacked {
			name = setStacked
		} else {
			p.Take("CURRENT")
		}
		end := p.End
		if !p.Take("DIAGNOSTICS") {
			continue
		}
		if p.Kind == syntax.Word && p.Word == "CONDITION" {
			name, value, end = setCondition, "", p.End
			if stacked {
				name = setStackedOfItem
			}
			p.Next()
			if p.End >= len(text) || !strings.ContainsRune(" \t\r\n\v\f", rune(text[p.End])) {
				continue // a number must follow behind a blank
			}
			out[p.End] = ','
		}
		set := "SET `" + name + "`=" + value
		copy(out[start:end], set+strings.Repeat(" ", end-start-len(set)))
		found = true
	}
	return string(out), found
}

// DiagnosticsOf returns the GET DIAGNOSTICS from which [DiagnosticsAsSet] made the SET s. It
// returns nil for any other SET.
func DiagnosticsOf(s *ast.Set) *Diagnostics {
	if len(s.Exprs) == 0 {
		return nil
	}
	d := &Diagnostics{}
	switch s.Exprs[0].Name.Name.String() {
	case setDiagnostics:
	case setStacked:
		d.Stacked = true
	case setCondition:
		d.Condition = s.Exprs[0].Expr
	case setStackedOfItem:
		d.Stacked, d.Condition = true, s.Exprs[0].Expr
	default:
		return nil
	}
	for _, e := range s.Exprs[1:] {
		target := e.Name.Name.String()
		if e.Scope == ast.SetScope_User && !strings.HasPrefix(target, "@") {
			target = "@" + target
		}
		d.Items = append(d.Items, DiagnosticsItem{Target: target, Item: strings.ReplaceAll(ast.String(e.Expr), "`", "")})
	}
	return d
}

// Signal returns the condition that a SIGNAL or RESIGNAL raises, and the values of its other items
// by their names. The condition is an error, or a warning if its SQLSTATE has the class 01. handled
// is the condition that a RESIGNAL changes, nil if there is none. texts are the values of the
// items, nil for NULL. The error err is about the statement itself: a wrong SQLSTATE or a wrong
// value.
func Signal(s *ast.Signal, state string, handled *mysql.SQLError, texts []*string, long func(item string) error) (e *mysql.SQLError, items map[string]string, err error) {
	number, message := 1644, "Unhandled user-defined exception condition"
	switch {
	case state == "" && handled != nil:
		number, state, message = handled.Num, handled.State, handled.Message
	case strings.HasPrefix(state, "00"):
		return nil, nil, mysql.NewSQLError(1407, "42000", "Bad SQLSTATE: '%s'", state)
	case strings.HasPrefix(state, "01"):
		number, message = 1642, "Unhandled user-defined warning condition"
	case strings.HasPrefix(state, "02"):
		number, message = 1643, "Unhandled user-defined not found condition"
	}
	for i, item := range s.Info {
		name := strings.ToUpper(string(item.ConditionItemName))
		if texts[i] == nil {
			return nil, nil, mysql.NewSQLError(1231, "42000", "Variable '%s' can't be set to the value of 'NULL'", name)
		}
		text := *texts[i]
		most := itemMax
		switch item.ConditionItemName {
		case ast.SignalConditionItemName_MessageText:
			most = messageMax
		case ast.SignalConditionItemName_MysqlErrno:
			most = len(text)
		}
		if short := firstCharacters(text, most); short != text {
			if err := long(name); err != nil {
				return nil, nil, err
			}
			text = short
		}
		switch item.ConditionItemName {
		case ast.SignalConditionItemName_MessageText:
			message = text
		case ast.SignalConditionItemName_MysqlErrno:
			if number, err = strconv.Atoi(text); err != nil || number < 1 || number > 65535 {
				return nil, nil, mysql.NewSQLError(1231, "42000", "Variable 'MYSQL_ERRNO' can't be set to the value of '%s'", text)
			}
		default:
			if items == nil {
				items = map[string]string{}
			}
			items[name] = text
		}
	}
	return mysql.NewSQLError(number, state, "%s", message), items, nil
}

// ShowConditions returns s as a Statement if it is SHOW WARNINGS or SHOW ERRORS, with or without
// COUNT(*). It returns nil for any other SHOW.
//
// go-mysql-server: shows the last warning first, shows no errors, and cannot count. MySQL: shows
// the first condition first, shows errors, and can count.
func ShowConditions(s *ast.Show) *Statement {
	if !mends.ShownConditions.On() {
		return nil
	}
	u := &Statement{Limit: Limit{Rows: math.MaxUint64}}
	switch strings.ToLower(s.Type) {
	case "warnings":
		u.Kind = "show_warnings"
	case "errors":
		u.Kind = "show_errors"
	default:
		return nil
	}
	if s.CountStar {
		u.Options = []string{"COUNT"}
	}
	number := func(e ast.Expr, to *uint64) {
		if v, ok := e.(*ast.SQLVal); ok {
			if n, err := strconv.ParseUint(string(v.Val), 10, 64); err == nil {
				*to = n
			}
		}
	}
	if s.Limit != nil {
		number(s.Limit.Rowcount, &u.Limit.Rows)
		number(s.Limit.Offset, &u.Limit.Skip)
	}
	return u
}

// getDiagnostics returns the statement from start to the current token if it is a GET DIAGNOSTICS,
// else nil.
func (p *Parser) getDiagnostics(start int) *Statement {
	instead, found := DiagnosticsAsSet(p.Text[start:p.At])
	if !found {
		return nil
	}
	return &Statement{Kind: "get_diagnostics", Instead: instead}
}

// How many characters a message that SIGNAL gives a condition has at the most, and how many another item.
const (
	messageMax = 128
	itemMax    = 64
)

// firstCharacters are the first characters of a text.
func firstCharacters(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for i := range text {
		if most--; most < 0 {
			return text[:i]
		}
	}
	return text
}

// LongItem returns what Signal calls for an item that is too long: an error, or without the strict SQL modes a warning.
func LongItem(ctx *sql.Context) func(item string) error {
	return func(item string) error {
		if sql.LoadSqlMode(ctx).Strict() {
			return mysql.NewSQLError(1648, "HY000", "Data too long for condition item '%s'", item)
		}
		ctx.Warn(1647, "Data truncated for condition item '%s'", item)
		return nil
	}
}
