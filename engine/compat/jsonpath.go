package compat

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
)

// jsonExtract is JSON_EXTRACT.
//
// go-mysql-server: knows no [last], [1 to 3] and ** in a path, and panics where one of several paths leads nowhere. MySQL:
// knows them, and leaves out what is not there.
var jsonExtract = &definition{name: "json_extract", least: 2, most: every, typ: always(types.JSON), eval: func(ctx *sql.Context, c *call, args []any) (any, error) {
	document, _, err := types.JSON.Convert(ctx, args[0])
	if err != nil {
		return nil, mysql.NewSQLError(3141, "22032", "Invalid JSON text in argument 1 to function json_extract: \"Invalid value.\" at position 0.")
	}
	wrapper, ok := document.(sql.JSONWrapper)
	if !ok {
		return nil, nil
	}
	value, err := wrapper.ToInterface(ctx)
	if err != nil {
		return nil, err
	}
	var found []any
	many := len(args) > 2
	for i := range args[1:] {
		text, err := c.text(ctx, i+1, args[i+1])
		if err != nil {
			return nil, err
		}
		steps, err := parsePath(text)
		if err != nil {
			return nil, err
		}
		many = many || slices.ContainsFunc(steps, jsonStep.isMany)
		found = append(found, follow(value, steps)...)
	}
	switch {
	case len(found) == 0:
		return nil, nil
	case many:
		return types.JSONDocument{Val: found}, nil
	}
	return types.JSONDocument{Val: found[0]}, nil
}}

// jsonStep is a step of a path: to a member, to cells of an array, or to everything below.
type jsonStep struct {
	kind      byte // '.', '[' or '*' for **
	key       string
	any       bool // .* or [*]
	from, to  int  // cells, negative from the end on: -1 is the last
	isOneCell bool
}

// isMany tells whether a step may lead to several values.
func (s jsonStep) isMany() bool { return s.kind == '*' || s.any || s.kind == '[' && !s.isOneCell }

const (
	// maxSteps is how many steps a path has at the most. A document is at most 100 levels deep.
	maxSteps = 256
	// maxEverywhere is how many of them are **: each leads from everything that the one before leads to, to everything in that.
	maxEverywhere = 2
)

// parsePath reads a path.
func parsePath(path string) ([]jsonStep, error) {
	text := strings.TrimLeft(path, blanks)
	everywhere := 0
	bad := func() ([]jsonStep, error) {
		return nil, mysql.NewSQLError(3143, "42000", "Invalid JSON path expression. The error is around character position %d.", len(path)-len(text))
	}
	if text == "" {
		return bad()
	}
	scope := text[0]
	if text = text[1:]; scope != '$' {
		return bad()
	}
	var steps []jsonStep
	for {
		text = strings.TrimLeft(text, blanks)
		switch {
		case text == "":
			if n := len(steps); n > 0 && steps[n-1].kind == '*' {
				return bad()
			}
			return steps, nil
		case len(steps) == maxSteps || strings.HasPrefix(text, "**") && everywhere == maxEverywhere:
			return bad()
		case strings.HasPrefix(text, "**"):
			everywhere++
			steps, text = append(steps, jsonStep{kind: '*'}), text[2:]
		case text[0] == '.':
			text = strings.TrimLeft(text[1:], blanks)
			switch {
			case strings.HasPrefix(text, "*"):
				steps, text = append(steps, jsonStep{kind: '.', any: true}), text[1:]
			case strings.HasPrefix(text, `"`):
				quoted, err := strconv.QuotedPrefix(text)
				if err != nil {
					return bad()
				}
				key, err := strconv.Unquote(quoted)
				if err != nil {
					return bad()
				}
				steps, text = append(steps, jsonStep{kind: '.', key: key}), text[len(quoted):]
			default:
				end := strings.IndexAny(text, ".[* \t\n")
				if end < 0 {
					end = len(text)
				}
				if end == 0 {
					return bad()
				}
				steps, text = append(steps, jsonStep{kind: '.', key: text[:end]}), text[end:]
			}
		case text[0] == '[':
			inside, rest, ok := strings.Cut(text[1:], "]")
			step, good := parseCells(strings.Trim(inside, blanks))
			if !ok || !good {
				return bad()
			}
			steps, text = append(steps, step), rest
		default:
			return bad()
		}
	}
}

// parseCells reads what stands in brackets.
func parseCells(s string) (jsonStep, bool) {
	step := jsonStep{kind: '['}
	if s == "*" {
		step.any = true
		return step, true
	}
	first, second, isRange := strings.Cut(s, " to ")
	var ok bool
	if step.from, ok = parseCell(first); !ok {
		return step, false
	}
	step.to, step.isOneCell = step.from, !isRange
	if isRange {
		step.to, ok = parseCell(second)
	}
	return step, ok
}

func parseCell(s string) (int, bool) {
	s = strings.Trim(s, blanks)
	back, isLast := strings.CutPrefix(s, "last")
	if !isLast {
		n, err := strconv.ParseUint(s, 10, 31)
		return int(n), err == nil
	}
	if back = strings.Trim(back, blanks); back == "" {
		return -1, true
	}
	n, err := strconv.ParseUint(strings.Trim(strings.TrimPrefix(back, "-"), blanks), 10, 31)
	return -1 - int(n), err == nil && back[0] == '-'
}

// follow is what a path leads to.
func follow(value any, steps []jsonStep) []any {
	if len(steps) == 0 {
		return []any{value}
	}
	step, rest := steps[0], steps[1:]
	var found []any
	object, isObject := value.(map[string]any)
	array, isArray := value.([]any)
	switch {
	case step.kind == '*':
		found = follow(value, rest)
		for _, key := range membersOf(object) {
			found = append(found, follow(object[key], steps)...)
		}
		for _, cell := range array {
			found = append(found, follow(cell, steps)...)
		}
	case step.kind == '.' && step.any:
		for _, key := range membersOf(object) {
			found = append(found, follow(object[key], rest)...)
		}
	case step.kind == '.':
		if member, ok := object[step.key]; isObject && ok {
			found = follow(member, rest)
		}
	default:
		if !isArray { // a value is an array of itself
			if step.any {
				return nil
			}
			array = []any{value}
		}
		from, to := 0, len(array)-1
		if !step.any {
			from, to = place(step.from, len(array)), place(step.to, len(array))
		}
		for i := max(from, 0); i <= min(to, len(array)-1); i++ {
			found = append(found, follow(array[i], rest)...)
		}
	}
	return found
}

// place is the place of a cell in an array of so many.
func place(cell, length int) int {
	if cell < 0 {
		return length + cell
	}
	return cell
}

// membersOf are the keys of an object in MySQL's order: the shorter ones first.
func membersOf(object map[string]any) []string {
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return keys
}
