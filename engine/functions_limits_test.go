package engine

import (
	"maps"
	runtimemetrics "runtime/metrics"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"

	"pfsd/engine/compat"
	"pfsd/engine/syntax"
)

// registeredFunctions are all functions that a statement can call, by the names that it calls them by: go-mysql-server's,
// those that mend these, those of this package and those of sys.
func registeredFunctions() map[string]sql.Function {
	all := map[string]sql.Function{"version": sql.FunctionN{Name: "version", Fn: function.NewVersion("")}}
	for _, f := range function.GetLockingFuncs(sql.NewEmptyContext(), sql.NewLockSubsystem()) {
		all[f.FunctionName()] = f
	}
	for _, f := range function.BuiltIns {
		all[f.FunctionName()] = f
	}
	maps.Copy(all, boundedFunctions)
	all[syntax.Assign] = assignmentOf(sql.NewEmptyContext())
	for name := range sysFunctions {
		all["sys."+name] = nil
	}
	return all
}

// Each function says how large its result can get.
func TestEveryFunctionStatesTheSizeOfItsResult(t *testing.T) {
	for name := range registeredFunctions() {
		if compat.ResultSizeOf(name) == compat.Unstated {
			t.Errorf("%s states no size: add it to resultSizes in compat/resultsizes.go", name)
		}
	}
}

// A value that would be larger than max_allowed_packet is NULL, with warning 1301, and is not made.
func TestResultsLargerThanAPacket(t *testing.T) {
	r := serve(t, Options{})
	r.want(t, "SELECT @@max_allowed_packet", "1048576")
	c, _ := r.conn(t)
	for _, q := range []string{
		"SET @a = REPEAT('a', 1000000)", "SET @b = REPEAT('b', 100000)", "SET @j = CONCAT('[', REPEAT('1,', 100000), '1]')", "SET SESSION group_concat_max_len = 4294967295",
	} {
		if _, err := c.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	many := func(call, arg string, n int) string { return call + "(" + strings.Repeat(arg+", ", n) + arg + ")" }
	for name, call := range map[string]string{
		"replace": "REPLACE(@a, 'a', @b)", "regexp_replace": "REGEXP_REPLACE(@b, 'b', @b)", "repeat": "REPEAT(@a, 60000000)", "space": "SPACE(2000000)", "lpad": "LPAD('a', 2000000, 'bc')",
		"rpad": "RPAD('a', 2000000, 'bc')", "export_set": "EXPORT_SET(0, @b, @b)", "insert": "INSERT(@a, 1, 0, @b)", "concat": many("CONCAT", "@b", 2000), "concat_ws": many("CONCAT_WS", "@b", 2000),
		"make_set": "MAKE_SET(-1, @a, @a, @a)", "hex": "HEX(@a)", "quote": "QUOTE(REPEAT('\\'', 600000))", "to_base64": "TO_BASE64(@a)", "cast_as_binary": "CAST('a' AS BINARY(16000000))",
		"json_array": many("JSON_ARRAY", "@b", 2000), "json_object": "JSON_OBJECT('a', @a, 'b', @a)", "json_set": "JSON_SET('{}', '$.a', @a, '$.b', @a)", "json_insert": "JSON_INSERT('{}', '$.a', @a, '$.b', @a)",
		"json_array_append": "JSON_ARRAY_APPEND('[]', '$', @a, '$', @a)", "json_merge_preserve": "JSON_MERGE_PRESERVE(" + strings.Repeat("@j, ", 20) + "@j)", "json_pretty": "JSON_PRETTY(@j)",
		"json_quote": "JSON_QUOTE(REPEAT('\"', 600000))", "json_length": "JSON_LENGTH(CONCAT(REPEAT('[', 50), REPEAT(' ', 1000000), REPEAT(']', 50), REPEAT(' ', 48476)))",
		"json_search":   "JSON_SEARCH(JSON_OBJECT(@b, CAST(CONCAT('[', REPEAT('\"a\",', 1000), '1]') AS JSON)), 'all', 'a')",
		"json_arrayagg": "(SELECT JSON_ARRAYAGG(@a) FROM (SELECT 1 UNION ALL SELECT 2) t)", "json_objectagg": "(SELECT JSON_OBJECTAGG(n, @a) FROM (SELECT 1 AS n UNION ALL SELECT 2) t)",
	} {
		want := "Result of " + name + "() was larger than max_allowed_packet (1048576) - truncated"
		if name == "json_length" { // no larger than a packet, and than a document may be
			want = ""
		}
		before := allocatedBytes()
		var length *int
		err := c.QueryRowContext(t.Context(), "SELECT LENGTH("+call+")").Scan(&length)
		used := allocatedBytes() - before
		if err != nil || (length == nil) != (want != "") {
			t.Errorf("%s is %v, %v", name, length, err)
		}
		var level, text string
		var number int
		if err := c.QueryRowContext(t.Context(), "SHOW WARNINGS").Scan(&level, &number, &text); want != "" && (err != nil || level != "Warning" || number != 1301 || text != want) {
			t.Errorf("%s: %s %d %s, %v", name, level, number, text, err)
		}
		if used > 150<<20 {
			t.Errorf("%s took %d MiB", name, used>>20)
		}
	}
	for q, want := range map[string]string{
		"SELECT LENGTH(GROUP_CONCAT(@b SEPARATOR '')) FROM information_schema.collations":       "1048576",
		"SELECT LENGTH(REPEAT('a', 1048576)), LENGTH(REPEAT('a', 1048577))":                     "1048576|NULL",
		"SELECT LENGTH(CONCAT(@a, REPEAT('a', 48576))), LENGTH(CONCAT(@a, REPEAT('a', 48577)))": "1048576|NULL",
		"SELECT LENGTH(REPLACE(@b, 'bbbb', 'ccccc'))":                                           "125000",
	} {
		var row string
		rows, err := c.QueryContext(t.Context(), q)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		columns, _ := rows.Columns()
		values, at := make([]*string, len(columns)), make([]any, len(columns))
		for i := range values {
			at[i] = &values[i]
		}
		for rows.Next() {
			if err := rows.Scan(at...); err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, v := range values {
				if v == nil {
					v = new("NULL")
				}
				texts = append(texts, *v)
			}
			row = strings.Join(texts, "|")
		}
		_ = rows.Close()
		if row != want {
			t.Errorf("%s: got %s, want %s", q, row, want)
		}
	}
	r.exec(t, "CREATE TABLE test.p (a LONGTEXT)")
	if _, err := c.ExecContext(t.Context(), "INSERT INTO test.p VALUES (REPEAT('a', 2000000))"); code(err) != "1301 HY000 Result of repeat() was larger than max_allowed_packet (1048576) - truncated" {
		t.Errorf("a write in a strict mode: %v", err)
	}
}

func allocatedBytes() uint64 {
	s := []runtimemetrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	runtimemetrics.Read(s)
	return s[0].Value.Uint64()
}
