package engine

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Sizes of what TestCallsCanBeEnded gives to functions. A function whose work grows with the product of two of them takes at least some seconds,
// one whose work grows with their sum some milliseconds.
const (
	endsText     = 128 << 10 // bytes of a text
	endsElements = 16 << 10  // elements of a list, of an array and of an object, and points of a geometry
	endsHuge     = 400 << 10 // bytes of the longest lists and arrays
	endsMany     = 4 << 10   // arguments
)

// endsValues sets the variables that hold large values, in pairs: what is searched, and what is searched for and is not in it, but nearly.
var endsValues = []string{
	"SET @text = REPEAT('a', %[1]d), @near = CONCAT(REPEAT('a', %[1]d DIV 2), 'b'), @any = CONCAT('%%', REPEAT('a', %[1]d DIV 2), 'b%%'), @one = CONCAT('%%', REPEAT('_', %[1]d DIV 2), 'b')",
	"SET @commas = REPEAT(',', %[3]d), @item = REPEAT('a', %[3]d)",
	"SET @array = CONCAT('[', REPEAT('1,', %[2]d), '2]'), @other = CONCAT('[', REPEAT('2,', %[2]d), '2]'), @third = CONCAT('[', REPEAT('3,', %[2]d), '3]')",
	"SET @huge = CONCAT('[', REPEAT('1,', %[3]d DIV 2), '1]')",
	"SET @deep = CONCAT('[', REPEAT('[1],', %[2]d), '[1]]'), @deeper = CONCAT('[', REPEAT('[2],', %[2]d), '[2]]')",
	"SET @texts = CONCAT('[', REPEAT('\"a\",', %[2]d), '\"a\"]'), @digits = REPEAT('7', %[1]d), @blanks = REPEAT(' ', %[1]d), @marks = REPEAT('%%', %[1]d)",
}

// endsPairs are pairs of large values that belong together.
var endsPairs = [][2]string{
	{"@text", "@near"}, {"@text", "@any"}, {"@text", "@one"}, {"@text", "@text"}, {"@commas", "@item"}, {"@array", "@other"}, {"@array", "@third"}, {"@deep", "@deeper"}, {"@texts", "@array"}, {"@object", "@keys"},
	{"@line", "@cross"}, {"@ring", "@other_ring"}, {"@points", "@other_points"}, {"@line", "@ring"}, {"@lines", "@ring"}, {"@digits", "@digits"}, {"@blanks", "@marks"},
}

// endsGeometries returns the statements that set variables to geometries of many points.
func endsGeometries(points int) []string {
	text := func(format string, n int, at func(i int) (x, y int)) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			x, y := at(i)
			fmt.Fprintf(&b, format, x, y)
		}
		return b.String()
	}
	// Lines with teeth: none of the one touches one of the other, and the boxes around them overlap.
	teeth := func(shift int) func(i int) (x, y int) {
		return func(i int) (x, y int) { return i + shift, i%2*10 + i + shift*8 }
	}
	ring := func(left int) string { // up on one side with teeth, and down on the other one
		half := points / 2
		s := text("%d %d", half, func(i int) (x, y int) { return left + i%2, i })
		return s + "," + text("%d %d", half, func(i int) (x, y int) { return left + 5 + i%2, half - i }) + fmt.Sprintf(",%d 0", left)
	}
	flat := func(y0 int) func(i int) (x, y int) { return func(i int) (x, y int) { return i, y0 } }
	return []string{
		"SET @line = ST_GeomFromText('LINESTRING(" + text("%d %d", points, teeth(0)) + ")')",
		"SET @cross = ST_GeomFromText('LINESTRING(" + text("%d %d", points, teeth(3)) + ")')",
		"SET @ring = ST_GeomFromText('POLYGON((" + ring(0) + "))')",
		"SET @other_ring = ST_GeomFromText('POLYGON((" + ring(3) + "))')",
		"SET @points = ST_GeomFromText('MULTIPOINT(" + text("%d %d", points, flat(0)) + ")')",
		"SET @other_points = ST_GeomFromText('MULTIPOINT(" + text("%d %d", points, flat(1)) + ")')",
		"SET @lines = ST_GeomFromText('MULTILINESTRING(" + text("(%d 0,%[1]d 1)", points, flat(0)) + ")')",
	}
}

// endsProbes are calls of all functions and forms with large values; with three arguments or more some of them, unless all are wanted.
// accepts tells whether a call has the right number of arguments.
func endsProbes(accepts func(call string) bool, all bool) (probes []probe) {
	small := func(n int) []string { return slices.Repeat([]string{"'1'"}, n) }
	add := func(name string, args int, call func(args []string) string) {
		if !accepts(call(small(args))) {
			return
		}
		put := func(args ...string) { probes = append(probes, probe{name: name, large: call(args)}) }
		seen := map[string]bool{}
		for i, p := range endsPairs {
			if args == 1 {
				if !seen[p[0]] {
					put(p[0])
				}
				seen[p[0]] = true
				continue
			}
			for j, p := range [][2]string{p, {p[1], p[0]}} {
				rest := slices.Repeat([]string{"'1'"}, max(args-3, 0))
				ways := [][]string{append([]string{p[0], p[1], "'1'"}, rest...), append([]string{p[0], p[1], p[1]}, rest...), append([]string{p[0], "'all'", p[1]}, rest...), append([]string{"'1'", p[0], p[1]}, rest...)}
				switch {
				case args == 2:
					put(p[0], p[1])
				case all:
					for _, w := range ways {
						put(w...)
					}
				case (i+j)%2 == 0:
					put(ways[(i+j)/2%len(ways)]...)
				}
			}
		}
	}
	many := func(name, quoted string) { // as many arguments as anybody likes
		call := func(args ...string) string { return quoted + "(" + strings.Join(args, ", ") + ")" }
		ways := [][]string{{"@huge", "'$[0]'"}, {"@huge", "'$[0]'", "1"}, {"@huge", "'$[*]'"}, {"@huge", "'one'", "'$**.a'"}, {"@huge", "'all'", "'a'", "NULL", "'$**.a'"}, {"'{}'", "'[1]'"}, {"@text", "@text"}, {"1", "@text"}}
		for i, w := range ways {
			one := []int{1, 2, 1, 1, 1, 1, 1, 1}[i] // how many of its arguments are repeated
			fixed, repeated := w[:len(w)-one], w[len(w)-one:]
			if accepts(call(append(slices.Clone(fixed), slices.Repeat(repeated, 8)...)...)) {
				probes = append(probes, probe{name: name, large: call(append(slices.Clone(fixed), slices.Repeat(repeated, endsMany)...)...)})
			}
		}
	}
	functions := registeredFunctions()
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if withoutCalls[name] {
			continue
		}
		quoted := name
		if strings.ContainsFunc(name, func(r rune) bool { return r != '.' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }) {
			quoted = "`" + name + "`"
		}
		for n := 1; n <= 4; n++ {
			add(name, n, func(args []string) string { return quoted + "(" + strings.Join(args, ", ") + ")" })
		}
		many(name, quoted)
	}
	for _, form := range append(forms, endsForms...) {
		n := strings.Count(form, "%s")
		add(form, n, func(args []string) string {
			values := make([]any, len(args))
			for i, a := range args {
				values[i] = a
			}
			return fmt.Sprintf(form, values...)
		})
	}
	return probes
}

// endsForms are expressions that are no plain calls and that other tests do not need.
var endsForms = []string{"SUBSTRING(%s FROM %s)", "%s RLIKE %s", "%s NOT REGEXP %s", "%s <=> %s", "%s <> %s", "%s < %s", "%s IN (%s, %s)", "TRIM(LEADING %s FROM %s)", "TRIM(TRAILING %s FROM %s)"}

// TestCallsCanBeEnded: each call of a function or an operator ends soon after its statement was ended, or by itself, however large its
// arguments are, even if its work grows with the product of their sizes.
func TestCallsCanBeEnded(t *testing.T) {
	oneAtATime(t)
	const (
		time30  = 30          // ms after which max_execution_time ends the statement
		longest = time.Second // of the processor's time: that, and what cannot be interrupted
		patient = 20 * time.Second
	)
	r := serve(t, Options{})
	db := r.open(t, "max_execution_time="+strconv.Itoa(time30))
	db.SetMaxOpenConns(1)
	begin := func() {
		for _, q := range endsValues {
			if _, err := db.Exec(fmt.Sprintf(q, endsText, endsElements, endsHuge)); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
		}
		var members, other strings.Builder
		for i := range endsElements {
			fmt.Fprintf(&members, "%q:%d,", "k"+strconv.Itoa(i), i)
			fmt.Fprintf(&other, "%q:%d,", "k"+strconv.Itoa(i), -i)
		}
		for _, q := range append(endsGeometries(endsElements), "SET @object = '{"+members.String()+"\"k\":1}'", "SET @keys = '{"+other.String()+"\"k\":2}'") {
			if _, err := db.Exec(q); err != nil {
				t.Fatalf("%.100s: %v", q, err)
			}
		}
	}
	begin()
	run := func(call string) error {
		ctx, cancel := context.WithTimeout(t.Context(), patient)
		defer cancel()
		rows, err := db.QueryContext(ctx, "SELECT LENGTH("+call+")")
		if err != nil {
			return err
		}
		for rows.Next() {
		}
		_ = rows.Close()
		return rows.Err()
	}
	probes := endsProbes(func(call string) bool {
		err := run(call)
		return err == nil || !slices.ContainsFunc([]string{"1582", "1064", "1318", "1305"}, func(number string) bool { return strings.Contains(err.Error(), "Error "+number) })
	}, os.Getenv("PFSD_SOAK") != "")
	slow := map[string]bool{}
	for _, p := range probes {
		if slow[p.name] {
			continue
		}
		start := processorTime()
		err := run(p.large)
		took := processorTime() - start
		if took > longest {
			slow[p.name] = true
			t.Errorf("%.150s takes %v of processor time, and ends with %.100v", p.large, took, err)
		}
		if err != nil && (strings.Contains(err.Error(), "context deadline") || strings.Contains(err.Error(), "bad connection") || strings.Contains(err.Error(), "invalid connection")) {
			begin()
		}
	}
	t.Logf("%d calls", len(probes))
}

// TestValuesOfCallsThatCanBeEnded: the functions that TestCallsCanBeEnded is about have MySQL's values, with few and with many arguments.
func TestValuesOfCallsThatCanBeEnded(t *testing.T) {
	needGeneralFunctions(t)
	r := serve(t, Options{})
	many := func(before, each, after string) string { return before + strings.Repeat(each, 100) + after }
	for q, want := range map[string]string{
		"'abc' LIKE 'a%c', 'abc' LIKE 'a_c', 'abc' LIKE '%b', 'abc' LIKE '%b%', '' LIKE '%', '' LIKE '', 'a' LIKE '', 'abc' LIKE '%%%c%'":                                                                                                                                                                                                                                                                                                                                                             "1|1|0|1|1|1|0|1",
		"'aaab' LIKE '%aab', 'mississippi' LIKE '%iss%ip%', 'mississippi' LIKE '%issi_i', 'a%c' LIKE 'a\\%c', 'abc' LIKE 'a\\%c', 'ABC' LIKE 'a%', 'É' LIKE 'e'":                                                                                                                                                                                                                                                                                                                                      "1|1|0|1|0|1|1",
		"'a%c' LIKE 'a|%c' ESCAPE '|', 'abc' LIKE 'a|%c' ESCAPE '|', 'a_' LIKE 'a!_' ESCAPE '!', NULL LIKE 'a', 'a' LIKE NULL":                                                                                                                                                                                                                                                                                                                                                                        "1|0|1|NULL|NULL",
		"REPEAT('ab', 100) LIKE CONCAT('%', REPEAT('ab', 90), '%'), REPEAT('ab', 100) LIKE CONCAT('%', REPEAT('ab', 90), 'b%'), BINARY 'A' LIKE 'a'":                                                                                                                                                                                                                                                                                                                                                  "1|0|0",
		"FIND_IN_SET('b', 'a,b,c'), FIND_IN_SET('B', 'a,b,c'), FIND_IN_SET('d', 'a,b,c'), FIND_IN_SET('a,b', 'a,b'), FIND_IN_SET('', 'a,,b'), FIND_IN_SET('', ''), FIND_IN_SET('ab', 'a,abc,ab'), FIND_IN_SET(NULL, 'a'), FIND_IN_SET(2, '1,2')":                                                                                                                                                                                                                                                      "2|2|0|0|2|0|3|NULL|2",
		"INSTR('foobarbar', 'bar'), INSTR('xbar', 'foobar'), INSTR('aabaabaaab', 'AAAB'), INSTR('a', ''), LOCATE('bar', 'foobarbar', 5), LOCATE('', 'abc', 4), LOCATE('', 'abc', 5), LOCATE('a', 'a', 0), POSITION('é' IN 'aée')":                                                                                                                                                                                                                                                                     "4|0|7|1|7|4|0|0|2",
		"JSON_CONTAINS('{\"a\": 1, \"c\": {\"d\": 4}}', '1', '$.a'), JSON_CONTAINS('{\"a\": 1}', '1', '$.b'), JSON_CONTAINS('[1, [1, 2, 3, 10]]', '[1, 10]'), JSON_CONTAINS('[1, 2]', '[[1]]'), JSON_CONTAINS('[[1, 2]]', '[[1]]'), JSON_CONTAINS('{\"a\": {\"b\": [1, 2]}}', '{\"a\": {\"b\": [2]}}')":                                                                                                                                                                                               "1|NULL|1|0|1|1",
		"JSON_CONTAINS('[1, 2.5, \"a\", null, true]', '[true, null, \"a\", 2.5, 1, 1, 1, 1, 1, 1]'), JSON_CONTAINS('[1, 2, 3]', '[3, 3, 3, 3, 3, 3, 3, 3, 4]'), JSON_CONTAINS('{\"a\": 1}', '[]'), JSON_CONTAINS('[]', '[]'), JSON_CONTAINS('1', '1'), JSON_CONTAINS(NULL, '1')":                                                                                                                                                                                                                      "1|0|0|1|1|NULL",
		"JSON_CONTAINS(JSON_ARRAY(1, 2, 3, CAST(4 AS DECIMAL(5, 2))), '[4, 1, 2, 3, 3, 3, 3, 3]'), JSON_CONTAINS('[1, {\"a\": [2, 3]}]', '[{\"a\": 3}, 1, 1, 1, 1, 1, 1, 1, 1]')":                                                                                                                                                                                                                                                                                                                     "1|1",
		"JSON_OVERLAPS('[1, 3, 5, 7]', '[2, 5, 7]'), JSON_OVERLAPS('[1, 3, 5, 7]', '[2, 6, 8]'), JSON_OVERLAPS('[[1, 2], 4]', '[1, [2, 4]]'), JSON_OVERLAPS('{\"a\": 1, \"b\": 10}', '{\"c\": 1, \"b\": 10}'), JSON_OVERLAPS('{\"a\": 1}', '{\"a\": 2}'), JSON_OVERLAPS('5', '5'), JSON_OVERLAPS('[4, 5, 6]', '6'), JSON_OVERLAPS('[4, 5, \"6\"]', '6'), JSON_OVERLAPS('[4, {\"a\": 1}]', '{\"a\": 1}')":                                                                                              "1|0|0|1|0|1|1|0|1",
		"JSON_OVERLAPS('[0, 1, 2, 3, 4, 5, 6, 7, [8, 9]]', '[10, 11, 12, 13, 14, 15, 16, 17, [8, 9]]'), JSON_OVERLAPS('[0, 1, 2, 3, 4, 5, 6, 7, 8]', '[10, 11, 12, 13, 14, 15, 16, 17, \"8\"]')":                                                                                                                                                                                                                                                                                                      "1|0",
		"JSON_CONTAINS_PATH('{\"a\": 1, \"c\": {\"d\": 4}}', 'one', '$.a', '$.e'), JSON_CONTAINS_PATH('{\"a\": 1, \"c\": {\"d\": 4}}', 'all', '$.a', '$.e'), JSON_CONTAINS_PATH('{\"a\": 1, \"c\": {\"d\": 4}}', 'ONE', '$.c.d'), JSON_CONTAINS_PATH('[1]', 'one', '$**[5]')":                                                                                                                                                                                                                         "1|0|1|0",
		"1 MEMBER OF ('[1, 2]'), 'a' MEMBER OF ('[\"b\"]'), CAST('[1]' AS JSON) MEMBER OF ('[[1], 2]'), CAST('{\"a\": 1, \"b\": 2}' AS JSON) MEMBER OF ('[{\"b\": 2, \"a\": 1}]')":                                                                                                                                                                                                                                                                                                                    "1|0|1|1",
		"JSON_LENGTH(" + many("JSON_ARRAY_APPEND('[]'", ", '$', 1", "") + ")), JSON_LENGTH(" + many("JSON_ARRAY_INSERT('[]'", ", '$[0]', 1", "") + ")), JSON_LENGTH(" + many("JSON_REMOVE(CONCAT('[', REPEAT('1,', 150), '1]')", ", '$[0]'", "") + ")), " + many("JSON_SET('{}'", ", '$.a', 1", ", '$.a', 7)") + ", " + many("JSON_REPLACE('{\"a\": 1}'", ", '$.a', 1", ", '$.a', 'x')") + ", " + many("JSON_SET(NULL", ", '$.a', 1", ")") + ", " + many("JSON_SET('{}'", ", '$.a', 1", ", NULL, 2)"): "100|100|51|{\"a\": 7}|{\"a\": \"x\"}|NULL|NULL",
		"JSON_LENGTH(" + many("JSON_EXTRACT('[1, 2]'", ", '$[*]'", "") + ")), JSON_SEARCH('[\"abc\", \"b\"]', 'all', '%b%'), JSON_SEARCH('[\"abc\"]', 'one', 'x'), COALESCE(" + many("NULL", ", NULL", ", 5") + "), " + many("GREATEST(1", ", 2", ", 3)"):                                                                                                                                                                                                                                             "200|[\"$[0]\", \"$[1]\"]|NULL|5|3",
	} {
		r.want(t, "SELECT "+q, want)
	}
	r.exec(t, "CREATE TABLE test.patterns (p VARCHAR(10))")
	r.exec(t, "INSERT INTO test.patterns VALUES ('a%'), ('b%'), ('%c')")
	r.want(t, "SELECT p FROM test.patterns WHERE 'abc' LIKE p ORDER BY p", "%c", "a%")
	for q, want := range map[string]string{
		"SELECT JSON_CONTAINS('[1]', '1', '$[*]')":               "3149 42000 In this situation, path expressions may not contain the * and ** tokens or an array range.",
		"SELECT JSON_OVERLAPS('[1', '1')":                        "3141 22032 Invalid JSON text in argument 1 to function json_overlaps: ",
		"SELECT JSON_CONTAINS('[1]', 1)":                         "3146 22032 Invalid data type for JSON data in argument 2 to function json_contains; a JSON string or JSON type is required.",
		"SELECT JSON_CONTAINS_PATH('[1]', 'some', '$')":          "3154 42000 The oneOrAll argument to json_contains_path may take these values: 'one' or 'all'.",
		"SELECT ST_INTERSECTS(@line, @line)":                     "3134 HY000 Parameter g2 exceeds the maximum number of points in a geometry (",
		"SELECT 'a' LIKE 'b' ESCAPE 'cd'":                        "1210 HY000 Incorrect arguments to ESCAPE",
		many("SELECT JSON_SET('{}'", ", '$.a', 1", ", '$.', 1)"): "3143 42000 Invalid JSON path expression.",
	} {
		if strings.Contains(q, "@line") {
			q = strings.ReplaceAll(q, "@line", "ST_GeomFromText(CONCAT('LINESTRING(', REPEAT('0 0,', 10000), '1 1)'))")
		}
		if _, err := r.cell(q); !strings.HasPrefix(code(err), want) {
			t.Errorf("%.200s: %v, not %s", q, err, want)
		}
	}
}
