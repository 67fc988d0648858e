package sqlvalue

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
)

// JSONStep is a step of a path: to a member, to cells of an array, or to all values below.
type JSONStep struct {
	Kind      byte // '.', '[' or '*' for **
	Key       string
	Any       bool // .* or [*]
	From, To  int  // the first and last cell; a negative number counts from the end: -1 is the last
	isOneCell bool
}

// IsMany reports whether a step may lead to several values.
func (s JSONStep) IsMany() bool { return s.Kind == '*' || s.Any || s.Kind == '[' && !s.isOneCell }

const (
	// maxSteps is the largest number of steps of a path. A document has at most 100 levels.
	maxSteps = 256
	// maxEverywhere is the largest number of ** in a path. Each ** leads from each value that the
	// steps before it find to all values below that one.
	maxEverywhere = 2
)

// ParseJSONPath reads a path.
func ParseJSONPath(path string) ([]JSONStep, error) {
	text := strings.TrimLeft(path, Blanks)
	everywhere := 0
	bad := func() ([]JSONStep, error) {
		return nil, mysql.NewSQLError(3143, "42000", "Invalid JSON path expression. The error is around character position %d.", len(path)-len(text))
	}
	if text == "" {
		return bad()
	}
	scope := text[0]
	if text = text[1:]; scope != '$' {
		return bad()
	}
	var steps []JSONStep
	for {
		text = strings.TrimLeft(text, Blanks)
		switch {
		case text == "":
			if n := len(steps); n > 0 && steps[n-1].Kind == '*' {
				return bad()
			}
			return steps, nil
		case len(steps) == maxSteps || strings.HasPrefix(text, "**") && everywhere == maxEverywhere:
			return bad()
		case strings.HasPrefix(text, "**"):
			everywhere++
			steps, text = append(steps, JSONStep{Kind: '*'}), text[2:]
		case text[0] == '.':
			text = strings.TrimLeft(text[1:], Blanks)
			switch {
			case strings.HasPrefix(text, "*"):
				steps, text = append(steps, JSONStep{Kind: '.', Any: true}), text[1:]
			case strings.HasPrefix(text, `"`):
				quoted, err := strconv.QuotedPrefix(text)
				if err != nil {
					return bad()
				}
				key, err := strconv.Unquote(quoted)
				if err != nil {
					return bad()
				}
				steps, text = append(steps, JSONStep{Kind: '.', Key: key}), text[len(quoted):]
			default:
				end := strings.IndexAny(text, ".[* \t\n")
				if end < 0 {
					end = len(text)
				}
				if end == 0 {
					return bad()
				}
				steps, text = append(steps, JSONStep{Kind: '.', Key: text[:end]}), text[end:]
			}
		case text[0] == '[':
			inside, rest, ok := strings.Cut(text[1:], "]")
			step, good := parseCells(strings.Trim(inside, Blanks))
			if !ok || !good {
				return bad()
			}
			steps, text = append(steps, step), rest
		default:
			return bad()
		}
	}
}

// parseCells reads the text inside brackets.
func parseCells(s string) (JSONStep, bool) {
	step := JSONStep{Kind: '['}
	if s == "*" {
		step.Any = true
		return step, true
	}
	first, second, isRange := strings.Cut(s, " to ")
	var ok bool
	if step.From, ok = parseCell(first); !ok {
		return step, false
	}
	step.To, step.isOneCell = step.From, !isRange
	if isRange {
		step.To, ok = parseCell(second)
	}
	return step, ok
}

func parseCell(s string) (int, bool) {
	s = strings.Trim(s, Blanks)
	back, isLast := strings.CutPrefix(s, "last")
	if !isLast {
		n, err := strconv.ParseUint(s, 10, 31)
		return int(n), err == nil
	}
	if back = strings.Trim(back, Blanks); back == "" {
		return -1, true
	}
	n, err := strconv.ParseUint(strings.Trim(strings.TrimPrefix(back, "-"), Blanks), 10, 31)
	return -1 - int(n), err == nil && back[0] == '-'
}

// A JSONFinder follows paths. It ends with its statement. Owned by one goroutine.
type JSONFinder struct {
	Work  *Work
	Found []any
	// Most is how many values may be found; then the finder stops, and Full is set.
	Most int
	Full bool
}

// Follow adds the values that a path leads to from value to Found. The error is the reason why the statement must end.
func (f *JSONFinder) Follow(value any, steps []JSONStep) error {
	if f.Full {
		return nil
	}
	if err := f.Work.Step(findingSteps); err != nil {
		return err
	}
	if len(steps) == 0 {
		if f.Full = len(f.Found) >= f.Most; !f.Full {
			f.Found = append(f.Found, value)
		}
		return nil
	}
	step, rest := steps[0], steps[1:]
	object, isObject := value.(map[string]any)
	array, isArray := value.([]any)
	switch {
	case step.Kind == '*':
		if err := f.Follow(value, rest); err != nil {
			return err
		}
		if err := f.members(object, steps); err != nil {
			return err
		}
		return f.cells(array, steps)
	case step.Kind == '.' && step.Any:
		return f.members(object, rest)
	case step.Kind == '.':
		if member, ok := object[step.Key]; isObject && ok {
			return f.Follow(member, rest)
		}
		return nil
	case !isArray: // a value is an array of itself
		if step.Any {
			return nil
		}
		array = []any{value}
	case step.Any:
		return f.cells(array, rest)
	}
	from, to := max(CellOf(step.From, len(array)), 0), min(CellOf(step.To, len(array)), len(array)-1)
	if from > to {
		return nil
	}
	return f.cells(array[from:to+1], rest)
}

// findingSteps is the work of looking at one value of a document, in steps of Work.
const findingSteps = 8

// members follows a path from each member of an object.
func (f *JSONFinder) members(object map[string]any, steps []JSONStep) error {
	if len(object) == 0 {
		return nil
	}
	if err := f.Work.Step(findingSteps * len(object)); err != nil {
		return err
	}
	for _, key := range JSONMembers(object) {
		if err := f.Follow(object[key], steps); err != nil {
			return err
		}
	}
	return nil
}

// cells follows a path from each element of an array.
func (f *JSONFinder) cells(array []any, steps []JSONStep) error {
	for _, cell := range array {
		if err := f.Follow(cell, steps); err != nil {
			return err
		}
	}
	return nil
}

// CellOf returns the index of a cell in an array of this length.
func CellOf(cell, length int) int {
	if cell < 0 {
		return length + cell
	}
	return cell
}

// JSONMembers returns the keys of an object in MySQL's order: shorter ones first.
func JSONMembers(object map[string]any) []string {
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
