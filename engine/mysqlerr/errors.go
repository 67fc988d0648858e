package mysqlerr

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	goerrors "gopkg.in/src-d/go-errors.v1"

	"pfsd/engine/budget"
	"pfsd/engine/mdl"
	"pfsd/engine/syntax"
	"pfsd/tables"
)

// Errors that end a connection.
var (
	TooManyConnections = mysql.NewSQLError(1040, "08004", "Too many connections")
	BadHandshake       = mysql.NewSQLError(1043, "08S01", "Bad handshake")
	PacketTooBig       = mysql.NewSQLError(1153, "08S01", "Got a packet bigger than 'max_allowed_packet' bytes")
	Reading            = mysql.NewSQLError(1158, "08S01", "Got an error reading communication packets")
	Writing            = mysql.NewSQLError(1160, "08S01", "Got an error writing communication packets")
	OutOfOrder         = mysql.NewSQLError(1156, "08S01", "Got packets out of order")
	InsecureTransport  = mysql.NewSQLError(3159, "HY000", "Connections using insecure transport are prohibited while --require_secure_transport=ON.")
)

// Causes of a cancelled statement.
var (
	QueryTimeout = mysql.NewSQLError(3024, "HY000", "Query execution was interrupted, maximum statement execution time exceeded")
	QueryKilled  = mysql.NewSQLError(1317, "70100", "Query execution was interrupted")
	Shutdown     = mysql.NewSQLError(1053, "08S01", "Server shutdown in progress")
	ClientGone   = mysql.NewSQLError(1159, "08S01", "Got timeout reading communication packets")
)

// UnknownCommand is the number of the error of a command that there is not, NoCommand that error.
const UnknownCommand = 1047

func NoCommand() *mysql.SQLError {
	return mysql.NewSQLError(UnknownCommand, "08S01", "Unknown command")
}

// Login is for a client that is not let in; password tells whether it has given one.
func Login(user, host string, password bool) *mysql.SQLError {
	given := "NO"
	if password {
		given = "YES"
	}
	return mysql.NewSQLError(1045, "28000", "Access denied for user '%s'@'%s' (using password: %s)", user, host, given)
}

// HostBlocked is for a host with too many failed handshakes.
func HostBlocked(host string) *mysql.SQLError {
	return mysql.NewSQLError(1129, "HY000", "Host '%s' is blocked because of many connection errors; unblock with 'mysqladmin flush-hosts'", host)
}

func TableDenied(ctx *sql.Context, command, table string) error {
	c := ctx.Session.Client()
	return mysql.NewSQLError(1142, "42000", "%s command denied to user '%s'@'%s' for table '%s'", command, c.User, c.Address, strings.ToLower(table))
}

// NoDatabase is for a name without a database, where there is no current one.
func NoDatabase() error { return mysql.NewSQLError(1046, "3D000", "No database selected") }

// NeedsAll is for an account that lacks one of several global privileges.
func NeedsAll(lacks string) error {
	return mysql.NewSQLError(3630, "42000", "Access denied; you need %s privileges for this operation", lacks)
}

// NeedsXARecoverAdmin is for an account that may not see prepared transactions.
func NeedsXARecoverAdmin() error {
	return mysql.NewSQLError(1401, "XAE03", "XAER_RMERR: Fatal error occurred in the transaction branch - check your data for consistency")
}

// ViewHidden is for EXPLAIN of a view whose definition the account may not see.
func ViewHidden() error {
	return mysql.NewSQLError(1345, "HY000", "EXPLAIN/SHOW can not be issued; lacking privileges for underlying table")
}

func UnknownDatabase(name string) error {
	return mysql.NewSQLError(1049, "42000", "Unknown database '%s'", name)
}

func UnknownColumn(name, where string) error {
	return mysql.NewSQLError(1054, "42S22", "Unknown column '%s' in '%s'", name, where)
}

// Syntax is error 1064 for a message of the parser, which ends with the text near the error, and the line unless it
// is the first.
func Syntax(message string) *mysql.SQLError {
	_, near, _ := strings.Cut(message, " near ")
	line := "1"
	if i := strings.LastIndex(near, "' at line "); i >= 0 {
		near, line = strings.TrimPrefix(near[:i], "'"), near[i+len("' at line "):]
	} else {
		near = strings.Trim(near, "'")
	}
	return mysql.NewSQLError(1064, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '%s' at line %s", near, line)
}

// ParseFailure is the error for a message of the parser.
func ParseFailure(message string) *mysql.SQLError {
	for _, r := range texts {
		if r.number == 1436 && r.message.MatchString(message) {
			return Numbered(r.number, r.text)
		}
	}
	for _, r := range messageNumbers {
		if w := messageTexts[r.number]; r.message.MatchString(message) && w.text != "" && w.name == nil {
			return mysql.NewSQLError(r.number, States[r.number], "%s", w.text)
		}
	}
	return Syntax(message)
}

func WrongUsage() error {
	return mysql.NewSQLError(1683, "HY000", "Invalid performance_schema usage.")
}

func NoOption(table string) error {
	return mysql.NewSQLError(1031, "HY000", "Table storage engine for '%s' doesn't have this option", table)
}

// Duplicate is for an INSERT of an existing key.
func Duplicate(table string) *mysql.SQLError {
	return mysql.NewSQLError(1022, "23000", "%s'%s'", duplicateText, table)
}

const duplicateText = "Can't write; duplicate key in table "

// NoReference is MySQL's error for a wrong ENUM value in a table of performance_schema, if the SQL mode is
// not strict.
func NoReference() *mysql.SQLError {
	return mysql.NewSQLError(1452, "23000", "Cannot add or update a child row: a foreign key constraint fails ()")
}

// IncorrectText is for text that the character set of a column cannot represent, and for what cannot be in the column.
func IncorrectText(s, column string) error {
	s = s[max(strings.IndexFunc(s, func(c rune) bool { return c > unicode.MaxASCII }), 0):]
	var shown strings.Builder
	for i := range min(len(s), incorrectTextMax) {
		if s[i] < utf8.RuneSelf {
			shown.WriteByte(s[i])
		} else {
			fmt.Fprintf(&shown, "\\x%02X", s[i])
		}
	}
	if len(s) > incorrectTextMax {
		shown.WriteString("...")
	}
	return mysql.NewSQLError(1366, "HY000", "Incorrect string value: '%s' for column '%s' at row 1", shown.String(), column)
}

// incorrectTextMax is how many bytes of a text IncorrectText shows.
const incorrectTextMax = 6

func UnknownVariable(name string) error {
	return mysql.NewSQLError(1193, "HY000", "Unknown system variable '%s'", name)
}

// VariableIs is for a wrong use of a variable; sort is "read only" or "GLOBAL".
func VariableIs(name, sort string) error {
	return mysql.NewSQLError(1238, "HY000", "Variable '%s' is a %s variable", name, sort)
}

// SetGlobal is for setting a global variable in a session, SetSession for the reverse.
func SetGlobal(name string) error {
	return mysql.NewSQLError(1229, "HY000", "Variable '%s' is a GLOBAL variable and should be set with SET GLOBAL", name)
}

func SetSession(name string) error {
	return mysql.NewSQLError(1228, "HY000", "Variable '%s' is a SESSION variable and can't be used with SET GLOBAL", name)
}

// FixedInSession is for a session variable that is read only.
func FixedInSession(name string) error {
	return mysql.NewSQLError(1621, "HY000", "SESSION variable '%s' is read-only. Use SET GLOBAL to assign the value", name)
}

func WrongValue(name, value string) error {
	return mysql.NewSQLError(1231, "42000", "Variable '%s' can't be set to the value of '%.200s'", name, value)
}

func WrongType(name string) error {
	return mysql.NewSQLError(1232, "42000", "Incorrect argument type to variable '%s'", name)
}

func UnknownZone(name string) error {
	return mysql.NewSQLError(1298, "HY000", "Unknown or incorrect time zone: '%s'", name)
}

func UnknownCharset(name string) error {
	return mysql.NewSQLError(1115, "42000", "Unknown character set: '%s'", name)
}

func UnknownCollation(name string) error {
	return mysql.NewSQLError(1273, "HY000", "Unknown collation: '%s'", name)
}

// UnknownEngine is for the name of a storage engine that there is not, UnknownLocale for that of a locale.
func UnknownEngine(name string) error {
	return mysql.NewSQLError(1286, "42000", "Unknown storage engine '%.64s'", name)
}

func UnknownLocale(name string) error {
	return mysql.NewSQLError(1649, "HY000", "Unknown locale: '%.64s'", name)
}

// MalformedGTID is for a text that is no identifier of a transaction.
func MalformedGTID(text string) error {
	return mysql.NewSQLError(1774, "HY000", "Malformed GTID specification '%.200s'.", text)
}

// NotPreparable is for statements that cannot be prepared.
func NotPreparable() error {
	return mysql.NewSQLError(1295, "HY000", "This command is not supported in the prepared statement protocol yet")
}

// OfTable converts an error of a table: of a write to a column, or of reading.
func OfTable(err error, table, column string) error {
	if double, ok := errors.AsType[*tables.DuplicateError](err); ok {
		return mysql.NewSQLError(1062, "23000", "Duplicate entry '%s' for key '%s.%s'", double.Value, table, double.Key)
	}
	if why, ok := errors.AsType[tables.Refusal](err); ok {
		return mysql.NewSQLError(1644, "45000", "%s", string(why))
	}
	switch {
	case errors.Is(err, tables.ErrDiskFull):
		return mysql.NewSQLError(1021, "HY000", "Disk full (%s); waiting for someone to free some space...", err)
	case errors.Is(err, tables.ErrNotWritten), errors.Is(err, tables.ErrNotRead):
		return mysql.NewSQLError(1030, "HY000", "Got error 168 - '%s' from storage engine", err)
	case errors.Is(err, tables.ErrColumnNotUpdatable):
		return WrongUsage()
	case errors.Is(err, tables.ErrBadValue):
		return mysql.NewSQLError(1265, "01000", "Data truncated for column '%s' at row 1", column)
	case errors.Is(err, tables.ErrNull):
		return mysql.NewSQLError(1048, "23000", "Column '%s' cannot be null", column)
	case errors.Is(err, tables.ErrOutOfRange):
		return mysql.NewSQLError(1264, "22003", "Out of range value for column '%s' at row 1", column)
	case errors.Is(err, tables.ErrTooLong):
		return mysql.NewSQLError(1406, "22001", "Data too long for column '%s' at row 1", column)
	case errors.Is(err, tables.ErrTimerNotAvailable), errors.Is(err, tables.ErrEmptyName):
		return NoOption(table)
	case errors.Is(err, tables.ErrDuplicate):
		return Duplicate(table)
	case errors.Is(err, tables.ErrFull):
		return mysql.NewSQLError(1114, "HY000", "The table '%s' is full", table)
	}
	return err
}

// kindNumbers has MySQL's numbers for go-mysql-server's error kinds.
var kindNumbers = []struct {
	kind   *goerrors.Kind
	number int
}{
	{sql.ErrSyntaxError, 1064},
	{sql.ErrTableNotFound, 1146},
	{sql.ErrUnknownTable, 1051},
	{sql.ErrDatabaseNotFound, 1049},
	{sql.ErrDatabaseExists, 1007},
	{sql.ErrNoDatabaseSelected, 1046},
	{sql.ErrTableAlreadyExists, 1050},
	{sql.ErrColumnNotFound, 1054},
	{sql.ErrTableColumnNotFound, 1054},
	{sql.ErrUnknownColumn, 1054},
	{sql.ErrAmbiguousColumnName, 1052},
	{sql.ErrFunctionNotFound, 1305},
	{sql.ErrInvalidArgumentNumber, 1582},
	{sql.ErrUnknownSystemVariable, 1193},
	{sql.ErrSystemVariableReadOnly, 1238},
	{sql.ErrSystemVariableGlobalOnly, 1229},
	{sql.ErrInsertIntoNonNullableProvidedNull, 1048},
	{sql.ErrInsertIntoNonNullableDefaultNullColumn, 1364},
	{sql.ErrInsertIntoMismatchValueCount, 1136},
	{sql.ErrColumnSpecifiedTwice, 1110},
	{types.ErrLengthBeyondLimit, 1406},
	{sql.ErrPrimaryKeyViolation, 1062},
	{sql.ErrUniqueKeyViolation, 1062},
	{sql.ErrDuplicateEntry, 1062},
	{sql.ErrExpectedSingleRow, 1242},
	{sql.ErrInvalidOperandColumns, 1241},
	{sql.ErrNonAggregatedColumnWithoutGroupBy, 1140},
	{sql.ErrInvalidJSONText, 3141},
	{sql.ErrInvalidTimeZone, 1298},
}

// messageNumbers has MySQL's numbers for messages of errors without a kind.
var messageNumbers = []struct {
	message *regexp.Regexp
	number  int
}{
	{regexp.MustCompile(`^syntax error at`), 1064},
	{regexp.MustCompile(`could not be found in any table in scope$`), 1054},
	{regexp.MustCompile(`is a read only variable$`), 1238},
	{regexp.MustCompile(`^Unknown system variable`), 1193},
	{regexp.MustCompile(`^context canceled$`), 1317},
	{regexp.MustCompile(`^Unknown prepared statement handler`), 1243},
	{regexp.MustCompile(`^bind variable not provided`), 1210},
	{regexp.MustCompile(`^Every derived table must have its own alias`), 1248},
}

// States has the SQLSTATEs of numbers; all others have HY000.
var States = map[int]string{
	1022: "23000", 1040: "08004", 1044: "42000", 1045: "28000", 1046: "3D000", 1047: "08S01", 1048: "23000", 1049: "42000", 1050: "42S01", 1051: "42S02",
	1052: "23000", 1054: "42S22", 1055: "42000", 1059: "42000", 1060: "42S21", 1061: "42000", 1062: "23000", 1063: "42000", 1064: "42000", 1065: "42000",
	1066: "42000", 1067: "42000", 1068: "42000", 1071: "42000", 1072: "42000", 1075: "42000", 1091: "42000", 1102: "42000", 1109: "42S02", 1110: "42000",
	1115: "42000", 1136: "21S01", 1140: "42000", 1142: "42000", 1143: "42000", 1146: "42S02", 1170: "42000", 1172: "42000", 1213: "40001", 1222: "21000",
	1231: "42000", 1232: "42000", 1235: "42000", 1241: "21000", 1242: "21000", 1248: "42000", 1253: "42000", 1264: "22003", 1265: "01000", 1286: "42000", 1292: "22007",
	1304: "42000", 1305: "42000", 1317: "70100", 1318: "42000", 1327: "42000", 1365: "22012", 1406: "22001", 1416: "22003", 1451: "23000", 1452: "23000", 1582: "42000", 1690: "22003", 1701: "42000",
	1792: "25006", 3037: "22023", 3140: "22032", 3141: "22032", 3143: "42000", 3146: "22032", 3157: "22032", 3158: "22032",
	1069: "42000", 1070: "42000", 1166: "42000", 1239: "42000", 1252: "42000", 1280: "42000", 1309: "42000", 1331: "42000", 1332: "42000", 1333: "42000", 1337: "42000", 1338: "42000", 1413: "42000", 3152: "42000", 3156: "22018",
}

// messageTexts has MySQL's texts. %s is replaced by the last group of the first expression that matches the
// message. A message that no expression matches is kept.
var messageTexts = map[int]struct {
	text string
	name []*regexp.Regexp
}{
	1007: {"Can't create database '%s'; database exists", compile(`create database '?(.*?)'?; database exists`)},
	1048: {"Column '%s' cannot be null", compile("[`'\"]([^`'\"]+)[`'\"]")},
	1050: {"Table '%s' already exists", compile(`^table with name (.*) already exists`)},
	1052: {"Column '%s' in 'field list' is ambiguous", compile(`^ambiguous column name "(.*)", it's present`)},
	1054: {"Unknown column '%s' in 'field list'", compile(`^column "(.*)" could not be found`, `^table ".*" does not have column "(.*)"$`, `^Unknown column '(.*)' in '`)},
	1062: {"Duplicate entry '%s' for key 'PRIMARY'", compile(`^duplicate primary key given: \[(.*)\]`)},
	1051: {"Unknown table '%s'", compile(`^table not found: ([^,]*)`, `^Unknown table '(.*)'$`)},
	1110: {"Column '%s' specified twice", compile(`^column '(.*)' specified twice$`)},
	1136: {"Column count doesn't match value count at row 1", nil},
	1146: {"Table '%s' doesn't exist", compile(`^table not found: ([^,]*)`)},
	1193: {"Unknown system variable '%s'", compile(`^Unknown system variable '(?:@@)?(?i:(?:global|session|local)\.)?(.*)'$`)},
	1238: {"Variable '%s' is a read only variable", compile(`^Variable '(.*)' is a read only variable$`)},
	1298: {"Unknown or incorrect time zone: '%s'", compile(`^Unknown or incorrect time zone: '?(.*?)'?$`)},
	1305: {"FUNCTION %s does not exist", compile(`^function: '(.*)' not found`)},
	1317: {"Query execution was interrupted", nil},
	1406: {"Data too long for column '%s' at row 1", compile(`is too large for column '([^']*)'$`)},
	1046: {"No database selected", nil},
	1210: {"Incorrect arguments to EXECUTE", nil},
	1242: {"Subquery returns more than 1 row", nil},
	1248: {"Every derived table must have its own alias", nil},
	1582: {"Incorrect parameter count in the call to native function '%s'", compile(`^function '(.*)' expected`)},
}

func compile(exprs ...string) (out []*regexp.Regexp) {
	for _, e := range exprs {
		out = append(out, regexp.MustCompile(e))
	}
	return out
}

var errDeadlock = mysql.NewSQLError(1213, "40001", "Deadlock found when trying to get lock; try restarting transaction")

// Of converts the error of a statement to the number, SQLSTATE and text that the client sees. All errors
// pass through here. The text has at most messageMax bytes.
func Of(ctx *sql.Context, err error) *mysql.SQLError {
	e := of(ctx, err)
	if len(e.Message) > messageMax {
		e = mysql.NewSQLError(e.Num, e.State, "%s", Clip(e.Message))
	}
	return e
}

// loser is a transaction of a storage.
type loser interface {
	// Lost returns the error of a transaction that was rolled back without its client's knowing it.
	Lost() error
}

func of(ctx *sql.Context, err error) *mysql.SQLError {
	var cause, own *mysql.SQLError
	// That the transaction is rolled back is what the client must learn, even if the statement was killed as well.
	if ctx.Session != nil {
		if t, ok := ctx.GetTransaction().(loser); ok && errors.As(t.Lost(), &own) {
			return own
		}
	}
	if errors.Is(err, mdl.ErrDeadlock) {
		return errDeadlock
	}
	if ctx.Err() != nil && errors.As(context.Cause(ctx), &cause) {
		return cause
	}
	if errors.Is(err, ast.ErrEmpty) {
		return mysql.NewSQLError(1065, States[1065], "Query was empty")
	}
	wrapped := err
	err = sql.UnwrapError(err)
	var limit *budget.LimitError
	if errors.As(wrapped, &limit) || errors.As(err, &limit) {
		return errMemory(limit)
	}
	if errors.Is(err, mdl.ErrTimeout) {
		return mysql.NewSQLError(1205, "HY000", "Lock wait timeout exceeded; try restarting transaction")
	}
	if refused := reportedRefusal(err); refused != nil {
		return refused
	}
	if e := programError(ctx, err); e != nil {
		return e
	}
	if !errors.As(err, &own) {
		if e := rowError(ctx, wrapped, err); e != nil {
			return e
		}
		if e := kindError(ctx, err); e != nil {
			return e
		}
		own = sql.CastSQLError(err)
	}
	number, state, message := own.Num, own.State, shortened(own.Message)
	for _, m := range kindNumbers {
		if m.kind.Is(err) {
			number, message = m.number, textOf(err)
		}
	}
	if number == mysql.ERUnknownError {
		for _, r := range messageNumbers {
			if r.message.MatchString(message) {
				number = r.number
			}
		}
	}
	if number == 1146 && isDropTable(ctx) {
		number, state = 1051, ""
	}
	if state == "" || state == "HY000" {
		if state = States[number]; state == "" {
			state = "HY000"
		}
	}
	text := messageText(ctx, number, message)
	if number == 1146 {
		// For information_schema, MySQL reports an unknown table with another number.
		if m := unknownView.FindStringSubmatch(text); m != nil {
			number, text = 1109, fmt.Sprintf("Unknown table '%s' in information_schema", strings.ToUpper(m[1]))
		}
	}
	return mysql.NewSQLError(number, state, "%s", text)
}

// unknownView matches the message for an unknown table of information_schema.
var unknownView = regexp.MustCompile(`^(?i)Table 'information_schema\.(.*)' doesn't exist$`)

// DuplicateEntry begins the text of an sql.UniqueKeyError that is whole.
const DuplicateEntry = "Duplicate entry '"

// reportedRefusal returns the MySQL error that an INSERT reported through go-mysql-server's text; nil for any other error.
func reportedRefusal(err error) *mysql.SQLError {
	e, ok := err.(*goerrors.Error)
	if !ok {
		return nil
	}
	switch cause := e.Cause().(type) {
	case *mysql.SQLError:
		return cause
	case sql.UniqueKeyError:
		if s := cause.Error(); strings.HasPrefix(s, duplicateText) {
			return mysql.NewSQLError(1022, "23000", "%s", s)
		} else if strings.HasPrefix(s, DuplicateEntry) {
			return mysql.NewSQLError(1062, "23000", "%s", s)
		}
	}
	return nil
}

func messageText(ctx *sql.Context, number int, message string) string {
	if number == 1064 && strings.HasPrefix(message, "syntax error at") {
		return Syntax(message).Message
	}
	w, ok := messageTexts[number]
	if !ok || number == 1210 && strings.HasPrefix(message, "Incorrect arguments to ") {
		return message
	}
	if w.name == nil {
		return w.text
	}
	for _, re := range w.name {
		if m := re.FindStringSubmatch(message); m != nil {
			name := m[len(m)-1]
			switch number {
			case 1051, 1146, 1305:
				if !strings.Contains(name, ".") {
					name = strings.TrimPrefix(Qualified(ctx, name), ".") // without a database
				}
			case 1582:
				// Spelled as in the statement.
				if written := regexp.MustCompile("(?i)" + regexp.QuoteMeta(name)).FindString(ctx.Query()); written != "" {
					name = written
				}
			}
			return fmt.Sprintf(w.text, name)
		}
	}
	return message
}

// errMemory is the error of a charge that exceeds a memory limit. It has MySQL's number for exhausted memory, and does not close
// the connection.
func errMemory(e *budget.LimitError) *mysql.SQLError {
	return mysql.NewSQLError(1037, "HY001", "Out of memory: %v", e)
}

// Qualified returns table with the database that the statement gives it, else with the current one.
func Qualified(ctx *sql.Context, table string) string {
	db := ctx.GetCurrentDatabase()
	s := TreeOf(ctx)
	if s == nil {
		return db + "." + table
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if t, ok := n.(ast.TableName); ok && strings.EqualFold(t.Name.String(), table) && !t.DbQualifier.IsEmpty() {
			db = t.DbQualifier.String()
		}
		if f, ok := n.(*ast.FuncExpr); ok && f.Name.EqualString(table) && !f.Qualifier.IsEmpty() {
			db = f.Qualifier.String()
		}
		return true, nil
	}, s)
	return db + "." + table
}

// isDropTable reports whether the statement is DROP TABLE.
func isDropTable(ctx *sql.Context) bool {
	s, err := syntax.Default.ParseSimple(ctx.Query())
	ddl, ok := s.(*ast.DDL)
	return err == nil && ok && ddl.Action == ast.DropStr
}
