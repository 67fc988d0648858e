package compat

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// characterFunctions are functions of texts.
//
// go-mysql-server: INSERT, LOCATE, INSTR, LPAD and RPAD count bytes and cut characters; a negative REPEAT and what is no base64
// are errors; QUOTE of NULL is NULL; what FORMAT makes has its own digits beyond 2^63 and other locales; texts grow until the
// memory is full. MySQL: characters; what is longer than max_allowed_packet is NULL.
func characterFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	define(all,
		&definition{name: "insert", least: 4, most: 4, typ: always(types.LongText), eval: insertText},
		&definition{name: "lpad", least: 3, most: 3, typ: always(types.LongText), eval: pad(true)},
		&definition{name: "rpad", least: 3, most: 3, typ: always(types.LongText), eval: pad(false)},
		&definition{name: "repeat", least: 2, most: 2, typ: always(types.LongText), eval: repeat},
		&definition{name: "space", least: 1, most: 1, typ: always(types.LongText), eval: func(ctx *sql.Context, c *call, args []any) (any, error) {
			n, err := c.integer(ctx, 0, args[0])
			if err != nil {
				return nil, err
			}
			return repeated(ctx, "space", " ", n)
		}},
		&definition{name: "locate", least: 2, most: 3, typ: always(types.Int64), eval: locate(0, 1)},
		&definition{name: "position", least: 2, most: 2, typ: always(types.Int64), eval: locate(0, 1)},
		&definition{name: "instr", least: 2, most: 2, typ: always(types.Int64), eval: locate(1, 0)},
		&definition{name: "quote", least: 1, most: 1, nulls: true, typ: always(types.LongText), eval: quote},
		&definition{name: "from_base64", least: 1, most: 1, typ: always(types.LongBlob), eval: fromBase64},
		&definition{name: "substring_index", least: 3, most: 3, typ: always(types.LongText), eval: substringIndex},
		&definition{name: "format", least: 2, most: 3, nulls: true, typ: always(varchar(100)), eval: format},
	)
	return all
}

// texts are the first n arguments as texts.
func (c *call) texts(ctx *sql.Context, args []any, n int) ([]string, error) {
	texts := make([]string, n)
	for i := range texts {
		var err error
		if texts[i], err = c.text(ctx, i, args[i]); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// isBytes tells whether argument i is counted by bytes.
func (c *call) isBytes(ctx *sql.Context, i int) bool { return types.IsBinaryType(c.argument(ctx, i)) }

// insertText is INSERT.
func insertText(ctx *sql.Context, c *call, args []any) (any, error) {
	text, err := c.text(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	with, err := c.text(ctx, 3, args[3])
	if err != nil {
		return nil, err
	}
	at, err := c.integer(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	length, err := c.integer(ctx, 2, args[2])
	if err != nil {
		return nil, err
	}
	start := offset(text, at-1, c.isBytes(ctx, 0))
	if at < 1 || start >= len(text) {
		return text, nil
	}
	end := len(text)
	if length >= 0 {
		end = start + offset(text[start:], length, c.isBytes(ctx, 0))
	}
	if !fitsPacket(ctx, int64(start)+int64(len(with))+int64(len(text)-end)) {
		return tooLongText(ctx, c.name)
	}
	return text[:start] + with + text[end:], nil
}

// offset is where character n of a text begins, its length if it has no more.
func offset(text string, n int64, bytes bool) int {
	if n <= 0 {
		return 0
	}
	if bytes {
		return int(min(n, int64(len(text))))
	}
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

func repeated(ctx *sql.Context, name, text string, n int64) (any, error) {
	switch {
	case n <= 0 || text == "":
		return "", nil
	case n > leastPacket/int64(len(text)) && n > maxAllowedPacket(ctx)/int64(len(text)):
		return tooLongText(ctx, name)
	}
	return strings.Repeat(text, int(n)), nil
}

func repeat(ctx *sql.Context, c *call, args []any) (any, error) {
	text, err := c.text(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	n, err := c.integer(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	return repeated(ctx, "repeat", text, n)
}

// pad is LPAD if left is set, else RPAD.
func pad(left bool) func(*sql.Context, *call, []any) (any, error) {
	return func(ctx *sql.Context, c *call, args []any) (any, error) {
		text, err := c.text(ctx, 0, args[0])
		if err != nil {
			return nil, err
		}
		with, err := c.text(ctx, 2, args[2])
		if err != nil {
			return nil, err
		}
		n, err := c.integer(ctx, 1, args[1])
		if err != nil || n < 0 {
			return nil, err
		}
		bytes := c.isBytes(ctx, 0) || c.isBytes(ctx, 2)
		count := func(s string) int64 {
			if bytes {
				return int64(len(s))
			}
			return int64(utf8.RuneCountInString(s))
		}
		missing := n - count(text)
		switch {
		case missing <= 0:
			return text[:offset(text, n, bytes)], nil
		case with == "":
			return "", nil
		}
		widest := int64(utf8.UTFMax)
		if bytes {
			widest = 1
		}
		if n > leastPacket/widest && n > maxAllowedPacket(ctx)/widest {
			return tooLongText(ctx, c.name)
		}
		times, rest := int(missing/count(with)), with[:offset(with, missing%count(with), bytes)]
		var padded strings.Builder
		padded.Grow(len(text) + times*len(with) + len(rest))
		if !left {
			padded.WriteString(text)
		}
		for range times {
			padded.WriteString(with)
		}
		padded.WriteString(rest)
		if left {
			padded.WriteString(text)
		}
		return padded.String(), nil
	}
}

// locate is the function that finds argument what in argument in.
func locate(what, in int) func(*sql.Context, *call, []any) (any, error) {
	return func(ctx *sql.Context, c *call, args []any) (any, error) {
		texts, err := c.texts(ctx, args, 2)
		if err != nil {
			return nil, err
		}
		from := int64(1)
		if len(args) > 2 {
			if from, err = c.integer(ctx, 2, args[2]); err != nil {
				return nil, err
			}
		}
		if from < 1 {
			return int64(0), nil
		}
		if c.isBytes(ctx, 0) || c.isBytes(ctx, 1) {
			if from > int64(len(texts[in]))+1 {
				return int64(0), nil
			}
			if at := strings.Index(texts[in][from-1:], texts[what]); at >= 0 {
				return from + int64(at), nil
			}
			return int64(0), nil
		}
		weight := c.collation(ctx).Sorter()
		weights := func(s string) (all []int32) {
			for _, r := range s {
				all = append(all, weight(r))
			}
			return all
		}
		needle, text := weights(texts[what]), weights(texts[in])
		for at := from - 1; at >= 0 && at <= int64(len(text)-len(needle)); at++ {
			if slices.Equal(text[at:at+int64(len(needle))], needle) {
				return at + 1, nil
			}
		}
		return int64(0), nil
	}
}

// collation is the collation that the first two arguments are compared by.
func (c *call) collation(ctx *sql.Context) sql.CollationID {
	a, strong := coercibilityOf(ctx, c.args[0])
	b, other := coercibilityOf(ctx, c.args[1])
	collation, _ := sql.ResolveCoercibility(a, strong, b, other)
	if collation == sql.Collation_Unspecified || collation == sql.Collation_Default || collation == sql.Collation_binary {
		return connectionCollation(ctx)
	}
	return collation
}

func quote(ctx *sql.Context, c *call, args []any) (any, error) {
	if args[0] == nil {
		return "NULL", nil
	}
	text, err := c.text(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\x00", `\0`, "\x1a", `\Z`).Replace(text) + "'", nil
}

func fromBase64(ctx *sql.Context, c *call, args []any) (any, error) {
	text, err := c.text(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	plain, err := base64.StdEncoding.DecodeString(strings.Map(func(r rune) rune {
		if r < 0x80 && isSpace(byte(r)) {
			return -1
		}
		return r
	}, text))
	if err != nil {
		return nil, nil // NULL is what there is of it
	}
	return plain, nil
}

func substringIndex(ctx *sql.Context, c *call, args []any) (any, error) {
	texts, err := c.texts(ctx, args, 2)
	if err != nil {
		return nil, err
	}
	n, err := c.integer(ctx, 2, args[2])
	if err != nil || n == 0 || texts[1] == "" {
		return "", err
	}
	text, mark := texts[0], texts[1]
	if n > 0 {
		for at := 0; ; n-- {
			i := strings.Index(text[at:], mark)
			if i < 0 {
				return text, nil
			}
			if n == 1 {
				return text[:at+i], nil
			}
			at += i + len(mark)
		}
	}
	for end := len(text); ; n++ {
		i := strings.LastIndex(text[:end], mark)
		if i < 0 {
			return text, nil
		}
		if n == -1 {
			return text[i+len(mark):], nil
		}
		end = i
	}
}

// numberStyle is how a locale writes numbers: the marks before the fraction and between groups of digits, and how many
// digits the groups have behind the first, 0 if there are none.
type numberStyle struct {
	point, comma string
	group        int
}

// numberStyles are those of the locales that are not as en_US.
var numberStyles = func() map[string]numberStyle {
	all := map[string]numberStyle{"de_ch": {".", "'", 3}}
	for _, s := range []struct {
		style   numberStyle
		locales string
	}{
		{numberStyle{",", ".", 3}, "be_BY da_DK de_BE de_DE de_LU es_AR es_BO es_CL es_CO es_EC es_ES es_PY es_UY es_VE fo_FO hu_HU id_ID is_IS lt_LT mn_MN nb_NO no_NO ro_RO ru_UA sq_AL tr_TR uk_UA vi_VN"},
		{numberStyle{",", " ", 3}, "cs_CZ es_CR et_EE fi_FI lv_LV mk_MK ru_RU sk_SK sv_FI sv_SE"},
		{numberStyle{",", "'", 3}, "it_CH rm_CH"},
		{numberStyle{".", ",", 2}, "en_IN ta_IN te_IN"},
		{numberStyle{".", "", 0}, "ar_SA sr_RS"},
		{numberStyle{",", "", 0}, "bg_BG ca_ES de_AT el_GR eu_ES fr_BE fr_CA fr_CH fr_FR fr_LU gl_ES hr_HR it_IT nl_BE nl_NL pl_PL pt_BR pt_PT sl_SI"},
	} {
		for locale := range strings.FieldsSeq(s.locales) {
			all[strings.ToLower(locale)] = s.style
		}
	}
	return all
}()

func format(ctx *sql.Context, c *call, args []any) (any, error) {
	const most = 30 // digits behind the point
	if args[0] == nil || args[1] == nil {
		return nil, nil
	}
	n, err := c.number(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	places, err := c.integer(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	style := numberStyle{".", ",", 3}
	if len(args) > 2 && args[2] != nil {
		locale, err := c.text(ctx, 2, args[2])
		if err != nil {
			return nil, err
		}
		if own, ok := numberStyles[strings.ToLower(locale)]; ok {
			style = own
		}
	}
	return style.write(n.exactly(), int32(min(max(places, 0), most))), nil
}

// write is a number with so many digits behind the point.
func (s numberStyle) write(d decimal.Decimal, places int32) string {
	whole, fraction, point := strings.Cut(d.StringFixed(places), ".")
	whole, negative := strings.CutPrefix(whole, "-")
	var b strings.Builder
	if negative {
		b.WriteByte('-')
	}
	for i, c := range whole {
		if left := len(whole) - i; i > 0 && s.group > 0 && left >= 3 && (left-3)%s.group == 0 {
			b.WriteString(s.comma)
		}
		b.WriteRune(c)
	}
	if point {
		b.WriteString(s.point + fraction)
	}
	return b.String()
}
