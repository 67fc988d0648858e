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
)

// compiled are regular expressions that were used lately, by their texts.
var compiled sync.Map

// maxCompiled is how many of them are kept at the most.
const maxCompiled = 256

// regexpOf is the expression in argument 1, with the flags in argument flags if there are so many.
func (c *call) regexpOf(ctx *sql.Context, args []any, flags int) (*regexp.Regexp, error) {
	pattern, err := c.text(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	if pattern == "" {
		return nil, mysql.NewSQLError(errRegexpArgument, "HY000", "Illegal argument to a regular expression.")
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
	if re, ok := compiled.Load(prefix + pattern); ok {
		return re.(*regexp.Regexp), nil
	}
	re, err := regexp.Compile(prefix + pattern)
	if err != nil {
		return nil, regexpError(err)
	}
	kept := 0
	compiled.Range(func(any, any) bool {
		kept++
		return kept < maxCompiled
	})
	if kept >= maxCompiled {
		compiled.Clear()
	}
	compiled.Store(prefix+pattern, re)
	return re, nil
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

// matches are the matches in the first argument from the position in argument at on, and the text.
func (c *call) matches(ctx *sql.Context, args []any, at, flags int) (text string, found [][]int, re *regexp.Regexp, err error) {
	if re, err = c.regexpOf(ctx, args, flags); err != nil {
		return "", nil, nil, err
	}
	if text, err = c.text(ctx, 0, args[0]); err != nil {
		return "", nil, nil, err
	}
	position, err := c.optional(ctx, args, at, 1)
	if err != nil {
		return "", nil, nil, err
	}
	if position < 1 || position > int64(utf8.RuneCountInString(text))+1 {
		return "", nil, nil, mysql.NewSQLError(errRegexpIndex, "HY000", "Index out of bounds in regular expression search.")
	}
	start := offset(text, position-1, false)
	for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
		if m[0] >= start {
			found = append(found, m)
		} else if m[1] > start {
			// A match that begins before: what is left is looked at by itself.
			found = nil
			for _, m := range re.FindAllStringSubmatchIndex(text[start:], -1) {
				for i := range m {
					if m[i] >= 0 {
						m[i] += start
					}
				}
				found = append(found, m)
			}
			return text, found, re, nil
		}
	}
	return text, found, re, nil
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
	if re.MatchString(text) {
		return int64(1), nil
	}
	return int64(0), nil
}

// occurrence is match n of those found, nil if there is none.
func occurrence(found [][]int, n int64) []int {
	if n = max(n, 1); n > int64(len(found)) {
		return nil
	}
	return found[n-1]
}

func regexpInstr(ctx *sql.Context, c *call, args []any) (any, error) {
	text, found, _, err := c.matches(ctx, args, 2, 5)
	if err != nil {
		return nil, err
	}
	n, err := c.optional(ctx, args, 3, 1)
	if err != nil {
		return nil, err
	}
	end, err := c.optional(ctx, args, 4, 0)
	if err != nil {
		return nil, err
	}
	if end != 0 && end != 1 {
		return nil, mysql.NewSQLError(1210, "HY000", "Incorrect arguments to regexp_instr: return_option must be 1 or 0.")
	}
	m := occurrence(found, n)
	if m == nil {
		return int64(0), nil
	}
	return int64(utf8.RuneCountInString(text[:m[end]])) + 1, nil
}

func regexpSubstr(ctx *sql.Context, c *call, args []any) (any, error) {
	text, found, _, err := c.matches(ctx, args, 2, 4)
	if err != nil {
		return nil, err
	}
	n, err := c.optional(ctx, args, 3, 1)
	if err != nil {
		return nil, err
	}
	if m := occurrence(found, n); m != nil {
		return text[m[0]:m[1]], nil
	}
	return nil, nil
}

func regexpReplace(ctx *sql.Context, c *call, args []any) (any, error) {
	text, found, re, err := c.matches(ctx, args, 3, 5)
	if err != nil {
		return nil, err
	}
	with, err := c.text(ctx, 2, args[2])
	if err != nil {
		return nil, err
	}
	n, err := c.optional(ctx, args, 4, 0)
	if err != nil {
		return nil, err
	}
	if n > 0 {
		m := occurrence(found, n)
		if found = nil; m != nil {
			found = [][]int{m}
		}
	}
	var b strings.Builder
	at := 0
	for _, m := range found {
		b.WriteString(text[at:m[0]])
		if err := expand(&b, with, text, m, re.NumSubexp()); err != nil {
			return nil, err
		}
		at = m[1]
	}
	b.WriteString(text[at:])
	return b.String(), nil
}

// expand writes a replacement with the groups of a match in it.
func expand(b *strings.Builder, with, text string, m []int, groups int) error {
	for i := 0; i < len(with); i++ {
		switch {
		case with[i] == '\\' && i+1 < len(with):
			i++
			b.WriteByte(with[i])
		case with[i] == '$':
			group, digits := 0, 0
			for i+1 < len(with) && isDigit(with[i+1]) && group*10+int(with[i+1]-'0') <= groups {
				group = group*10 + int(with[i+1]-'0')
				digits++
				i++
			}
			if digits == 0 {
				return mysql.NewSQLError(errRegexpIndex, "HY000", "Index out of bounds in regular expression search.")
			}
			if m[2*group] >= 0 {
				b.WriteString(text[m[2*group]:m[2*group+1]])
			}
		default:
			b.WriteByte(with[i])
		}
	}
	return nil
}
