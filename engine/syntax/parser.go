package syntax

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/bounds"
	"pfsd/engine/budget"
	"pfsd/engine/charge"
)

// Parser is vitess's parser with the rewriting of this package. Safe for concurrent use.
type Parser struct{}

var _ sql.Parser = Parser{}

// Default is a Parser.
var Default Parser

// ParseSimple implements sql.Parser.
func (Parser) ParseSimple(query string) (ast.Statement, error) {
	s, _, err := parse(context.Background(), query, false, ast.ParserOptions{})
	return s, err
}

// Parse implements sql.Parser.
func (p Parser) Parse(ctx *sql.Context, query string, multi bool) (ast.Statement, string, string, error) {
	return p.ParseWithOptions(ctx, query, ';', multi, Options(ctx))
}

// Options returns the parser's options for the session's SQL mode.
func Options(ctx *sql.Context) ast.ParserOptions {
	v, err := ctx.GetSessionVariable(ctx, "sql_mode")
	mode, ok := v.(string)
	if err != nil || !ok {
		return ast.ParserOptions{}
	}
	o := lastOptions.Load()
	if o == nil || o.mode != mode {
		o = &modeOptions{mode, sql.NewSqlModeFromString(mode).ParserOptions()}
		lastOptions.Store(o)
	}
	return o.options
}

// modeOptions has the parser's options for an SQL mode. Nobody changes it after it is made.
type modeOptions struct {
	mode    string
	options ast.ParserOptions
}

// lastOptions caches the options of the last SQL mode, because most sessions have the same mode.
var lastOptions atomic.Pointer[modeOptions]

// ParseWithOptions implements sql.Parser.
func (Parser) ParseWithOptions(ctx context.Context, query string, delimiter rune, multi bool, o ast.ParserOptions) (s ast.Statement, parsed, rest string, err error) {
	parsed = sql.RemoveSpaceAndDelimiter(query, delimiter)
	s, n, err := parse(ctx, parsed, multi, o)
	if multi && n > 0 && n < len(parsed) {
		parsed, rest = sql.RemoveSpaceAndDelimiter(parsed[:n], delimiter), parsed[n:]
	}
	return s, parsed, rest, err
}

// ParseOneWithOptions implements sql.Parser.
func (Parser) ParseOneWithOptions(ctx context.Context, query string, o ast.ParserOptions) (ast.Statement, int, error) {
	return parse(ctx, query, true, o)
}

// rules are the rules. rewrite applies them, in this order, to a text that vitess cannot parse as
// it is.
var rules = []func(*rewriting){
	literals, windows, joins, odbc, intervals, rows, substrings, predicates, hints, shows, views, definitions,
	assign, rollup, quantified, spellings, letters, escapes, times,
}

// parse parses text. If first is set, it parses only the first statement, and n is where the next
// one begins.
func parse(ctx context.Context, text string, first bool, o ast.ParserOptions) (s ast.Statement, n int, err error) {
	if r := apart(text, first, Mode{AnsiQuotes: o.AnsiQuotes}); r != nil {
		return parseApart(r, func(text string) (ast.Statement, int, error) { return parseText(ctx, text, first, o) })
	}
	return parseText(ctx, text, first, o)
}

// parseText parses a text in which nothing looks like a comment that is none.
func parseText(ctx context.Context, text string, first bool, o ast.ParserOptions) (s ast.Statement, n int, err error) {
	t, r, err := rewrite(ctx, text, first, o)
	if r == nil || err != nil {
		return t.statement, t.end, err
	}
	r.restore(t.statement)
	return t.statement, r.originalEnd(t.end), nil
}

// parsed is a statement, and the position where it ends.
type parsed struct {
	statement ast.Statement
	end       int
}

// rewrite parses text, after it has rewritten it if that is necessary. Then it also returns the
// rewriting. The positions in the statement are those in the rewriting's new text.
func rewrite(ctx context.Context, text string, first bool, o ast.ParserOptions) (parsed, *rewriting, error) {
	s, err := parsePlain(ctx, text, first, o)
	if Refused(err) {
		return parsed{}, nil, err
	}
	fits := err == nil || errors.Is(err, ast.ErrEmpty)
	if fits && !misread(text) {
		trimHeadings(s.statement, text)
		return s, nil, err
	}
	r := newRewriting(text, Mode{AnsiQuotes: o.AnsiQuotes})
	for _, rule := range rules {
		if rule(r); r.tooLong {
			return parsed{}, nil, bounds.ErrTooLong()
		}
	}
	if fits && len(r.edits) == 0 {
		trimHeadings(s.statement, text)
		return s, nil, err
	}
	asIs := s
	if len(r.edits) > 0 {
		s, err = parsePlain(ctx, r.result(), first, o)
	}
	if Refused(err) {
		return parsed{}, nil, err
	}
	if err != nil && fits {
		trimHeadings(asIs.statement, text)
		return asIs, nil, nil
	}
	if err != nil {
		s, err = words(ctx, r, err, first, o)
	}
	if err != nil {
		return parsed{}, nil, r.error(ctx, err, o)
	}
	if r.hasComparisons {
		compare(s.statement)
	}
	if r.hasShares {
		restoreShares(s.statement)
	}
	return s, r, nil
}

// misread reports whether text may have something that vitess parses, but with another meaning: a
// string behind the letter N or behind the type of a date or time, bit literals, a wildcard behind
// a backslash, the clause WINDOW, or tables in parentheses. It sometimes reports true for a text
// that has none.
func misread(text string) bool {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\'', '"':
			if text[i] == '\'' && text[i-1]|0x20 == 'n' && (i == 1 || !IsWordByte(text[i-2])) || endsTyped(text[:i]) {
				return true
			}
		case '%', '_':
			if text[i-1] == '\\' {
				return true
			}
		case 'b':
			if text[i-1] == '0' && (i == 1 || !IsWordByte(text[i-2])) {
				return true
			}
		case '(':
			before := strings.TrimRight(text[:i], blanks)
			if n := len(before); n > 4 && (strings.EqualFold(before[n-4:], "FROM") || strings.EqualFold(before[n-4:], "JOIN")) {
				if after := strings.TrimLeft(text[i+1:], blanks); len(after) < 6 || !strings.EqualFold(after[:6], "SELECT") {
					return true
				}
			}
		case 'w', 'W':
			if len(text) >= i+6 && strings.EqualFold(text[i:i+6], "WINDOW") {
				return true
			}
		}
	}
	return false
}

// parsePlain calls vitess's parser. It is the only function here that does, and refuses a text that
// exceeds the limits of package bounds.
func parsePlain(ctx context.Context, text string, first bool, o ast.ParserOptions) (p parsed, err error) {
	if err := ctx.Err(); err != nil {
		return p, err
	}
	w := bounds.Measure(text, o.AnsiQuotes)
	if err := w.Check(); err != nil {
		return p, err
	}
	if !first && w.End < len(text) { // the parser reads the next token, and adjacent texts are one
		rest := bounds.Measure(text[w.End:], o.AnsiQuotes)
		if err := rest.Check(); err != nil {
			return p, err
		}
	}
	if err := charge.Tree(ctx, w.Bytes); err != nil {
		return p, err
	}
	if first {
		p.statement, p.end, err = ast.ParseOneWithOptions(ctx, text[:w.End], o)
	} else {
		p.statement, err = ast.ParseWithOptions(ctx, text, o)
		p.end = len(text)
	}
	if err == nil {
		err = w.Tree(p.statement)
	}
	return p, err
}

// Refused reports whether err says that a text was not parsed because it exceeds a limit, or
// because its statement was cancelled. Then it is of no use to rewrite the text.
func Refused(err error) bool {
	var refused *mysql.SQLError
	var limit *budget.LimitError
	return errors.As(err, &refused) || errors.As(err, &limit) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Error is a syntax error. Safe for concurrent use.
type Error struct {
	Near string // the original text from the error on, 80 characters of it at the most
	Line int    // counted from 1
	at   int    // offset of the error in the text
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("syntax error at near '%s' at line %d", e.Near, e.Line)
}

// nearLength is how many characters of a text an error quotes at the most.
const nearLength = 80

// newError returns the error for a text with a syntax error at the offset at.
func newError(text string, at int) *Error {
	near := text[at:]
	for i, n := 0, 0; i < len(near); n++ {
		if n == nearLength {
			near = near[:i]
			break
		}
		for i++; i < len(near) && near[i]&0xC0 == 0x80; i++ {
		}
	}
	return &Error{Near: near, Line: 1 + strings.Count(text[:at], "\n"), at: at}
}

// error returns err, which vitess reports for the new text, as an error about the original text.
func (r *rewriting) error(ctx context.Context, err error, o ast.ParserOptions) error {
	i := r.failedToken(ctx, err, o)
	if i < 0 || !strings.Contains(err.Error(), "syntax error at ") {
		return err
	}
	return newError(r.text, r.tokens[i].start)
}

var position = regexp.MustCompile(` at position (\d+)`)

// failedToken returns the token of the original text at which vitess reports err for the new text.
// It returns a negative number if err has no position.
func (r *rewriting) failedToken(ctx context.Context, err error, o ast.ParserOptions) int {
	result := r.result()
	read := func(err error) int { // how many characters vitess has read: up to the character behind the token
		if err == nil {
			return 0
		}
		m := position.FindStringSubmatch(err.Error())
		if m == nil {
			return 0
		}
		n, _ := strconv.Atoi(m[1])
		return n
	}
	n := read(err)
	if n == 0 {
		return -1
	}
	if n > len(result) { // the error is at the last token, or at the end of the text
		if _, err := parsePlain(ctx, result+"  ", true, o); read(err) > n {
			return len(r.tokens) - 1
		}
	}
	return r.tokenAt(r.original(max(min(n, len(result)+1)-2, 0)))
}

// restore changes the positions and names in s, which are those of the new text, to those of the
// original text.
func (r *rewriting) restore(s ast.Statement) {
	if d, ok := s.(*ast.DDL); ok && d.SubStatementPositionEnd > d.SubStatementPositionStart {
		d.SubStatementPositionStart, d.SubStatementPositionEnd = r.original(d.SubStatementPositionStart), r.original(d.SubStatementPositionEnd)
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if e, ok := n.(*ast.AliasedExpr); ok && e.EndParsePos > e.StartParsePos {
			e.StartParsePos, e.EndParsePos = r.original(e.StartParsePos), r.original(e.EndParsePos)
			if e.InputExpression != "" {
				e.InputExpression = Heading(r.text[e.StartParsePos:e.EndParsePos], r.mode)
			}
		}
		return true, nil
	}, s)
	r.rename(s)
}

const blanks = " \n\t\r"

// trimHeadings removes the comma from column headings that begin with a comma.
//
//	SELECT 1 , 2 + 3  has the columns "1" and "2 + 3"
//
// go-mysql-server: the second is ", 2 + 3". MySQL: a heading is the text between commas.
func trimHeadings(s ast.Statement, text string) {
	at := 0
	for {
		i := strings.IndexByte(text[at:], ',')
		if i < 0 {
			return
		}
		if at += i + 1; at > 1 && strings.IndexByte(blanks, text[at-2]) >= 0 {
			break
		}
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if e, ok := n.(*ast.AliasedExpr); ok && strings.HasPrefix(e.InputExpression, ",") {
			e.InputExpression = Heading(e.InputExpression, Mode{})
		}
		return true, nil
	}, s)
}

// Heading returns the heading of a column. expression is the text of its expression, which can have
// a comma before it. If the expression is a single string, the heading is its contents.
func Heading(expression string, m Mode) string {
	expression = strings.TrimLeft(strings.TrimRight(expression, blanks), ","+blanks)
	if n := len(expression); n > 1 && strings.IndexByte("'\"`", expression[0]) >= 0 &&
		quotedLength(expression, expression[0] == '`' || m.NoBackslashEscapes) == n {
		return expression[1 : n-1]
	}
	return expression
}
