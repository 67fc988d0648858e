package compat

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
)

// regexpFunctions are REGEXP_LIKE, REGEXP_INSTR, REGEXP_SUBSTR and REGEXP_REPLACE.
//
// go-mysql-server: positions are of bytes, $1 in a replacement is the text $1, a bad expression is an error without a number.
// MySQL: positions are of characters, $1 is the first group, errors are 3685 and the following.
func regexpFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	for _, d := range []*definition{
		{name: "regexp_like", least: 2, most: 3, typ: always(types.Int64), eval: regexpLike},
		{name: "regexp_instr", least: 2, most: 6, typ: always(types.Int64), eval: regexpInstr},
		{name: "regexp_substr", least: 2, most: 5, typ: always(types.LongText), eval: regexpSubstr},
		{name: "regexp_replace", least: 3, most: 6, typ: always(types.LongText), eval: regexpReplace},
	} {
		define(all, d)
	}
	return all
}

// Errors of regular expressions.
const (
	errRegexpArgument = 3685
	errRegexpIndex    = 3686
	errRegexpParens   = 3691
	errRegexpBracket  = 3696
	errRegexpTimeOut  = 3699
	errRegexpTooBig   = 3700
)

// Bounds on the work for a regular expression. A match takes time that grows with the size of the expression, once it is
// compiled, times that of the text.
const (
	maxPattern     = 4096        // bytes of an expression
	maxProgram     = 64 << 10    // instructions of a compiled one
	maxRegexpSteps = 100_000_000 // instructions times bytes of the text
)

// matcher is a compiled regular expression. Safe for concurrent use.
type matcher struct {
	*regexp.Regexp
	size int // instructions
	// looksBack tells that it looks at what stands before a match. Behind the start of a text it is then found with behind.
	looksBack bool
	behind    func() (*regexp.Regexp, error)
}

// compilePattern compiles an expression; prefix are its flags.
func compilePattern(prefix, text string) (*matcher, error) {
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
	p := &matcher{size: len(program.Inst)}
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

// after is the first match in text that begins at a place or after it, nil if there is none.
func (p *matcher) after(text string, at int) ([]int, error) {
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

// shifted are places in a text, so much further on.
func shifted(m []int, by int) []int {
	for i := range m {
		if m[i] >= 0 {
			m[i] += by
		}
	}
	return m
}

func errPatternTooBig() error {
	return mysql.NewSQLError(errRegexpTooBig, "HY000", "The regular expression pattern exceeds limits on size or complexity.")
}

// mayMatch is an error if looking for p in text takes too long.
func (p *matcher) mayMatch(text string) error {
	if int64(p.size)*int64(len(text)) > maxRegexpSteps {
		return mysql.NewSQLError(errRegexpTimeOut, "HY000", "Timeout exceeded in regular expression match.")
	}
	return nil
}

// compiled are regular expressions that were used lately, by their texts.
var compiled sync.Map

// maxCompiled is how many of them are kept at the most.
const maxCompiled = 256

// regexpOf is the expression in argument 1, with the flags in argument flags if there are so many.
func (c *call) regexpOf(ctx *sql.Context, args []any, flags int) (*matcher, error) {
	expr, err := c.text(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	switch {
	case expr == "":
		return nil, mysql.NewSQLError(errRegexpArgument, "HY000", "Illegal argument to a regular expression.")
	case len(expr) > maxPattern:
		return nil, errPatternTooBig()
	}
	collation := c.collation(ctx)
	set := map[byte]bool{'i': strings.HasSuffix(collation.Name(), "_ci") && !c.isBytes(ctx, 0) && !c.isBytes(ctx, 1)}
	if flags < len(args) {
		text, err := c.text(ctx, flags, args[flags])
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
				return nil, mysql.NewSQLError(1210, "HY000", "Incorrect arguments to %s", c.name)
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
		return p.(*matcher), nil
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

// regexpError is MySQL's error for an expression that cannot be compiled.
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

// optional is argument i as a number, that is, if there are not so many, otherwise.
func (c *call) optional(ctx *sql.Context, args []any, i int, otherwise int64) (int64, error) {
	if i >= len(args) {
		return otherwise, nil
	}
	return c.integer(ctx, i, args[i])
}

// matches calls do with each match in the first argument from the position in argument at on, until do returns false. It ends
// when the statement is killed.
func (c *call) matches(ctx *sql.Context, args []any, at, flags int, do func(text string, m []int) bool) (text string, p *matcher, err error) {
	if p, err = c.regexpOf(ctx, args, flags); err != nil {
		return "", nil, err
	}
	if text, err = c.text(ctx, 0, args[0]); err != nil {
		return "", nil, err
	}
	if err := p.mayMatch(text); err != nil {
		return "", nil, err
	}
	position, err := c.optional(ctx, args, at, 1)
	if err != nil {
		return "", nil, err
	}
	if position < 1 || position > int64(utf8.RuneCountInString(text))+1 {
		return "", nil, mysql.NewSQLError(errRegexpIndex, "HY000", "Index out of bounds in regular expression search.")
	}
	next, last := offset(text, position-1, false), -1
	for next <= len(text) {
		m, err := p.after(text, next)
		if m == nil || err != nil {
			return text, p, err
		}
		empty := m[0] == m[1]
		if !(empty && m[0] == last) && !do(text, m) { // an empty match right behind another is none
			return text, p, nil
		}
		if next, last = m[1], m[1]; empty {
			_, width := utf8.DecodeRuneInString(text[next:])
			next += max(width, 1)
		}
		if err := ctx.Err(); err != nil {
			return "", nil, err
		}
	}
	return text, p, nil
}

func regexpLike(ctx *sql.Context, c *call, args []any) (any, error) {
	re, err := c.regexpOf(ctx, args, 2)
	if err != nil {
		return nil, err
	}
	text, err := c.text(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	if err := re.mayMatch(text); err != nil {
		return nil, err
	}
	if re.MatchString(text) {
		return int64(1), nil
	}
	return int64(0), nil
}

// occurrence is match n, nil if there is none, and the text.
func (c *call) occurrence(ctx *sql.Context, args []any, n int64, flags int) (found []int, text string, err error) {
	n = max(n, 1)
	text, _, err = c.matches(ctx, args, 2, flags, func(_ string, m []int) bool {
		if n--; n == 0 {
			found = m
		}
		return n > 0
	})
	return found, text, err
}

func regexpInstr(ctx *sql.Context, c *call, args []any) (any, error) {
	n, err := c.optional(ctx, args, 3, 1)
	if err != nil {
		return nil, err
	}
	end, err := c.optional(ctx, args, 4, 0)
	if err != nil {
		return nil, err
	}
	m, text, err := c.occurrence(ctx, args, n, 5)
	switch {
	case err != nil:
		return nil, err
	case end != 0 && end != 1:
		return nil, mysql.NewSQLError(1210, "HY000", "Incorrect arguments to regexp_instr: return_option must be 1 or 0.")
	case m == nil:
		return int64(0), nil
	}
	return int64(utf8.RuneCountInString(text[:m[end]])) + 1, nil
}

func regexpSubstr(ctx *sql.Context, c *call, args []any) (any, error) {
	n, err := c.optional(ctx, args, 3, 1)
	if err != nil {
		return nil, err
	}
	m, text, err := c.occurrence(ctx, args, n, 4)
	if m == nil || err != nil {
		return nil, err
	}
	return text[m[0]:m[1]], nil
}

func regexpReplace(ctx *sql.Context, c *call, args []any) (any, error) {
	with, err := c.text(ctx, 2, args[2])
	if err != nil {
		return nil, err
	}
	only, err := c.optional(ctx, args, 4, 0)
	if err != nil {
		return nil, err
	}
	re, err := c.regexpOf(ctx, args, 5)
	if err != nil {
		return nil, err
	}
	most := maxAllowedPacket(ctx)
	var b strings.Builder
	at, i, fits := 0, int64(0), true
	var bad error
	text, _, err := c.matches(ctx, args, 3, 5, func(text string, m []int) bool {
		if i++; only > 0 && i < only {
			return true
		}
		var replacement []piece
		if replacement, bad = expand(with, text, m, re.NumSubexp()); bad != nil {
			return false
		}
		size := int64(b.Len() + m[0] - at)
		for _, p := range replacement {
			size += int64(len(p))
		}
		if fits = size <= most; !fits {
			return false
		}
		b.WriteString(text[at:m[0]])
		for _, p := range replacement {
			b.WriteString(string(p))
		}
		at = m[1]
		return only <= 0
	})
	switch {
	case err != nil:
		return nil, err
	case bad != nil:
		return nil, bad
	case !fits || int64(b.Len()+len(text)-at) > most:
		return tooLongText(ctx, c.name)
	}
	b.WriteString(text[at:])
	return b.String(), nil
}

// piece is a part of a replacement.
type piece string

// expand is a replacement with the groups of a match in it, in pieces.
func expand(with, text string, m []int, groups int) (pieces []piece, err error) {
	start := 0
	for i := 0; i < len(with); i++ {
		switch {
		case with[i] == '\\' && i+1 < len(with):
			pieces = append(pieces, piece(with[start:i]))
			i++
			start = i
		case with[i] == '$':
			pieces = append(pieces, piece(with[start:i]))
			group, digits := 0, 0
			for i+1 < len(with) && isDigit(with[i+1]) && group*10+int(with[i+1]-'0') <= groups {
				group = group*10 + int(with[i+1]-'0')
				digits++
				i++
			}
			if digits == 0 {
				return nil, mysql.NewSQLError(errRegexpIndex, "HY000", "Index out of bounds in regular expression search.")
			}
			if m[2*group] >= 0 {
				pieces = append(pieces, piece(text[m[2*group]:m[2*group+1]]))
			}
			start = i + 1
		}
	}
	return append(pieces, piece(with[start:])), nil
}

// regexpCall is the call of ours in the place of REGEXP and RLIKE, nil if e is something else.
func regexpCall(e ast.Expr) ast.Expr {
	c, ok := e.(*ast.ComparisonExpr)
	if !ok || c.Operator != ast.RegexpStr && c.Operator != ast.NotRegexpStr {
		return nil
	}
	call := &ast.FuncExpr{Name: ast.NewColIdent("regexp_like"), Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: c.Left}, &ast.AliasedExpr{Expr: c.Right}}}
	selected(call.Exprs, memberName)
	if c.Operator == ast.NotRegexpStr {
		return &ast.NotExpr{Expr: call}
	}
	return call
}
