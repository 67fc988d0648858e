package functions

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mysqlerr"
	"pfsd/engine/syntax"
	"pfsd/instr"
	"pfsd/instr/digest"
)

func digestHex(hash [digest.Size]byte, _ []byte) string { return digest.Hex(hash) }

func digestText(_ [digest.Size]byte, tokens []byte) string { return digest.Text(tokens) }

// statementDigest is STATEMENT_DIGEST and STATEMENT_DIGEST_TEXT: the digest of a statement as the tables
// of digests show it. A syntax error in the text is an error. Its message quotes the text only if that
// is a literal of the statement itself: any other text may be secret.
type statementDigest struct {
	*function.UnaryFunc
	of func([digest.Size]byte, []byte) string
}

func digestFunction(name string, returns sql.Type, of func([digest.Size]byte, []byte) string) sql.Function {
	return sql.Function1{Name: name, Fn: func(_ *sql.Context, arg sql.Expression) sql.Expression {
		return &statementDigest{function.NewUnaryFunc(arg, name, returns), of}
	}}
}

// CollationCoercibility implements sql.CollationCoercible.
func (d *statementDigest) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return ctx.GetCollation(), 4
}

// WithChildren implements sql.Expression.
func (d *statementDigest) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(d, len(children), 1)
	}
	return &statementDigest{function.NewUnaryFunc(children[0], d.Name, d.RetType), d.of}, nil
}

// Eval implements sql.Expression.
func (d *statementDigest) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	arg, err := d.EvalChild(ctx, row)
	if arg == nil || err != nil {
		return nil, err
	}
	if arg, _, err = types.LongText.Convert(ctx, arg); err != nil {
		return nil, err
	}
	if arg, err = sql.UnwrapAny(ctx, arg); err != nil {
		return nil, err
	}
	text, ok := arg.(string)
	if !ok {
		return nil, fmt.Errorf("%s: the argument is a %T", d.Name, arg)
	}
	if err := parseError(ctx, text); err != nil {
		if _, literal := d.Child.(*expression.Literal); !literal {
			return nil, mysql.NewSQLError(3677, "HY000", "Could not parse argument to digest function.")
		}
		return nil, mysql.NewSQLError(3676, "HY000", "Could not parse argument to digest function: \"%s\".", err.Message)
	}
	limit := instr.DefaultMaxDigestLength
	if s := sessionOf(ctx); s != nil {
		limit = s.Registry().Setup().MaxDigestLength()
	}
	return d.of(digest.Compute(text, limit, digest.ParseMode(sql.LoadSqlMode(ctx).String()))), nil
}

// parseError returns the error if text is not exactly one statement.
func parseError(ctx *sql.Context, text string) *mysql.SQLError {
	if strings.HasPrefix(text, "\x00") {
		text = "" // MySQL's lexer ends there, too
	}
	var refused *mysql.SQLError
	statement, _, _, err := syntax.Default.ParseWithOptions(ctx, text, ';', false, syntax.Options(ctx))
	switch {
	case errors.Is(err, ast.ErrEmpty):
		if strings.Trim(text, " \t\r\n\v\f;") != "" {
			return nil // a comment alone is a statement
		}
		return mysql.NewSQLError(1065, mysqlerr.States[1065], "Query was empty")
	case errors.As(err, &refused):
		return refused
	case err != nil:
		return mysqlerr.ParseFailure(err.Error())
	}
	if err := ast.Walk(func(n ast.SQLNode) (bool, error) {
		if v, ok := n.(*ast.SQLVal); ok && v.Type == ast.ValArg {
			return false, errParameter
		}
		return true, nil
	}, statement); err != nil {
		// Only prepared statements have parameters.
		return mysqlerr.Syntax(" near " + text[max(0, strings.IndexByte(text, '?')):])
	}
	return nil
}

var errParameter = errors.New("a parameter")
