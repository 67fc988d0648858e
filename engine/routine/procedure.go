package routine

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/grammar"
	"pfsd/engine/mends"
	"pfsd/engine/syntax"
)

// Procedure changes the body of a CREATE PROCEDURE to one that go-mysql-server accepts. Program
// executes the original body.
//
// go-mysql-server: refuses handlers and conditions for error numbers, SQLSTATEs and names of
// conditions, and panics at a SET of several variables. MySQL: accepts both.
func Procedure(s ast.Statement) {
	if d, ok := s.(*ast.DDL); ok && d.ProcedureSpec != nil && mends.ProgramBodies.On() {
		d.ProcedureSpec.Body = acceptedStatement(d.ProcedureSpec.Body)
	}
}

// ParseProgram is p.ParseWithOptions for the definition of a stored program, which may have GET
// DIAGNOSTICS.
func ParseProgram(ctx context.Context, p sql.Parser, query string, delimiter rune, multi bool, o ast.ParserOptions) (s ast.Statement, one, rest string, err error) {
	s, one, rest, err = p.ParseWithOptions(ctx, query, delimiter, multi, o)
	if err == nil || multi || syntax.Refused(err) {
		return s, one, rest, err
	}
	if instead, found := grammar.DiagnosticsAsSet(query); found {
		if s, _, _, failed := p.ParseWithOptions(ctx, instead, delimiter, false, o); failed == nil {
			return s, query, "", nil
		}
	}
	return s, one, rest, err
}

// acceptedStatement returns a statement of a procedure without the parts that go-mysql-server
// refuses.
func acceptedStatement(s ast.Statement) ast.Statement {
	switch s := s.(type) {
	case *ast.BeginEndBlock:
		s.Statements = acceptedStatements(s.Statements)
	case *ast.IfStatement:
		for i := range s.Conditions {
			s.Conditions[i].Statements = acceptedStatements(s.Conditions[i].Statements)
		}
		s.Else = acceptedStatements(s.Else)
	case *ast.CaseStatement:
		for i := range s.Cases {
			s.Cases[i].Statements = acceptedStatements(s.Cases[i].Statements)
		}
		s.Else = acceptedStatements(s.Else)
	case *ast.While:
		s.Statements = acceptedStatements(s.Statements)
	case *ast.Repeat:
		s.Statements = acceptedStatements(s.Statements)
	case *ast.Loop:
		s.Statements = acceptedStatements(s.Statements)
	case *ast.Declare:
		acceptDeclare(s)
	case *ast.Set:
		if grammar.DiagnosticsOf(s) != nil || len(s.Exprs) > 1 {
			return &ast.BeginEndBlock{Statements: acceptedStatements(ast.Statements{s})}
		}
	}
	return s
}

func acceptedStatements(all ast.Statements) ast.Statements {
	if all == nil {
		return nil
	}
	to := ast.Statements{}
	for _, s := range all {
		set, ok := s.(*ast.Set)
		if ok && grammar.DiagnosticsOf(set) != nil {
			continue
		}
		if !ok || len(set.Exprs) < 2 {
			to = append(to, acceptedStatement(s))
			continue
		}
		for _, e := range set.Exprs {
			to = append(to, &ast.Set{Comments: set.Comments, Exprs: ast.SetVarExprs{e}})
		}
	}
	return to
}

func acceptDeclare(s *ast.Declare) {
	if s.Handler != nil {
		s.Handler.Statement = acceptedStatement(s.Handler.Statement)
		s.Handler.ConditionValues = []ast.DeclareHandlerCondition{{ValueType: ast.DeclareHandlerCondition_SqlException}}
	}
	if s.Condition != nil && s.Condition.SqlStateValue == "" {
		s.Condition.SqlStateValue = mysql.SSUnknownSQLState
	}
}
