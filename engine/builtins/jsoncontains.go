package builtins

import (
	"encoding/json"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// ContainsFunctions returns JSON_CONTAINS, JSON_OVERLAPS and JSON_CONTAINS_PATH.
//
// go-mysql-server: compares each element of one array with each one of the other, out of reach of KILL; 1 and 1.0 of different
// origins differ; takes the array [1] for contained in [1, 2] as an element. MySQL: KILL ends them; a candidate array is contained in an
// element of the target only if that is an array that contains it.
func ContainsFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	sqlexpr.DefineAll(all,
		&sqlexpr.Definition{Name: "json_contains", Least: 2, Most: 3, TypeOf: sqlexpr.AlwaysType(types.Boolean), Value: jsonContains},
		&sqlexpr.Definition{Name: "json_overlaps", Least: 2, Most: 2, TypeOf: sqlexpr.AlwaysType(types.Boolean), Value: jsonOverlaps},
		&sqlexpr.Definition{Name: "json_contains_path", Least: 3, Most: sqlexpr.AnyNumber, Nulls: true, TypeOf: sqlexpr.AlwaysType(types.Boolean), Value: jsonContainsPath},
	)
	return all
}

// jsonArgument returns argument i as a JSON document.
func jsonArgument(ctx *sql.Context, c *sqlexpr.Call, args []any, i int) (document any, err error) {
	switch v := args[i].(type) {
	case sql.JSONWrapper:
		return v.ToInterface(ctx)
	case string:
		if err := json.Unmarshal([]byte(v), &document); err != nil {
			return nil, sql.ErrInvalidJSONText.New(i+1, c.Name, v)
		}
		return document, nil
	}
	return nil, sql.ErrInvalidJSONArgument.New(i+1, c.Name)
}

func jsonContains(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	target, err := jsonArgument(ctx, c, args, 0)
	if err != nil {
		return nil, err
	}
	candidate, err := jsonArgument(ctx, c, args, 1)
	if err != nil {
		return nil, err
	}
	work := sqlvalue.NewWork(ctx)
	if len(args) > 2 {
		text, err := c.Text(ctx, 2, args[2])
		if err != nil {
			return nil, err
		}
		steps, err := sqlvalue.ParseJSONPath(text)
		if err != nil {
			return nil, err
		}
		for _, s := range steps {
			if s.IsMany() {
				return nil, mysql.NewSQLError(3149, "42000", "In this situation, path expressions may not contain the * and ** tokens or an array range.")
			}
		}
		finder := sqlvalue.JSONFinder{Work: work, Most: 1}
		if err := finder.Follow(target, steps); err != nil || len(finder.Found) == 0 {
			return nil, err
		}
		target = finder.Found[0]
	}
	return jsonComparer{ctx, work}.contains(target, candidate)
}

func jsonOverlaps(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	left, err := jsonArgument(ctx, c, args, 0)
	if err != nil {
		return nil, err
	}
	right, err := jsonArgument(ctx, c, args, 1)
	if err != nil {
		return nil, err
	}
	return jsonComparer{ctx, sqlvalue.NewWork(ctx)}.overlap(left, right)
}

func jsonContainsPath(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	if args[0] == nil {
		return nil, nil
	}
	document, err := jsonArgument(ctx, c, args, 0)
	if err != nil || args[1] == nil {
		return nil, err
	}
	which, err := c.Text(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	all := strings.EqualFold(which, "all")
	if !all && !strings.EqualFold(which, "one") {
		return nil, mysql.NewSQLError(3154, "42000", "The oneOrAll argument to %s may take these values: 'one' or 'all'.", c.Name)
	}
	work := sqlvalue.NewWork(ctx)
	for i := 2; i < len(args); i++ {
		if args[i] == nil { // as MySQL does: NULL only if the search gets here
			return nil, nil
		}
		text, err := c.Text(ctx, i, args[i])
		if err != nil {
			return nil, err
		}
		steps, err := sqlvalue.ParseJSONPath(text)
		if err != nil {
			return nil, err
		}
		finder := sqlvalue.JSONFinder{Work: work, Most: 0} // is full once there is a value
		if err := finder.Follow(document, steps); err != nil {
			return nil, err
		}
		if finder.Full != all {
			return finder.Full, nil
		}
	}
	return all, nil
}

// jsonComparer compares values of JSON documents. It ends with its statement. Owned by one goroutine.
type jsonComparer struct {
	ctx  *sql.Context
	work *sqlvalue.Work
}

// comparingSteps is the work of comparing two values, in steps of Work.
const comparingSteps = 4

// isPlainJSON reports whether v is equal to another such value if and only if they are equal in Go.
func isPlainJSON(v any) bool {
	switch v.(type) {
	case nil, bool, string, float64:
		return true
	}
	return false
}

// jsonElements are the elements of an array, for finding values in them.
type jsonElements struct {
	plain map[any]struct{}
	rest  []any // those that are not plain
}

// elements returns the elements of an array, in which so many values are going to be looked for.
func (c jsonComparer) elements(array []any, values int) (jsonElements, error) {
	if values < 8 { // sooner compared than put into a map
		return jsonElements{rest: array}, nil
	}
	e := jsonElements{plain: make(map[any]struct{})}
	for _, v := range array {
		if err := c.work.Step(comparingSteps); err != nil {
			return e, err
		}
		if isPlainJSON(v) {
			e.plain[v] = struct{}{}
		} else {
			e.rest = append(e.rest, v)
		}
	}
	return e, nil
}

// equal reports whether two values are equal.
func (c jsonComparer) equal(a, b any) (bool, error) {
	if err := c.work.Step(comparingSteps); err != nil {
		return false, err
	}
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false, nil
		}
		for i := range a {
			if equal, err := c.equal(a[i], b[i]); !equal || err != nil {
				return false, err
			}
		}
		return true, nil
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false, nil
		}
		for key, value := range a {
			other, ok := b[key]
			if !ok {
				return false, nil
			}
			if equal, err := c.equal(value, other); !equal || err != nil {
				return false, err
			}
		}
		return true, nil
	}
	switch b.(type) {
	case []any, map[string]any:
		return false, nil
	}
	if isPlainJSON(a) && isPlainJSON(b) {
		return a == b, nil
	}
	order, err := types.CompareJSON(c.ctx, a, b) // numbers of several types, times
	return order == 0 && err == nil, nil
}

// isElement reports whether v is equal to one of the elements.
func (c jsonComparer) isElement(in jsonElements, v any) (bool, error) {
	switch v.(type) {
	case []any, map[string]any:
	case nil, bool, string, float64:
		if _, ok := in.plain[v]; ok {
			return true, nil
		}
	default:
		for other := range in.plain { // a number of another type can be equal to a DOUBLE
			if equal, err := c.equal(v, other); equal || err != nil {
				return equal, err
			}
		}
	}
	for _, other := range in.rest {
		if equal, err := c.equal(v, other); equal || err != nil {
			return equal, err
		}
	}
	return false, c.work.Step(comparingSteps)
}

// overlap calculates JSON_OVERLAPS.
func (c jsonComparer) overlap(left, right any) (bool, error) {
	leftArray, isLeftArray := left.([]any)
	rightArray, isRightArray := right.([]any)
	leftObject, isLeftObject := left.(map[string]any)
	rightObject, isRightObject := right.(map[string]any)
	switch {
	case isLeftObject && isRightObject:
		for key, value := range leftObject {
			if other, ok := rightObject[key]; ok {
				if equal, err := c.equal(value, other); equal || err != nil {
					return equal, err
				}
			}
		}
		return false, nil
	case !isLeftArray && !isRightArray:
		return c.equal(left, right)
	case !isLeftArray:
		leftArray = []any{left}
	case !isRightArray:
		leftArray, rightArray = []any{right}, leftArray
	}
	elements, err := c.elements(rightArray, len(leftArray))
	if err != nil {
		return false, err
	}
	for _, v := range leftArray {
		if is, err := c.isElement(elements, v); is || err != nil {
			return is, err
		}
	}
	return false, nil
}

// contains calculates JSON_CONTAINS.
func (c jsonComparer) contains(target, candidate any) (bool, error) {
	if err := c.work.Step(comparingSteps); err != nil {
		return false, err
	}
	switch target := target.(type) {
	case map[string]any:
		candidate, ok := candidate.(map[string]any)
		if !ok {
			return false, nil
		}
		for key, value := range candidate {
			in, ok := target[key]
			if !ok {
				return false, nil
			}
			if is, err := c.contains(in, value); !is || err != nil {
				return false, err
			}
		}
		return true, nil
	case []any:
		candidates, ok := candidate.([]any)
		if !ok {
			candidates = []any{candidate}
		}
		elements, err := c.elements(target, len(candidates))
		if err != nil {
			return false, err
		}
		for _, v := range candidates {
			if is, err := c.containedInElement(elements, v); !is || err != nil {
				return false, err
			}
		}
		return true, nil
	}
	return c.equal(target, candidate)
}

// containedInElement reports whether one of the elements contains v.
func (c jsonComparer) containedInElement(in jsonElements, v any) (bool, error) {
	switch v.(type) {
	case []any, map[string]any:
	default:
		if is, err := c.isElement(in, v); is || err != nil {
			return is, err
		}
	}
	for _, element := range in.rest {
		if is, err := c.contains(element, v); is || err != nil {
			return is, err
		}
	}
	return false, nil
}
