package engine

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"

	"pfsd/engine/sqltree"
	"pfsd/engine/sysschema"
	"pfsd/tables"
)

// A hostileText makes statements from a list of numbers: each number chooses among the alternatives of
// a grammar. The first alternative of every symbol is short and needs no other symbol that is not, so
// that every list, the empty one too, makes a text. Owned by one goroutine.
type hostileText struct {
	choices []byte
	depth   int // of the symbol that is being appended
	most    int // how deep symbols may stand in each other before the first alternatives are taken
	to      strings.Builder
}

const (
	// hostileDepth is how deep symbols of a statement stand in each other at the most.
	hostileDepth = 14
	// hostileLength is after how many bytes of a statement the first alternatives are taken.
	hostileLength = 1 << 20
)

// choose returns a number below n.
func (g *hostileText) choose(n int) int {
	if len(g.choices) == 0 || n < 2 {
		return 0
	}
	c := int(g.choices[0])
	g.choices = g.choices[1:]
	if n > 256 && len(g.choices) > 0 {
		c = c<<8 | int(g.choices[0])
		g.choices = g.choices[1:]
	}
	return c % n
}

// statement makes the next statement.
func (g *hostileText) statement() string {
	g.to.Reset()
	g.depth, g.most = 0, 3+g.choose(hostileDepth-2)*g.choose(hostileDepth)/hostileDepth // mostly few
	g.symbol("statement")
	return g.to.String()
}

// symbol appends what a symbol of the grammar stands for.
func (g *hostileText) symbol(name string) {
	switch name {
	case "nothing":
		return
	case "open":
		g.to.WriteByte('{')
		return
	case "chain":
		g.chain(hostileCounts[g.choose(hostileFew)])
		return
	case "long":
		g.chain(hostileCounts[g.choose(len(hostileCounts))])
		return
	case "newline":
		g.to.WriteByte('\n')
		return
	case "flat":
		g.list(hostileFlat)
		return
	case "wide list":
		g.list(hostileWide)
		return
	}
	alternatives, ok := hostileGrammar[name]
	if !ok {
		panic("no symbol " + name)
	}
	i := 0
	if g.depth < g.most && g.to.Len() < hostileLength {
		i = g.choose(len(alternatives))
	}
	g.depth++
	g.template(alternatives[i])
	g.depth--
}

// template appends a text in which {name} is a symbol.
func (g *hostileText) template(t string) {
	for {
		before, rest, ok := strings.Cut(t, "{")
		g.to.WriteString(before)
		if !ok {
			return
		}
		name, after, _ := strings.Cut(rest, "}")
		g.symbol(name)
		t = after
	}
}

// hostileChains are what a long text repeats: what stands before, what is repeated, what stands behind,
// and what closes each repetition.
var hostileChains = [][4]string{
	{"1", "+1", "", ""}, {"", "NOT ", "1", ""}, {"1", " OR 1", "", ""}, {"1", " AND 1", "", ""}, {"", "~", "1", ""}, {"", "- ", "1", ""},
	{"", "(", "1", ")"}, {"NOW()", " + INTERVAL 1 DAY", "", ""}, {"", "ABS(", "1", ")"}, {"", "CASE WHEN 1 THEN ", "1", " END"},
	{"", "NULLIF(", "1", ",2)"}, {"", "IFNULL(1,", "1", ")"}, {"", "(1 BETWEEN ", "1", " AND 2)"}, {"", "1 IN (SELECT ", "1", ")"},
	{"", "FIELD(1,", "1", ")"}, {"", "CONCAT('a',", "'b'", ")"}, {"", "REPLACE(", "'a'", ",'a','aaaaaaaaaaaaaaaa')"},
	{"", "(SELECT ", "1", ")"}, {"", "(SELECT a FROM (SELECT ", "1", " AS a) t)"}, {"", "GREATEST(1,", "1", ")"}, {"", "JSON_ARRAY(", "1", ")"},
	{"", "QUOTE(", "'a'", ")"}, {"", "HEX(", "'a'", ")"}, {"", "EXPORT_SET(255,", "'a'", ",'b')"}, {"", "UNIX_TIMESTAMP(", "NOW()", ")"},
	{"", "CONVERT_TZ(", "NOW()", ",'+00:00','+01:00')"}, {"", "IF(1,", "1", ",1)"}, {"", "COALESCE(1,", "1", ")"}, {"", "DATE_ADD(", "NOW()", ", INTERVAL 1 DAY)"},
	{"", "ROUND(", "1.5", ",1)"}, {"'a'", " LIKE 'a'", "", ""}, {"'a'", " REGEXP 'a'", "", ""}, {"1", " IS NULL", "", ""}, {"'a'", " COLLATE utf8mb4_bin", "", ""},
	{"1", "|1", "", ""}, {"1", "<<1", "", ""}, {"1", " DIV 1", "", ""}, {"1", "=1", "", ""}, {"1", "<=>1", "", ""}, {"", "CAST(", "1", " AS CHAR)"}, {"", "EXISTS(SELECT ", "1", ")"},
}

// hostileFlat are lists that a long text repeats without that anything gets deeper.
var hostileFlat = [][3]string{
	{"SELECT 1", ",1", ""}, {"SELECT 1 IN (1", ",1", ")"}, {"SELECT 1", " UNION ALL SELECT 1", ""}, {"SELECT 1", " UNION SELECT 1", ""},
	{"SELECT CONCAT('a'", ",@s", ")"}, {"SELECT COALESCE(NULL", ",NULL", ")"}, {"SELECT JSON_ARRAY(1", ",1", ")"}, {"SELECT * FROM t1", ", t1 a#", ""},
	{"SELECT 1 FROM t1", " JOIN t1 a# USING (a)", ""}, {"SELECT 1 FROM (SELECT 1) a", " CROSS JOIN (SELECT 1) a#", ""}, {"INSERT INTO t1 VALUES (1,1,1,1,1)", ",(1,1,1,1,1)", ""},
	{"SELECT '", "((((", "'"}, {"SELECT 'a' REGEXP '", "(a|b)*", "'"}, {"SELECT '", "a ", "' + 1"}, {"SELECT 1 ORDER BY 1", ",1", ""}, {"SELECT 1 GROUP BY 1", ",1", ""},
	{"WITH a AS (SELECT 1)", ", a# AS (SELECT 1 FROM a x JOIN a y)", " SELECT 1"}, {"SELECT 1 /*", "!1 /*", "*/"}, {"SELECT ", "`", ""}, {"SET @a=1", ",@a=1", ""}, {"SELECT CASE", " WHEN 1 THEN 1", " END"},
	{"SELECT EXTRACT(YEAR FROM '", "1 ", "')"}, {"SELECT CAST('", "[", "' AS JSON)"}, {"SELECT JSON_EXTRACT('{}', '$", ".a", "')"}, {"SELECT '", "9", "' + 0.1"}, {"SELECT ", "9", " + 0.1"},
}

// hostileFew is how many of the hostileCounts are small.
const hostileFew = 4

// hostileCounts are how often chains repeat.
var hostileCounts = []int{2, 8, 20, 64, 200, 2000, 20000, 400000}

// chain appends an expression in which something is repeated n times.
func (g *hostileText) chain(n int) {
	c := hostileChains[g.choose(len(hostileChains))]
	g.to.WriteString(c[0] + strings.Repeat(c[1], n) + c[2] + strings.Repeat(c[3], n))
}

// list appends a statement with one of the long lists; # in it is the number of the element.
func (g *hostileText) list(lists [][3]string) {
	n := hostileCounts[g.choose(len(hostileCounts))]
	f := lists[g.choose(len(lists))]
	g.to.WriteString(f[0])
	for i := range n {
		g.to.WriteString(strings.ReplaceAll(f[1], "#", strconv.Itoa(i)))
	}
	g.to.WriteString(f[2])
}

// hostileGrammar are the alternatives of each symbol.
var hostileGrammar = func() map[string][]string {
	split := func(s string) []string {
		var all []string
		for _, line := range strings.Split(strings.TrimSpace(s), "\n") {
			all = append(all, strings.TrimSpace(line))
		}
		return all
	}
	g := map[string][]string{}
	for _, rules := range []map[string]string{hostileRules, hostileMembers} {
		for name, lines := range rules {
			g[name] = split(lines)
		}
	}
	calls := map[string]int{} // how many arguments
	for _, f := range function.BuiltIns {
		calls[f.FunctionName()] = argumentsOf(f)
	}
	for name, f := range sqltree.Functions() {
		calls[name] = argumentsOf(f)
	}
	for name, f := range ownFunctions() {
		calls[name] = argumentsOf(f)
	}
	for name, f := range sysschema.Functions {
		calls["sys."+name] = len(f.Params)
	}
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		if n := calls[name]; n >= 0 {
			g["call"] = append(g["call"], name+"("+strings.Join(slices.Repeat([]string{"{expression}"}, n), ", ")+")")
		} else {
			g["call"] = append(g["call"], name+"({arguments})")
		}
		g["function"] = append(g["function"], name)
	}
	for _, t := range tables.All() {
		g["virtual"] = append(g["virtual"], "performance_schema."+t.Name())
	}
	return g
}()

// argumentsOf is how many arguments a function has, -1 if that varies.
func argumentsOf(f sql.Function) int {
	switch f.(type) {
	case sql.Function0:
		return 0
	case sql.Function1:
		return 1
	case sql.Function2:
		return 2
	case sql.Function3:
		return 3
	case sql.Function4:
		return 4
	}
	return -1
}

// hostileRules are the alternatives, a line each.
var hostileRules = map[string]string{
	"statement": `
		SELECT {expression}
		{select}
		{select}
		{select}
		{select}
		SELECT {call}
		SELECT {call}, {call}, {call}
		SELECT {function}({arguments})
		SELECT {aggregate} FROM {table}
		SELECT {long}
		{flat}
		WITH {with} {select}
		WITH RECURSIVE r AS (SELECT {expression} AS a UNION {all} SELECT {expression} FROM r WHERE a < {number}) SELECT * FROM r
		SELECT {expression} FROM JSON_TABLE({json}, {path} COLUMNS (a INT PATH {path}, b JSON PATH {path}, n FOR ORDINALITY)) j
		SET @{variable} = {expression}
		SELECT {expression} INTO @{variable}
		SET @s = REPEAT({text}, {number})
		SET SESSION {sessionvariable} = {expression}
		SET NAMES {charset}
		DO {expression}
		VALUES ROW({expression}, {expression}), ROW({expression}, {expression})
		TABLE t1
		INSERT INTO {own} {select}
		INSERT INTO {own} VALUES ({expression}, {expression}, {expression}, {expression}, {expression})
		INSERT INTO {own} (a, s) VALUES ({expression}, {expression}) ON DUPLICATE KEY UPDATE a = {expression}
		REPLACE INTO {own} (a, s) SELECT {expression}, {expression} FROM {table}
		UPDATE {own} SET {column} = {expression} WHERE {expression}
		UPDATE {own} x JOIN {table} y ON {expression} SET x.a = {expression}
		DELETE FROM {own} WHERE {expression} ORDER BY {column} LIMIT 2
		DELETE x FROM {own} x JOIN {table} y ON {expression}
		{ddl}
		{ddl}
		{program}
		{program}
		{prepared}
		{prepared}
		{show}
		EXPLAIN {explainformat} {select}
		{account}
		{session}
		{session}
		{member}
		{member}
		{member}
		{member}
		{member}
		{member}
		{broken}`,
	"select": `
		SELECT {expression}
		SELECT {distinct} {expressions} FROM {from} {where} {group} {order} {limit}
		SELECT {distinct} {expressions} FROM {from} {where} {order} {limit}
		SELECT {expressions} FROM {from} {where} {limit}
		SELECT {window} FROM {from} {order} {limit}
		SELECT {aggregate}, {aggregate} FROM {from} {where} {group}
		(SELECT {expression} FROM {table}) UNION {all} (SELECT {expression} FROM {from}) {order} {limit}
		(SELECT {expression} FROM {table}) INTERSECT (SELECT {expression} FROM {from})
		(SELECT {expression} FROM {table}) EXCEPT (SELECT {expression} FROM {from})
		WITH {with} {select}
		SELECT * FROM {from} {where} {order} {limit}
		SELECT {expressions} FROM {from} {where} FOR UPDATE
		SELECT * FROM {virtual} {limit}`,
	"with": `
		c AS (SELECT 1 AS a)
		c AS ({select})
		c (a, b) AS (SELECT {expression}, {expression}), d AS (SELECT * FROM c x JOIN c y)`,
	"distinct": "{nothing}\nDISTINCT\nSQL_CALC_FOUND_ROWS\nSTRAIGHT_JOIN",
	"all":      "ALL\nDISTINCT",
	"from": `
		t1
		{table}
		{table} x
		{table} x {join} {table} y ON {expression}
		{table} x {join} {table} y ON {expression} {join} {table} z ON {expression}
		{table} x, {table} y, {table} z
		({select}) x
		({select}) x {join} ({select}) y ON {expression}
		t1 a {join} t1 b ON {expression} {join} t1 c ON {expression} {join} t1 d ON {expression} {join} t1 e ON {expression}
		information_schema.collations x, information_schema.collations y, information_schema.collations z
		t1 x NATURAL JOIN t2 y
		t1 x, LATERAL ({select}) y`,
	"join": "JOIN\nLEFT JOIN\nRIGHT JOIN\nCROSS JOIN\nSTRAIGHT_JOIN",
	"table": `
		t1
		t1
		t1
		t2
		t2
		t2
		v1
		v1
		{virtual}
		information_schema.{information}
		sys.{sysview}
		mysql.user
		(SELECT 1 AS a, 'x' AS s, 2 AS b)`,
	"own":         "t1\nt2\nscratch.t1\nv1\nperformance_schema.setup_instruments\nperformance_schema.setup_consumers\nperformance_schema.threads",
	"information": "tables\ncolumns\ncollations\nstatistics\nroutines\nprocesslist\nviews\ntriggers\nevents\nkey_column_usage\nkeywords\nparameters\nuser_privileges\ninnodb_metrics",
	"sysview":     "session\nprocesslist\nstatement_analysis\nmetrics\nio_global_by_file_by_bytes\nschema_redundant_indexes\nhost_summary\nsys_config\ninnodb_lock_waits\nmemory_global_total",
	"where":       "{nothing}\nWHERE {expression}\nWHERE {column} = {expression}\nWHERE {column} IN (SELECT {expression} FROM {table})",
	"group":       "{nothing}\nGROUP BY {column}\nGROUP BY {expression} HAVING {expression}\nGROUP BY a, s WITH ROLLUP",
	"order":       "{nothing}\nORDER BY 1\nORDER BY {expression}\nORDER BY {column} DESC, {expression}",
	"limit":       "{nothing}\nLIMIT 3\nLIMIT {number}\nLIMIT 2 OFFSET {number}",
	"expressions": "*\n{expression}\n{expression} AS x, {expression} AS y\n{column}, {expression}\nx.*",
	"column":      "a\na\na\na\ns\ns\ns\ns\nb\nj\nd\nx.a\ny.s\nNAME",
	"variable":    "a\ns\nj\nv1\nv2\nv3\nv4",
	"expression": `
		1
		{literal}
		{literal}
		@{variable}
		{column}
		{column}
		{call}
		{call}
		{call}
		{special}
		({expression} {operator} {expression})
		({expression} {operator} {expression})
		{unary} ({expression})
		CASE WHEN {expression} THEN {expression} ELSE {expression} END
		CASE {expression} WHEN {expression} THEN {expression} END
		({expression} BETWEEN {expression} AND {expression})
		({expression} IN ({expression}, {expression}))
		({expression} IN (SELECT {expression} FROM {table}))
		(SELECT {expression} FROM t1 LIMIT 1)
		(SELECT {aggregate} FROM {table})
		EXISTS ({select})
		({expression} = ANY (SELECT {expression} FROM t2))
		CAST({expression} AS {type})
		CONVERT({expression}, {type})
		CONVERT({expression} USING {charset})
		({expression} + INTERVAL {expression} {unit})
		({expression} COLLATE {collation})
		(@{variable} := {expression})
		({chain})
		@@{sessionvariable}`,
	"special": `
		NULL
		EXTRACT({unit} FROM {expression})
		TRIM(LEADING {expression} FROM {expression})
		POSITION({expression} IN {expression})
		SUBSTRING({expression} FROM {expression} FOR {expression})
		TIMESTAMPADD({unit}, {expression}, {expression})
		TIMESTAMPDIFF({unit}, {expression}, {expression})
		DATE_ADD({expression}, INTERVAL {expression} {unit})
		WEIGHT_STRING({expression} AS CHAR({number}))
		CHAR({expression} USING {charset})
		{json}->{path}
		j->>{path}
		{expression} MEMBER OF ({json})
		JSON_VALUE({json}, {path} RETURNING {type})
		{member call}
		MATCH (s) AGAINST ({text})
		BENCHMARK({number}, {expression})
		SLEEP({number})
		GET_LOCK({text}, {number})
		REPEAT({text}, {number})
		SPACE({number})
		LPAD({text}, {number}, {text})
		REGEXP_REPLACE({text}, {pattern}, {text})
		REPLACE({text}, {text}, {text})
		LOAD_FILE({text})
		GROUPING({column})
		DEFAULT({column})
		VALUES({column})`,
	"aggregate": `
		COUNT(*)
		COUNT(DISTINCT {expression}, {expression})
		SUM({expression})
		GROUP_CONCAT({distinct} {expression} ORDER BY {expression} SEPARATOR {text})
		JSON_ARRAYAGG({expression})
		JSON_OBJECTAGG({expression}, {expression})
		MAX({expression})
		STDDEV({expression})
		AVG(DISTINCT {expression})
		BIT_XOR({expression})
		ANY_VALUE({expression})`,
	"window": `
		ROW_NUMBER() OVER ()
		RANK() OVER (PARTITION BY {expression} ORDER BY {expression})
		{aggregate} OVER (ORDER BY {expression} ROWS BETWEEN {number} PRECEDING AND {number} FOLLOWING)
		LAG({expression}, {number}, {expression}) OVER (ORDER BY {expression})
		NTH_VALUE({expression}, {number}) OVER (PARTITION BY {expression})
		NTILE({number}) OVER (ORDER BY {expression})
		SUM({expression}) OVER (ORDER BY {column} RANGE BETWEEN INTERVAL {expression} {unit} PRECEDING AND CURRENT ROW)
		FIRST_VALUE({expression}) OVER w FROM t1 WINDOW w AS (ORDER BY {expression})`,
	"operator": "+\n-\n*\n/\nDIV\nMOD\n%\n=\n<=>\n<\n>\n<=\n>=\n<>\nAND\nOR\nXOR\n&&\n||\n|\n&\n^\n<<\n>>\nLIKE\nNOT LIKE\nREGEXP\nRLIKE\nSOUNDS LIKE\n:=\n->\nIS",
	"unary":    "NOT\n-\n~\n!\nBINARY\n+",
	"arguments": `
		{nothing}
		{expression}
		{expression}
		{expression}, {expression}
		{expression}, {expression}
		{expression}, {expression}, {expression}
		{expression}, {expression}, {expression}
		{literal}, {literal}, {literal}, {literal}
		{expression}, {expression}, {expression}, {expression}, {expression}
		*
		DISTINCT {expression}`,
	"literal": `
		1
		NULL
		{number}
		{text}
		{json}
		{path}
		{pattern}
		DATE'2020-02-29'
		TIME'838:59:59.999999'
		TIMESTAMP'2020-02-30 25:00:00'
		x'ff00'
		b'101'
		_binary'a'
		_utf16 x'0061'
		TRUE
		NOW(6)
		ROW(1, 2)`,
	"number": `
		0
		1
		-1
		3
		100
		65536
		1000000
		16777216
		2147483648
		-9223372036854775808
		18446744073709551615
		99999999999999999999999999999999999999999999999999999999999999999.9999999999
		1.5
		0.000000000000000000000000000001
		1e308
		-1e308
		1e-308
		'1e999999999'
		'1e-999999999'
		1e400
		'12abc'
		'-'
		''`,
	"text": `
		'a'
		''
		'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'
		'2020-01-01 10:00:00'
		'0000-00-00'
		'10:11:12'
		'2020-13-45'
		'P1Y'
		'é日本🐬'
		'a%_b\\'
		'1,2,3'
		'/etc/passwd'
		'127.0.0.1'
		'POINT(1 1)'
		'utf8mb4'
		'+25:99'
		'%Y-%m-%d %H:%i:%s.%f %W %x %v %j'
		REPEAT('a', 1000000)
		REPEAT('ab', {number})
		REPEAT('9', 100000)
		REPEAT('%a', 10000)
		@s`,
	"json": `
		'{open}"a":1}'
		'[]'
		'[1,2,[3,{open}"a":{open}"b":[1,2]}}]]'
		'1e999999'
		'"\ud800"'
		'{open}bad'
		CONCAT(REPEAT('[', {number}), REPEAT(']', {number}))
		CONCAT('[1', REPEAT(',1', 10000), ']')
		JSON_OBJECT('a', {expression}, 'b', {expression})
		JSON_ARRAY({expression}, {expression})
		j
		@j`,
	"path": `
		'$'
		'$.a'
		'$[0]'
		'$**.a'
		'$.*'
		'$[last]'
		'$[0 to 99999999]'
		'$[99999999999999999999]'
		'$.a.b.c'
		'a'
		'$['`,
	"pattern": `
		'a'
		'^(a+)+$'
		'(a|aa)+$'
		'[[:alpha:]]*'
		'('
		'.*.*.*.*=.*'
		'(?i)a{open}1000}'
		'a{open}0,1000}b{open}0,1000}'
		'a{open}1000000}'
		REPEAT('(', 1000)
		REPEAT('a?', {number})`,
	"type":            "CHAR\nSIGNED\nUNSIGNED\nDECIMAL(65,30)\nDECIMAL\nDATE\nTIME(6)\nDATETIME(6)\nJSON\nBINARY(16)\nCHAR(16000000)\nBINARY(16000000)\nDOUBLE\nFLOAT\nYEAR\nNCHAR(10)",
	"charset":         "utf8mb4\nlatin1\nutf16\nutf32\nbinary\nascii\nutf8mb3\nnonsense",
	"collation":       "utf8mb4_0900_ai_ci\nutf8mb4_bin\nutf8mb4_general_ci\nlatin1_swedish_ci\nbinary",
	"unit":            "DAY\nMICROSECOND\nSECOND\nMINUTE\nHOUR\nWEEK\nMONTH\nQUARTER\nYEAR\nDAY_MICROSECOND\nYEAR_MONTH\nHOUR_SECOND",
	"sessionvariable": "sql_mode\ngroup_concat_max_len\nsort_buffer_size\ntime_zone\nlc_time_names\ncte_max_recursion_depth\nmax_sort_length\nsql_select_limit\nautocommit\nmax_sp_recursion_depth\ncollation_connection\ndiv_precision_increment\ndefault_week_format\nlast_insert_id\ntimestamp\nrand_seed1\nsql_safe_updates\nbig_tables\nprofiling\nwindowing_use_high_precision",
	"explainformat":   "{nothing}\nFORMAT=JSON\nFORMAT=TREE\nANALYZE",
	"columns":         "a INT\na INT PRIMARY KEY AUTO_INCREMENT, s {columntype}\na INT, s {columntype}, b {columntype} DEFAULT ({expression}), KEY (s)\na INT, s {columntype} GENERATED ALWAYS AS ({expression}) STORED, CHECK ({expression})\na INT, b INT, FOREIGN KEY (a) REFERENCES t1 (a)",
	"columntype":      "VARCHAR(100)\nTEXT\nJSON\nDECIMAL(65,30)\nDATETIME(6)\nENUM('a','b')\nSET('a','b')\nBIT(64)\nBLOB\nDOUBLE\nTIME\nYEAR\nVARCHAR(16000) COLLATE utf8mb4_0900_ai_ci\nBIGINT UNSIGNED\nPOINT\nFLOAT(3,1)",
	"ddl": `
		CREATE TABLE IF NOT EXISTS n{number1} ({columns})
		CREATE TABLE n{number1} {select}
		CREATE TABLE n{number1} AS {select}
		CREATE TABLE n{number1} LIKE {table}
		CREATE TEMPORARY TABLE n{number1} ({columns})
		DROP TABLE IF EXISTS n{number1}
		ALTER TABLE n{number1} ADD COLUMN c{number1} {columntype}
		ALTER TABLE n{number1} MODIFY COLUMN a {columntype}
		ALTER TABLE t1 ADD INDEX i{number1} ({column}), ALGORITHM=INPLACE
		ALTER TABLE n{number1} DROP COLUMN {column}
		ALTER TABLE n{number1} RENAME TO n{number1}
		ALTER TABLE n{number1} PARTITION BY HASH(a) PARTITIONS 4
		CREATE OR REPLACE VIEW w{number1} AS {select}
		CREATE VIEW w{number1} AS SELECT * FROM w{number1} x JOIN w{number1} y
		DROP VIEW IF EXISTS w{number1}
		CREATE INDEX i{number1} ON t2 (a)
		TRUNCATE TABLE {own}
		CREATE DATABASE IF NOT EXISTS scratch2
		DROP DATABASE IF EXISTS scratch2
		RENAME TABLE n{number1} TO n{number1}
		ANALYZE TABLE {own}
		CHECK TABLE {own}
		CHECKSUM TABLE {own}
		OPTIMIZE TABLE {own}`,
	"number1": "1\n2\n3",
	"body": `
		SELECT {expression}
		SET @{variable} = {expression}
		BEGIN DECLARE x INT DEFAULT {expression}; SET x = {expression}; SELECT x; END
		BEGIN DECLARE i INT DEFAULT 0; WHILE i < {number} DO SET i = i + 1; END WHILE; END
		BEGIN l: LOOP SET @v1 = {expression}; END LOOP; END
		BEGIN REPEAT SET @v2 = {expression}; UNTIL {expression} END REPEAT; END
		BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SET @v3 = 1; {statement}; END
		BEGIN DECLARE c CURSOR FOR {select}; DECLARE x TEXT; OPEN c; FETCH c INTO x; CLOSE c; END
		IF {expression} THEN {statement}; ELSE {statement}; END IF
		CASE {expression} WHEN {expression} THEN {statement}; END CASE
		BEGIN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {text}; END
		CALL p{number1}({expression})
		BEGIN {statement}; {statement}; END`,
	"program": `
		CALL p1(1)
		CREATE PROCEDURE p{number1}(IN p INT) {body}
		CREATE PROCEDURE p{number1}(OUT p TEXT) {body}
		DROP PROCEDURE IF EXISTS p{number1}
		CALL p{number1}({expression})
		CALL p{number1}(@{variable})
		CALL sys.ps_setup_show_enabled({expression}, {expression})
		CALL sys.table_exists({text}, {text}, @{variable})
		CALL sys.execute_prepared_stmt({text})
		CREATE TRIGGER g{number1} BEFORE INSERT ON t{number1} FOR EACH ROW {body}
		CREATE TRIGGER g{number1} AFTER UPDATE ON t{number1} FOR EACH ROW SET @v4 = {expression}
		DROP TRIGGER IF EXISTS g{number1}
		CREATE EVENT e{number1} ON SCHEDULE EVERY 1 SECOND DO {body}
		DROP EVENT IF EXISTS e{number1}
		CREATE FUNCTION f{number1}(x INT) RETURNS INT RETURN {expression}`,
	"prepared": `
		PREPARE q FROM 'SELECT ?'
		PREPARE q FROM 'SELECT ? + ?, REPEAT(?, ?)'
		PREPARE q FROM @s
		EXECUTE q
		EXECUTE q USING @{variable}
		EXECUTE q USING @{variable}, @{variable}, @{variable}, @{variable}
		DEALLOCATE PREPARE q`,
	"show": `
		SHOW TABLES
		SHOW {showwhat} LIKE {text}
		SHOW {showwhat} WHERE {expression}
		SHOW CREATE TABLE {own}
		SHOW CREATE PROCEDURE p{number1}
		SHOW FULL COLUMNS FROM {own}
		SHOW INDEX FROM {own}
		SHOW GRANTS
		SHOW WARNINGS
		SHOW ENGINE INNODB STATUS
		SHOW PROFILE ALL FOR QUERY {number}
		DESCRIBE {own}
		HELP {text}`,
	"showwhat": "STATUS\nVARIABLES\nGLOBAL STATUS\nTABLE STATUS\nPROCEDURE STATUS\nFUNCTION STATUS\nEVENTS\nTRIGGERS\nDATABASES\nCOLLATION\nCHARACTER SET\nOPEN TABLES\nENGINES\nPLUGINS\nPROCESSLIST",
	"account": `
		SHOW GRANTS FOR CURRENT_USER()
		CREATE USER z{number1} IDENTIFIED BY {text}
		DROP USER IF EXISTS z{number1}
		GRANT SELECT ON scratch.* TO z{number1}
		REVOKE ALL PRIVILEGES, GRANT OPTION FROM z{number1}
		CREATE ROLE IF NOT EXISTS z{number1}
		GRANT z{number1} TO z{number1}
		SET ROLE ALL
		ALTER USER z{number1} ACCOUNT LOCK
		RENAME USER z{number1} TO z{number1}`,
	"session": `
		BEGIN
		COMMIT
		ROLLBACK
		SAVEPOINT a
		ROLLBACK TO a
		RELEASE SAVEPOINT a
		START TRANSACTION READ ONLY
		SET autocommit = {expression}
		LOCK TABLES t1 WRITE
		LOCK TABLES t1 READ, t2 READ
		UNLOCK TABLES
		USE scratch
		USE information_schema
		USE performance_schema
		FLUSH STATUS
		FLUSH TABLES
		FLUSH TABLES t1 WITH READ LOCK
		LOCK INSTANCE FOR BACKUP
		UNLOCK INSTANCE
		XA START 'a'
		XA RECOVER
		KILL QUERY {number}
		KILL QUERY CONNECTION_ID()
		RESET PERSIST nothing
		STOP REPLICA
		PURGE BINARY LOGS TO 'a'
		HANDLER t1 OPEN
		HANDLER t1 READ FIRST
		SIGNAL SQLSTATE '45000'
		RESIGNAL
		GET DIAGNOSTICS CONDITION {number} @{variable} = MESSAGE_TEXT
		SELECT {expression} INTO OUTFILE 'x' FROM {table}
		LOAD DATA INFILE {text} INTO TABLE t1
		INSTALL COMPONENT 'file://a'
		CLONE LOCAL DATA DIRECTORY 'a'
		DO RELEASE_ALL_LOCKS()
		SELECT STATEMENT_DIGEST_TEXT({text}), STATEMENT_DIGEST({text})`,
	"broken": `
		SELECT
		SELECT {expression} FROM
		{expression}
		SELECT '{expression}
		SELECT {expression}; {statement}
		/*! {statement} */
		/*!99999 {statement} */
		-- {statement}
		SELECT {expression}) {expression}
		{statement} {statement}
		SELECT (({statement}))`,
}
