package programs

import (
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/results"
)

// mayAnswer returns the error if statements of procedure p cannot send rows: in a trigger, or to a client that does not know several results.
func (s *Session) mayAnswer(p *program) error {
	for q := s.running; q != nil; q = q.outer {
		if q.function {
			return mysql.NewSQLError(1415, "0A000", "Not allowed to return a result set from a function")
		}
		if q.within && q.body == nil {
			return mysql.NewSQLError(1415, "0A000", "Not allowed to return a result set from a trigger")
		}
	}
	if !s.Answers.MayAnswer() {
		return mysql.NewSQLError(1312, "0A000", "PROCEDURE %s.%s can't return a result set in the given context", p.schema, p.name)
	}
	return nil
}

// answer sends the rows of a statement of a procedure to the client, and closes them. Without a client, as in an event, nobody gets them.
func (s *Session) answer(ctx *sql.Context, schema sql.Schema, rows sql.RowIter, flags uint16) error {
	return s.Answers.Answer(ctx, s.Results, schema, rows, flags)
}

// Note notes that a statement is going to be executed. It returns the statement with the names of prepared statements in lower case.
func (s *Session) Note(ctx *sql.Context, st ast.Statement) ast.Statement {
	folded, executed, using := s.Prepared.Note(ctx, st)
	s.NoteExecuted(executed, using)
	return folded
}

// preparedCall is a prepared CALL that is executed.
type preparedCall struct {
	*ast.Call
	// using are the user variables that EXECUTE gives it, nil if the protocol gives it values.
	using []string
}

// NoteExecuted notes which prepared statement is going to be executed, nil for none. using are the user variables of EXECUTE, nil for
// COM_STMT_EXECUTE.
func (s *Session) NoteExecuted(tree ast.Statement, using []string) {
	s.prepared = nil
	if c, ok := tree.(*ast.Call); ok {
		s.prepared = &preparedCall{c, using}
	}
}

// marker returns the number, from 0, of the marker that is argument i; false if the argument is no marker.
func (c *preparedCall) marker(i int) (n int, ok bool) {
	if v, is := c.Params[i].(*ast.SQLVal); is && v.Type == ast.ValArg {
		n, err := strconv.Atoi(strings.TrimPrefix(string(v.Val), ":v"))
		return n - 1, err == nil
	}
	return 0, false
}

// arguments returns the arguments of the CALL. Markers count as variables: OUT parameters can set them.
func (c *preparedCall) arguments() *callArguments {
	args := &callArguments{variables: make([]bool, len(c.Params)), out: map[int]any{}}
	for i := range c.Params {
		_, args.variables[i] = c.marker(i)
	}
	return args
}

// outParameters returns the values of OUT and INOUT parameters whose arguments are markers: it sets the user variables of EXECUTE, or sends
// a result to the client of COM_STMT_EXECUTE.
func (s *Session) outParameters(ctx *sql.Context, c *preparedCall, params []plan.ProcedureParam, values map[int]any) error {
	var schema sql.Schema
	var row sql.Row
	for i, p := range params {
		value, ok := values[i]
		if !ok {
			continue
		}
		if n, _ := c.marker(i); n < len(c.using) {
			if err := s.Variables.Set(ctx, strings.TrimPrefix(c.using[n], "@"), value, p.Type); err != nil {
				return err
			}
		}
		schema, row = append(schema, &sql.Column{Name: p.Name, Type: p.Type, Nullable: true}), append(row, value)
	}
	if len(row) == 0 || !s.Answers.TakesOutParameters() {
		return nil
	}
	err := s.answer(ctx, schema, sql.RowsToRowIter(row), results.StatusOutParameters)
	s.Results.Sent-- // the row does not count as sent by the statement
	return err
}
