package engine

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/compat"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/syntax"
	"pfsd/instr"
	"pfsd/instr/digest"
)

// functions are the functions that the SQL engine does not have, or not as they should be, by
// their names.
var functions = map[string]sql.Function{
	"statement_digest":      digestFunction("statement_digest", types.MustCreateString(sqltypes.VarChar, 2*digest.Size, collation), digestHex),
	"statement_digest_text": digestFunction("statement_digest_text", types.LongText, digestText),
	"ps_current_thread_id":  sql.Function0{Name: "ps_current_thread_id", Fn: func(*sql.Context) sql.Expression { return currentThread{} }},
	"ps_thread_id":          native("ps_thread_id", types.Uint64, types.Uint64, threadOf),
	"format_bytes":          native("format_bytes", formatted, types.Float64, formatBytes),
	"format_pico_time":      native("format_pico_time", formatted, types.Float64, formatPicoTime),
	"sleep":                 sql.Function1{Name: "sleep", Fn: newSleep},
	"get_lock":              getLockFunction,
	"is_free_lock":          isFreeLockFunction,
	"is_used_lock":          isUsedLockFunction,
	"release_all_locks":     releaseAllLocksFunction,
	"release_lock":          releaseLockFunction,
	"user":                  sessionFunction("user", clientName),
	"session_user":          sessionFunction("session_user", clientName),
	"system_user":           sessionFunction("system_user", clientName),
	"current_user":          sessionFunction("current_user", accountName),
	"current_role":          sessionFunction("current_role", roleNames),
	"load_file":             sql.Function1{Name: "load_file", Fn: newLoadFile},
}

// compatFunctions are those that mend what the SQL engine has.
var compatFunctions = compat.Functions()

// boundedFunctions are all functions that are the same in all sessions, held to max_allowed_packet: the SQL engine's, those that mend
// these, and functions.
var boundedFunctions = func() map[string]sql.Function {
	all := map[string]sql.Function{}
	for _, f := range function.BuiltIns {
		all[f.FunctionName()] = f
	}
	maps.Copy(all, compatFunctions)
	maps.Copy(all, functions)
	all[syntax.Quantified] = sql.FunctionN{Name: syntax.Quantified, Fn: newQuantified}
	all[declaredName] = declaredFunction
	for name, f := range all {
		all[name] = compat.Bounded(f)
	}
	return all
}()

// Function implements sql.FunctionProvider.
func (p *provider) Function(ctx *sql.Context, name string) (sql.Function, bool) {
	name = strings.ToLower(name)
	if f, ok := boundedFunctions[name]; ok {
		return f, true
	}
	if name == syntax.Assign {
		return compat.Bounded(assignmentOf(ctx)), true
	}
	f, ok := p.ofSys(ctx, name)
	if !ok {
		return nil, false
	}
	return compat.Bounded(f), true
}

func digestHex(hash [digest.Size]byte, _ []byte) string { return digest.Hex(hash) }

func digestText(_ [digest.Size]byte, tokens []byte) string { return digest.Text(tokens) }

// statementDigest is STATEMENT_DIGEST and STATEMENT_DIGEST_TEXT: of the text of one statement,
// what the tables of digests would show for it. A text that this server's parser does not
// understand is an error, whose cause is told only if the text stands in the statement itself:
// else it could be some secret.
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
	if err := parsed(ctx, text); err != nil {
		if _, literal := d.Child.(*expression.Literal); !literal {
			return nil, mysql.NewSQLError(3677, "HY000", "Could not parse argument to digest function.")
		}
		return nil, mysql.NewSQLError(3676, "HY000", "Could not parse argument to digest function: \"%s\".", err.Message)
	}
	limit := instr.DefaultMaxDigestLength
	if w := workOf(ctx); w != nil {
		limit = w.reg.MaxDigestLength()
	}
	return d.of(digest.Compute(text, limit, digest.ParseMode(sql.LoadSqlMode(ctx).String()))), nil
}

// parsed is why text is not one statement, nil if it is.
func parsed(ctx *sql.Context, text string) *mysql.SQLError {
	if strings.HasPrefix(text, "\x00") {
		text = "" // as in MySQL, whose lexer ends there
	}
	var refused *mysql.SQLError
	statement, _, _, err := syntax.Default.ParseWithOptions(ctx, text, ';', false, syntax.Options(ctx))
	switch {
	case errors.Is(err, ast.ErrEmpty):
		if strings.Trim(text, " \t\r\n\v\f;") != "" {
			return nil // a comment, which is a statement
		}
		return mysql.NewSQLError(1065, mysqlerr.States[1065], "Query was empty")
	case errors.As(err, &refused):
		return refused
	case err != nil:
		return mysqlerr.Unparsed(err.Error())
	}
	if err := ast.Walk(func(n ast.SQLNode) (bool, error) {
		if v, ok := n.(*ast.SQLVal); ok && v.Type == ast.ValArg {
			return false, errParameter
		}
		return true, nil
	}, statement); err != nil {
		// Only a statement that is prepared has parameters.
		return mysqlerr.Syntax(" near " + text[max(0, strings.IndexByte(text, '?')):])
	}
	return nil
}

var errParameter = errors.New("a parameter")
