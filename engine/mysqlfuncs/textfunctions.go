package mysqlfuncs

import (
	"encoding/base64"
	"hash/crc32"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"pfsd/engine/builtins"
	"pfsd/engine/collations"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// characterFunctions returns the functions of texts.
//
// go-mysql-server: INSERT, LOCATE, INSTR and LPAD count bytes and cut characters; LOCATE, INSTR and FIND_IN_SET take
// time that grows with the product of the lengths; ASCII is unsigned, CRC32 an INT; text that is not base64 is an error; FORMAT has other digits beyond 2^63 and other locales; texts have any length.
// MySQL: counts characters; a text longer than max_allowed_packet is NULL.
func characterFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	sqlexpr.DefineAll(all,
		&sqlexpr.Definition{Name: "ascii", Least: 1, Most: 1, TypeOf: sqlexpr.AlwaysType(types.Int64), Value: firstByte},
		&sqlexpr.Definition{Name: "crc32", Least: 1, Most: 1, TypeOf: sqlexpr.AlwaysType(types.Uint64), Value: checksum},
		&sqlexpr.Definition{Name: "insert", Least: 4, Most: 4, TypeOf: sqlexpr.AlwaysType(types.LongText), Collated: collations.From(0), Value: insertText},
		&sqlexpr.Definition{Name: "lpad", Least: 3, Most: 3, TypeOf: sqlexpr.AlwaysType(types.LongText), Collated: collations.From(0), Value: builtins.Pad(true)},
		&sqlexpr.Definition{Name: "locate", Least: 2, Most: 3, TypeOf: sqlexpr.AlwaysType(types.Int64), Value: locate(0, 1)},
		&sqlexpr.Definition{Name: "position", Least: 2, Most: 2, TypeOf: sqlexpr.AlwaysType(types.Int64), Value: locate(0, 1)},
		&sqlexpr.Definition{Name: "instr", Least: 2, Most: 2, TypeOf: sqlexpr.AlwaysType(types.Int64), Value: locate(1, 0)},
		&sqlexpr.Definition{Name: "find_in_set", Least: 2, Most: 2, TypeOf: sqlexpr.AlwaysType(types.Int64), Value: findInSet},
		&sqlexpr.Definition{Name: "from_base64", Least: 1, Most: 1, TypeOf: sqlexpr.AlwaysType(types.LongBlob), Value: fromBase64},
		&sqlexpr.Definition{Name: "substring_index", Least: 3, Most: 3, TypeOf: sqlexpr.AlwaysType(types.LongText), Collated: collations.From(0), Value: substringIndex},
		&sqlexpr.Definition{Name: "format", Least: 2, Most: 3, Nulls: true, TypeOf: sqlexpr.AlwaysType(sqlexpr.VarChar(100)), Value: format},
	)
	return all
}

// firstByte calculates ASCII.
func firstByte(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	text, err := c.Text(ctx, 0, args[0])
	if err != nil || text == "" {
		return int64(0), err
	}
	return int64(text[0]), nil
}

// checksum calculates CRC32.
func checksum(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	text, err := c.Text(ctx, 0, args[0])
	return uint64(crc32.ChecksumIEEE([]byte(text))), err
}

// insertText calculates INSERT.
func insertText(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	text, err := c.Text(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	with, err := c.Text(ctx, 3, args[3])
	if err != nil {
		return nil, err
	}
	at, err := c.Integer(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	length, err := c.Integer(ctx, 2, args[2])
	if err != nil {
		return nil, err
	}
	start := sqlexpr.Offset(text, at-1, c.IsBytes(ctx, 0))
	if at < 1 || start >= len(text) {
		return text, nil
	}
	end := len(text)
	if length >= 0 {
		end = start + sqlexpr.Offset(text[start:], length, c.IsBytes(ctx, 0))
	}
	if !sqlvalue.FitsPacket(ctx, int64(start)+int64(len(with))+int64(len(text)-end)) {
		return sqlvalue.TooLongText(ctx, c.Name)
	}
	return text[:start] + with + text[end:], nil
}

// locate returns the function that finds argument what in argument in.
func locate(what, in int) func(*sql.Context, *sqlexpr.Call, []any) (any, error) {
	return func(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
		texts, err := c.Texts(ctx, args, 2)
		if err != nil {
			return nil, err
		}
		from := int64(1)
		if len(args) > 2 {
			if from, err = c.Integer(ctx, 2, args[2]); err != nil {
				return nil, err
			}
		}
		if from < 1 {
			return int64(0), nil
		}
		if c.IsBytes(ctx, 0) || c.IsBytes(ctx, 1) {
			if from > int64(len(texts[in]))+1 {
				return int64(0), nil
			}
			if at := strings.Index(texts[in][from-1:], texts[what]); at >= 0 {
				return from + int64(at), nil
			}
			return int64(0), nil
		}
		weight := c.Collation(ctx).Sorter()
		needle, text := weights(weight, texts[what]), weights(weight, texts[in])
		if from-1 > int64(len(text)) {
			return int64(0), nil
		}
		if at := indexOf(text[from-1:], needle); at >= 0 {
			return from + int64(at), nil
		}
		return int64(0), nil
	}
}

// weights returns the weights of the characters of a text.
func weights(weight func(rune) int32, text string) []int32 {
	all := make([]int32, 0, len(text))
	for _, r := range text {
		all = append(all, weight(r))
	}
	return all
}

// indexOf returns where needle begins in text, -1 if it is not there. Its time grows with the sum of the lengths (Knuth, Morris and Pratt).
func indexOf(text, needle []int32) int {
	// border has, for each beginning of needle, the length of its longest proper beginning that is its end as well.
	border := make([]int, len(needle))
	for i, n := 1, 0; i < len(needle); i++ {
		for n > 0 && needle[i] != needle[n] {
			n = border[n-1]
		}
		if needle[i] == needle[n] {
			n++
		}
		border[i] = n
	}
	matched := 0
	for i, w := range text {
		if matched == len(needle) {
			return i - matched
		}
		for matched > 0 && w != needle[matched] {
			matched = border[matched-1]
		}
		if w == needle[matched] {
			matched++
		}
	}
	if matched == len(needle) {
		return len(text) - matched
	}
	return -1
}

// findInSet calculates FIND_IN_SET. It looks at each character of the list once.
func findInSet(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	texts, err := c.Texts(ctx, args, 2)
	if err != nil {
		return nil, err
	}
	item, list := texts[0], texts[1]
	if strings.Contains(item, ",") || list == "" {
		return int64(0), nil
	}
	bytes := c.IsBytes(ctx, 0) || c.IsBytes(ctx, 1)
	weight := c.Collation(ctx).Sorter()
	for n := int64(1); ; n++ {
		element, rest, more := strings.Cut(list, ",")
		if bytes && element == item || !bytes && sameWeights(weight, element, item) {
			return n, nil
		}
		if list = rest; !more {
			return int64(0), nil
		}
	}
}

// sameWeights reports whether the characters of two texts have the same weights.
func sameWeights(weight func(rune) int32, a, b string) bool {
	for a != "" && b != "" {
		r, n := utf8.DecodeRuneInString(a)
		s, m := utf8.DecodeRuneInString(b)
		if r != s && weight(r) != weight(s) {
			return false
		}
		a, b = a[n:], b[m:]
	}
	return a == b
}

func fromBase64(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	text, err := c.Text(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	plain, err := base64.StdEncoding.DecodeString(strings.Map(func(r rune) rune {
		if r < 0x80 && sqlvalue.IsSpace(byte(r)) {
			return -1
		}
		return r
	}, text))
	if err != nil {
		return nil, nil // what cannot be decoded is NULL, without an error
	}
	return plain, nil
}

func substringIndex(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	texts, err := c.Texts(ctx, args, 2)
	if err != nil {
		return nil, err
	}
	n, err := c.Integer(ctx, 2, args[2])
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

// numberStyle says how a locale writes numbers: the decimal point, the separator of groups, and the
// sizes of the groups after the first one, 0 for no groups.
type numberStyle struct {
	point, comma string
	group        int
}

// numberStyles are the styles of the locales that differ from en_US.
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

func format(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	const most = 30 // digits after the point
	if args[0] == nil || args[1] == nil {
		return nil, nil
	}
	n, err := c.Number(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	places, err := c.Integer(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	style := numberStyle{".", ",", 3}
	if len(args) > 2 && args[2] != nil {
		locale, err := c.Text(ctx, 2, args[2])
		if err != nil {
			return nil, err
		}
		if own, ok := numberStyles[strings.ToLower(locale)]; ok {
			style = own
		}
	}
	return style.write(n.Exactly(), int32(min(max(places, 0), most))), nil
}

// write returns a number with this many digits after the point.
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
