package routine

import (
	"context"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/grammar"
)

// Function is a stored function as its CREATE FUNCTION defines it. Its definition is that of a procedure, in which each RETURN is a SELECT.
type Function struct {
	*ast.DDL
	Declared grammar.Function
	Result   ast.ColumnType
}

// ParseFunction makes a syntax tree of text. It returns nil for a text that is no CREATE FUNCTION.
func ParseFunction(ctx context.Context, p sql.Parser, text string, o ast.ParserOptions) (*Function, error) {
	declared, ok := grammar.CreateFunction(text)
	if !ok {
		return nil, nil
	}
	s, _, _, err := ParseProgram(ctx, p, declared.Procedure, ';', false, o)
	if err != nil {
		return nil, err
	}
	ddl, ok := s.(*ast.DDL)
	if !ok || ddl.ProcedureSpec == nil {
		return nil, nil
	}
	// The body may begin after what stood for RETURNS, where the text has other positions.
	for at := &ddl.SubStatementPositionStart; *at < len(text) && strings.IndexByte(" \t\r\n\v\f", declared.Procedure[*at]) >= 0; {
		*at++
	}
	// A type alone is no statement, and only a column's can have a character set.
	s, _, _, err = p.ParseWithOptions(ctx, "CREATE TABLE f(r "+declared.Returns+")", ';', false, o)
	if err != nil {
		return nil, err
	}
	return &Function{ddl, declared, s.(*ast.DDL).TableSpec.Columns[0].Type}, nil
}

// CutFunction returns the CREATE FUNCTION with which text begins, and the statements behind it. function is all of the text if it has no
// such statement that can be parsed, or nothing behind it.
func CutFunction(ctx context.Context, p sql.Parser, text string, o ast.ParserOptions) (function, rest string) {
	declared, ok := grammar.CreateFunction(text)
	if !ok {
		return text, ""
	}
	_, _, behind, err := p.ParseWithOptions(ctx, declared.Procedure, ';', true, o)
	if err != nil || behind == "" {
		return text, ""
	}
	text = sql.RemoveSpaceAndDelimiter(text, ';') // as the parser does
	at := len(text) - len(behind)
	return sql.RemoveSpaceAndDelimiter(text[:at], ';'), text[at:]
}

// Returned are the values that a function returns, by the statements that stand for RETURN. texts are those of its statements. The error is
// that of a RETURN without a value that is a single expression.
func Returned(texts map[ast.Statement]string) (map[ast.Statement]ast.Expr, error) {
	all := map[ast.Statement]ast.Expr{}
	for s, text := range texts {
		if !grammar.IsReturn(text) {
			continue
		}
		value := returnedBy(s)
		if value == nil {
			return nil, mysql.NewSQLError(1064, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '%.80s' at line 1", text)
		}
		all[s] = value
	}
	return all, nil
}

// returnedBy is the value of a RETURN; nil if it has another clause that SELECT knows.
func returnedBy(s ast.Statement) ast.Expr {
	q, ok := s.(*ast.Select)
	if !ok || len(q.SelectExprs) != 1 {
		return nil
	}
	value, ok := q.SelectExprs[0].(*ast.AliasedExpr)
	if !ok || !value.As.IsEmpty() {
		return nil
	}
	if ast.String(&ast.Select{SelectExprs: q.SelectExprs}) != ast.String(s) {
		return nil
	}
	return value.Expr
}

// Refusal is the error of a function whose body MySQL refuses: without RETURN, with one that is no expression, with a statement that sends
// rows, that commits, or that prepares others. texts are those of its statements, and schema is its database.
func (f *Function) Refusal(schema string, texts map[ast.Statement]string) error {
	returned, err := Returned(texts)
	switch {
	case err != nil:
		return err
	case len(returned) == 0:
		return mysql.NewSQLError(1320, "42000", "No RETURN found in FUNCTION %s.%s", schema, f.Declared.Name.Name)
	}
	for _, s := range leaves(nil, f.ProcedureSpec.Body) {
		if _, ok := returned[s]; ok {
			continue
		}
		switch s := s.(type) {
		case *ast.Prepare, *ast.Execute, *ast.Deallocate:
			return mysql.NewSQLError(1336, "0A000", "Dynamic SQL is not allowed in stored function or trigger")
		case *ast.DDL, *ast.AlterTable, *ast.DBDDL, *ast.LockTables, *ast.UnlockTables, *ast.Begin, *ast.Commit, *ast.Rollback:
			if d, ok := s.(*ast.DDL); !ok || !d.Temporary {
				return ErrCommits
			}
		case *ast.Declare: // the statements of a handler come by themselves
		default:
			if ProgramAnswers(s) {
				return mysql.NewSQLError(1415, "0A000", "Not allowed to return a result set from a function")
			}
		}
	}
	return nil
}

// Writes reports whether the function may change rows.
func (f *Function) Writes() bool {
	return slices.ContainsFunc(leaves(nil, f.ProcedureSpec.Body), func(s ast.Statement) bool {
		switch s.(type) {
		case ast.SelectStatement, *ast.Declare, *ast.Set, *ast.OpenCursor, *ast.FetchCursor, *ast.CloseCursor, *ast.Leave, *ast.Iterate, *ast.Signal, *ast.Resignal:
			return false
		}
		return true
	})
}

// deterministic reports whether the function is declared DETERMINISTIC.
func (f *Function) deterministic() (is bool) {
	for _, c := range f.ProcedureSpec.Characteristics {
		switch c.Type {
		case ast.CharacteristicValue_Deterministic:
			is = true
		case ast.CharacteristicValue_NotDeterministic:
			is = false
		}
	}
	return is
}

// ErrCommits is for a statement that commits, in a program that is part of a statement.
var ErrCommits = mysql.NewSQLError(1422, "HY000", "Explicit or implicit commit is not allowed in stored function or trigger.")
