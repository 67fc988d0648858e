package mysqlerr

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer/analyzererrors"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	goerrors "gopkg.in/src-d/go-errors.v1"

	"pfsd/engine/grammar"
	"pfsd/engine/syntax"
)

// errorKind is MySQL's error for an error kind of go-mysql-server.
type errorKind struct {
	kind   *goerrors.Kind
	number int
	// text is MySQL's text; each %s is replaced by the next group of found in go-mysql-server's message.
	// "" keeps the message.
	text  string
	found *regexp.Regexp
}

var (
	FirstQuoted = regexp.MustCompile("[`'\"]([^`'\"]+)[`'\"]") // the first quoted text
	bothQuoted  = regexp.MustCompile("[`'\"]([^`'\"]+)[`'\"][^`'\"]*[`'\"]([^`'\"]+)[`'\"]")
	afterColon  = regexp.MustCompile(`: (.*)$`) // the text behind the colon
)

// kinds are the error kinds whose MySQL error does not depend on the statement.
var kinds = []errorKind{
	{sql.ErrDuplicateAliasOrTable, 1066, "Not unique table/alias: '%s'", afterColon},
	{sql.ErrColumnNumberDoesNotMatch, 1222, "", nil},
	{sql.ErrCollationUnknown, 1273, "Unknown collation: '%s'", afterColon},
	{sql.ErrCollationInvalidForCharSet, 1253, "", nil},
	{sql.ErrCollationIllegalMix, 1267, "", nil},
	{sql.ErrCharSetUnknown, 1115, "Unknown character set: '%s'", afterColon},
	{sql.ErrCheckConstraintViolated, 3819, "Check constraint '%s' is violated.", FirstQuoted},
	{sql.ErrUnknownConstraint, 3940, "Constraint '%s' does not exist.", FirstQuoted},
	{sql.ErrExistingView, 1050, "Table '%s' already exists", regexp.MustCompile(`^the view [^.]*\.(.*) already`)},
	{sql.ErrViewDoesNotExist, 1051, "Unknown table '%s'", regexp.MustCompile(`^the view (.*) does not`)},
	{sql.ErrDuplicateColumn, 1060, "Duplicate column name '%s'", FirstQuoted},
	{sql.ErrColumnExists, 1060, "Duplicate column name '%s'", FirstQuoted},
	{sql.ErrIndexIDAlreadyRegistered, 1061, "Duplicate key name '%s'", FirstQuoted},
	{sql.ErrDuplicateKey, 1061, "", nil},
	{sql.ErrMultiplePrimaryKeysDefined, 1068, "Multiple primary key defined", nil},
	{sql.ErrKeyColumnDoesNotExist, 1072, "Key column '%s' doesn't exist in table", FirstQuoted},
	{sql.ErrUnknownIndexColumn, 1072, "Key column '%s' doesn't exist in table", FirstQuoted},
	{sql.ErrInvalidAutoIncCols, 1075, wrongAutoKey, nil},
	{sql.ErrWrongAutoKey, 1075, wrongAutoKey, nil},
	{sql.ErrInvalidColumnDefaultValue, 1067, "", nil},
	{sql.ErrInvalidColumnSpecifier, 1063, "", nil},
	{sql.ErrCantDropFieldOrKey, 1091, "Can't DROP '%s'; check that column/key exists", regexp.MustCompile(`drop '([^']*)'`)},
	{sql.ErrForeignKeyNotFound, 1091, "Can't DROP '%s'; check that column/key exists", FirstQuoted},
	{sql.ErrCantDropIndex, 1553, "Cannot drop index '%s': needed in a foreign key constraint", FirstQuoted},
	{sql.ErrForeignKeyDropIndex, 1553, "Cannot drop index '%s': needed in a foreign key constraint", FirstQuoted},
	{sql.ErrForeignKeyDropColumn, 1828, "Cannot drop column '%s': needed in a foreign key constraint '%s'", bothQuoted},
	{sql.ErrForeignKeyDuplicateName, 1826, "Duplicate foreign key constraint name '%s'", FirstQuoted},
	{sql.ErrForeignKeyMissingReferenceIndex, 1822, "Failed to add the foreign key constraint. Missing index for constraint '%s' in the referenced table '%s'", bothQuoted},
	{sql.ErrForeignKeyDropTable, 3730, "Cannot drop table '%s' referenced by a foreign key constraint '%s'.", bothQuoted},
	{sql.ErrTruncateReferencedFromForeignKey, 1701, "", nil},
	{sql.ErrGeneratedColumnValue, 3105, "The value specified for generated column '%s' in table '%s' is not allowed.", bothQuoted},
	{sql.ErrEventDoesNotExist, 1539, "Unknown event '%s'", FirstQuoted},
	{sql.ErrUnknownEvent, 1539, "", nil},
	{sql.ErrEventAlreadyExists, 1537, "", nil},
	{sql.ErrNoTablesUsed, 1096, "", nil},
	{sql.ErrInvalidOperandColumns, 1241, "Operand should contain %s column(s)", regexp.MustCompile(`should have (\d+)`)},
	{sql.ErrReadOnlyTransaction, 1792, "Cannot execute statement in a READ ONLY transaction.", nil},
	{sql.ErrColumnCountMismatch, 1353, "", nil},
	{sql.ErrColValCountMismatch, 1136, "", nil},
	{sql.ErrIdentifierIsTooLong, 1059, "", nil},
	{sql.ErrInvalidBlobTextKey, 1170, "BLOB/TEXT column '%s' used in key specification without a key length", FirstQuoted},
	{sql.ErrKeyTooLong, 1071, "Specified key was too long; max key length is 3072 bytes", nil},
	{sql.ErrInvalidIndexPrefix, 1089, "Incorrect prefix key; the used key part isn't a string, the used length is longer than the key part, or the storage engine doesn't support unique prefix keys", nil},
	{sql.ErrKeyZero, 1391, "Key part '%s' length cannot be 0", FirstQuoted},
	{sql.ErrRecursiveCTEMissingUnion, 3573, "", nil},
	{sql.ErrCteRecursionLimitExceeded, 3636, "Recursive query aborted after 1001 iterations. Try increasing @@cte_max_recursion_depth to a larger value.", nil},
	{sql.ErrUnknownWindowName, 3579, "Window name '%s' is not defined.", FirstQuoted},
	{sql.ErrInvalidArgument, 1210, "Incorrect arguments to %s", regexp.MustCompile(` to (.*)$`)},
	{sql.ErrInvalidArgumentDetails, 1210, "Incorrect arguments to %s", regexp.MustCompile(` to ([^:]*):`)},
	{sql.ErrMoreThanOneRow, 1172, "", nil},
	{sql.ErrSecureFilePriv, 1290, "The MySQL server is running with the --secure-file-priv option so it cannot execute this statement", nil},
	{sql.ErrFileExists, 1086, "", nil},
	{sql.ErrUnsupportedFeature, 1235, "This version of MySQL doesn't yet support '%s'", afterColon},
	{sql.ErrTemporaryTableNotSupported, 1235, "This version of MySQL doesn't yet support 'TEMPORARY TABLE'", nil},
	{sql.ErrSystemVariableSessionOnly, 1228, "", nil},
	{sql.ErrInvalidSystemVariableValue, 1231, "", nil},
	{sql.ErrInvalidJSONArgument, 3146, "Invalid data type for JSON data in argument %s to function %s; a JSON string or JSON type is required.", regexp.MustCompile(`argument (\d+) to function (\w+)`)},
	{sql.ErrInvalidJson, 3140, "", nil},
	{sql.ErrJSONObjectAggNullKey, 3158, "JSON documents may not contain NULL member names.", nil},
	{sql.ErrInvalidDatabaseName, 1102, "Incorrect database name '%s'", afterColon},
	{sql.ErrTruncatedIncorrect, 1292, "", nil},
	{types.ErrConvertingToTime, 1292, "", nil},
	{types.ErrDataTruncatedForColumnAtRow, 1265, "", nil},
	{sql.ErrIncompatibleDefaultType, 1067, "", nil},
	{sql.ErrInvalidIdentifier, 1166, "Incorrect column name '%s'", FirstQuoted},
	{sql.ErrInvalidValueType, 1366, "", nil},
	{sql.ErrUnsupportedSyntax, 1235, "This version of MySQL doesn't yet support '%s'", regexp.MustCompile(`(?s)^unsupported syntax: (.*)$`)},
	{sql.ErrInvalidSyntax, 1064, "", nil},
	{sql.ErrColumnDefaultReturnedNull, 1048, "", nil},
	{sql.ErrInvalidRefInView, 1356, "", nil},
	{sql.ErrInvalidUseOfOldNew, 1363, "There is no %s row in %s trigger", regexp.MustCompile(`no (\S+) row in on (\S+) trigger`)},
	{sql.ErrInvalidUpdateOfOldRow, 1362, "Updating of OLD row is not allowed in trigger", nil},
	{sql.ErrInvalidUpdateInAfterTrigger, 1362, "Updating of NEW row is not allowed in after trigger", nil},
	{sql.ErrUndeclaredVariable, 1327, "", nil},
	{sql.ErrLoopRedefinition, 1309, "Redefining label %s", FirstQuoted},
	{sql.ErrDeclareVariableDuplicate, 1331, "Duplicate variable: %s", FirstQuoted},
	{sql.ErrDeclareConditionDuplicate, 1332, "Duplicate condition: %s", FirstQuoted},
	{sql.ErrDeclareCursorDuplicate, 1333, "Duplicate cursor: %s", FirstQuoted},
	{sql.ErrDeclareHandlerDuplicate, 1413, "Duplicate handler declared in the same block", nil},
	{sql.ErrDeclareConditionOrderInvalid, 1337, conditionOrder, nil},
	{sql.ErrDeclareVariableOrderInvalid, 1337, conditionOrder, nil},
	{sql.ErrDeclareCursorOrderInvalid, 1338, "Cursor declaration after handler declaration", nil},
	{sql.ErrForeignKeyColumnCountMismatch, 1239, "", nil},
	{sql.ErrForeignKeyColumnTypeMismatch, 3780, "", nil},
	{sql.ErrForeignKeySetNullNonNullable, 1830, "", nil},
	{sql.ErrForeignKeyTypeChangeSetNull, 1830, "", nil},
	{sql.ErrForeignKeyDepthLimit, 3008, "Foreign key cascade delete/update exceeds max depth of 15.", nil},
	{sql.ErrSavepointDoesNotExist, 1305, "", nil},
	{sql.ErrTooManyKeyParts, 1070, "Too many key parts specified; max %s parts allowed", regexp.MustCompile(`max (\d+)`)},
	{sql.ErrInvalidIndexName, 1280, "Incorrect index name '%s'", FirstQuoted},
	{sql.ErrInvalidGISData, 3037, "Invalid GIS data provided to function %s.", regexp.MustCompile(`to function (\w+)$`)},
	{sql.ErrSpatialTypeConversion, 1416, "Cannot get geometry object from data you send to the GEOMETRY field", nil},
	{sql.ErrNullableSpatialIdx, 1252, "All parts of a SPATIAL index must be NOT NULL", nil},
	{sql.ErrFullTextInvalidColumnType, 1283, "", nil},
	{sql.ErrNoFullTextIndexFound, 1191, "Can't find FULLTEXT index matching the column list", nil},
	{sql.ErrGeneratedColumnWithDefault, 1221, "Incorrect usage of DEFAULT and generated column", nil},
	{sql.ErrJSONIndex, 3152, "JSON column '%s' supports indexing only via generated columns on a specified JSON path.", FirstQuoted},
	{sql.ErrVirtualColumnPrimaryKey, 3106, "'Defining a virtual generated column as primary key' is not supported for generated columns.", nil},
	{sql.ErrInvalidOnUpdate, 1294, "", nil},
	{sql.ErrCircularWindowInheritance, 3580, "There is a circularity in the window dependency graph.", nil},
	{sql.ErrCharSetInvalidString, 1300, "", nil},
	{sql.ErrDuplicateEntrySet, 1291, "", nil},
	{sql.ErrAggregationUnsupported, 1111, invalidGroup, nil},
	{sql.ErrWindowUnsupported, 3593, "", nil},
	{sql.ErrExpectedTableFoundView, 1347, "", nil},
}

const conditionOrder = "Variable or condition declaration after cursor or handler declaration"

const wrongAutoKey = "Incorrect table definition; there can be only one auto column and it must be defined as a key"

// texts are messages of errors without a kind.
var texts = []struct {
	message *regexp.Regexp
	number  int
	text    string // "" keeps the message
}{
	{regexp.MustCompile(`^cannot union two queries`), 1222, "The used SELECT statements have a different number of columns"},
	{regexp.MustCompile(`^failed to resolve aggregate column argument`), 1111, invalidGroup},
	{regexp.MustCompile(`^an aggregation remained in the expression`), 1111, invalidGroup},
	{regexp.MustCompile(`Invalid JSON path expression`), 3143, "Invalid JSON path expression. The error is around character position 1."},
	{regexp.MustCompile(`^Data truncated for column`), 1265, ""},
	{regexp.MustCompile(`^Undeclared variable: `), 1327, ""},
	{regexp.MustCompile(`^max nesting level reached`), 1436, tooNested},
}

const tooNested = "Thread stack overrun: the statement has too many brackets in each other."

const invalidGroup = "Invalid use of group function"

// kindError converts an error by its kind or message, nil if it is unknown.
func kindError(ctx *sql.Context, err error) *mysql.SQLError {
	message := textOf(err)
	if e := statementError(ctx, err, message); e != nil {
		return e
	}
	if sql.ErrInvalidJson.Is(err) && strings.HasSuffix(message, "exceeded max depth") { // of package encoding/json, 10,000
		return Numbered(3157, "The JSON document exceeds the maximum depth.")
	}
	for _, k := range kinds {
		if k.kind.Is(err) {
			return Numbered(k.number, fillText(k.text, k.found, message))
		}
	}
	for _, r := range texts {
		if r.message.MatchString(message) {
			return Numbered(r.number, fillText(r.text, nil, message))
		}
	}
	return nil
}

func Numbered(number int, text string) *mysql.SQLError {
	state := States[number]
	if state == "" {
		state = "HY000"
	}
	return mysql.NewSQLError(number, state, "%s", text)
}

// fillText fills text with the groups of found in a message. It returns the message if text is "" or nothing is
// found.
func fillText(text string, found *regexp.Regexp, message string) string {
	if text == "" || found == nil {
		if text == "" {
			return message
		}
		return text
	}
	m := found.FindStringSubmatch(message)
	if m == nil {
		return message
	}
	args := make([]any, len(m)-1)
	for i := range args {
		args[i] = m[i+1]
	}
	return fmt.Sprintf(text, args...)
}

func procedureSchema(ctx *sql.Context, s *ast.Call) string {
	if q := s.ProcName.Qualifier.String(); q != "" {
		return q
	}
	return ctx.GetCurrentDatabase()
}

// failingStatement is the statement that failed, as far as error texts need it. The ProcessList of its context implements it.
type failingStatement interface {
	Tree() ast.Statement // nil if it cannot be parsed
	Writes() sql.Node    // the node that writes a table, nil for none
}

// TreeOf returns the syntax tree of the statement of ctx, nil if it cannot be parsed again.
func TreeOf(ctx *sql.Context) ast.Statement {
	if s, ok := ctx.ProcessList.(failingStatement); ok {
		if tree := s.Tree(); tree != nil {
			return tree
		}
	}
	s, _, err := syntax.Default.ParseOneWithOptions(ctx, ctx.Query(), ast.ParserOptions{})
	if err != nil {
		return nil
	}
	return s
}

var jsonValue = regexp.MustCompile(`'(\[\]|map\[string\])interface {}' is not a valid value type`)
var notInGroupBy = regexp.MustCompile(`^(Expression #\d+ of SELECT list is not in GROUP BY clause and contains nonaggregated column ')(.*?)('.*)$`)
var notAggregated = regexp.MustCompile(`^in( aggregated query without GROUP BY, expression #\d+ of SELECT list contains nonaggregated column ')(.*?)('.*)$`)

// statementError is kindError for errors whose text depends on the statement.
func statementError(ctx *sql.Context, err error, message string) *mysql.SQLError {
	switch {
	case sql.ErrColumnNotFound.Is(err), sql.ErrUnknownColumn.Is(err), sql.ErrTableColumnNotFound.Is(err), strings.HasSuffix(message, "could not be found in any table in scope"):
		m := bothQuoted.FindStringSubmatch(message)
		if !sql.ErrTableColumnNotFound.Is(err) || m == nil {
			m = FirstQuoted.FindStringSubmatch(message)
		}
		if m == nil {
			return nil
		}
		return unknownColumn(TreeOf(ctx), m[len(m)-1])
	case sql.ErrAmbiguousColumnName.Is(err), sql.ErrAmbiguousColumnOrAliasName.Is(err), sql.ErrAmbiguousColumnInOrderBy.Is(err):
		m := FirstQuoted.FindStringSubmatch(message)
		if m == nil {
			return nil
		}
		name, clause := findColumn(TreeOf(ctx), m[1])
		return Numbered(1052, fmt.Sprintf("Column '%s' in '%s' is ambiguous", name, clause))
	case sql.ErrTableNotFound.Is(err):
		return unknownQualifier(ctx, message)
	case sql.ErrDatabaseNotFound.Is(err):
		if s, ok := TreeOf(ctx).(*ast.DBDDL); ok && s.Action == ast.DropStr {
			return Numbered(1008, fmt.Sprintf("Can't drop database '%s'; database doesn't exist", s.DBName))
		}
	case sql.ErrStoredProceduresNotSupported.Is(err):
		if s, ok := TreeOf(ctx).(*ast.Call); ok {
			return Numbered(1305, fmt.Sprintf("PROCEDURE %s.%s does not exist", procedureSchema(ctx, s), s.ProcName.Name.String()))
		}
	case sql.ErrUnknownPreparedStatement.Is(err):
		if s, ok := TreeOf(ctx).(*ast.Deallocate); ok {
			return Numbered(1243, fmt.Sprintf("Unknown prepared statement handler (%s) given to DEALLOCATE PREPARE", s.Name))
		}
	case sql.ErrIncompatibleDefaultType.Is(err):
		if name := firstDefaultColumn(TreeOf(ctx)); name != "" {
			return Numbered(1067, fmt.Sprintf("Invalid default value for '%s'", name))
		}
	case sql.ErrInsertIntoMismatchValueCount.Is(err):
		return Numbered(1136, fmt.Sprintf("Column count doesn't match value count at row %d", firstMismatchedRow(TreeOf(ctx))))
	case plan.ErrUpdateForTableNotSupported.Is(err):
		return Numbered(1288, message)
	case plan.ErrUpdateNotSupported.Is(err), plan.ErrDeleteFromNotSupported.Is(err), strings.HasPrefix(message, "expected insert destination"):
		switch s := TreeOf(ctx).(type) {
		case *ast.Insert:
			return Numbered(1471, fmt.Sprintf("The target table %s of the INSERT is not insertable-into", s.Table.Name.String()))
		case *ast.Update:
			return Numbered(1288, fmt.Sprintf("The target table %s of the UPDATE is not updatable", ast.String(s.TableExprs)))
		case *ast.Delete:
			return Numbered(1288, fmt.Sprintf("The target table %s of the DELETE is not updatable", ast.String(s.TableExprs)))
		}
	case strings.HasPrefix(message, "expected ON DUPLICATE KEY ... VALUES()"):
		if s, ok := TreeOf(ctx).(*ast.Insert); ok {
			if _, selects := s.Rows.(ast.SelectStatement); selects {
				return Numbered(1235, "This version of MySQL doesn't yet support 'VALUES() of columns that INSERT ... SELECT does not list'")
			}
		}
		_, column, _ := strings.Cut(message, "found: ")
		return Numbered(1054, fmt.Sprintf("Unknown column '%s' in 'field list'", strings.TrimPrefix(column, "__new_ins.")))
	case notInGroupBy.MatchString(message):
		m := notInGroupBy.FindStringSubmatch(message)
		return Numbered(1055, m[1]+withDatabase(ctx, m[2])+m[3])
	case expression.ErrIndexOutOfBounds.Is(err) && hasAggregates(originalStatement(ctx)):
		return Numbered(1111, invalidGroup)
	case sql.ErrInvalidValueType.Is(err) && jsonValue.MatchString(message):
		return Numbered(3156, "Invalid JSON value for CAST")
	case sql.ErrCollatedExprWrongType.Is(err):
		return Numbered(1253, fmt.Sprintf("COLLATION '%s' is not valid for CHARACTER SET 'binary'", collation(originalStatement(ctx))))
	case analyzererrors.ErrIntervalInvalidUse.Is(err), sql.ErrUnsupportedSyntax.Is(err) && strings.Contains(message, "interval"):
		at := max(strings.Index(strings.ToUpper(ctx.Query()), "INTERVAL"), 0)
		return Syntax(fmt.Sprintf("syntax error at near '%.80s' at line %d", ctx.Query()[at:], 1+strings.Count(ctx.Query()[:at], "\n")))
	case sql.ErrNonAggregatedColumnWithoutGroupBy.Is(err):
		if s, ok := originalStatement(ctx).(*ast.Select); ok && s.Where != nil && hasAggregates(s.Where.Expr) {
			return Numbered(1111, invalidGroup)
		}
		if m := notAggregated.FindStringSubmatch(message); m != nil {
			return Numbered(1140, "In"+m[1]+withDatabase(ctx, m[2])+m[3])
		}
	}
	return nil
}

// withDatabase returns TABLE.COLUMN with the current database in front.
func withDatabase(ctx *sql.Context, column string) string {
	if db := ctx.GetCurrentDatabase(); db != "" && strings.Count(column, ".") == 1 {
		return db + "." + column
	}
	return column
}

// unknownColumn is the error for a column that does not exist.
func unknownColumn(s ast.Statement, name string) *mysql.SQLError {
	if alter, ok := s.(*ast.AlterTable); ok {
		table := alter.Table.Name.String()
		for _, ddl := range alter.Statements {
			if ddl.ColumnAction == ast.DropStr {
				return Numbered(1091, fmt.Sprintf("Can't DROP '%s'; check that column/key exists", name))
			}
		}
		return Numbered(1054, fmt.Sprintf("Unknown column '%s' in '%s'", name, table))
	}
	written, clause := findColumn(s, name)
	return Numbered(1054, fmt.Sprintf("Unknown column '%s' in '%s'", written, clause))
}

// unknownQualifier is the error for a table that only qualifies a column; nil if it is one of the
// statement's tables.
func unknownQualifier(ctx *sql.Context, message string) *mysql.SQLError {
	name, _, _ := strings.Cut(strings.TrimPrefix(message, "table not found: "), ",")
	s := TreeOf(ctx)
	if s == nil || strings.Contains(name, ".") {
		return nil
	}
	var column, clause string
	star, table := false, false
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.ColName:
			if strings.EqualFold(n.Qualifier.Name.String(), name) && column == "" {
				column = n.Name.String()
			}
			return false, nil
		case *ast.StarExpr:
			star = star || strings.EqualFold(n.TableName.Name.String(), name)
			return false, nil
		case ast.TableName:
			table = table || strings.EqualFold(n.Name.String(), name)
		}
		return true, nil
	}, s)
	switch {
	case table:
		return nil
	case star:
		return Numbered(1051, fmt.Sprintf("Unknown table '%s'", name))
	case column != "":
		column, clause = findColumn(s, column)
		return Numbered(1054, fmt.Sprintf("Unknown column '%s' in '%s'", column, clause))
	}
	return nil
}

// findColumn returns a column as the statement writes it, and its clause.
func findColumn(s ast.Statement, column string) (written, clause string) {
	written, clause = column, "field list"
	if s == nil {
		return written, clause
	}
	done := false
	in := func(name string, nodes ...ast.SQLNode) {
		for _, n := range nodes {
			if n == nil || done {
				continue
			}
			_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
				switch n := n.(type) {
				case *ast.Subquery:
					return false, nil
				case *ast.ColName:
					if !done && strings.EqualFold(n.Name.String(), column) {
						done, clause, written = true, name, ast.String(n)
						written = strings.ReplaceAll(written, "`", "")
					}
				}
				return !done, nil
			}, n)
		}
	}
	on := func(from ast.TableExprs) {
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			switch n := n.(type) {
			case *ast.Subquery:
				return false, nil
			case *ast.JoinTableExpr:
				in("on clause", n.Condition.On)
			}
			return true, nil
		}, from)
	}
	where := func(w *ast.Where, name string) {
		if w != nil {
			in(name, w.Expr)
		}
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Select:
			in("field list", n.SelectExprs)
			on(n.From)
			where(n.Where, "where clause")
			in("group statement", n.GroupBy)
			where(n.Having, "having clause")
			in("order clause", n.OrderBy)
		case *ast.SetOp:
			in("order clause", n.OrderBy)
		case *ast.Update:
			in("field list", n.Exprs)
			on(n.TableExprs)
			where(n.Where, "where clause")
			in("order clause", n.OrderBy)
		case *ast.Delete:
			on(n.TableExprs)
			where(n.Where, "where clause")
			in("order clause", n.OrderBy)
		}
		return !done, nil
	}, s)
	return written, clause
}

// originalStatement returns the statement of ctx before any rewriting, nil if it cannot be parsed again; for DO, a query of its
// expressions.
func originalStatement(ctx *sql.Context) ast.Statement {
	text := ctx.Query()
	if s := grammar.Grammar(text); s != nil && s.Kind == "do" {
		text = "SELECT " + s.Tail
	}
	s, _, err := syntax.Default.ParseOneWithOptions(ctx, text, ast.ParserOptions{})
	if err != nil {
		return nil
	}
	return s
}

// hasAggregates reports whether a part of a statement has aggregate functions outside of subqueries.
func hasAggregates(part ast.SQLNode) (found bool) {
	if part == nil {
		return false
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.FuncExpr:
			found = found || n.Over == nil && n.IsAggregate()
		case *ast.GroupConcatExpr:
			found = true
		case *ast.Subquery:
			return false, nil
		}
		return !found, nil
	}, part)
	return found
}

// collation returns the first COLLATE of an expression in a statement.
func collation(s ast.Statement) (name string) {
	if s == nil {
		return ""
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if c, ok := n.(*ast.CollateExpr); ok && name == "" {
			name = c.Collation
		}
		return name == "", nil
	}, s)
	return name
}

// firstDefaultColumn returns the first column with a DEFAULT in a statement.
func firstDefaultColumn(s ast.Statement) string {
	var columns []*ast.ColumnDefinition
	add := func(ddl *ast.DDL) {
		if ddl.TableSpec != nil {
			columns = append(columns, ddl.TableSpec.Columns...)
		}
	}
	switch s := s.(type) {
	case *ast.DDL:
		add(s)
	case *ast.AlterTable:
		for _, ddl := range s.Statements {
			add(ddl)
		}
	}
	for _, c := range columns {
		if c.Type.Default != nil {
			return c.Name.String()
		}
	}
	return ""
}

// firstMismatchedRow returns the number of the first row of an INSERT whose number of values is wrong, as far as the
// statement shows it.
func firstMismatchedRow(s ast.Statement) int {
	insert, ok := s.(*ast.Insert)
	if !ok {
		return 1
	}
	var rows ast.Values
	switch v := insert.Rows.(type) {
	case *ast.AliasedValues:
		rows = v.Values
	case ast.Values:
		rows = v
	}
	want := len(insert.Columns)
	for i, row := range rows {
		if i == 0 && want == 0 {
			want = len(row)
		}
		if len(row) != want {
			return i + 1
		}
	}
	return 1
}
