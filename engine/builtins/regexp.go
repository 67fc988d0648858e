package builtins

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/sqlexpr"
)

// RegexpLikeFunctions returns REGEXP_LIKE, which also executes REGEXP and RLIKE.
//
// go-mysql-server: does not limit the time of a match. A bad expression is an error without a
// number. MySQL: limits the steps of a match. The errors are 3685 and the following.
func RegexpLikeFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	sqlexpr.DefineAll(all, &sqlexpr.Definition{Name: "regexp_like", Least: 2, Most: 3, TypeOf: sqlexpr.AlwaysType(types.Int64), Value: regexpLike})
	return all
}

// Errors of regular expressions.
const (
	errRegexpArgument = 3685
	ErrRegexpIndex    = 3686
	errRegexpParens   = 3691
	errRegexpBracket  = 3696
	errRegexpTimeOut  = 3699
	errRegexpTooBig   = 3700
)

// Limits for a regular expression. A match takes time that grows with the size of the compiled
// expression times the size of the text.
const (
	maxPattern     = 4096        // bytes of the expression
	maxProgram     = 64 << 10    // instructions of the compiled expression
	maxRegexpSteps = 100_000_000 // instructions of the compiled expression times bytes of the text
)

// Matcher is a compiled regular expression. Safe for concurrent use.
type Matcher struct {
	*regexp.Regexp
	size int // how many instructions it has
	// looksBack means that a match depends on the character before it. behind returns the
	// expression for such matches: it needs one character before the match.
	looksBack bool
	behind    func() (*regexp.Regexp, error)
}

// compilePattern compiles the expression text. prefix has its flags.
func compilePattern(prefix, text string) (*Matcher, error) {
	parsed, err := syntax.Parse(prefix+text, syntax.Perl)
	if err != nil {
		return nil, regexpError(err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, regexpError(err)
	}
	if len(program.Inst) > maxProgram {
		return nil, errPatternTooBig()
	}
	p := &Matcher{size: len(program.Inst)}
	const back = syntax.EmptyBeginLine | syntax.EmptyBeginText | syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
	for _, i := range program.Inst {
		p.looksBack = p.looksBack || i.Op == syntax.InstEmptyWidth && syntax.EmptyOp(i.Arg)&back != 0
	}
	if p.Regexp, err = regexp.Compile(prefix + text); err != nil {
		return nil, regexpError(err)
	}
	p.behind = sync.OnceValues(func() (*regexp.Regexp, error) { return regexp.Compile(`\A(?s:.)(?s:.*?)(` + prefix + text + `)`) })
	return p, nil
}

// After returns the offsets of the first match in text that begins at the offset at or later. It
// returns nil if there is none.
func (p *Matcher) After(text string, at int) ([]int, error) {
	if at == 0 || !p.looksBack {
		m := p.FindStringSubmatchIndex(text[at:])
		return shifted(m, at), nil
	}
	behind, err := p.behind()
	if err != nil {
		return nil, err
	}
	_, width := utf8.DecodeLastRuneInString(text[:at])
	m := behind.FindStringSubmatchIndex(text[at-width:])
	if m == nil {
		return nil, nil
	}
	return shifted(m[2:], at-width), nil
}

// shifted adds n to the offsets of a match, and returns them.
func shifted(m []int, n int) []int {
	for i := range m {
		if m[i] >= 0 {
			m[i] += n
		}
	}
	return m
}

func errPatternTooBig() error {
	return mysql.NewSQLError(errRegexpTooBig, "HY000", "The regular expression pattern exceeds limits on size or complexity.")
}

// MayMatch returns an error if a search in text would take too long.
func (p *Matcher) MayMatch(text string) error {
	if int64(p.size)*int64(len(text)) > maxRegexpSteps {
		return mysql.NewSQLError(errRegexpTimeOut, "HY000", "Timeout exceeded in regular expression match.")
	}
	return nil
}

// compiled caches compiled regular expressions. The keys are their texts with their flags.
var compiled sync.Map

// maxCompiled is the largest number of expressions in the cache.
const maxCompiled = 256

// RegexpOf returns the compiled expression of argument 1. If there is an argument number flags, it
// has the flags of the expression.
func RegexpOf(ctx *sql.Context, c *sqlexpr.Call, args []any, flags int) (*Matcher, error) {
	expr, err := c.Text(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	switch {
	case expr == "":
		return nil, mysql.NewSQLError(errRegexpArgument, "HY000", "Illegal argument to a regular expression.")
	case len(expr) > maxPattern:
		return nil, errPatternTooBig()
	}
	collation := c.Collation(ctx)
	set := map[byte]bool{'i': strings.HasSuffix(collation.Name(), "_ci") && !c.IsBytes(ctx, 0) && !c.IsBytes(ctx, 1)}
	if flags < len(args) {
		text, err := c.Text(ctx, flags, args[flags])
		if err != nil {
			return nil, err
		}
		for i := range len(text) {
			switch f := text[i]; f {
			case 'c':
				set['i'] = false
			case 'i':
				set['i'] = true
			case 'm':
				set['m'] = true
			case 'n':
				set['s'] = true
			case 'u':
			default:
				return nil, mysql.NewSQLError(1210, "HY000", "Incorrect arguments to %s", c.Name)
			}
		}
	}
	prefix := ""
	for _, f := range []byte("ims") {
		if set[f] {
			prefix += string(f)
		}
	}
	if prefix != "" {
		prefix = "(?" + prefix + ")"
	}
	if p, ok := compiled.Load(prefix + expr); ok {
		return p.(*Matcher), nil
	}
	p, err := compilePattern(prefix, expr)
	if err != nil {
		return nil, err
	}
	kept := 0
	compiled.Range(func(any, any) bool {
		kept++
		return kept < maxCompiled
	})
	if kept >= maxCompiled {
		compiled.Clear()
	}
	compiled.Store(prefix+expr, p)
	return p, nil
}

// regexpError returns MySQL's error for an expression that cannot be compiled.
func regexpError(err error) error {
	var bad *syntax.Error
	if errors.As(err, &bad) {
		switch bad.Code {
		case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
			return mysql.NewSQLError(errRegexpParens, "HY000", "Mismatched parenthesis in regular expression.")
		case syntax.ErrMissingBracket:
			return mysql.NewSQLError(errRegexpBracket, "HY000", "The regular expression contains an unclosed bracket expression.")
		}
	}
	return mysql.NewSQLError(errRegexpArgument, "HY000", "Illegal argument to a regular expression.")
}

func regexpLike(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	re, err := RegexpOf(ctx, c, args, 2)
	if err != nil {
		return nil, err
	}
	text, err := c.Text(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	if err := re.MayMatch(text); err != nil {
		return nil, err
	}
	if re.MatchString(text) {
		return int64(1), nil
	}
	return int64(0), nil
}

// RegexpCall returns the call that replaces REGEXP or RLIKE. It returns nil for any other
// expression.
func RegexpCall(e ast.Expr) ast.Expr {
	c, ok := e.(*ast.ComparisonExpr)
	if !ok || c.Operator != ast.RegexpStr && c.Operator != ast.NotRegexpStr {
		return nil
	}
	call := &ast.FuncExpr{Name: ast.NewColIdent("regexp_like"), Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: c.Left}, &ast.AliasedExpr{Expr: c.Right}}}
	WrapColumns(call.Exprs, MemberName)
	if c.Operator == ast.NotRegexpStr {
		return &ast.NotExpr{Expr: call}
	}
	return call
}
