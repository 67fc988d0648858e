package mysqlfuncs

import (
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/builtins"
	"pfsd/engine/collations"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// regexpFunctions returns REGEXP_INSTR, REGEXP_SUBSTR and REGEXP_REPLACE.
//
// go-mysql-server: counts positions in bytes, does not replace $1 in a replacement, and has no
// number for the error of a bad expression. MySQL: counts characters, replaces $1 by the first
// group, and has errors 3685 and the following.
func regexpFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	for _, d := range []*sqlexpr.Definition{
		{Name: "regexp_instr", Least: 2, Most: 6, TypeOf: sqlexpr.AlwaysType(types.Int64), Value: regexpInstr},
		{Name: "regexp_substr", Least: 2, Most: 5, TypeOf: sqlexpr.AlwaysType(types.LongText), Collated: collations.From(0), Value: regexpSubstr},
		{Name: "regexp_replace", Least: 3, Most: 6, TypeOf: sqlexpr.AlwaysType(types.LongText), Collated: collations.From(0), Value: regexpReplace},
	} {
		sqlexpr.DefineAll(all, d)
	}
	return all
}

// optional returns argument i as a number. If there is no such argument, it returns otherwise.
func optional(ctx *sql.Context, c *sqlexpr.Call, args []any, i int, otherwise int64) (int64, error) {
	if i >= len(args) {
		return otherwise, nil
	}
	return c.Integer(ctx, i, args[i])
}

// matches calls do for each match in the first argument, from the position in argument at on, until
// do returns false. It ends when the statement is killed.
func matches(ctx *sql.Context, c *sqlexpr.Call, args []any, at, flags int, do func(text string, m []int) bool) (text string, p *builtins.Matcher, err error) {
	if p, err = builtins.RegexpOf(ctx, c, args, flags); err != nil {
		return "", nil, err
	}
	if text, err = c.Text(ctx, 0, args[0]); err != nil {
		return "", nil, err
	}
	if err := p.MayMatch(text); err != nil {
		return "", nil, err
	}
	position, err := optional(ctx, c, args, at, 1)
	if err != nil {
		return "", nil, err
	}
	if position < 1 || position > int64(utf8.RuneCountInString(text))+1 {
		return "", nil, mysql.NewSQLError(builtins.ErrRegexpIndex, "HY000", "Index out of bounds in regular expression search.")
	}
	next, last := sqlexpr.Offset(text, position-1, false), -1
	for next <= len(text) {
		m, err := p.After(text, next)
		if m == nil || err != nil {
			return text, p, err
		}
		empty := m[0] == m[1]
		if !(empty && m[0] == last) && !do(text, m) { // an empty match right after another match does not count
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

// occurrence returns match n, nil if there is none, and the text.
func occurrence(ctx *sql.Context, c *sqlexpr.Call, args []any, n int64, flags int) (found []int, text string, err error) {
	n = max(n, 1)
	text, _, err = matches(ctx, c, args, 2, flags, func(_ string, m []int) bool {
		if n--; n == 0 {
			found = m
		}
		return n > 0
	})
	return found, text, err
}

func regexpInstr(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	n, err := optional(ctx, c, args, 3, 1)
	if err != nil {
		return nil, err
	}
	end, err := optional(ctx, c, args, 4, 0)
	if err != nil {
		return nil, err
	}
	m, text, err := occurrence(ctx, c, args, n, 5)
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

func regexpSubstr(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	n, err := optional(ctx, c, args, 3, 1)
	if err != nil {
		return nil, err
	}
	m, text, err := occurrence(ctx, c, args, n, 4)
	if m == nil || err != nil {
		return nil, err
	}
	return text[m[0]:m[1]], nil
}

func regexpReplace(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	with, err := c.Text(ctx, 2, args[2])
	if err != nil {
		return nil, err
	}
	only, err := optional(ctx, c, args, 4, 0)
	if err != nil {
		return nil, err
	}
	re, err := builtins.RegexpOf(ctx, c, args, 5)
	if err != nil {
		return nil, err
	}
	most := sqlvalue.MaxAllowedPacket(ctx)
	var b strings.Builder
	at, i, fits := 0, int64(0), true
	var bad error
	text, _, err := matches(ctx, c, args, 3, 5, func(text string, m []int) bool {
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
		return sqlvalue.TooLongText(ctx, c.Name)
	}
	b.WriteString(text[at:])
	return b.String(), nil
}

// piece is a part of an expanded replacement.
type piece string

// expand returns a replacement, in pieces, with the groups of a match.
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
			for i+1 < len(with) && sqlvalue.IsDigit(with[i+1]) && group*10+int(with[i+1]-'0') <= groups {
				group = group*10 + int(with[i+1]-'0')
				digits++
				i++
			}
			if digits == 0 {
				return nil, mysql.NewSQLError(builtins.ErrRegexpIndex, "HY000", "Index out of bounds in regular expression search.")
			}
			if m[2*group] >= 0 {
				pieces = append(pieces, piece(text[m[2*group]:m[2*group+1]]))
			}
			start = i + 1
		}
	}
	return append(pieces, piece(with[start:])), nil
}
