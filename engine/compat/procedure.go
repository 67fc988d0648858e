package compat

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/syntax"
)

// Procedure mends what the SQL engine sees of a CREATE PROCEDURE. The body that is carried out
// is another: see Program.
//
// go-mysql-server: refuses handlers and conditions for error numbers, SQLSTATEs and names of
// conditions, and panics at a SET of more than one variable. MySQL: has them.
func Procedure(s ast.Statement) {
	if d, ok := s.(*ast.DDL); ok && d.ProcedureSpec != nil && programBodies.On() {
		d.ProcedureSpec.Body = plainer(d.ProcedureSpec.Body)
	}
}

// ParseProgram is p.ParseWithOptions of the definition of a stored program, which may have what
// go-mysql-server does not know.
func ParseProgram(ctx context.Context, p sql.Parser, query string, delimiter rune, multi bool, o ast.ParserOptions) (s ast.Statement, one, rest string, err error) {
	s, one, rest, err = p.ParseWithOptions(ctx, query, delimiter, multi, o)
	if err == nil || multi || syntax.Refused(err) {
		return s, one, rest, err
	}
	if instead, found := diagnosticsAsSet(query); found {
		if s, _, _, failed := p.ParseWithOptions(ctx, instead, delimiter, false, o); failed == nil {
			return s, query, "", nil
		}
	}
	return s, one, rest, err
}

// plainer is a statement of a procedure without what the SQL engine does not know.
func plainer(s ast.Statement) ast.Statement {
	switch s := s.(type) {
	case *ast.BeginEndBlock:
		s.Statements = plainerList(s.Statements)
	case *ast.IfStatement:
		for i := range s.Conditions {
			s.Conditions[i].Statements = plainerList(s.Conditions[i].Statements)
		}
		s.Else = plainerList(s.Else)
	case *ast.CaseStatement:
		for i := range s.Cases {
			s.Cases[i].Statements = plainerList(s.Cases[i].Statements)
		}
		s.Else = plainerList(s.Else)
	case *ast.While:
		s.Statements = plainerList(s.Statements)
	case *ast.Repeat:
		s.Statements = plainerList(s.Statements)
	case *ast.Loop:
		s.Statements = plainerList(s.Statements)
	case *ast.Declare:
		plainerDeclare(s)
	case *ast.Set:
		if DiagnosticsOf(s) != nil || len(s.Exprs) > 1 {
			return &ast.BeginEndBlock{Statements: plainerList(ast.Statements{s})}
		}
	}
	return s
}

func plainerList(all ast.Statements) ast.Statements {
	if all == nil {
		return nil
	}
	to := ast.Statements{}
	for _, s := range all {
		set, ok := s.(*ast.Set)
		if ok && DiagnosticsOf(set) != nil {
			continue
		}
		if !ok || len(set.Exprs) < 2 {
			to = append(to, plainer(s))
			continue
		}
		for _, e := range set.Exprs {
			to = append(to, &ast.Set{Comments: set.Comments, Exprs: ast.SetVarExprs{e}})
		}
	}
	return to
}

func plainerDeclare(s *ast.Declare) {
	if s.Handler != nil {
		s.Handler.Statement = plainer(s.Handler.Statement)
		s.Handler.ConditionValues = []ast.DeclareHandlerCondition{{ValueType: ast.DeclareHandlerCondition_SqlException}}
	}
	if s.Condition != nil && s.Condition.SqlStateValue == "" {
		s.Condition.SqlStateValue = mysql.SSUnknownSQLState
	}
}
