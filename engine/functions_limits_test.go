package engine

import (
	"context"
	databasesql "database/sql"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/catalog"
	"pfsd/engine/resultsize"
	"pfsd/engine/syntax"
	"pfsd/engine/sysschema"
	"pfsd/engine/uservars"
)

// registeredFunctions are all functions that a statement can call, by the names that it calls them by: go-mysql-server's,
// those that mend these, those of this package and those of sys.
func registeredFunctions() map[string]sql.Function {
	all := map[string]sql.Function{"version": sql.FunctionN{Name: "version", Fn: function.NewVersion("")}}
	for _, f := range function.GetLockingFuncs(sql.NewEmptyContext(), sql.NewLockSubsystem()) {
		all[f.FunctionName()] = f
	}
	maps.Copy(all, catalog.Functions)
	all[syntax.Assign] = uservars.Assignment(sql.NewEmptyContext())
	for name := range sysschema.Functions {
		all["sys."+name] = nil
	}
	return all
}

// Each function says how large its result can get.
func TestEveryFunctionStatesTheSizeOfItsResult(t *testing.T) {
	for name := range registeredFunctions() {
		if resultsize.Of(name) == resultsize.Unstated {
			t.Errorf("%s states no size: add it to resultSizes in resultsize/functionsizes.go", name)
		}
	}
}

// A value that would be larger than max_allowed_packet is NULL, with warning 1301, and is not made.
func TestResultsLargerThanAPacket(t *testing.T) {
	oneAtATime(t)
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
		if missingFunction(name) {
			continue
		}
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

// A value that a test gives to functions.
type given struct{ sql, small string }

var (
	longText   = given{"@s", "'a'"}
	longJSON   = given{"@j", "'[1]'"}
	bigNumber  = given{"16000000", "1"}
	shortText  = given{"'a'", "'a'"}
	aPath      = given{"'$'", "'$'"}
	aTime      = given{"'2020-01-02 03:04:05'", "'2020-01-02 03:04:05'"}
	lowNumber  = given{"-9223372036854775808", "-1"}
	hugeNumber = given{"'1e999999999'", "'1'"}
	tinyNumber = given{"'-1e-999999999'", "'1'"}
	anyNull    = given{"NULL", "NULL"}
	allGiven   = []given{longText, longJSON, bigNumber, shortText, aPath, aTime, lowNumber, hugeNumber, tinyNumber, anyNull}
)

// forms are expressions that are no plain calls.
var forms = []string{
	"CAST(%s AS CHAR)", "CAST(%s AS BINARY)", "CAST(%s AS CHAR(16000000))", "CAST(%s AS BINARY(16000000))", "CAST(%s AS DECIMAL(65,30))", "CAST(%s AS JSON)",
	"CAST(%s AS SIGNED)", "CAST(%s AS DATETIME(6))", "CAST(%s AS TIME)", "CAST(%s AS YEAR)", "CAST(%s AS DOUBLE)", "CAST(%s AS FLOAT)",
	"CONVERT(%s USING utf16)", "CONVERT(%s USING utf32)", "CONVERT(CONVERT(%s USING utf32) USING utf32)", "%s LIKE %s", "%s NOT LIKE %s", "%s LIKE %s ESCAPE 'a'", "%s REGEXP %s", "%s + %s", "%s - %s", "%s * %s", "%s / %s", "%s DIV %s", "%s %% %s",
	"%s || %s", "%s & %s", "%s << %s", "~%s", "-%s", "%s = %s", "%s < 1.5", "%s = 1.5", "%s <=> 1.5", "%s = 1", "%s < CAST('2020-01-01' AS DATE)", "%s IN (%s, 1)", "%s IN (1.5, 'a')", "%s BETWEEN %s AND %s", "%s COLLATE utf8mb4_0900_ai_ci = 'b'",
	"%s MEMBER OF (%s)", "@j->'$[*]'", "@j->>'$[*]'", "TRIM(%s FROM %s)", "TRIM(%s)", "EXTRACT(YEAR FROM %s)", "EXTRACT(HOUR_MICROSECOND FROM %s)", "POSITION(%s IN %s)", "CHAR(%s USING utf8mb4)", "NOW() + INTERVAL %s DAY", "NOW() + INTERVAL %s SECOND",
	"%s + INTERVAL 1 DAY", "NOW() + INTERVAL %s MINUTE_MICROSECOND", "CASE %s WHEN %s THEN %s END", "CASE WHEN %s THEN %s ELSE %s END", "BINARY %s", "%s IS NULL", "NOT %s", "%s AND %s", "TIMESTAMPADD(SECOND, %s, %s)", "TIMESTAMPDIFF(SECOND, %s, %s)",
	"@x := %s", "ROW(%s, %s) = ROW(1, 1.5)", "GROUP_CONCAT(%s ORDER BY %s SEPARATOR 'x')", "GROUP_CONCAT(DISTINCT %s)", "JSON_TABLE(%s, '$[*]' COLUMNS (a INT PATH '$'))",
}

// withoutCalls are functions that wait, or whose calls would change what other calls do.
var withoutCalls = map[string]bool{
	"sleep": true, "get_lock": true, "benchmark": true, "release_lock": true, "release_all_locks": true, // they wait by design
}

// probe is a call that the test makes, with large arguments and with small ones.
type probe struct{ name, large, small string }

// probesOf are calls of all functions and forms with at most five arguments: of some numbers of arguments each that accepts
// takes, unless all are wanted.
func probesOf(accepts func(call string) bool, all bool) (probes []probe) {
	random := uint64(1)
	rolled := func(n uint64) bool { // one in n, the same in each run
		random = random*6364136223846793005 + 1442695040888963407
		return (random>>33)%n == 0
	}
	add := func(name string, n int, call func(args []string) string) {
		args, small := make([]string, n), make([]string, n)
		for i := range small {
			small[i] = "'1'"
		}
		if !accepts(call(small)) {
			return
		}
		sparse := uint64(1)
		for range max(n-1, 0) {
			sparse *= 6
		}
		var choose func(i int)
		choose = func(i int) {
			if i < n {
				for _, g := range allGiven {
					args[i], small[i] = g.sql, g.small
					choose(i + 1)
				}
				return
			}
			if all || rolled(sparse) {
				probes = append(probes, probe{name, call(args), call(small)})
			}
		}
		choose(0)
	}
	functions := registeredFunctions()
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if withoutCalls[name] {
			continue
		}
		quoted, over := calledAs(name, functions[name])
		most := 5
		if !all {
			most = 4
		}
		for n := range most + 1 {
			add(name, n, func(args []string) string { return quoted + "(" + strings.Join(args, ", ") + ")" })
			if over != "" {
				add(name, n, func(args []string) string { return quoted + "(" + strings.Join(args, ", ") + ")" + over })
			}
		}
	}
	for _, form := range forms {
		add(form, strings.Count(form, "%s"), func(args []string) string {
			values := make([]any, len(args))
			for i, a := range args {
				values[i] = a
			}
			return fmt.Sprintf(form, values...)
		})
	}
	return probes
}

// calledAs returns the name of a function as a call has it, and what comes after the arguments if it can have an OVER clause.
func calledAs(name string, f sql.Function) (quoted, over string) {
	quoted = name
	if strings.ContainsFunc(name, func(r rune) bool { return r != '.' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }) {
		quoted = "`" + name + "`"
	}
	if isWindow(f) {
		over = " OVER ()"
	}
	return quoted, over
}

// isWindow tells whether f can have an OVER clause.
func isWindow(f sql.Function) bool {
	if f == nil {
		return false
	}
	defer func() { _ = recover() }() // a function that nobody calls by name may rely on its arguments
	for n := range 4 {
		args := make([]sql.Expression, n)
		for i := range args {
			args[i] = expression.NewLiteral("1", types.LongText)
		}
		if e, err := f.NewInstance(sql.NewEmptyContext(), args); err == nil {
			if _, ok := e.(sql.WindowAdaptableExpression); ok {
				return true
			}
		}
	}
	return false
}

// No function makes a value larger than max_allowed_packet, none takes much memory or time for large arguments, and none
// goes on after it is killed. PFSD_SOAK has it make every call, which takes an hour.
func TestFunctionsOfLargeArguments(t *testing.T) {
	oneAtATime(t)
	const (
		size    = 32 << 10
		packet  = 2 * size
		most    = 48 << 20        // bytes that a call may allocate
		longest = 3 * time.Second // of the processor's time
		patient = 2 * time.Minute
	)
	all := os.Getenv("PFSD_SOAK") != ""
	from, _ := strconv.Atoi(os.Getenv("PFSD_FROM"))
	r := serve(t, Options{MaxAllowedPacket: packet})
	c, _ := r.conn(t)
	for _, q := range []string{
		"SET SESSION group_concat_max_len = 4294967295",
		"SET @s = REPEAT('a', " + strconv.Itoa(size) + ")", "SET @j = CONCAT('[', REPEAT('1,', " + strconv.Itoa(size/2-1) + "), '1]')",
	} {
		if _, err := c.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	const rows = " FROM (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3) d"
	run := func(call string) (largest int, err error) {
		ctx, cancel := context.WithTimeout(t.Context(), patient)
		defer cancel()
		result, err := c.QueryContext(ctx, "SELECT "+call+rows)
		if err != nil {
			return 0, err
		}
		defer result.Close()
		for result.Next() {
			var v databasesql.RawBytes
			if err := result.Scan(&v); err != nil {
				return 0, err
			}
			largest = max(largest, len(v))
		}
		return largest, result.Err()
	}
	probes := probesOf(func(call string) bool {
		_, err := run(call)
		return err == nil || !slices.ContainsFunc([]string{"1582", "1064", "1318", "1305"}, func(number string) bool { return strings.Contains(err.Error(), "Error "+number) })
	}, all)
	called := map[string]bool{}
	base := map[string]uint64{}
	began := time.Now()
	for i, p := range probes {
		if i < from {
			continue
		}
		if i%10000 == 0 {
			t.Logf("%d of %d calls, %v", i, len(probes), time.Since(began))
		}
		if _, ok := base[p.small]; !ok {
			before := allocatedBytes()
			_, _ = run(p.small)
			base[p.small] = allocatedBytes() - before
		}
		before, start := allocatedBytes(), processorTime()
		largest, err := run(p.large)
		took, more := processorTime()-start, int64(allocatedBytes()-before)-int64(base[p.small])
		if err == nil {
			called[p.name] = true
		}
		switch limit := packet; {
		case err != nil && t.Context().Err() == nil && (strings.Contains(err.Error(), "context deadline") || strings.Contains(err.Error(), "bad connection") || strings.Contains(err.Error(), "invalid connection")):
			t.Fatalf("call %d: %s: %v after %v", i, p.large, err, took)
		case took > longest:
			t.Errorf("call %d: %s takes %v", i, p.large, took)
		case more > most:
			t.Errorf("call %d: %s allocates %d bytes", i, p.large, more)
		case largest > limit+1: // a geometry has its four bytes of SRID
			t.Errorf("call %d: %s has a value of %d bytes", i, p.large, largest)
		case resultsize.Of(p.name) == resultsize.Small && largest > resultsize.SmallResult:
			t.Errorf("%s states that its results are small, and %s has %d bytes", p.name, p.large, largest)
		}
		if more > most/4 {
			debug.FreeOSMemory()
		}
	}
	t.Logf("%d calls of %d functions that answered", len(probes), len(called))
}

// processorTime is what the process has taken of processors' time.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
