package kept

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Shape is the text of a statement with marks in place of the values that may change. Read reuses
// the memory of the slices.
type Shape struct {
	Key     []byte // the text with a mark and the class of each value
	Classes []Class
	Values  []any // int8 to int64, or string
}

// mark begins the mark of a value in a key. A text with this byte has no shape.
const mark = '?'

// Kinds of tokens: they determine whether a value that follows may change.
const (
	other = iota
	comparison
	between
	and
	opening
	comma
	plus
	in
)

// Read reads a text, with one case for each kind of token. It reports false if the text has no
// shape: it is not a SELECT, INSERT, REPLACE, UPDATE or DELETE, or has a part for which the tokens
// alone are not enough, such as a variable or an escape.
//
// A value is an integer or a text that is compared with something, is in a list after IN or in a
// row of VALUES, or is added. Other constants stay in the key, because names of columns, limits and
// positions depend on them. Comments stay there too, except those before the statement, and those
// at its end if they are not part of a column's name.
func (s *Shape) Read(text string) bool {
	s.Key, s.Classes, s.Values = s.Key[:0], s.Classes[:0], s.Values[:0]
	var first string
	last, afterBetween := other, false
	rows, depth, rowsDepth := false, 0, 0
	list, listDepth, from := false, 0, false
	var before int
	for i := 0; i < len(text); {
		c := text[i]
		start := i
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			s.Key = append(s.Key, c)
			i++
			continue
		case c == '#' || commentEnd(text[i:]) > 0:
			end := commentEnd(text[i:])
			if end <= 0 || strings.IndexByte(text[i:i+end], mark) >= 0 {
				return false
			}
			i += end
			if atEnd := strings.Trim(text[i:], " \t\r\n;") == ""; first != "" && !(atEnd && (from || first != "select")) {
				s.Key = append(s.Key, text[start:i]...)
			}
			continue
		case isWord(c) && !isDigit(c):
			for i < len(text) && isWord(text[i]) {
				i++
			}
			word := text[start:i]
			if first == "" {
				if first = verb(word); first == "" {
					return false
				}
			}
			if i < len(text) && text[i] == '\'' {
				return false // a text with a prefix, such as a character set
			}
			last = other
			list = list && depth != listDepth
			switch {
			case strings.EqualFold(word, "in"):
				last = in
			case strings.EqualFold(word, "from"):
				from = true
			case strings.EqualFold(word, "between"):
				last, afterBetween = between, true
			case strings.EqualFold(word, "and") && afterBetween:
				last, afterBetween = and, false
			case (strings.EqualFold(word, "values") || strings.EqualFold(word, "value")) && first == "insert":
				rows, rowsDepth = true, depth+1
			case strings.EqualFold(word, "on"):
				rows = false
			}
			s.Key = append(s.Key, word...)
			continue
		case isDigit(c):
			for i < len(text) && (isWord(text[i]) || text[i] == '.') {
				i++
			}
			if !s.number(text[start:i], s.mayChange(last, rows && depth == rowsDepth || list && depth == listDepth)) {
				return false
			}
			last = other
			continue
		case c == '\'':
			end := strings.IndexAny(text[i+1:], `'\`)
			if end < 0 || text[i+1+end] == '\\' {
				return false
			}
			value := text[i+1 : i+1+end]
			i += end + 2
			if next := strings.TrimLeft(text[i:], " \t\r\n"); next != "" && (next[0] == '\'' || next[0] == '"') {
				return false // adjacent texts are one text
			}
			switch {
			case value == "" || !s.mayChange(last, rows && depth == rowsDepth || list && depth == listDepth):
				if strings.IndexByte(value, mark) >= 0 {
					return false
				}
				s.Key = append(s.Key, text[start:i]...)
			case !utf8.ValidString(value) || len(s.Values) == MaxValues:
				return false
			default:
				s.add(Text, value)
			}
			last = other
			continue
		case c == '`':
			end := strings.IndexByte(text[i+1:], '`')
			if end < 0 || strings.IndexByte(text[i+1:i+1+end], mark) >= 0 {
				return false
			}
			i += end + 2
			s.Key = append(s.Key, text[start:i]...)
			last = other
			continue
		}
		next := byte(0)
		if i+1 < len(text) {
			next = text[i+1]
		}
		before, last = last, other
		switch c {
		case '=', '<', '>':
			last = comparison
		case '!':
			if next != '=' {
				return false
			}
		case '(':
			depth++
			if before == in {
				list, listDepth = true, depth
			}
			last = opening
		case ')':
			list = list && depth != listDepth
			depth--
		case ',':
			last = comma
		case '+':
			last = plus
		case '-', '*', '.':
			if c == '-' && next == '-' || c == '*' && next == '/' {
				return false
			}
		case ';':
			if strings.TrimLeft(text[i+1:], " \t\r\n") != "" {
				return false
			}
		default:
			return false
		}
		s.Key = append(s.Key, c)
		i++
	}
	return first != ""
}

// commentEnd returns the length of the comment at the start of a text. It returns 0 if there is
// none, or if MySQL executes the comment, it is a hint, or it has no end.
func commentEnd(text string) int {
	switch {
	case strings.HasPrefix(text, "/*"):
		if end := strings.Index(text[2:], "*/"); end >= 0 && !strings.ContainsAny(text[2:3], "!+") {
			return end + 4
		}
		return 0
	case text[0] == '#':
	case strings.HasPrefix(text, "--") && (len(text) == 2 || strings.IndexByte(" \t\r\n", text[2]) >= 0):
	default:
		return 0
	}
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end + 1
	}
	return len(text)
}

// mayChange reports whether a value after a token of this kind may change.
func (s *Shape) mayChange(last int, row bool) bool {
	switch last {
	case comparison, between, and, plus:
		return true
	case opening, comma:
		return row
	}
	return false
}

// number adds a number, as a value if it may change. It reports false if there are too many values.
func (s *Shape) number(digits string, mayChange bool) bool {
	if mayChange && len(digits) <= 18 && (digits[0] != '0' || digits == "0") {
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			if c, v := classOfInt(n); !c.fixed() {
				if len(s.Values) == MaxValues {
					return false
				}
				s.add(c, v)
				return true
			}
		}
	}
	s.Key = append(s.Key, digits...)
	return true
}

func (s *Shape) add(c Class, v any) {
	s.Key = append(s.Key, mark, byte(c))
	s.Classes, s.Values = append(s.Classes, c), append(s.Values, v)
}

// StandIn returns the text of a statement with the stand-ins for its values in the first or the
// second of the two plans. key is the key of the statement's shape.
func (t *Trial) StandIn(key string, second bool) string {
	var b strings.Builder
	for n := 0; ; n++ {
		before, after, found := strings.Cut(key, string(mark))
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString(literal(t.standIn(n, second)))
		key = after[1:]
	}
}

// verb returns the kind of a statement by its first word, "" if it has no shape.
func verb(word string) string {
	for _, v := range []string{"select", "insert", "update", "delete"} {
		if strings.EqualFold(word, v) {
			return v
		}
	}
	if strings.EqualFold(word, "replace") {
		return "insert"
	}
	return ""
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}
