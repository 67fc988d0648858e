package programs

import (
	"fmt"
	"regexp"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/bounds"
	"pfsd/engine/budget"
	"pfsd/engine/builtins"
	"pfsd/engine/charge"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/routine"
	"pfsd/engine/sqltree"
	"pfsd/engine/sqlvalue"
	"pfsd/engine/syntax"
	"pfsd/instr"
)

// instructions are the instructions of stored programs, the last parts of the names statement/sp/INSTRUCTION.
var instructions = []string{
	"cclose", "cfetch", "copen", "cpop", "cpush", "error", "freturn", "hpop", "hpush_jump", "hreturn",
	"jump", "jump_if_not", "set", "set_case_expr", "set_trigger_field", statementInstruction,
}

// statementInstruction is a statement of SQL. Its instrument is on by default.
const statementInstruction = "stmt"

// NewInstructions makes the instruments of the instructions, by name.
func NewInstructions(reg *instr.Registry) map[string]*instr.StatementClass {
	all := map[string]*instr.StatementClass{}
	for _, name := range instructions {
		if name == statementInstruction {
			all[name] = reg.NewStatementClass("sp/" + name)
		} else {
			all[name] = reg.NewStatementDetail("sp/" + name)
		}
	}
	return all
}

// treeFactor is about how much more memory a program takes that is ready to run than its syntax tree: it has the texts of its statements, and
// the names in them.
const treeFactor = 3

// treeBytes is about how many bytes a program with this text takes that is ready to run.
func treeBytes(text, mode string) int64 {
	return treeFactor * int64(bounds.Measure(text, sql.NewSqlModeFromString(mode).AnsiQuotes()).Bytes)
}

// holdTree charges the statement of ctx with the syntax tree of a program with this text, until the hold is dropped: each call of a
// recursive procedure has one of its own.
func holdTree(ctx *sql.Context, text, mode string) (*budget.Hold, error) {
	hold := charge.HoldOf(ctx, charge.Trees)
	err := hold.Charge(treeBytes(text, mode))
	return hold, err
}

// parseProcedure makes a syntax tree of the statement that creates a stored procedure.
func parseProcedure(ctx *sql.Context, details sql.StoredProcedureDetails) (*ast.DDL, error) {
	text := details.CreateStatement
	tree, _, _, err := routine.ParseProgram(ctx, syntax.Default, text, ';', false, sql.NewSqlModeFromString(details.SqlMode).ParserOptions())
	if err != nil {
		return nil, err
	}
	sqltree.CommonTables(text, tree)
	sqltree.GroupWindows(text, tree)
	sqltree.Operators(text, tree)
	sqltree.SpatialTypes(text, tree)
	ddl, ok := tree.(*ast.DDL)
	if !ok || ddl.ProcedureSpec == nil {
		return nil, sql.ErrStoredProcedureDoesNotExist.New(details.Name)
	}
	sqltree.Names(tree, text)
	return ddl, nil
}

// parseEvent makes a syntax tree of a statement that creates an event.
func parseEvent(text string) (*ast.DDL, error) {
	tree, err := syntax.Default.ParseSimple(text)
	sqltree.Names(tree, text)
	if err != nil {
		return nil, err
	}
	sqltree.CommonTables(text, tree)
	sqltree.GroupWindows(text, tree)
	sqltree.Operators(text, tree)
	sqltree.SpatialTypes(text, tree)
	ddl, ok := tree.(*ast.DDL)
	if !ok || ddl.EventSpec == nil {
		return nil, fmt.Errorf("%.100q makes no event", text)
	}
	return ddl, nil
}

// texts returns the texts of the statements in the body of a program that ddl, with this text, creates. It corrects the syntax trees of the
// statements as package parsing does.
func texts(text string, ddl *ast.DDL, body ast.Statement) map[ast.Statement]string {
	all := routine.ProgramTexts(routine.ProgramBody(text, ddl), body)
	mendAll(all)
	return all
}

// mendAll corrects the syntax trees of the statements of a program, after Operators and Names have corrected the whole.
func mendAll(texts map[ast.Statement]string) {
	for s, text := range texts {
		if d, ok := s.(*ast.Declare); ok && d.Cursor != nil {
			s, _ = d.Cursor.SelectStmt.(ast.Statement)
		}
		builtins.InnerAggregates(text, s)
		sqltree.SetNames(text, s)
		if view, ok := s.(*ast.DDL); ok && view.ViewSpec != nil { // its positions are those in the program
			if alone, err := syntax.Default.ParseSimple(text); err == nil {
				sqltree.SubStatement(alone, text)
				view.SubStatementStr = alone.(*ast.DDL).SubStatementStr
			}
		}
	}
}

// argument converts a value to the type of a parameter of this name, or of the result of a function.
func argument(ctx *sql.Context, name string, to sql.Type, given any) (any, error) {
	if given == nil {
		return nil, nil
	}
	value, in, err := sqlvalue.Target(to).Convert(ctx, given)
	if err != nil || in != sql.InRange && types.IsInteger(to) && sql.LoadSqlMode(ctx).Strict() {
		err = errArgument(name, to, given, err)
	}
	return value, err
}

// choiceName returns the name of an ENUM or SET value, which go-mysql-server keeps as a number; any other value unchanged.
func choiceName(ctx *sql.Context, kind sql.Type, value any) (any, error) {
	if value == nil || !types.IsEnum(kind) && !types.IsSet(kind) {
		return value, nil
	}
	text, err := kind.SQL(ctx, nil, value)
	return text.ToString(), err
}

// numeric is a text that begins with a number.
var numeric = regexp.MustCompile(`^\s*[-+]?\.?\d`)

// errArgument is the error for a value that is none of a type.
func errArgument(name string, to sql.Type, value any, err error) error {
	switch {
	case err == nil, sql.ErrValueOutOfRange.Is(err), types.ErrConvertToDecimalLimit.Is(err):
		return mysql.NewSQLError(1264, "22003", "Out of range value for column '%s' at row 1", name)
	case types.IsNumber(to):
		if text, ok := value.(string); ok && numeric.MatchString(text) {
			return mysql.NewSQLError(1265, "01000", "Data truncated for column '%s' at row 1", name)
		}
		return mysql.NewSQLError(1366, "HY000", "Incorrect %s value: '%v' for column '%s' at row 1", mysqlerr.TypeWord(to), value, name)
	case types.IsTime(to), types.IsTimespan(to):
		return mysql.NewSQLError(1292, "22007", "Incorrect %s value: '%v' for column '%s' at row 1", mysqlerr.TypeWord(to), value, name)
	case types.IsEnum(to), types.IsSet(to):
		return mysql.NewSQLError(1265, "01000", "Data truncated for column '%s' at row 1", name)
	case types.IsText(to):
		return mysql.NewSQLError(1406, "22001", "Data too long for column '%s' at row 1", name)
	}
	return err
}
