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

// mayAnswer tells why the client cannot have what a procedure answers, nil if it can.
func (s *Session) mayAnswer(p *program) error {
	for q := s.running; q != nil; q = q.outer {
		if q.within {
			return mysql.NewSQLError(1415, "0A000", "Not allowed to return a result set from a trigger")
		}
	}
	if !s.Answers.MayAnswer() {
		return mysql.NewSQLError(1312, "0A000", "PROCEDURE %s.%s can't return a result set in the given context", p.schema, p.name)
	}
	return nil
}

// answer gives the client the rows of a statement of a procedure, and closes them. Where no client waits
// for them, as in an event, nobody gets them.
func (s *Session) answer(ctx *sql.Context, schema sql.Schema, rows sql.RowIter, flags uint16) error {
	return s.Answers.Answer(ctx, s.Results, schema, rows, flags)
}

// Note notes that a statement is going to be carried out, and returns it as go-mysql-server is to have it: the names of prepared statements
// are in lower case.
func (s *Session) Note(ctx *sql.Context, st ast.Statement) ast.Statement {
	folded, executed, using := s.Prepared.Note(ctx, st)
	s.NoteExecuted(executed, using)
	return folded
}

// preparedCall is a CALL that has been prepared, and is carried out.
type preparedCall struct {
	*ast.Call
	// using are the user variables that EXECUTE gives it, nil if the protocol gives it values.
	using []string
}

// NoteExecuted notes that a prepared statement is going to be carried out, nil for none, with the values of these user variables; nil if the
// protocol gives it values.
func (s *Session) NoteExecuted(tree ast.Statement, using []string) {
	s.prepared = nil
	if c, ok := tree.(*ast.Call); ok {
		s.prepared = &preparedCall{c, using}
	}
}

// marker is the number, from 0, of the marker that an argument is; it reports false if it is none.
func (c *preparedCall) marker(i int) (n int, ok bool) {
	if v, is := c.Params[i].(*ast.SQLVal); is && v.Type == ast.ValArg {
		n, err := strconv.Atoi(strings.TrimPrefix(string(v.Val), ":v"))
		return n - 1, err == nil
	}
	return 0, false
}

// arguments are those of the CALL: markers can be given values, as variables can.
func (c *preparedCall) arguments() *callArguments {
	args := &callArguments{variables: make([]bool, len(c.Params)), out: map[int]any{}}
	for i := range c.Params {
		_, args.variables[i] = c.marker(i)
	}
	return args
}

// outParameters gives to markers what their parameters have become: to the user variables that stand for
// them, or to the client as a result.
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
	s.Results.Sent-- // the row is none of a statement's
	return err
}
