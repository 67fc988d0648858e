package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestPrintedSubqueries: a column that is named after an expression has no panic when the text of a subquery stands in the place of the
// subquery, in whichever function it is, and within whichever expression that looks at the types and collations of its parts.
func TestPrintedSubqueries(t *testing.T) {
	r := serveAll(t, Options{})
	c, _ := r.conn(t)
	r.exec(t, "CREATE TABLE test.x (id INT PRIMARY KEY, s VARCHAR(20))")
	const subquery = "(SELECT s FROM test.x WHERE id = 1)"
	around := []string{"%s", "COALESCE(%s, 'a')", "GREATEST(%s, 'a')", "CONCAT(%s, 'a') = 'b'", "NULLIF(%s, 'a')", "CASE WHEN id = 1 THEN %s ELSE 'a' END",
		"FIELD(%s, 'a')", "%s IN ('a', s)", "%s BETWEEN 'a' AND s", "CASE %s WHEN 'a' THEN 1 END", "MAX(%s)"}
	tried := 0
	try := func(call string) (accepted bool) {
		for _, form := range around {
			query := "SELECT " + fmt.Sprintf(form, call) + " FROM test.x"
			err := readAll(c, query)
			tried++
			if err == nil {
				continue
			}
			number := strings.Fields(code(err))[0]
			if number == "1815" {
				t.Errorf("%s: %v", query, err)
			}
			if slices.Contains([]string{"1582", "1064", "1305", "1318", "1128"}, number) {
				return false
			}
		}
		return true
	}
	functions := registeredFunctions()
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if withoutCalls[name] {
			continue
		}
		quoted, over := calledAs(name, functions[name])
		for n := 1; n <= 3; n++ {
			for _, behind := range slices.Compact([]string{"", over}) {
				if call := quoted + "(" + strings.Repeat(subquery+", ", n-1) + subquery + ")" + behind; try(call) {
					break
				}
			}
		}
	}
	for _, form := range append(slices.Clone(forms), endsForms...) {
		try(strings.ReplaceAll(form, "%s", subquery))
	}
	r.noPanic(t, "printed subqueries")
	t.Logf("%d statements", tried)
}
