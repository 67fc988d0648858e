package mends

// The mends of go-mysql-server and vitess, with their canaries. docs/mends.md is made of them.
var (
	Sums = register(Mend{
		Name: "SUM and AVG", Way: Tree,
		Files:  []string{"executor/sum.go"},
		GMS:    "adds everything up as DOUBLE, which is exact to 15 digits",
		MySQL:  "exact numbers are added up as DECIMAL",
		Canary: Canary{Statements: []string{"SELECT SUM(n) FROM (SELECT 9007199254740993 AS n UNION ALL SELECT 2) t"}, Answer: "9007199254740995"},
	})
	Operators = register(Mend{
		Name: "operators on numbers, ABS and MOD", Way: Tree,
		Files:  []string{"sqlexpr/arithmetic.go"},
		GMS:    "integers wrap around, quotients have digits of their own making, division by 0 says nothing",
		MySQL:  "a result out of range is error 1690, the digits of a quotient follow from its operands",
		Canary: Canary{Statements: []string{"SELECT 18446744073709551615 + 1"}, Answer: "1690"},
	})
	MemberTexts = register(Mend{
		Name: "texts and numbers of ENUM and SET", Way: Tree,
		Files:  []string{"builtins/enumtext.go", "sqlexpr/membertext.go"},
		GMS:    "functions take the numbers of ENUM and SET columns",
		MySQL:  "they take the text, except where a number is wanted",
		Canary: Canary{Statements: []string{"CREATE TABLE test.n (u BIGINT UNSIGNED, i BIGINT, e ENUM('x', 'y'), d DECIMAL(30, 2), f DOUBLE)", "INSERT INTO test.n VALUES (9007199254740993, 9007199254740992, 'y', 1.50, 1.5)", "SELECT UPPER(e) FROM test.n"}, Answer: "Y"},
	})
	ComparedLiterals = register(Mend{
		Name: "literals beside columns", Way: Tree,
		Files:  []string{"sqlexpr/literalcomparison.go"},
		GMS:    "compares integers with texts and other integers as DOUBLE",
		MySQL:  "compares them exactly",
		Canary: Canary{Statements: []string{"CREATE TABLE test.n (u BIGINT UNSIGNED, i BIGINT, e ENUM('x', 'y'), d DECIMAL(30, 2), f DOUBLE)", "INSERT INTO test.n VALUES (9007199254740993, 9007199254740992, 'y', 1.50, 1.5)", "SELECT COUNT(*) FROM test.n WHERE u = '9007199254740992'"}, Answer: "0"},
	})
	Likes = register(Mend{
		Name: "LIKE", Way: Tree,
		Files:  []string{"sqlexpr/like.go", "sqlexpr/likepattern.go", "sqlvalue/likepattern.go"},
		GMS:    "a LIKE with a range of texts misses some that begin with the text; \\% and \\_ are not what they are; LIKE BINARY goes by the column's collation",
		MySQL:  "what begins with the text is found; the bytes decide for BINARY",
		Canary: Canary{Statements: []string{"CREATE TABLE test.c (c VARCHAR(10) COLLATE utf8mb4_0900_ai_ci, k INT)", "INSERT INTO test.c VALUES ('a', 1)", "SELECT COUNT(*) FROM test.c WHERE c LIKE BINARY 'A'"}, Answer: "0"},
	})
	TextArguments = register(Mend{
		Name: "arguments of functions of texts", Way: Function,
		Files:  []string{"sqlexpr/textarguments.go"},
		GMS:    "LEFT, RIGHT, SUBSTRING, REVERSE of a time or a number are an error",
		MySQL:  "they take the text of the value",
		Canary: Canary{Statements: []string{"SELECT LEFT(CAST('2024-05-06' AS DATE), 4)"}, Answer: "2024"},
	})
	Rollups = register(Mend{
		Name: "WITH ROLLUP and GROUPING", Way: Function,
		Files:  []string{"executor/rollup.go"},
		GMS:    "has neither",
		MySQL:  "a row for each group of groups sums it up",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT b, COUNT(*) FROM test.t GROUP BY b WITH ROLLUP"}, Answer: "5|2 6|1 NULL|3"},
	})
	ExactResults = register(Mend{
		Name: "exact results of ROUND, GREATEST and the like", Way: Function,
		Files:  []string{"sqlexpr/exactfunctions.go"},
		GMS:    "ROUND, FLOOR, GREATEST and others make DOUBLEs or clip beyond BIGINT",
		MySQL:  "what goes in exact comes out exact",
		Canary: Canary{Statements: []string{"SELECT GREATEST(18446744073709551615, 1)"}, Answer: "18446744073709551615"},
	})
	OwnAggregates = register(Mend{
		Name: "aggregates of subqueries", Way: Tree,
		Files:  []string{"builtins/inneraggregates.go"},
		GMS:    "takes SUM(n) of a subquery for the SUM(n) of the query around it",
		MySQL:  "each query has its own",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT SUM(a) / (SELECT SUM(a) FROM test.t) FROM test.t"}, Answer: "1.0000"},
	})
	MemberOf = register(Mend{
		Name: "MEMBER OF", Way: Function,
		Files:  []string{"builtins/memberof.go"},
		GMS:    "has no such operator",
		MySQL:  "tells whether a value is in a JSON array",
		Canary: Canary{Statements: []string{"SELECT 1 MEMBER OF ('[1, 2]')"}, Answer: "1"},
	})
	IntervalValues = register(Mend{
		Name: "INTERVAL with units of several parts", Way: Function,
		Files:  []string{"builtins/intervalvalue.go"},
		GMS:    "knows some forms of the value, never with a sign",
		MySQL:  "any characters stand between the parts",
		Canary: Canary{Statements: []string{"SELECT '2024-01-02' + INTERVAL '-1:30' HOUR_MINUTE"}, Answer: "2024-01-01 22:30:00"},
	})
	NamedWindowFunctions = register(Mend{
		Name: "NTH_VALUE, CUME_DIST and windows over bits", Way: Tree,
		Files:  []string{"executor/window.go"},
		GMS:    "has neither NTH_VALUE nor CUME_DIST, nor BIT_AND, BIT_OR and BIT_XOR over a window",
		MySQL:  "has them",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT a, NTH_VALUE(a, 2) OVER (ORDER BY a) FROM test.t"}, Answer: "1|NULL 2|2 3|2"},
	})
	GroupConcats = register(Mend{
		Name: "GROUP_CONCAT", Way: Tree,
		Files:  []string{"executor/groupconcat.go"},
		GMS:    "takes the first of several texts, and tells texts apart by their bytes",
		MySQL:  "puts the texts of a row together",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT GROUP_CONCAT(a, 'x' ORDER BY a) FROM test.t"}, Answer: "1x,2x,3x"},
	})
	Choices = register(Mend{
		Name: "IF, IFNULL, COALESCE and CASE", Way: Tree,
		Files:  []string{"sqlexpr/conditionals.go"},
		GMS:    "numbers of different types make a DECIMAL of 30 digits, or clip one another",
		MySQL:  "the type is one that holds all of them",
		Canary: Canary{Statements: []string{"SELECT IFNULL(1, 1.50)"}, Answer: "1.00"},
	})
	Spreads = register(Mend{
		Name: "STDDEV, VARIANCE and BIT_AND of numbers", Way: Tree,
		Files:  []string{"executor/variance.go"},
		GMS:    "those of integers are integers, and of the bits of a negative number others",
		MySQL:  "they are DOUBLE; the bits are those of the nearest integer",
		Canary: Canary{Statements: []string{"CREATE TABLE test.n (u BIGINT UNSIGNED, i BIGINT, e ENUM('x', 'y'), d DECIMAL(30, 2), f DOUBLE)", "INSERT INTO test.n VALUES (9007199254740993, 9007199254740992, 'y', 1.50, 1.5)", "SELECT BIT_OR(-1.5) FROM test.n"}, Answer: "18446744073709551614"},
	})
	DateLiterals = register(Mend{
		Name: "DATE, TIME and TIMESTAMP before a text", Way: Function,
		Files:  []string{"builtins/typedliteral.go"},
		GMS:    "takes them for functions, or for columns",
		MySQL:  "they are literals, and error 1525 if the text is none",
		Canary: Canary{Statements: []string{"SELECT DATE'2024-13-01'"}, Answer: "1525"},
	})
	Casts = register(Mend{
		Name: "CAST and CONVERT", Way: Tree,
		Files:  []string{"builtins/cast.go"},
		GMS:    "an integer beyond BIGINT is clipped, a DECIMAL has as many digits as it has",
		MySQL:  "it wraps around; the digits are those that are asked for",
		Canary: Canary{Statements: []string{"SELECT CAST(18446744073709551615 AS SIGNED), CAST(1 AS DECIMAL(5, 2))"}, Answer: "-1|1.00"},
	})
	JoinedSizes = register(Mend{
		Name: "sizes of CONCAT, CONCAT_WS and REPLACE", Way: Function,
		Files:  []string{"builtins/concat.go", "resultsize/functionsizes.go", "resultsize/resultsize.go", "builtins/limited.go", "sqlexpr/stops.go"},
		GMS:    "makes texts of any size",
		MySQL:  "what is longer than max_allowed_packet is NULL",
		Canary: Canary{Statements: []string{"SELECT LENGTH(REPLACE(REPEAT('a', 900000), 'a', REPEAT('b', 100)))"}, Answer: "NULL"},
	})
	Conversions = register(Mend{
		Name: "CONVERT ... USING", Way: Tree,
		Files:  []string{"builtins/convertusing.go", "builtins/concat.go", "builtins/limited.go"},
		GMS:    "a text in another character set may be four times as long, and has its bytes in the place of characters; bytes stay bytes",
		MySQL:  "bytes become a text of the character set; what is longer than max_allowed_packet is NULL",
		Canary: Canary{Statements: []string{"SELECT LENGTH(CONVERT(REPEAT('a', 1048576) USING utf32))"}, Answer: "NULL"},
	})
	EvaluatedOnce = register(Mend{
		Name: "NULLIF and FIELD", Way: Function,
		Files:  []string{"sqlexpr/between_in_field.go"},
		GMS:    "an operand is calculated again for each comparison; FIELD compares numbers as texts",
		MySQL:  "each operand is calculated once; FIELD compares numbers as numbers",
		Canary: Canary{Statements: []string{"SELECT FIELD(1, 2, 1.0)"}, Answer: "2"},
	})
	ExactDocuments = register(Mend{
		Name: "integers in JSON documents", Way: Wrapper,
		Files:  []string{"sqlvalue/exactdocument.go"},
		GMS:    "reads each number as a DOUBLE, and loses digits of large ones",
		MySQL:  "an integer is an integer",
		Canary: Canary{Statements: []string{"SELECT CAST('[9007199254740993]' AS JSON)"}, Answer: "[9007199254740993]"},
	})
	JSONPaths = register(Mend{
		Name: "JSON_EXTRACT", Way: Function,
		Files:  []string{"builtins/jsonextract.go", "sqlvalue/jsonpath.go"},
		GMS:    "knows no [last], [1 to 3] and ** in a path, and panics where one of several paths leads nowhere",
		MySQL:  "knows them, and leaves out what is not there",
		Canary: Canary{Statements: []string{"SELECT JSON_EXTRACT('[1, 2, 3]', '$[last]')"}, Answer: "3"},
	})
	JSONContained = register(Mend{
		Name: "JSON_CONTAINS, JSON_OVERLAPS and JSON_CONTAINS_PATH", Way: Function,
		Files:  []string{"builtins/jsoncontains.go"},
		GMS:    "compares all elements of two arrays with each other, out of reach of KILL, and takes [1] for an element of [1, 2]",
		MySQL:  "KILL ends them, and an array is contained only in an array",
		Canary: Canary{Statements: []string{"SELECT JSON_CONTAINS('[1, 2]', '[[1]]')"}, Answer: "0"},
	})
	Refusals = register(Mend{
		Name: "expressions that MySQL refuses", Way: Tree,
		Files:  []string{"builtins/refusedexpressions.go", "sqltree/refusedtree.go"},
		GMS:    "takes UPPER(*), COUNT() and columns without a name, and panics where they are used",
		MySQL:  "refuses them",
		Canary: Canary{Statements: []string{"SELECT UPPER(*)"}, Answer: "1064"},
	})
	NtileBuckets = register(Mend{
		Name: "the argument of NTILE", Way: Function,
		Files:  []string{"executor/buckets.go"},
		GMS:    "panics if it is no positive BIGINT",
		MySQL:  "error 1210",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT NTILE('x') OVER (ORDER BY a) FROM test.t"}, Answer: "1210"},
	})
	MixedCollations = register(Mend{
		Name: "texts of two collations", Way: Expression,
		Files:  []string{"collations/illegal.go"},
		GMS:    "compares them by the first one",
		MySQL:  "error 1267, 1270 or 1271",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a VARCHAR(9) COLLATE utf8mb4_general_ci, b VARCHAR(9) COLLATE utf8mb4_0900_ai_ci)", "SELECT a = b FROM test.t"}, Answer: "1267"},
	})
	HexNumbers = register(Mend{
		Name: "hexadecimal literals as numbers", Way: Analyzer,
		Files:  []string{"hexliterals/hexliterals.go"},
		GMS:    "takes them for texts where they are compared and stored",
		MySQL:  "numbers beside numbers and in columns of numbers",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT)", "INSERT INTO test.t VALUES (0x30)", "SELECT a FROM test.t"}, Answer: "48"},
	})
	RowCounts = register(Mend{
		Name: "types of ROW_NUMBER and NTILE", Way: Builder,
		Files:  []string{"settypes/settypes.go"},
		GMS:    "BIGINT and DOUBLE",
		MySQL:  "BIGINT UNSIGNED",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY)", "CREATE TABLE test.u AS SELECT NTILE(2) OVER (ORDER BY a) AS n FROM test.t", "SELECT COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'test' AND TABLE_NAME = 'u'"}, Answer: "bigint unsigned"},
	})
	Trims = register(Mend{
		Name: "TRIM", Way: Tree,
		Files:  []string{"builtins/trim.go"},
		GMS:    "TRIM of bytes that are no UTF-8 panics; twenty in each other take seconds",
		MySQL:  "takes bytes as they are",
		Canary: Canary{Statements: []string{"SELECT HEX(TRIM(LEADING x'FF' FROM x'FF61'))"}, Answer: "61"},
	})
	RepeatedTexts = register(Mend{
		Name: "REPEAT, SPACE and RPAD", Way: Function,
		Files:  []string{"builtins/repeat.go"},
		GMS:    "the text grows until the memory is full, a negative REPEAT is an error, and RPAD counts bytes",
		MySQL:  "what is longer than max_allowed_packet is NULL, less than once is empty, and RPAD counts characters",
		Canary: Canary{Statements: []string{"SELECT LENGTH(REPEAT('a', -1))"}, Answer: "0"},
	})
	Powers = register(Mend{
		Name: "POW", Way: Function,
		Files:  []string{"builtins/power.go"},
		GMS:    "what is too large is infinite or NULL",
		MySQL:  "error 1690",
		Canary: Canary{Statements: []string{"SELECT POW(10, 400)"}, Answer: "1690"},
	})
	Quotes = register(Mend{
		Name: "QUOTE", Way: Function,
		Files:  []string{"builtins/quote.go"},
		GMS:    "QUOTE of NULL is NULL",
		MySQL:  "it is the word NULL",
		Canary: Canary{Statements: []string{"SELECT CONCAT('x', QUOTE(NULL))"}, Answer: "xNULL"},
	})
	Zones = register(Mend{
		Name: "CONVERT_TZ", Way: Function,
		Files:  []string{"builtins/converttz.go"},
		GMS:    "has the digits that it likes, and looks for zones of any length",
		MySQL:  "has those of its argument",
		Canary: Canary{Statements: []string{"SELECT CONVERT_TZ(CAST('2024-01-01 00:00:00.5' AS DATETIME(1)), '+00:00', '+01:00')"}, Answer: "2024-01-01 01:00:00.5"},
	})
	Regexps = register(Mend{
		Name: "REGEXP_LIKE, REGEXP and RLIKE", Way: Tree,
		Files:  []string{"builtins/regexp.go"},
		GMS:    "takes as long as a match takes, and a bad expression is an error without a number",
		MySQL:  "bounds the steps; errors are 3685 and the following",
		Canary: Canary{Statements: []string{"SELECT 'a' REGEXP '('"}, Answer: "3691"},
	})
	LastInsertIDs = register(Mend{
		Name: "LAST_INSERT_ID(NULL)", Way: Function,
		Files:  []string{"builtins/lastinsertid.go"},
		GMS:    "panics",
		MySQL:  "it is 0",
		Canary: Canary{Statements: []string{"SELECT LAST_INSERT_ID(NULL)"}, Answer: "0"},
	})
	OneWindow = register(Mend{
		Name: "windows without expressions", Way: Tree,
		Files:  []string{"executor/windowframe.go"},
		GMS:    "FIRST_VALUE, LAST_VALUE, LAG and LEAD over one panic",
		MySQL:  "the rows are one partition",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT FIRST_VALUE(a) OVER () FROM test.t"}, Answer: "1 1 1"},
	})
	Deletes = register(Mend{
		Name: "DELETE without WHERE", Way: Tree,
		Files:  []string{"sqltree/delete.go"},
		GMS:    "asks for the current database, which a connection need not have",
		MySQL:  "deletes",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "DELETE FROM test.t", "SELECT COUNT(*) FROM test.t"}, Answer: "0"},
	})
	Flushes = register(Mend{
		Name: "FLUSH LOCAL", Way: Tree,
		Files:  []string{"sqltree/flush.go"},
		GMS:    "error 1105",
		MySQL:  "LOCAL says that it is not to be written to the binary log",
		Canary: Canary{Statements: []string{"FLUSH LOCAL TABLES", "SELECT 1"}, Answer: "1"},
	})
	ReferencedTables = register(Mend{
		Name: "databases of foreign keys", Way: Tree,
		Files:  []string{"sqltree/foreignkeys.go"},
		GMS:    "a table without a database is of the current one",
		MySQL:  "it is of the database of the table that has the key",
		Canary: Canary{Statements: []string{"CREATE TABLE test.p (a INT PRIMARY KEY)", "CREATE TABLE test.q (a INT, FOREIGN KEY (a) REFERENCES p (a))", "INSERT INTO test.q VALUES (1)"}, Answer: "1452"},
	})
	SubStatements = register(Mend{
		Name: "the text of a view's query", Way: Tree,
		Files:  []string{"sqltree/viewtext.go"},
		GMS:    "looks for it in the executed statement, and fails if that is an EXECUTE",
		MySQL:  "it is that of the view",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "CREATE TRIGGER test.g BEFORE INSERT ON test.t FOR EACH ROW SET NEW.b = 99; SELECT 1", "INSERT INTO test.t VALUES (9, 7)", "SELECT b FROM test.t WHERE a = 9"}, Answer: "99"},
	})
	DottedNames = register(Mend{
		Name: "names with a dot", Way: Tree,
		Files:  []string{"sqltree/dottednames.go"},
		GMS:    "forgets the database of a function, and finds any function in any of them",
		MySQL:  "a function with a database is a stored function of it",
		Canary: Canary{Statements: []string{"SELECT test.upper('a')"}, Answer: "1305"},
	})
	TriggerVariables = register(Mend{
		Name: "SET of user variables in triggers", Way: Tree,
		Files:  []string{"routine/triggervariables.go"},
		GMS:    "SET @a sets the column a of the table",
		MySQL:  "it sets the user variable",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "CREATE TRIGGER test.g BEFORE INSERT ON test.t FOR EACH ROW SET @b = 99", "INSERT INTO test.t VALUES (9, 7)", "SELECT b FROM test.t WHERE a = 9"}, Answer: "7"},
	})
	WithTables = register(Mend{
		Name: "tables with the name of a common table", Way: Tree,
		Files:  []string{"sqltree/commontables.go"},
		GMS:    "takes test.t for the common table t",
		MySQL:  "it is the table of the database",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "WITH t AS (SELECT 5 AS a) SELECT COUNT(*) FROM test.t"}, Answer: "3"},
	})
	WindowsOverGroups = register(Mend{
		Name: "windows over groups", Way: Tree,
		Files:  []string{"sqltree/groupwindows.go"},
		GMS:    "a query has windows or groups",
		MySQL:  "it may have both",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT b, SUM(COUNT(*)) OVER (ORDER BY b) FROM test.t GROUP BY b"}, Answer: "5|2 6|3"},
	})
	JoinedHavings = register(Mend{
		Name: "aggregates in HAVING over joins", Way: Tree,
		Files:  []string{"sqltree/joinedhavings.go"},
		GMS:    "looks for the columns of aggregates in HAVING by their names alone",
		MySQL:  "finds that of the table",
		Canary: Canary{Statements: []string{"CREATE TABLE test.r (a INT, b INT)", "CREATE TABLE test.w (a INT, b INT)", "INSERT INTO test.r VALUES (1, 2), (2, 3)", "INSERT INTO test.w VALUES (1, 4), (2, 1)", "SELECT r.a, COUNT(w.a) FROM test.r JOIN test.w ON w.a = r.a GROUP BY r.a HAVING MIN(w.b) > MIN(r.b)"}, Answer: "1|1"},
	})
	NamesAndCollation = register(Mend{
		Name: "SET NAMES ... COLLATE", Way: Tree,
		Files:  []string{"sqltree/setnames.go"},
		GMS:    "reads COLLATE and forgets it",
		MySQL:  "it is the collation of literals",
		Canary: Canary{Statements: []string{"SET NAMES utf8mb4 COLLATE utf8mb4_bin", "SELECT @@collation_connection"}, Answer: "utf8mb4_bin"},
	})
	NullSafeTexts = register(Mend{
		Name: "<=> of texts", Way: Expression,
		Files:  []string{"sqlexpr/expressionrules.go"},
		GMS:    "compares by bytes",
		MySQL:  "compares by the collation",
		Canary: Canary{Statements: []string{"CREATE TABLE test.c (c VARCHAR(10) COLLATE utf8mb4_0900_ai_ci, k INT)", "INSERT INTO test.c VALUES ('a', 1)", "SELECT c <=> 'A' FROM test.c"}, Answer: "1"},
	})
	NumberComparisons = register(Mend{
		Name: "comparisons of numbers of different sorts", Way: Expression,
		Files:  []string{"sqlexpr/numbercomparison.go"},
		GMS:    "compares BIGINT with BIGINT UNSIGNED as DOUBLE; a date is never equal to a number",
		MySQL:  "compares exactly; a date is the number YYYYMMDD",
		Canary: Canary{Statements: []string{"CREATE TABLE test.n (u BIGINT UNSIGNED, i BIGINT, e ENUM('x', 'y'), d DECIMAL(30, 2), f DOUBLE)", "INSERT INTO test.n VALUES (9007199254740993, 9007199254740992, 'y', 1.50, 1.5)", "SELECT u = i FROM test.n"}, Answer: "0"},
	})
	TextLists = register(Mend{
		Name: "texts IN a list", Way: Expression,
		Files:  []string{"sqlexpr/textin.go"},
		GMS:    "compares by the collation of the list's literals",
		MySQL:  "by the collation of the column",
		Canary: Canary{Statements: []string{"CREATE TABLE test.c (c VARCHAR(10) COLLATE utf8mb4_0900_ai_ci, k INT)", "INSERT INTO test.c VALUES ('a', 1)", "SET NAMES utf8mb4 COLLATE utf8mb4_bin", "SELECT c IN ('A', 'x') FROM test.c"}, Answer: "1"},
	})
	Betweens = register(Mend{
		Name: "BETWEEN", Way: Expression,
		Files:  []string{"sqlexpr/between_in_field.go"},
		GMS:    "calculates its operand twice, and compares numbers as DOUBLE",
		MySQL:  "once, and exactly",
		Canary: Canary{Statements: []string{"CREATE TABLE test.n (u BIGINT UNSIGNED, i BIGINT, e ENUM('x', 'y'), d DECIMAL(30, 2), f DOUBLE)", "INSERT INTO test.n VALUES (9007199254740993, 9007199254740992, 'y', 1.50, 1.5)", "SELECT u BETWEEN i AND i FROM test.n"}, Answer: "0"},
	})
	MadeTexts = register(Mend{
		Name: "collations of texts that functions make", Way: Expression,
		Files:  []string{"collations/collations.go", "collations/told.go", "settypes/madetexts.go"},
		GMS:    "compares them by bytes",
		MySQL:  "by the collation of the connection, or of what they are made of",
		Canary: Canary{Statements: []string{"SELECT COUNT(*) FROM (SELECT CONCAT('A') AS x) d WHERE x = 'a'"}, Answer: "1"},
	})
	LikesOfMadeTexts = register(Mend{
		Name: "LIKE of texts that functions make", Way: Expression,
		Files:  []string{"sqlexpr/expressionrules.go"},
		GMS:    "compares them by bytes",
		MySQL:  "by their collation",
		Canary: Canary{Statements: []string{"SELECT COUNT(*) FROM (SELECT CONCAT('A') AS x) d WHERE x LIKE 'a' ESCAPE '|'"}, Answer: "1"},
	})
	NowDigits = register(Mend{
		Name: "NOW with a number of digits", Way: Expression,
		Files:  []string{"sqlexpr/now.go"},
		GMS:    "has six digits whatever the number is",
		MySQL:  "has so many",
		Canary: Canary{Statements: []string{"SELECT LENGTH(NOW(3))"}, Answer: "23"},
	})
	StatedPlaces = register(Mend{
		Name: "digits of ROUND, TRUNCATE and PI", Way: Expression,
		Files:  []string{"sqlexpr/rounddigits.go"},
		GMS:    "as few as the number can have",
		MySQL:  "ROUND(1.5e0, 3) is 1.500",
		Canary: Canary{Statements: []string{"SELECT CONCAT(ROUND(1.5e0, 3))"}, Answer: "1.500"},
	})
	GroupRows = register(Mend{
		Name: "GROUP BY", Way: Builder,
		Files:  []string{"executor/groupby.go"},
		GMS:    "two goroutines, of which one can stay blocked for ever, out of reach of KILL; groups are told apart by bytes and hashes",
		MySQL:  "one thread; groups are told apart by their collations",
		Canary: Canary{Statements: []string{"CREATE TABLE test.g (c VARCHAR(5))", "INSERT INTO test.g VALUES ('a'), ('A')", "SELECT COUNT(*) FROM test.g GROUP BY CONCAT(c)"}, Answer: "2"},
	})
	DistinctRows = register(Mend{
		Name: "DISTINCT", Way: Builder,
		Files:  []string{"executor/distinct.go"},
		GMS:    "tells rows apart by bytes, and takes those with one hash for the same",
		MySQL:  "by collations",
		Canary: Canary{Statements: []string{"SELECT COUNT(*) FROM (SELECT DISTINCT x FROM (SELECT CONCAT('a') AS x UNION ALL SELECT CONCAT('A')) e) d"}, Answer: "1"},
	})
	WindowRows = register(Mend{
		Name: "frames of windows", Way: Builder,
		Files:  []string{"executor/window.go", "executor/windowframe.go"},
		GMS:    "without a frame takes the rows up to the current one, and for MAX all of them",
		MySQL:  "takes the peers of the current row too",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT a, SUM(a) OVER (ORDER BY b) FROM test.t ORDER BY a"}, Answer: "1|3 2|3 3|6"},
	})
	SetRows = register(Mend{
		Name: "UNION, INTERSECT and EXCEPT", Way: Builder,
		Files:  []string{"executor/setop.go"},
		GMS:    "tells rows apart by bytes, and takes those with one hash for the same",
		MySQL:  "by collations",
		Canary: Canary{Statements: []string{"SELECT COUNT(*) FROM (SELECT CONCAT('a') AS x UNION SELECT CONCAT('A')) d"}, Answer: "1"},
	})
	SortedSets = register(Mend{
		Name: "ORDER BY and OFFSET of a UNION", Way: Builder,
		Files:  []string{"executor/setop.go"},
		GMS:    "leaves out rows before it sorts them",
		MySQL:  "sorts them first",
		Canary: Canary{Statements: []string{"SELECT 3 AS x UNION ALL SELECT 1 UNION ALL SELECT 2 ORDER BY x LIMIT 1 OFFSET 1"}, Answer: "2"},
	})
	CreatedFromQuery = register(Mend{
		Name: "CREATE TABLE ... SELECT", Way: Builder,
		Files:  []string{"grammar/createselect.go"},
		GMS:    "inserts the rows as if they had all columns of the table, in their order",
		MySQL:  "columns that the query does not have get their defaults",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "CREATE TABLE test.s (d INT DEFAULT 7, a INT) AS SELECT a FROM test.t", "SELECT d, a FROM test.s ORDER BY a"}, Answer: "7|1 7|2 7|3"},
	})
	RecursionDepth = register(Mend{
		Name: "cte_max_recursion_depth", Way: Builder,
		Files:  []string{"executor/recursion.go"},
		GMS:    "ends after 10,001 rounds, whatever the variable is",
		MySQL:  "after as many as it says, with error 3636",
		Canary: Canary{Statements: []string{"SET SESSION cte_max_recursion_depth = 5", "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 50) SELECT COUNT(*) FROM r"}, Answer: "3636"},
	})
	RowValues = register(Mend{
		Name: "NULL in VALUES ROW of decimals", Way: Builder,
		Files:  []string{"executor/valuesrow.go"},
		GMS:    "panics",
		MySQL:  "it is NULL",
		Canary: Canary{Statements: []string{"SELECT * FROM (VALUES ROW(1.5), ROW(NULL)) v"}, Answer: "1.5 NULL"},
	})
	StoredRows = register(Mend{
		Name: "values that a column cannot keep", Way: Builder,
		Files:  []string{"executor/store.go"},
		GMS:    "clips some, refuses others, and does not know the row's number",
		MySQL:  "error 1264 and its like with the column and the row",
		Canary: Canary{Statements: []string{"CREATE TABLE test.y (a TINYINT)", "INSERT INTO test.y VALUES (1), (300)"}, Answer: "1264"},
	})
	JSONTables = register(Mend{
		Name: "JSON_TABLE", Way: Builder,
		Files:  []string{"executor/jsontable.go"},
		GMS:    "panics at null and at paths that it does not know",
		MySQL:  "refuses what is no path",
		Canary: Canary{Statements: []string{"SELECT * FROM JSON_TABLE('[1, 2]', '$[last]' COLUMNS (x INT PATH '$')) j"}, Answer: "2"},
	})
	SortCollations = register(Mend{
		Name: "ORDER BY of texts that functions make", Way: Builder,
		Files:  []string{"collations/collations.go", "executor/rowsort.go"},
		GMS:    "sorts them by bytes",
		MySQL:  "by their collation",
		Canary: Canary{Statements: []string{"CREATE TABLE test.g (c VARCHAR(5))", "INSERT INTO test.g VALUES ('b'), ('A'), ('C')", "SELECT CONCAT(c) AS x FROM test.g ORDER BY x"}, Answer: "A b C"},
	})
	LargeLimits = register(Mend{
		Name: "LIMIT beyond all rows", Way: Builder,
		Files:  []string{"executor/topn.go"},
		GMS:    "has room for all rows that LIMIT allows before it reads the first, and panics for the largest",
		MySQL:  "sorts what there is",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT b FROM test.t ORDER BY b LIMIT 18446744073709551615"}, Answer: "5 5 6"},
	})
	JoinedTexts = register(Mend{
		Name: "joins on texts", Way: Builder,
		Files:  []string{"executor/hashlookup.go", "sqlexpr/joinkey.go"},
		GMS:    "looks texts of different columns up by their bytes, and so misses rows",
		MySQL:  "finds those that are equal by their collation",
		Canary: Canary{Statements: []string{"CREATE TABLE test.c (c VARCHAR(10) COLLATE utf8mb4_0900_ai_ci, k INT)", "CREATE TABLE test.w (c VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, k INT)", "INSERT INTO test.c WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 60) SELECT CONCAT('x', n), n FROM r", "INSERT INTO test.w SELECT UPPER(c), k FROM test.c", "SELECT COUNT(*) FROM test.c JOIN test.w ON c.c = w.c AND c.k = w.k"}, Answer: "60"},
	})
	HashedJoins = register(Mend{
		Name: "joins by what is equal", Way: Analyzer,
		Files:  []string{"planning/hashedjoins.go"},
		GMS:    "tests all conditions of a join on each pair of rows if one of them is not an equality",
		MySQL:  "looks up the rows that are equal, and tests the other conditions on these",
		Canary: Canary{Statements: []string{"CREATE TABLE test.l (a INT, b INT)", "CREATE TABLE test.r (a INT, b INT)", "INSERT INTO test.l VALUES (1, 1), (2, 2), (3, 3)", "INSERT INTO test.r VALUES (1, 1), (2, 2), (3, 3)", "SELECT COUNT(*) FROM test.l JOIN test.r ON l.a = r.a AND r.b BETWEEN l.b AND l.b + 1", "SELECT ROWS_EXAMINED FROM performance_schema.events_statements_history WHERE THREAD_ID = PS_CURRENT_THREAD_ID() AND SQL_TEXT LIKE '%BETWEEN%' ORDER BY EVENT_ID DESC LIMIT 1"}, Answer: "6"},
	})
	DerivedColumns = register(Mend{
		Name: "columns of derived tables", Way: Analyzer,
		Files:  []string{"planning/derivedcolumns.go"},
		GMS:    "puts a table in the place of a derived table, and has conditions refer to columns that are not there, which are no keys of joins",
		MySQL:  "joins by what is equal",
		Canary: Canary{Statements: []string{"CREATE TABLE test.l (a INT, b INT)", "CREATE TABLE test.r (a INT, b INT)", "INSERT INTO test.l VALUES (1, 1), (2, 2), (3, 3)", "INSERT INTO test.r VALUES (1, 1), (2, 2), (3, 3)", "SELECT COUNT(*) FROM (SELECT l.b, r.b AS c FROM (SELECT a, b FROM test.l LIMIT 9) l LEFT JOIN (SELECT a, b FROM test.r) r ON r.a = l.a) v", "SELECT ROWS_EXAMINED FROM performance_schema.events_statements_history WHERE THREAD_ID = PS_CURRENT_THREAD_ID() AND SQL_TEXT LIKE '%LEFT JOIN%' ORDER BY EVENT_ID DESC LIMIT 1"}, Answer: "6"},
	})
	TopRows = register(Mend{
		Name: "first rows of views and outer joins", Way: Analyzer,
		Files:  []string{"planning/toprows.go"},
		GMS:    "joins all rows, and takes the first that LIMIT asks for, also where ORDER BY needs only columns of the first table",
		MySQL:  "takes the first rows, and joins these, where the columns are those of the first table",
		Canary: Canary{Statements: []string{"CREATE TABLE test.l (a INT, b INT)", "CREATE TABLE test.r (a INT PRIMARY KEY, b INT)", "INSERT INTO test.l VALUES (1, 1), (2, 2), (3, 3)", "INSERT INTO test.r WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i, i FROM n", "SELECT r.b FROM test.l LEFT JOIN test.r ON r.a = l.a ORDER BY l.b LIMIT 1", "SELECT ROWS_EXAMINED FROM performance_schema.events_statements_history WHERE THREAD_ID = PS_CURRENT_THREAD_ID() AND SQL_TEXT LIKE '%LEFT JOIN%' ORDER BY EVENT_ID DESC LIMIT 1"}, Answer: "4"},
	})
	GroupByRule = register(Mend{
		Name: "ONLY_FULL_GROUP_BY", Way: Analyzer,
		Files:  []string{"planning/fullgroupby.go", "planning/outeraggregates.go"},
		GMS:    "refuses what is sorted beside an expression that is grouped by, and what has no columns",
		MySQL:  "looks at what is selected",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT b, @x, CONNECTION_ID() > 0 AS c, COUNT(*) FROM test.t GROUP BY b ORDER BY b"}, Answer: "5|NULL|1|2 6|NULL|1|1"},
	})
	AmbiguousNames = register(Mend{
		Name: "names in ON DUPLICATE KEY UPDATE of INSERT ... SELECT", Way: Analyzer,
		Files:  []string{"planning/ambiguousnames.go", "sqltree/updatednames.go", "builtins/updatednames.go"},
		GMS:    "takes the column of the table that is written",
		MySQL:  "says that a name is ambiguous that is also of a table that is read",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5)", "INSERT INTO test.t SELECT a, 6 FROM test.t ON DUPLICATE KEY UPDATE b = t.b"}, Answer: "1052"},
	})
	FiredTriggers = register(Mend{
		Name: "triggers of another database", Way: Analyzer,
		Files:  []string{"planning/triggers.go"},
		GMS:    "a trigger does not run where the current database is another one",
		MySQL:  "it runs",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "USE test", "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.b = 99", "USE mysql", "INSERT INTO test.t VALUES (9, 7)", "SELECT b FROM test.t WHERE a = 9"}, Answer: "99"},
	})
	ViewCommits = register(Mend{
		Name: "transactions that name a view", Way: Analyzer,
		Files:  []string{"planning/viewcommit.go", "sqltree/qualify.go"},
		GMS:    "commits the transaction after each statement that names a view",
		MySQL:  "only statements that define something commit",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "CREATE VIEW test.v AS SELECT a FROM test.t", "START TRANSACTION", "INSERT INTO test.t VALUES (9, 7)", "SELECT COUNT(*) FROM test.v", "ROLLBACK", "SELECT COUNT(*) FROM test.t"}, Answer: "3"},
	})
	SemiJoins = register(Mend{
		Name: "EXISTS and IN as joins", Way: Analyzer,
		Files:  []string{"executor/semijoin.go"},
		GMS:    "yields a row for each value that fits",
		MySQL:  "yields it once",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "CREATE TABLE test.f (a INT, b INT)", "INSERT INTO test.f VALUES (1, 2), (2, 1), (1, 1)", "SELECT COUNT(*) FROM test.t WHERE EXISTS (SELECT 1 FROM test.f WHERE f.a = t.a OR f.b = t.a)"}, Answer: "2"},
	})
	VitessGrammar = register(Mend{
		Name: "statements that vitess does not parse", Way: Wrapper,
		Files:  []string{"grammar/grammar.go", "grammar/function.go"},
		GMS:    "CHECK TABLE, CHECKSUM TABLE, HANDLER, SHOW ENGINE, CREATE FUNCTION and others are syntax errors",
		MySQL:  "has them",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "CHECK TABLE test.t"}, Answer: "test.t|check|status|OK"},
	})
	VitessServerGrammar = register(Mend{
		Name: "statements about the server that vitess does not parse", Way: Wrapper,
		Files:  []string{"grammar/grammar_server.go"},
		GMS:    "SHOW OPEN TABLES, SHOW PROFILES, XA, INSTALL PLUGIN and others are syntax errors, or not supported",
		MySQL:  "has them, or has errors of their own for them",
		Canary: Canary{Statements: []string{"XA RECOVER"}, Answer: "formatID|gtrid_length|bqual_length|data no rows", Columns: true},
	})
	GetDiagnostics = register(Mend{
		Name: "GET DIAGNOSTICS", Way: Wrapper,
		Files:  []string{"grammar/diagnostics.go"},
		GMS:    "a syntax error",
		MySQL:  "puts what is known of the conditions into variables",
		Canary: Canary{Statements: []string{"GET DIAGNOSTICS @n = NUMBER", "SELECT @n"}, Answer: "0"},
	})
	ShownConditions = register(Mend{
		Name: "SHOW WARNINGS and SHOW ERRORS", Way: Wrapper,
		Files:  []string{"grammar/diagnostics.go"},
		GMS:    "shows the last warning first, shows no errors, and counts neither",
		MySQL:  "shows and counts the conditions in their order",
		Canary: Canary{Statements: []string{"SELECT CAST('x' AS SIGNED)", "SHOW COUNT(*) WARNINGS"}, Answer: "1"},
	})
	ExplainGrammar = register(Mend{
		Name: "EXPLAIN of connections and columns", Way: Wrapper,
		Files:  []string{"grammar/explain.go"},
		GMS:    "EXPLAIN FOR CONNECTION, FOR SCHEMA, INTO and of a column are syntax errors",
		MySQL:  "has them",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "EXPLAIN test.t a"}, Answer: "a|int|NO|PRI|NULL|"},
	})
	AlterAnswers = register(Mend{
		Name: "the answer to ALTER TABLE ... COMMENT", Way: Wrapper,
		Files:  []string{"executor/alteranswer.go"},
		GMS:    "says that the answer has the columns of the table",
		MySQL:  "the answer is OK, and has no columns",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "ALTER TABLE test.t COMMENT 'x'"}, Answer: "OK"},
	})
	DerivedScales = register(Mend{
		Name: "digits of DECIMAL columns of derived tables", Way: Builder,
		Files:  []string{"executor/derivedtable.go"},
		GMS:    "an average has all its digits for the query around it",
		MySQL:  "it has as many as the column",
		Canary: Canary{Statements: []string{"SELECT a * 10000 FROM (SELECT AVG(x) OVER () AS a FROM (SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 2) t LIMIT 1) d"}, Answer: "16667.0000"},
	})
	SubqueryLookups = register(Mend{
		Name: "joins on the value of a subquery", Way: Builder,
		Files:  []string{"executor/hashlookup.go"},
		GMS:    "calculates the subquery on rows of one side, even if it refers to the other",
		MySQL:  "calculates it on the rows of the join",
		Canary: Canary{Statements: []string{"CREATE TABLE test.a (i INT, m INT)", "INSERT INTO test.a VALUES (1, 10), (2, 20)", "CREATE TABLE test.b (i INT, m INT)", "INSERT INTO test.b VALUES (1, 10), (2, 20)", "SELECT /*+ JOIN_ORDER(b, a) HASH_JOIN(b, a) */ a.i FROM test.a JOIN test.b ON a.i = b.i AND b.m = (SELECT MAX(m) FROM test.a n WHERE n.i = b.i)"}, Answer: "1 2"},
	})
	JoinOrders = register(Mend{
		Name: "joins of many tables", Way: Analyzer,
		Files:  []string{"planning/joinorder.go"},
		GMS:    "tries all orders of up to 15 tables, which takes seconds and hundreds of MB, and panics at more than 64",
		MySQL:  "plans 61 tables at once, and error 1116 for more",
		Canary: Canary{Test: "TestJoinOrder"},
	})
	NestedAliases = register(Mend{
		Name: "a name of a query in its EXISTS again", Way: Analyzer,
		Files:  []string{"planning/tablealiases.go"},
		GMS:    "plans without end if the table of that name in EXISTS has it as an alias too",
		MySQL:  "the inner name hides the outer one",
		Canary: Canary{Test: "TestTableAliases"},
	})
	ColumnRows = register(Mend{
		Name: "SHOW COLUMNS and SHOW INDEX", Way: Builder,
		Files:  []string{"infoschema/showrows.go", "infoschema/columndefault.go"},
		GMS:    "the collation stands behind the type, a default is quoted, nothing is said of privileges and ON UPDATE",
		MySQL:  "the type alone, the default as a value is shown, the privileges",
		Canary: Canary{Statements: []string{"CREATE TABLE test.v (a VARCHAR(5) COLLATE utf8mb4_bin DEFAULT 'x')", "SHOW COLUMNS FROM test.v"}, Answer: "a|varchar(5)|YES||x|"},
	})
	DatabaseRows = register(Mend{
		Name: "SHOW DATABASES", Way: Builder,
		Files:  []string{"infoschema/showrows.go"},
		GMS:    "names the database mysql twice",
		MySQL:  "names each database once",
		Canary: Canary{Statements: []string{"SHOW DATABASES LIKE 'mysql'"}, Answer: "mysql"},
	})
	TableTexts = register(Mend{
		Name: "SHOW CREATE TABLE", Way: Wrapper,
		Files:  []string{"executor/schemaformat.go", "infoschema/columndefault.go"},
		GMS:    "leaves out DEFAULT NULL and the character set of a column",
		MySQL:  "writes both",
		Canary: Canary{Statements: []string{"CREATE TABLE test.v (a INT)", "SHOW CREATE TABLE test.v"}, Answer: "v|CREATE TABLE `v` (\n  `a` int DEFAULT NULL\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci"},
	})
	DoubleTexts = register(Mend{
		Name: "DOUBLE as text", Way: Builder,
		Files:  []string{"sqlvalue/doubletext.go"},
		GMS:    "1e+06, or any number of zeros",
		MySQL:  "an exponent only if the point would be 15 or more places from the digits",
		Canary: Canary{Statements: []string{"SELECT CONCAT(1e6)"}, Answer: "1000000"},
	})
	DigitsOfTimes = register(Mend{
		Name: "TIME with a number of digits", Way: Wrapper,
		Files:  []string{"sqlvalue/timetype.go", "executor/storetime.go"},
		GMS:    "each TIME has six digits behind the point",
		MySQL:  "as many as it is declared with",
		Canary: Canary{Statements: []string{"SELECT CAST('10:00:00.5' AS TIME(1))"}, Answer: "10:00:00.5"},
	})
	ProgramBodies = register(Mend{
		Name: "bodies of procedures", Way: Wrapper,
		Files:  []string{"routine/procedure.go", "routine/program.go", "routine/function.go", "routine/functioncall.go", "routine/programvalue.go", "routine/programbody.go", "routine/memory.go", "routine/limits.go"},
		GMS:    "refuses most handlers and conditions, carries out the first instruction of a handler alone, and a recursive procedure shares its parameters with itself",
		MySQL:  "has them",
		Canary: Canary{Statements: []string{"CREATE PROCEDURE test.p() BEGIN DECLARE CONTINUE HANDLER FOR 1062 BEGIN END; SELECT 5; END", "CALL test.p()"}, Answer: "5"},
	})
	ProgramTexts = register(Mend{
		Name: "texts of the statements in programs", Way: Wrapper,
		Files:  []string{"routine/programtext.go"},
		GMS:    "a statement of a program has no text",
		MySQL:  "it has the text that it is written with",
		Canary: Canary{Statements: []string{"CREATE PROCEDURE test.p() SELECT 1 +   1", "CALL test.p()", "SELECT SQL_TEXT FROM performance_schema.events_statements_history WHERE EVENT_NAME = 'statement/sp/stmt' AND THREAD_ID = PS_CURRENT_THREAD_ID()"}, Answer: "SELECT 1 +   1"},
	})
	ProgramHeadings = register(Mend{
		Name: "columns of the queries in programs", Way: Wrapper,
		Files:  []string{"routine/programtext.go"},
		GMS:    "names them as it prints expressions",
		MySQL:  "names them as they are written",
		Canary: Canary{Statements: []string{"CREATE PROCEDURE test.p() SELECT 1+1", "CALL test.p()"}, Answer: "1+1 2", Columns: true},
	})
	PlainCodes = register(Mend{
		Name: "code in comments around triggers and events", Way: Wrapper,
		Files:  []string{"grammar/plaincode.go", "usertables/database.go"},
		GMS:    "keeps the marks of the comment in the body",
		MySQL:  "keeps the code alone",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER test.g BEFORE INSERT ON test.t FOR EACH ROW SET NEW.b = 99 */", "SELECT ACTION_STATEMENT FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = 'test'"}, Answer: "SET NEW.b = 99"},
	})
	AggregateMemory = register(Mend{
		Name: "memory of JSON_ARRAYAGG, MAX and the like", Way: Builder,
		Files:  []string{"executor/aggregatememory.go"},
		GMS:    "keeps values without counting them",
		MySQL:  "counts them as memory of the connection",
		Canary: Canary{Statements: []string{"SET SESSION query_memory_limit = 1048576", "SELECT COUNT(*) FROM (SELECT ID, MAX(REPEAT('a', 4000)) AS m FROM information_schema.COLLATIONS GROUP BY ID) d"}, Answer: "1037"},
	})
	InfoTableNames = register(Mend{
		Name: "names of the tables of information_schema", Way: Wrapper,
		Files:  []string{"infoschema/infotables.go"},
		GMS:    "lower case",
		MySQL:  "upper case",
		Canary: Canary{Statements: []string{"SHOW TABLES FROM information_schema LIKE 'files'"}, Answer: "FILES"},
	})
	PluginTables = register(Mend{
		Name: "tables of information_schema that plugins of MySQL have", Way: Wrapper,
		Files:  []string{"infoschema/infoplugins.go"},
		GMS:    "does not have them",
		MySQL:  "has them",
		Canary: Canary{Statements: []string{"SELECT COUNT(*) FROM information_schema.CONNECTION_CONTROL_FAILED_LOGIN_ATTEMPTS"}, Answer: "0"},
	})
	GeneralFunctions = register(Mend{
		Name: "general functions", Way: Function,
		Files:  []string{"builtins/generalfunctions.go", "mysqlfuncs/"},
		GMS:    "lacks many, and has some that differ",
		MySQL:  "has them",
		Canary: Canary{Statements: []string{"SELECT MAKEDATE(2024, 60)"}, Answer: "2024-02-29"},
	})
	RefusedQueries = register(Mend{
		Name: "queries that MySQL refuses", Way: Tree,
		Files:  []string{"sqltree/refusedquery.go"},
		GMS:    "fails while it groups by an aggregate function, and takes two columns of one name in a derived table",
		MySQL:  "errors 1056, 3593 and 1060",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT COUNT(*) FROM test.t GROUP BY 1"}, Answer: "1056"},
	})
	ComparedRows = register(Mend{
		Name: "comparisons of rows", Way: Tree,
		Files:  []string{"sqltree/rowcomparison.go"},
		GMS:    "NULL in a row equals NULL, a row with NULL is NOT IN a list that may have it, and rows with NULL have no order",
		MySQL:  "a comparison of rows is what AND and OR make of those of their columns",
		Canary: Canary{Statements: []string{"SELECT COUNT(*) FROM (SELECT 1 AS a, NULL AS b) t WHERE (a, b) = (1, b)"}, Answer: "0"},
	})
	Vectors = register(Mend{
		Name: "vectors", Way: Tree,
		Files:  []string{"sqltree/vectors.go", "builtins/vectors.go"},
		GMS:    "has a type VECTOR with functions and indexes, which cannot read texts, and panics at an empty one",
		MySQL:  "8.4 has none of them: errors 1064 and 1305",
		Canary: Canary{Statements: []string{"SELECT STRING_TO_VECTOR('[]')"}, Answer: "1305"},
	})
	NamedDatabases = register(Mend{
		Name: "statements about tables of another database", Way: Wrapper,
		Files:  []string{"./"},
		GMS:    "CREATE VIEW, DROP VIEW, RENAME TABLE, ANALYZE TABLE and SHOW TRIGGERS take the current database",
		MySQL:  "they take the database that they name",
		Canary: Canary{Statements: []string{"CREATE VIEW test.v AS SELECT 1 AS a", "SELECT a FROM test.v"}, Answer: "1"},
	})
	StatusValues = register(Mend{
		Name: "SHOW STATUS", Way: Builder,
		Files:  []string{"./"},
		GMS:    "shows values that somebody has set, and most have none",
		MySQL:  "shows the values of the moment",
		Canary: Canary{Statements: []string{"SHOW STATUS LIKE 'Innodb_page_size'"}, Answer: "Innodb_page_size|16384"},
	})
	TriggerDefiners = register(Mend{
		Name: "privileges of the definers of triggers", Way: Builder,
		Files:  []string{"./"},
		GMS:    "checks none",
		MySQL:  "the definer needs TRIGGER on the table, and what each statement needs",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "CREATE USER IF NOT EXISTS nobody@localhost", "CREATE DEFINER = nobody@localhost TRIGGER test.g BEFORE INSERT ON test.t FOR EACH ROW SET NEW.b = 99", "INSERT INTO test.t VALUES (9, 7)"}, Answer: "1142"},
	})
	ServerFiles = register(Mend{
		Name: "files that statements read and write", Way: Builder,
		Files:  []string{"./"},
		GMS:    "opens what the name means, and answers 1105 if it cannot",
		MySQL:  "opens what is in secure_file_priv",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "LOAD DATA INFILE '/nonexistent' INTO TABLE test.t"}, Answer: "1290"},
	})
	ShownPlugins = register(Mend{
		Name: "SHOW PLUGINS", Way: Builder,
		Files:  []string{"infoschema/plugins.go"},
		GMS:    "shows the columns of PLUGINS",
		MySQL:  "shows five of them, under names of their own",
		Canary: Canary{Statements: []string{"SHOW PLUGINS"}, Answer: "Name|Status|Type|Library|License mysql_native_password|DISABLED|AUTHENTICATION|NULL| caching_sha2_password|ACTIVE|AUTHENTICATION|NULL| MEMORY|ACTIVE|STORAGE ENGINE|NULL| InnoDB|ACTIVE|STORAGE ENGINE|NULL| PERFORMANCE_SCHEMA|ACTIVE|STORAGE ENGINE|NULL|", Columns: true},
	})
	QueriesOfShow = register(Mend{
		Name: "SHOW INDEX and SHOW EVENTS with a condition", Way: Tree,
		Files:  []string{"infoschema/show_as_query.go"},
		GMS:    "SHOW INDEX ignores WHERE, and SHOW EVENTS its database",
		MySQL:  "both are queries of information_schema",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SHOW INDEX FROM test.t WHERE Key_name = 'x'"}, Answer: "no rows"},
	})
	ShownPrograms = register(Mend{
		Name: "SHOW CREATE of views, procedures and triggers", Way: Builder,
		Files:  []string{"infoschema/show_create.go"},
		GMS:    "shows the statement as it is written, to everybody, without the sql_mode",
		MySQL:  "writes it with its definer, and requires privileges",
		Canary: Canary{Statements: []string{"SET sql_mode = ''", "CREATE PROCEDURE test.p() SELECT 1", "SHOW CREATE PROCEDURE test.p"}, Answer: "p||CREATE DEFINER=`root`@`localhost` PROCEDURE `p`()\nSELECT 1|utf8mb4|utf8mb4_0900_ai_ci|utf8mb4_0900_ai_ci"},
	})
	ViewTexts = register(Mend{
		Name: "views WITH CHECK OPTION", Way: Wrapper,
		Files:  []string{"infoschema/show_create.go"},
		GMS:    "keeps a part of WITH CHECK OPTION in the query",
		MySQL:  "the query ends before it",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "CREATE VIEW test.v AS SELECT a FROM test.t WITH CHECK OPTION", "SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'test'"}, Answer: "SELECT a FROM test.t"},
	})
	UpdatedTexts = register(Mend{
		Name: "UPDATE of a text to one that is equal to it", Way: Wrapper,
		Files:  []string{"usertables/bybytes.go"},
		GMS:    "does not write a row whose texts are equal by their collations",
		MySQL:  "writes it if the bytes differ",
		Canary: Canary{Statements: []string{"CREATE TABLE test.c (k INT PRIMARY KEY, c VARCHAR(10) COLLATE utf8mb4_0900_ai_ci)", "INSERT INTO test.c VALUES (1, 'a')", "UPDATE test.c SET c = 'A' WHERE k = 1", "SELECT c FROM test.c"}, Answer: "A"},
	})
	IndexedComments = register(Mend{
		Name: "comments of tables with PRIMARY KEY (...)", Way: Wrapper,
		Files:  []string{"usertables/definitions.go"},
		GMS:    "loses the comment",
		MySQL:  "keeps it",
		Canary: Canary{Statements: []string{"CREATE TABLE test.k (a INT, PRIMARY KEY (a)) COMMENT 'x'", "SELECT TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_NAME = 'k'"}, Answer: "x"},
	})
	RenamedTriggers = register(Mend{
		Name: "triggers of a table that is renamed", Way: Wrapper,
		Files:  []string{"usertables/programs.go"},
		GMS:    "leaves them to the old name, and no table can be dropped any more",
		MySQL:  "they go with the table",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "CREATE TRIGGER test.g BEFORE INSERT ON test.t FOR EACH ROW SET NEW.b = 99", "RENAME TABLE test.t TO test.u", "INSERT INTO test.u VALUES (9, 7)", "SELECT b FROM test.u WHERE a = 9"}, Answer: "99"},
	})
	_ = register(Mend{
		Name: "ENUM and SET of declared tables", Way: Wrapper,
		Files:  []string{"sqlvalue/enumtype.go"},
		GMS:    "they are numbers, which many functions do not turn into text",
		MySQL:  "they are text in every function",
		Canary: Canary{Test: "TestChoice"},
	})
	_ = register(Mend{
		Name: "DOUBLE(M,D)", Way: Wrapper,
		Files:  []string{"sqlexpr/plaindoubles.go", "sqlvalue/doubletype.go"},
		GMS:    "has no number of digits",
		MySQL:  "prints D digits behind the point",
		Canary: Canary{Test: "TestDouble"},
	})
	_ = register(Mend{
		Name: "ORDER BY over an index without an order", Way: Analyzer,
		Files:  []string{"planning/keepsorts.go"},
		GMS:    "leaves the sort out",
		MySQL:  "sorts",
		Canary: Canary{Test: "TestKeepSorts"},
	})
	_ = register(Mend{
		Name: "the end of planning", Way: Analyzer,
		Files:  []string{"planning/planning.go", "planning/query.go"},
		GMS:    "plans to the end, even if the statement has been killed",
		MySQL:  "KILL and max_execution_time end it",
		Canary: Canary{Test: "TestStopPlanning"},
	})
	_ = register(Mend{
		Name: "the tables of information_schema", Way: Wrapper,
		Files:  []string{"infoschema/database.go"},
		GMS:    "every query changes the same tables, and the rows of all databases are made",
		MySQL:  "no race; a condition on the names of the table is looked up",
		Canary: Canary{Test: "TestInfoSchemaGivesEachQueryItsOwnTable"},
	})
	_ = register(Mend{
		Name: "status variables of the process", Way: Wrapper,
		Files:  []string{"globals/engine.go"},
		GMS:    "each new engine sets those of all servers to zero",
		MySQL:  "a server has its own",
		Canary: Canary{Test: "TestNewEngineKeepsTheStatusVariables"},
	})
	_ = register(Mend{
		Name: "status variables of a session", Way: Wrapper,
		Files:  []string{"globals/statusvars.go"},
		GMS:    "a session copies 48 KiB of them",
		MySQL:  "a status variable is a number",
		Canary: Canary{Test: "TestStatusVariablesCountNothing"},
	})
	_ = register(Mend{
		Name: "system variables", Way: Wrapper,
		Files:  []string{"globals/systemvars.go"},
		GMS:    "the process has one set of them",
		MySQL:  "a server has its own",
		Canary: Canary{Test: "TestServedVariables"},
	})
	_ = register(Mend{
		Name: "system variables of a session", Way: Wrapper,
		Files:  []string{"globals/sessionvalues.go"},
		GMS:    "a session has a map of all of them, 56 KiB",
		MySQL:  "a session has some KiB",
		Canary: Canary{Test: "TestSessionsShareTheirValues"},
	})
	_ = register(Mend{
		Name: "sql_mode of a session", Way: Wrapper,
		Files:  []string{"globals/defaultmode.go"},
		GMS:    "splits it for each statement, unless it is its own default",
		MySQL:  "splits it when it is set",
		Canary: Canary{Test: "TestDefaultMode"},
	})
	_ = register(Mend{
		Name: "the log of vitess", Way: Wrapper,
		Files:  []string{"globals/vitesslog.go"},
		GMS:    "prints each lost client and each failed statement on standard error",
		MySQL:  "writes an error log",
		Canary: Canary{Test: "TestSetLog"},
	})
	_ = register(Mend{
		Name: "collations of system variables that are texts", Way: Wrapper,
		Files:  []string{"globals/textvariable.go"},
		GMS:    "their type takes no other collation, and COLLATE panics",
		MySQL:  "they are texts as others are",
		Canary: Canary{Test: "TestTextVariable"},
	})
	_ = register(Mend{
		Name: "numbers with far exponents", Way: Wrapper,
		Files:  []string{"executor/decimalconversion.go", "sqlvalue/decimalparse.go", "sqlvalue/decimaltarget.go"},
		GMS:    "calculates with all digits that '1e999999999' would have, for minutes",
		MySQL:  "the number is out of range",
		Canary: Canary{Test: "TestFarExponents"},
	})
	_ = register(Mend{
		Name: "bytes and texts that become geometries", Way: Wrapper,
		Files:  []string{"resultsize/resultsize.go", "sqltree/spatialtypes.go", "sqlvalue/geometrytype.go", "sqlvalue/wkb.go", "sqlvalue/wkt.go"},
		GMS:    "makes room for as many members as the bytes name, follows any nesting, and reads a text again for each member, until the process has no memory or no stack left",
		MySQL:  "errors 1416 and 3037",
		Canary: Canary{Test: "TestSpatial"},
	})
	_ = register(Mend{
		Name: "long texts beside times", Way: Expression,
		Files:  []string{"sqlexpr/timetext.go"},
		GMS:    "takes time that grows with the square of the length",
		MySQL:  "takes time that grows with the length",
		Canary: Canary{Test: "TestLongTextsBesideTimes"},
	})
	DroppedTexts = register(Mend{
		Name: "DROP TABLE with full text indexes", Way: Wrapper,
		Files:  []string{"storage/database.go"},
		GMS:    "leaves the tables of the indexes",
		MySQL:  "they go with their table",
		Canary: Canary{Statements: []string{"CREATE TABLE test.f (a INT PRIMARY KEY, b TEXT, FULLTEXT KEY x (b))", "DROP TABLE test.f", "SHOW TABLES FROM test"}, Answer: "no rows"},
	})
	ShownTriggers = register(Mend{
		Name: "SHOW TRIGGERS", Way: Builder,
		Files:  []string{"infoschema/triggers.go"},
		GMS:    "shows all triggers, without definer and sql_mode",
		MySQL:  "shows those on which the session has the privilege TRIGGER",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "CREATE TRIGGER test.g BEFORE INSERT ON test.t FOR EACH ROW SET NEW.b = 99", "SHOW TRIGGERS FROM test WHERE sql_mode = ''"}, Answer: "no rows"},
	})
	ExplainedPlans = register(Mend{
		Name: "EXPLAIN", Way: Builder,
		Files:  []string{"./", "parsing/explain_statements.go", "explain/gmsplan/"},
		GMS:    "shows a row without a plan, or a plan in words of its own",
		MySQL:  "shows tables and how they are read",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "EXPLAIN SELECT * FROM test.t"}, Answer: "1|SIMPLE|t|NULL|ALL|NULL|NULL|NULL|NULL|3|100|NULL"},
	})
	NoDatabaseCollation = register(Mend{
		Name: "@@collation_database without a database", Way: Expression,
		Files:  []string{"sqlexpr/expressionrules.go"},
		GMS:    "go-mysql-server's own default",
		MySQL:  "the collation of the server",
		Canary: Canary{Statements: []string{"SELECT @@collation_database"}, Answer: "utf8mb4_0900_ai_ci"},
	})
	_ = register(Mend{
		Name: "MAX and MIN of a primary key", Way: Analyzer,
		Files:  []string{"planning/keepsorts.go"},
		GMS:    "have no row if there is nothing to aggregate",
		MySQL:  "have one row, in which they are NULL",
		Canary: Canary{Test: "TestKeepAggregates"},
	})
	WindowColumns = register(Mend{
		Name: "subqueries beside windows", Way: Analyzer,
		Files:  []string{"planning/windowcolumns.go"},
		GMS:    "a correlated subquery compares with something else than the row of the table",
		MySQL:  "with the row",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT (SELECT COUNT(*) FROM test.t u WHERE u.b = t.b) AS c, ROW_NUMBER() OVER (ORDER BY a) AS n FROM test.t t ORDER BY n"}, Answer: "2|1 2|2 1|3"},
	})
	NothingAggregated = register(Mend{
		Name: "JSON_ARRAYAGG of no rows", Way: Function,
		Files:  []string{"mysqlfuncs/jsontexts.go"},
		GMS:    "is an empty array",
		MySQL:  "is NULL",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "SELECT JSON_ARRAYAGG(a) FROM test.t"}, Answer: "NULL"},
	})
	NullableColumns = register(Mend{
		Name: "NULL in CREATE TABLE ... SELECT", Way: Builder,
		Files:  []string{"grammar/nullable.go"},
		GMS:    "MAX of a column that is NOT NULL is NOT NULL, and the rows of the query do not fit into the table",
		MySQL:  "it may be NULL",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "CREATE TABLE test.s AS SELECT MAX(a) AS m FROM test.t", "SELECT m FROM test.s"}, Answer: "NULL"},
	})
	Exactness = register(Mend{
		Name: "digits of quotients inside expressions", Way: Analyzer,
		Files:  []string{"alldigits/exactness.go", "alldigits/alldigits.go", "sqlexpr/operands.go"},
		GMS:    "calculates with the digits that a quotient shows",
		MySQL:  "with all that it has",
		Canary: Canary{Statements: []string{"SELECT ROUND(28100/508, 2), 1/100000 IS TRUE"}, Answer: "55.31|1"},
	})
	WrittenRows = register(Mend{
		Name: "rows that INSERT, REPLACE and DELETE write", Way: Builder,
		Files:  []string{"writes/", "planning/rowtriggers.go", "planning/nullrows.go", "planning/updatedtables.go", "sqltree/insertedvalues.go", "sqltree/writtenjoins.go", "executor/generated.go", "executor/setexpressions.go", "executor/modifiedrows.go", "results/result.go", "wire/ok.go", "connection/hints.go", "functions/sleep.go"},
		GMS:    "runs triggers around a statement, not for rows that REPLACE deletes, ON DUPLICATE KEY UPDATE changes or DELETE takes from several tables; forgets CHECK on tables with virtual columns; calculates stored columns from what was given; refuses what a row lacks in any sql_mode; hands out AUTO_INCREMENT values one by one; and counts rows of joins, and writes them as the join has read them",
		MySQL:  "runs the triggers of each row, checks each, calculates from what a row keeps, takes it with a warning, hands out as many values as there are rows; and counts rows of tables, and writes each as it is when its turn comes",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5)", "CREATE TABLE test.u LIKE test.t", "INSERT INTO test.u VALUES (1, 1), (2, 1), (3, 1)", "DELETE test.t FROM test.t JOIN test.u ON test.u.a > 0", "SELECT ROW_COUNT()"}, Answer: "2"},
	})
	IndexKeys = register(Mend{
		Name: "constants that are no keys of an index", Way: Analyzer,
		Files:  []string{"sqlexpr/indexkeys.go"},
		GMS:    "converts them to the type of the column, and finds other rows",
		MySQL:  "compares the values of the column with them",
		Canary: Canary{Statements: []string{"CREATE TABLE test.k (a INT PRIMARY KEY, d DATE, KEY (d))", "INSERT INTO test.k VALUES (1, '2024-01-01')", "SELECT a FROM test.k WHERE d < '2024-01-01 10:00:00'"}, Answer: "1"},
	})
	OuterJoinFilters = register(Mend{
		Name: "conditions around outer joins", Way: Analyzer,
		Files:  []string{"planning/outerjoins.go", "planning/nullrejection.go", "planning/lostconditions.go", "planning/rangejoins.go", "planning/outerindexes.go", "planning/neverjoins.go", "planning/outercolumns.go"},
		GMS:    "some orders of a join with an outer join lose conditions of WHERE and of inner joins, and a condition that is never true loses the tables, and one of an outer column is looked up in an index of an inner one of that name",
		MySQL:  "a condition is never lost",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT x.a FROM test.t x LEFT JOIN test.t y ON x.b = y.b AND y.a = 3, test.t z WHERE z.a = x.a AND y.a IS NULL"}, Answer: "1 2"},
	})
	PlacedConditions = register(Mend{
		Name: "subqueries in conditions of joins", Way: Analyzer,
		Files:  []string{"planning/placedconditions.go"},
		GMS:    "may test a condition before a table has been read that its subquery refers to",
		MySQL:  "tests it when it has what it needs",
		Canary: Canary{Statements: []string{"CREATE TABLE test.p (id INT NOT NULL, d DECIMAL(20,6), e INT)", "INSERT INTO test.p VALUES (5, 0, 4), (6, 0.000001, 4)", "CREATE TABLE test.q (id INT NOT NULL, g DECIMAL(20,6))", "INSERT INTO test.q VALUES (2, 0)", "SELECT /*+ LEFT_DEEP */ b.id FROM test.p a JOIN test.q b ON a.id >= b.id JOIN test.p c ON a.e >= c.e WHERE b.g IN (SELECT 1.5 UNION ALL SELECT a.d FROM test.p)"}, Answer: "2 2"},
	})
	MergedRows = register(Mend{
		Name: "joins that merge indexes of several columns", Way: Analyzer,
		Files:  []string{"planning/mergedrows.go"},
		GMS:    "takes NULL for equal to NULL in columns behind the first one",
		MySQL:  "NULL equals nothing",
		Canary: Canary{Statements: []string{"CREATE TABLE test.n (a INT NOT NULL, b INT, KEY (a, b))", "INSERT INTO test.n VALUES (1, 2), (2, NULL)", "SELECT x.a FROM test.n x JOIN test.n y ON x.b = y.b AND x.a = y.a"}, Answer: "1"},
	})
	FiltersOfFilters = register(Mend{
		Name: "conditions above conditions", Way: Analyzer,
		Files:  []string{"planning/onefilter.go"},
		GMS:    "loses all conditions of a table that stand in two places, such as one of a join's ON and one that was moved into a derived table",
		MySQL:  "a condition is never lost",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT COUNT(*) FROM (SELECT x.b FROM test.t x JOIN test.t y ON x.a > 5) d WHERE d.b = 7"}, Answer: "0"},
	})
	DerivedFilters = register(Mend{
		Name: "conditions on derived tables", Way: Analyzer,
		Files:  []string{"planning/derivedfilters.go"},
		GMS:    "moves a condition below window functions, WITH ROLLUP and whatever else has another result for fewer rows",
		MySQL:  "moves it only where the result stays the same",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT * FROM (SELECT b, COUNT(*) FROM test.t GROUP BY b WITH ROLLUP) r WHERE b = 5"}, Answer: "5|2"},
	})
	SubqueryJoins = register(Mend{
		Name: "conditions with subqueries as joins", Way: Analyzer,
		Files:  []string{"planning/subqueryjoins.go", "planning/hiddenconditions.go"},
		GMS:    "makes joins of them that do not see LIMIT, aggregates, NULLs or a second row of a scalar subquery",
		MySQL:  "the join has the rows that the condition lets through",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT a FROM test.t WHERE EXISTS (SELECT COUNT(*) FROM test.t s WHERE s.b = t.a)"}, Answer: "1 2 3"},
	})
	SubqueryValues = register(Mend{
		Name: "IN with the rows of a subquery", Way: Expression,
		Files:  []string{"sqlexpr/insubquery.go", "sqlexpr/rowsubquery.go", "sqlexpr/joinkey.go"},
		GMS:    "converts the value to the type of the subquery, and does not know NULL among several columns",
		MySQL:  "compares the value with each row as = does",
		Canary: Canary{Statements: []string{"SELECT 1.5 IN (SELECT 2 UNION SELECT 3), (1, NULL) IN (SELECT 1, 2)"}, Answer: "0|NULL"},
	})
	CheckedLookups = register(Mend{
		Name: "joins by index", Way: Builder,
		Files:  []string{"executor/lookup.go", "executor/orderedjoin.go"},
		GMS:    "takes all rows that an index has for a value, which it converts to the type of the column",
		MySQL:  "takes the rows whose column is equal to the value",
		Canary: Canary{Statements: []string{"CREATE TABLE test.i (a INT PRIMARY KEY)", "INSERT INTO test.i VALUES (1), (2), (3)", "CREATE TABLE test.d (b DECIMAL(5, 2) PRIMARY KEY)", "INSERT INTO test.d VALUES (1.5), (3)", "SELECT /*+ JOIN_ORDER(d, i) LOOKUP_JOIN(d, i) */ * FROM test.d JOIN test.i ON b = a"}, Answer: "3.00|3"},
	})
	SetTypes = register(Mend{
		Name: "types of set operations", Way: Analyzer,
		Files:  []string{"settypes/settypes.go", "settypes/setparts.go", "settypes/rowcolumn.go", "sqlexpr/aggregatedtype.go", "sqlexpr/aggregatedvalue.go", "sqlexpr/fieldkinds.go"},
		GMS:    "integers and a DECIMAL make a DECIMAL with 30 digits behind the point, BIGINT UNSIGNED is clipped, times of several precisions are texts",
		MySQL:  "a column has the type that has room for the values of all parts",
		Canary: Canary{Statements: []string{"SELECT SUM(x) FROM (SELECT 1 AS x UNION ALL SELECT 1.5) d"}, Answer: "2.5"},
	})
	ComparedConstants = register(Mend{
		Name: "constants compared with years and dates", Way: Analyzer,
		Files:  []string{"sqlexpr/comparedconstants.go"},
		GMS:    "compares a YEAR with 24 as with the number, and a DATE with 240101",
		MySQL:  "converts the constant to a year or a date first",
		Canary: Canary{Statements: []string{"CREATE TABLE test.y (y YEAR, d DATE)", "INSERT INTO test.y VALUES (2024, '2024-01-01')", "SELECT COUNT(*) FROM test.y WHERE d = '24-1-1'"}, Answer: "1"},
	})
	ComparedMembers = register(Mend{
		Name: "ENUM and SET compared and stored as texts", Way: Analyzer,
		Files:  []string{"sqlexpr/comparedmembers.go", "sqlexpr/storedsource.go"},
		GMS:    "compares an ENUM or SET with a text as numbers or fails, and stores its number in a text",
		MySQL:  "compares the texts, and stores the text",
		Canary: Canary{Statements: []string{"CREATE TABLE test.e (e ENUM('b', 'a'), v VARCHAR(5))", "INSERT INTO test.e (e) VALUES ('a')", "UPDATE test.e SET v = e", "SELECT v FROM test.e"}, Answer: "a"},
	})
	Extremes = register(Mend{
		Name: "GREATEST and LEAST", Way: Function,
		Files:  []string{"sqlexpr/extremes.go", "sqlexpr/wholenumber.go"},
		GMS:    "ENUM, SET and TIME are errors, and dates are compared with texts as texts",
		MySQL:  "compares in the type of all values, and as dates if one is a date",
		Canary: Canary{Statements: []string{"SELECT GREATEST(TIME'10:00:00', TIME'11:00:00')"}, Answer: "11:00:00"},
	})
)
