package compat

// The mends that are switched by themselves, with their canaries. docs/mends.md is made of them.
var (
	sums = register(Mend{
		Name: "SUM and AVG", Way: Tree,
		GMS:    "adds everything up as DOUBLE, which is exact to 15 digits",
		MySQL:  "exact numbers are added up as DECIMAL",
		Canary: Canary{Statements: []string{"SELECT SUM(n) FROM (SELECT 9007199254740993 AS n UNION ALL SELECT 2) t"}, Answer: "9007199254740995"},
	})
	operators = register(Mend{
		Name: "operators on numbers, ABS and MOD", Way: Tree,
		GMS:    "integers wrap around, quotients have digits of their own making, division by 0 says nothing",
		MySQL:  "a result out of range is error 1690, the digits of a quotient follow from its operands",
		Canary: Canary{Statements: []string{"SELECT 18446744073709551615 + 1"}, Answer: "1690"},
	})
	memberTexts = register(Mend{
		Name: "texts and numbers of ENUM and SET", Way: Tree,
		GMS:    "functions take the numbers of ENUM and SET columns",
		MySQL:  "they take the text, except where a number is wanted",
		Canary: Canary{Statements: []string{"CREATE TABLE test.n (u BIGINT UNSIGNED, i BIGINT, e ENUM('x', 'y'), d DECIMAL(30, 2), f DOUBLE)", "INSERT INTO test.n VALUES (9007199254740993, 9007199254740992, 'y', 1.50, 1.5)", "SELECT UPPER(e) FROM test.n"}, Answer: "Y"},
	})
	comparedLiterals = register(Mend{
		Name: "literals beside columns", Way: Tree,
		GMS:    "compares integers with texts and other integers as DOUBLE",
		MySQL:  "compares them exactly",
		Canary: Canary{Statements: []string{"CREATE TABLE test.n (u BIGINT UNSIGNED, i BIGINT, e ENUM('x', 'y'), d DECIMAL(30, 2), f DOUBLE)", "INSERT INTO test.n VALUES (9007199254740993, 9007199254740992, 'y', 1.50, 1.5)", "SELECT COUNT(*) FROM test.n WHERE u = '9007199254740992'"}, Answer: "0"},
	})
	likes = register(Mend{
		Name: "LIKE", Way: Tree,
		GMS:    "a LIKE with a range of texts misses some that begin with the text; \\% and \\_ are not what they are; LIKE BINARY goes by the column's collation",
		MySQL:  "what begins with the text is found; the bytes decide for BINARY",
		Canary: Canary{Statements: []string{"CREATE TABLE test.c (c VARCHAR(10) COLLATE utf8mb4_0900_ai_ci, k INT)", "INSERT INTO test.c VALUES ('a', 1)", "SELECT COUNT(*) FROM test.c WHERE c LIKE BINARY 'A'"}, Answer: "0"},
	})
	textArgumentsMend = register(Mend{
		Name: "arguments of functions of texts", Way: Function,
		GMS:    "LEFT, RIGHT, SUBSTRING, REVERSE of a time or a number are an error",
		MySQL:  "they take the text of the value",
		Canary: Canary{Statements: []string{"SELECT LEFT(CAST('2024-05-06' AS DATE), 4)"}, Answer: "2024"},
	})
	rollups = register(Mend{
		Name: "WITH ROLLUP and GROUPING", Way: Function,
		GMS:    "has neither",
		MySQL:  "a row for each group of groups sums it up",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT b, COUNT(*) FROM test.t GROUP BY b WITH ROLLUP"}, Answer: "5|2 6|1 NULL|3"},
	})
	exactResults = register(Mend{
		Name: "exact results of ROUND, GREATEST and the like", Way: Function,
		GMS:    "ROUND, FLOOR, GREATEST and others make DOUBLEs or clip beyond BIGINT",
		MySQL:  "what goes in exact comes out exact",
		Canary: Canary{Statements: []string{"SELECT GREATEST(18446744073709551615, 1)"}, Answer: "18446744073709551615"},
	})
	ownAggregates = register(Mend{
		Name: "aggregates of subqueries", Way: Tree,
		GMS:    "takes SUM(n) of a subquery for the SUM(n) of the query around it",
		MySQL:  "each query has its own",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT SUM(a) / (SELECT SUM(a) FROM test.t) FROM test.t"}, Answer: "1.0000"},
	})
	memberOfMend = register(Mend{
		Name: "MEMBER OF", Way: Function,
		GMS:    "has no such operator",
		MySQL:  "tells whether a value is in a JSON array",
		Canary: Canary{Statements: []string{"SELECT 1 MEMBER OF ('[1, 2]')"}, Answer: "1"},
	})
	intervalValues = register(Mend{
		Name: "INTERVAL with units of several parts", Way: Function,
		GMS:    "knows some forms of the value, never with a sign",
		MySQL:  "any characters stand between the parts",
		Canary: Canary{Statements: []string{"SELECT '2024-01-02' + INTERVAL '-1:30' HOUR_MINUTE"}, Answer: "2024-01-01 22:30:00"},
	})
	namedWindowFunctions = register(Mend{
		Name: "NTH_VALUE, CUME_DIST and windows over bits", Way: Tree,
		GMS:    "has neither NTH_VALUE nor CUME_DIST, nor BIT_AND, BIT_OR and BIT_XOR over a window",
		MySQL:  "has them",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT a, NTH_VALUE(a, 2) OVER (ORDER BY a) FROM test.t"}, Answer: "1|NULL 2|2 3|2"},
	})
	groupConcats = register(Mend{
		Name: "GROUP_CONCAT", Way: Tree,
		GMS:    "takes the first of several texts, and tells texts apart by their bytes",
		MySQL:  "puts the texts of a row together",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT GROUP_CONCAT(a, 'x' ORDER BY a) FROM test.t"}, Answer: "1x,2x,3x"},
	})
	choices = register(Mend{
		Name: "IF, IFNULL, COALESCE and CASE", Way: Tree,
		GMS:    "numbers of different types make a DECIMAL of 30 digits, or clip one another",
		MySQL:  "the type is one that holds all of them",
		Canary: Canary{Statements: []string{"SELECT IFNULL(1, 1.50)"}, Answer: "1.00"},
	})
	spreads = register(Mend{
		Name: "STDDEV, VARIANCE and BIT_AND of numbers", Way: Tree,
		GMS:    "those of integers are integers, and of the bits of a negative number others",
		MySQL:  "they are DOUBLE; the bits are those of the nearest integer",
		Canary: Canary{Statements: []string{"CREATE TABLE test.n (u BIGINT UNSIGNED, i BIGINT, e ENUM('x', 'y'), d DECIMAL(30, 2), f DOUBLE)", "INSERT INTO test.n VALUES (9007199254740993, 9007199254740992, 'y', 1.50, 1.5)", "SELECT BIT_OR(-1.5) FROM test.n"}, Answer: "18446744073709551614"},
	})
	dateLiterals = register(Mend{
		Name: "DATE, TIME and TIMESTAMP before a text", Way: Function,
		GMS:    "takes them for functions, or for columns",
		MySQL:  "they are literals, and error 1525 if the text is none",
		Canary: Canary{Statements: []string{"SELECT DATE'2024-13-01'"}, Answer: "1525"},
	})
	casts = register(Mend{
		Name: "CAST and CONVERT", Way: Tree,
		GMS:    "an integer beyond BIGINT is clipped, a DECIMAL has as many digits as it has",
		MySQL:  "it wraps around; the digits are those that are asked for",
		Canary: Canary{Statements: []string{"SELECT CAST(18446744073709551615 AS SIGNED), CAST(1 AS DECIMAL(5, 2))"}, Answer: "-1|1.00"},
	})
	joinedSizes = register(Mend{
		Name: "sizes of CONCAT, CONCAT_WS and REPLACE", Way: Function,
		GMS:    "makes texts of any size",
		MySQL:  "what is longer than max_allowed_packet is NULL",
		Canary: Canary{Statements: []string{"SELECT LENGTH(REPLACE(REPEAT('a', 900000), 'a', REPEAT('b', 100)))"}, Answer: "NULL"},
	})
	conversions = register(Mend{
		Name: "CONVERT ... USING", Way: Tree,
		GMS:    "a text in another character set may be four times as long, and bytes have no type, which panics",
		MySQL:  "what is longer than max_allowed_packet is NULL",
		Canary: Canary{Statements: []string{"SELECT LENGTH(CONVERT(REPEAT('a', 1048576) USING utf32))"}, Answer: "NULL"},
	})
	evaluatedOnce = register(Mend{
		Name: "NULLIF and FIELD", Way: Function,
		GMS:    "an operand is calculated again for each comparison; FIELD compares numbers as texts",
		MySQL:  "each operand is calculated once; FIELD compares numbers as numbers",
		Canary: Canary{Statements: []string{"SELECT FIELD(1, 2, 1.0)"}, Answer: "2"},
	})
	jsonPaths = register(Mend{
		Name: "JSON_EXTRACT", Way: Function,
		GMS:    "knows no [last], [1 to 3] and ** in a path, and panics where one of several paths leads nowhere",
		MySQL:  "knows them, and leaves out what is not there",
		Canary: Canary{Statements: []string{"SELECT JSON_EXTRACT('[1, 2, 3]', '$[last]')"}, Answer: "3"},
	})
	refusals = register(Mend{
		Name: "expressions that MySQL refuses", Way: Tree,
		GMS:    "takes UPPER(*), COUNT() and columns without a name, and panics where they are used",
		MySQL:  "refuses them",
		Canary: Canary{Statements: []string{"SELECT UPPER(*)"}, Answer: "1064"},
	})
	ntileBuckets = register(Mend{
		Name: "the argument of NTILE", Way: Function,
		GMS:    "panics if it is no positive BIGINT",
		MySQL:  "error 1210",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT NTILE('x') OVER (ORDER BY a) FROM test.t"}, Answer: "1210"},
	})
	trims = register(Mend{
		Name: "TRIM", Way: Tree,
		GMS:    "TRIM of bytes that are no UTF-8 panics; twenty in each other take seconds",
		MySQL:  "takes bytes as they are",
		Canary: Canary{Statements: []string{"SELECT HEX(TRIM(LEADING x'FF' FROM x'FF61'))"}, Answer: "61"},
	})
	repeatedTexts = register(Mend{
		Name: "REPEAT, SPACE and RPAD", Way: Function,
		GMS:    "the text grows until the memory is full, a negative REPEAT is an error, and RPAD counts bytes",
		MySQL:  "what is longer than max_allowed_packet is NULL, less than once is empty, and RPAD counts characters",
		Canary: Canary{Statements: []string{"SELECT LENGTH(REPEAT('a', -1))"}, Answer: "0"},
	})
	powers = register(Mend{
		Name: "POW", Way: Function,
		GMS:    "what is too large is infinite or NULL",
		MySQL:  "error 1690",
		Canary: Canary{Statements: []string{"SELECT POW(10, 400)"}, Answer: "1690"},
	})
	quotes = register(Mend{
		Name: "QUOTE", Way: Function,
		GMS:    "QUOTE of NULL is NULL",
		MySQL:  "it is the word NULL",
		Canary: Canary{Statements: []string{"SELECT CONCAT('x', QUOTE(NULL))"}, Answer: "xNULL"},
	})
	zones = register(Mend{
		Name: "CONVERT_TZ", Way: Function,
		GMS:    "has the digits that it likes, and looks for zones of any length",
		MySQL:  "has those of its argument",
		Canary: Canary{Statements: []string{"SELECT CONVERT_TZ(CAST('2024-01-01 00:00:00.5' AS DATETIME(1)), '+00:00', '+01:00')"}, Answer: "2024-01-01 01:00:00.5"},
	})
	regexps = register(Mend{
		Name: "REGEXP_LIKE, REGEXP and RLIKE", Way: Tree,
		GMS:    "takes as long as a match takes, and a bad expression is an error without a number",
		MySQL:  "bounds the steps; errors are 3685 and the following",
		Canary: Canary{Statements: []string{"SELECT 'a' REGEXP '('"}, Answer: "3691"},
	})
	lastInsertIDs = register(Mend{
		Name: "LAST_INSERT_ID(NULL)", Way: Function,
		GMS:    "panics",
		MySQL:  "it is 0",
		Canary: Canary{Statements: []string{"SELECT LAST_INSERT_ID(NULL)"}, Answer: "0"},
	})
	oneWindow = register(Mend{
		Name: "windows without expressions", Way: Tree,
		GMS:    "FIRST_VALUE, LAST_VALUE, LAG and LEAD over one panic",
		MySQL:  "the rows are one partition",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT FIRST_VALUE(a) OVER () FROM test.t"}, Answer: "1 1 1"},
	})
	setExists = register(Mend{
		Name: "EXISTS of a UNION", Way: Tree,
		GMS:    "takes the columns of its parts for those of the whole, and panics",
		MySQL:  "carries it out",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT a FROM test.t WHERE a = 1 AND EXISTS ((SELECT b LIKE a FROM test.t) UNION (SELECT x.a FROM test.t x JOIN test.t y ON x.a = y.a))"}, Answer: "1"},
	})
	deletes = register(Mend{
		Name: "DELETE without WHERE", Way: Tree,
		GMS:    "asks for the current database, which a connection need not have",
		MySQL:  "deletes",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "DELETE FROM test.t", "SELECT COUNT(*) FROM test.t"}, Answer: "0"},
	})
	flushes = register(Mend{
		Name: "FLUSH LOCAL", Way: Tree,
		GMS:    "error 1105",
		MySQL:  "LOCAL says that it is not to be written to the binary log",
		Canary: Canary{Statements: []string{"FLUSH LOCAL TABLES", "SELECT 1"}, Answer: "1"},
	})
	referencedTables = register(Mend{
		Name: "databases of foreign keys", Way: Tree,
		GMS:    "a table without a database is of the current one",
		MySQL:  "it is of the database of the table that has the key",
		Canary: Canary{Statements: []string{"CREATE TABLE test.p (a INT PRIMARY KEY)", "CREATE TABLE test.q (a INT, FOREIGN KEY (a) REFERENCES p (a))", "INSERT INTO test.q VALUES (1)"}, Answer: "1452"},
	})
	subStatements = register(Mend{
		Name: "the text of a view's query", Way: Tree,
		GMS:    "looks for it in the statement that is carried out, and fails where that is an EXECUTE",
		MySQL:  "it is that of the view",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "CREATE TRIGGER test.g BEFORE INSERT ON test.t FOR EACH ROW SET NEW.b = 99; SELECT 1", "INSERT INTO test.t VALUES (9, 7)", "SELECT b FROM test.t WHERE a = 9"}, Answer: "99"},
	})
	dottedNames = register(Mend{
		Name: "names with a dot", Way: Tree,
		GMS:    "forgets the database of a function, and finds any function in any of them",
		MySQL:  "a function with a database is a stored function of it",
		Canary: Canary{Statements: []string{"SELECT test.upper('a')"}, Answer: "1305"},
	})
	triggerVariables = register(Mend{
		Name: "SET of user variables in triggers", Way: Tree,
		GMS:    "SET @a sets the column a of the table",
		MySQL:  "it sets the user variable",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "CREATE TRIGGER test.g BEFORE INSERT ON test.t FOR EACH ROW SET @b = 99", "INSERT INTO test.t VALUES (9, 7)", "SELECT b FROM test.t WHERE a = 9"}, Answer: "7"},
	})
	withTables = register(Mend{
		Name: "tables with the name of a common table", Way: Tree,
		GMS:    "takes test.t for the common table t",
		MySQL:  "it is the table of the database",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "WITH t AS (SELECT 5 AS a) SELECT COUNT(*) FROM test.t"}, Answer: "3"},
	})
	windowsOverGroups = register(Mend{
		Name: "windows over groups", Way: Tree,
		GMS:    "a query has windows or groups",
		MySQL:  "it may have both",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT b, SUM(COUNT(*)) OVER (ORDER BY b) FROM test.t GROUP BY b"}, Answer: "5|2 6|3"},
	})
	namesAndCollation = register(Mend{
		Name: "SET NAMES ... COLLATE", Way: Tree,
		GMS:    "reads COLLATE and forgets it",
		MySQL:  "it is the collation of literals",
		Canary: Canary{Statements: []string{"SET NAMES utf8mb4 COLLATE utf8mb4_bin", "SELECT @@collation_connection"}, Answer: "utf8mb4_bin"},
	})
	nullSafeTexts = register(Mend{
		Name: "<=> of texts", Way: Expression,
		GMS:    "compares by bytes",
		MySQL:  "compares by the collation",
		Canary: Canary{Statements: []string{"CREATE TABLE test.c (c VARCHAR(10) COLLATE utf8mb4_0900_ai_ci, k INT)", "INSERT INTO test.c VALUES ('a', 1)", "SELECT c <=> 'A' FROM test.c"}, Answer: "1"},
	})
	numberComparisons = register(Mend{
		Name: "comparisons of numbers of different sorts", Way: Expression,
		GMS:    "compares BIGINT with BIGINT UNSIGNED as DOUBLE; a date is never equal to a number",
		MySQL:  "compares exactly; a date is the number YYYYMMDD",
		Canary: Canary{Statements: []string{"CREATE TABLE test.n (u BIGINT UNSIGNED, i BIGINT, e ENUM('x', 'y'), d DECIMAL(30, 2), f DOUBLE)", "INSERT INTO test.n VALUES (9007199254740993, 9007199254740992, 'y', 1.50, 1.5)", "SELECT u = i FROM test.n"}, Answer: "0"},
	})
	textLists = register(Mend{
		Name: "texts IN a list", Way: Expression,
		GMS:    "compares by the collation of the list's literals",
		MySQL:  "by the collation of the column",
		Canary: Canary{Statements: []string{"CREATE TABLE test.c (c VARCHAR(10) COLLATE utf8mb4_0900_ai_ci, k INT)", "INSERT INTO test.c VALUES ('a', 1)", "SET NAMES utf8mb4 COLLATE utf8mb4_bin", "SELECT c IN ('A', 'x') FROM test.c"}, Answer: "1"},
	})
	betweens = register(Mend{
		Name: "BETWEEN", Way: Expression,
		GMS:    "calculates its operand twice, and compares numbers as DOUBLE",
		MySQL:  "once, and exactly",
		Canary: Canary{Statements: []string{"CREATE TABLE test.n (u BIGINT UNSIGNED, i BIGINT, e ENUM('x', 'y'), d DECIMAL(30, 2), f DOUBLE)", "INSERT INTO test.n VALUES (9007199254740993, 9007199254740992, 'y', 1.50, 1.5)", "SELECT u BETWEEN i AND i FROM test.n"}, Answer: "0"},
	})
	madeTexts = register(Mend{
		Name: "collations of texts that functions make", Way: Expression,
		GMS:    "compares them by bytes",
		MySQL:  "by the collation of the connection, or of what they are made of",
		Canary: Canary{Statements: []string{"SELECT COUNT(*) FROM (SELECT CONCAT('A') AS x) d WHERE x = 'a'"}, Answer: "1"},
	})
	likesOfMadeTexts = register(Mend{
		Name: "LIKE of texts that functions make", Way: Expression,
		GMS:    "compares them by bytes",
		MySQL:  "by their collation",
		Canary: Canary{Statements: []string{"SELECT COUNT(*) FROM (SELECT CONCAT('A') AS x) d WHERE x LIKE 'a' ESCAPE '|'"}, Answer: "1"},
	})
	nowDigits = register(Mend{
		Name: "NOW with a number of digits", Way: Expression,
		GMS:    "has six digits whatever the number is",
		MySQL:  "has so many",
		Canary: Canary{Statements: []string{"SELECT LENGTH(NOW(3))"}, Answer: "23"},
	})
	statedPlaces = register(Mend{
		Name: "digits of ROUND, TRUNCATE and PI", Way: Expression,
		GMS:    "as few as the number can have",
		MySQL:  "ROUND(1.5e0, 3) is 1.500",
		Canary: Canary{Statements: []string{"SELECT CONCAT(ROUND(1.5e0, 3))"}, Answer: "1.500"},
	})
	GroupRows = register(Mend{
		Name: "GROUP BY", Way: Builder,
		GMS:    "two goroutines, of which one can stay blocked for ever, out of reach of KILL; groups are told apart by bytes and hashes",
		MySQL:  "one thread; groups are told apart by their collations",
		Canary: Canary{Statements: []string{"SELECT COUNT(*) FROM (SELECT CONCAT('a') AS x UNION ALL SELECT CONCAT('A')) d GROUP BY x"}, Answer: "2"},
	})
	DistinctRows = register(Mend{
		Name: "DISTINCT", Way: Builder,
		GMS:    "tells rows apart by bytes, and takes those with one hash for the same",
		MySQL:  "by collations",
		Canary: Canary{Statements: []string{"SELECT COUNT(*) FROM (SELECT DISTINCT x FROM (SELECT CONCAT('a') AS x UNION ALL SELECT CONCAT('A')) e) d"}, Answer: "1"},
	})
	WindowRows = register(Mend{
		Name: "frames of windows", Way: Builder,
		GMS:    "without a frame takes the rows up to the current one, and for MAX all of them",
		MySQL:  "takes the peers of the current row too",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT a, SUM(a) OVER (ORDER BY b) FROM test.t ORDER BY a"}, Answer: "1|3 2|3 3|6"},
	})
	SetRows = register(Mend{
		Name: "UNION, INTERSECT and EXCEPT", Way: Builder,
		GMS:    "tells rows apart by bytes, and takes those with one hash for the same",
		MySQL:  "by collations",
		Canary: Canary{Statements: []string{"SELECT COUNT(*) FROM (SELECT CONCAT('a') AS x UNION SELECT CONCAT('A')) d"}, Answer: "1"},
	})
	SortedSets = register(Mend{
		Name: "ORDER BY and OFFSET of a UNION", Way: Builder,
		GMS:    "leaves out rows before it sorts them",
		MySQL:  "sorts them first",
		Canary: Canary{Statements: []string{"SELECT 3 AS x UNION ALL SELECT 1 UNION ALL SELECT 2 ORDER BY x LIMIT 1 OFFSET 1"}, Answer: "2"},
	})
	CreatedFromQuery = register(Mend{
		Name: "CREATE TABLE ... SELECT", Way: Builder,
		GMS:    "inserts the rows as if they had all columns of the table, in their order",
		MySQL:  "columns that the query does not have get their defaults",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "CREATE TABLE test.s (d INT DEFAULT 7, a INT) AS SELECT a FROM test.t", "SELECT d, a FROM test.s ORDER BY a"}, Answer: "7|1 7|2 7|3"},
	})
	RecursionDepth = register(Mend{
		Name: "cte_max_recursion_depth", Way: Builder,
		GMS:    "ends after 10,001 rounds, whatever the variable is",
		MySQL:  "after as many as it says, with error 3636",
		Canary: Canary{Statements: []string{"SET SESSION cte_max_recursion_depth = 5", "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 50) SELECT COUNT(*) FROM r"}, Answer: "3636"},
	})
	RowValues = register(Mend{
		Name: "NULL in VALUES ROW of decimals", Way: Builder,
		GMS:    "panics",
		MySQL:  "it is NULL",
		Canary: Canary{Statements: []string{"SELECT * FROM (VALUES ROW(1.5), ROW(NULL)) v"}, Answer: "1.5 NULL"},
	})
	StoredRows = register(Mend{
		Name: "values that a column cannot keep", Way: Builder,
		GMS:    "clips some, refuses others, and does not know the row's number",
		MySQL:  "error 1264 and its like with the column and the row",
		Canary: Canary{Statements: []string{"CREATE TABLE test.y (a TINYINT)", "INSERT INTO test.y VALUES (1), (300)"}, Answer: "1264"},
	})
	JSONTables = register(Mend{
		Name: "JSON_TABLE", Way: Builder,
		GMS:    "panics at null and at paths that it does not know",
		MySQL:  "refuses what is no path",
		Canary: Canary{Statements: []string{"SELECT * FROM JSON_TABLE('[1, 2]', '$[last]' COLUMNS (x INT PATH '$')) j"}, Answer: "2"},
	})
	sortCollations = register(Mend{
		Name: "ORDER BY of texts that functions make", Way: Builder,
		GMS:    "sorts them by bytes",
		MySQL:  "by their collation",
		Canary: Canary{Statements: []string{"SELECT x FROM (SELECT CONCAT('b') AS x UNION ALL SELECT CONCAT('A') UNION ALL SELECT CONCAT('C')) d ORDER BY x"}, Answer: "A b C"},
	})
	largeLimits = register(Mend{
		Name: "LIMIT beyond all rows", Way: Builder,
		GMS:    "has room for all rows that LIMIT allows before it reads the first, and panics for the largest",
		MySQL:  "sorts what there is",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT b FROM test.t ORDER BY b LIMIT 18446744073709551615"}, Answer: "5 5 6"},
	})
	joinedTexts = register(Mend{
		Name: "joins on texts", Way: Builder,
		GMS:    "looks texts of different columns up by their bytes, and so misses rows",
		MySQL:  "finds those that are equal by their collation",
		Canary: Canary{Statements: []string{"CREATE TABLE test.c (c VARCHAR(10) COLLATE utf8mb4_0900_ai_ci, k INT)", "CREATE TABLE test.w (c VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, k INT)", "INSERT INTO test.c WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 60) SELECT CONCAT('x', n), n FROM r", "INSERT INTO test.w SELECT UPPER(c), k FROM test.c", "SELECT COUNT(*) FROM test.c JOIN test.w ON c.c = w.c AND c.k = w.k"}, Answer: "60"},
	})
	groupByRule = register(Mend{
		Name: "ONLY_FULL_GROUP_BY", Way: Analyzer,
		GMS:    "refuses what is sorted beside an expression that is grouped by, and what has no columns",
		MySQL:  "looks at what is selected",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "SELECT b, @x, CONNECTION_ID() > 0 AS c, COUNT(*) FROM test.t GROUP BY b ORDER BY b"}, Answer: "5|NULL|1|2 6|NULL|1|1"},
	})
	firedTriggers = register(Mend{
		Name: "triggers of another database", Way: Analyzer,
		GMS:    "a trigger does not run where the current database is another one",
		MySQL:  "it runs",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "USE test", "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.b = 99", "USE mysql", "INSERT INTO test.t VALUES (9, 7)", "SELECT b FROM test.t WHERE a = 9"}, Answer: "99"},
	})
	viewCommits = register(Mend{
		Name: "transactions that name a view", Way: Analyzer,
		GMS:    "commits the transaction after each statement that names a view",
		MySQL:  "only statements that define something commit",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "CREATE VIEW test.v AS SELECT a FROM test.t", "START TRANSACTION", "INSERT INTO test.t VALUES (9, 7)", "SELECT COUNT(*) FROM test.v", "ROLLBACK", "SELECT COUNT(*) FROM test.t"}, Answer: "3"},
	})
	semiJoins = register(Mend{
		Name: "EXISTS and IN as joins", Way: Analyzer,
		GMS:    "yields a row for each value that fits",
		MySQL:  "yields it once",
		Canary: Canary{Statements: []string{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT)", "INSERT INTO test.t VALUES (1, 5), (2, 5), (3, 6)", "CREATE TABLE test.f (a INT, b INT)", "INSERT INTO test.f VALUES (1, 2), (2, 1), (1, 1)", "SELECT COUNT(*) FROM test.t WHERE EXISTS (SELECT 1 FROM test.f WHERE f.a = t.a OR f.b = t.a)"}, Answer: "2"},
	})
)
