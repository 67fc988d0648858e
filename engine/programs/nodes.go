package programs

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/engine/rights"
	"pfsd/engine/routine"
	"pfsd/engine/sqlvalue"
	"pfsd/engine/statements"
	"pfsd/engine/syntax"
)

// TriggerNode is a node in the plan of a trigger. One is around the whole body, and one around each statement in it, so that the builder is
// called when they run.
type TriggerNode struct {
	plan.UnaryNode
	Database, Name string       // of the trigger, around the whole
	Definer        *accounts.ID // with whose rights the whole runs; nil with --skip-grant-tables
	Instruction    string       // around a statement
	TriggerText
	targets []triggerTarget // the variables that a statement gives values
}

// String implements sql.Node.
func (n *TriggerNode) String() string { return n.Child.String() }

// IsReadOnly implements sql.Node.
func (n *TriggerNode) IsReadOnly() bool { return n.Child.IsReadOnly() }

// WithChildren implements sql.Node.
func (n *TriggerNode) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 1)
	}
	c := *n
	c.Child = children[0]
	return &c, nil
}

// Mark makes body the child of the node, with a TriggerNode around each statement. ddl, with the text create, creates the trigger.
func (n *TriggerNode) Mark(ctx *sql.Context, body sql.Node, create string, ddl *ast.DDL) {
	texts := triggerTexts(create, ddl)
	if count := 0; markSteps(ctx, body, nil, func() TriggerText { count++; return TriggerText{} }) != nil && count != len(texts) {
		texts = make([]TriggerText, count)
	}
	n.Child = markSteps(ctx, body, nil, func() TriggerText {
		text := texts[0]
		texts = texts[1:]
		return text
	})
}

// TriggerText is the text of a statement of a trigger, and its kind.
type TriggerText struct{ Text, Kind string }

// parseTrigger parses the statement that creates a trigger, nil if it cannot be parsed.
func parseTrigger(create string) *ast.DDL {
	tree, err := syntax.Default.ParseSimple(create)
	ddl, ok := tree.(*ast.DDL)
	if err != nil || !ok || ddl.TriggerSpec == nil {
		return nil
	}
	return ddl
}

// triggerTexts are the texts of the statements of the trigger that a statement creates.
func triggerTexts(create string, ddl *ast.DDL) (all []TriggerText) {
	if ddl == nil {
		return nil
	}
	texts := routine.ProgramTexts(routine.ProgramBody(create, ddl), ddl.TriggerSpec.Body)
	for _, s := range routine.ProgramStatements(ddl.TriggerSpec.Body) {
		all = append(all, TriggerText{texts[s], statements.Kind(s, texts[s])})
	}
	return all
}

// markSteps puts a node around each statement of a trigger, which is in a scope; text returns their texts, one after the other.
func markSteps(ctx *sql.Context, n sql.Node, scope *triggerScope, text func() TriggerText) sql.Node {
	if scope == nil {
		scope = scope.in()
	}
	switch n.(type) {
	case nil:
		return nil
	case plan.RepresentsBlock, *plan.CaseStatement:
		children := slices.Clone(n.Children())
		scope = scope.in()
		for i, c := range children {
			children[i] = markSteps(ctx, c, scope, text)
		}
		if marked, err := n.WithChildren(ctx, children...); err == nil {
			n = marked
		}
		return markTurns(ctx, n)
	}
	if h, ok := n.(*plan.DeclareHandler); ok {
		marked := *h
		marked.Statement = markHandler(ctx, h.Statement)
		n = &marked
	}
	return &TriggerNode{UnaryNode: plan.UnaryNode{Child: n}, Instruction: instructionOf(ctx, n), TriggerText: text(), targets: scope.targets(n)}
}

// markHandler is markTurns for all loops in the statement of a handler, whose statements are nobody's instructions.
func markHandler(ctx *sql.Context, n sql.Node) sql.Node {
	switch n := n.(type) {
	case nil:
		return nil
	case *plan.DeclareHandler:
		marked := *n
		marked.Statement = markHandler(ctx, n.Statement)
		return &marked
	case plan.RepresentsBlock, *plan.CaseStatement:
		children := slices.Clone(n.Children())
		for i, c := range children {
			children[i] = markHandler(ctx, c)
		}
		if marked, err := n.WithChildren(ctx, children...); err == nil {
			return markTurns(ctx, marked)
		}
	}
	return markTurns(ctx, n)
}

// markTurns has each turn of a loop of a trigger be a point where the statement can be stopped and held back: a loop may have no statement
// in it.
func markTurns(ctx *sql.Context, n sql.Node) sql.Node {
	switch n.(type) {
	case *plan.Loop, *plan.While, *plan.Repeat:
		l := n.(sql.Expressioner)
		conditions := slices.Clone(l.Expressions())
		for i, c := range conditions {
			conditions[i] = &turn{expression.UnaryExpressionStub{Child: c}}
		}
		if marked, err := l.WithExpressions(ctx, conditions...); err == nil {
			return marked
		}
	}
	return n
}

// turn is the condition of a loop of a trigger, which is evaluated for each turn. Owned by one goroutine.
type turn struct{ expression.UnaryExpressionStub }

// String implements sql.Expression.
func (t *turn) String() string { return t.Child.String() }

// Type implements sql.Expression.
func (t *turn) Type(ctx *sql.Context) sql.Type { return t.Child.Type(ctx) }

// WithChildren implements sql.Expression.
func (t *turn) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(t, len(children), 1)
	}
	return &turn{expression.UnaryExpressionStub{Child: children[0]}}, nil
}

// Eval implements sql.Expression.
func (t *turn) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if err := sqlvalue.Pace(ctx, turnRows); err != nil {
		return nil, err
	}
	return t.Child.Eval(ctx, row)
}

// instructionOf returns the name of MySQL's instruction for a statement of a trigger, "" for none.
func instructionOf(ctx *sql.Context, n sql.Node) string {
	switch n := n.(type) {
	case *plan.Set:
		return setInstruction(ctx, n)
	case *plan.DeclareVariables:
		return "set"
	case *plan.DeclareCondition:
		return ""
	case *plan.DeclareCursor:
		return "cpush"
	case *plan.DeclareHandler:
		return "hpush_jump"
	case *plan.Open:
		return "copen"
	case *plan.Fetch:
		return "cfetch"
	case *plan.Close:
		return "cclose"
	case *plan.Leave, *plan.Iterate:
		return "jump"
	}
	return statementInstruction
}

// setInstruction is the instruction for SET of a column, a variable of the program, or any other.
func setInstruction(_ *sql.Context, n *plan.Set) string {
	if len(n.Exprs) > 0 {
		if f, ok := n.Exprs[0].(*expression.SetField); ok {
			switch f.LeftChild.(type) {
			case *expression.GetField:
				return "set_trigger_field"
			case *expression.ProcedureParam:
				return "set"
			}
		}
	}
	return statementInstruction
}

// authorizeBody returns the error if an account with rights r, whose privileges are in may, may not execute the statements of a program.
func authorizeBody(ctx *sql.Context, r *rights.Rights, may *accounts.Access, body ast.Statement) (err error) {
	for _, s := range routine.ProgramParts(body) {
		if s, ok := s.(ast.Statement); ok && statements.Kind(s, "") != "" {
			if _, set := s.(*ast.Set); !set { // as its variables may be those of the program
				err = r.AuthorizeStatement(ctx, s, ast.String(s))
			}
		}
		if err != nil {
			return err
		}
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			if a, ok := n.(ast.AuthNode); ok && err == nil {
				err = r.AuthorizeRows(ctx, may, a.GetAuthInformation())
			}
			return err == nil, nil
		}, s)
		if err != nil {
			return err
		}
	}
	return nil
}
