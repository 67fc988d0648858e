package executor

import (
	"cmp"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// valueOrder compares two values that are not NULL. Owned by one goroutine.
type valueOrder func(ctx *sql.Context, a, b any) (int, error)

// orderOf returns the order of the values of a type. It is the order of t.Compare, but faster:
// t.Compare converts each integer, and looks up the weight of each character in a map, even if two
// texts begin with the same characters.
func orderOf(t sql.Type) valueOrder {
	plain := func(ctx *sql.Context, a, b any) (int, error) { return t.Compare(ctx, a, b) }
	switch t := t.(type) {
	case types.StringType:
		if !types.IsTextOnly(t) || t.Collation() == sql.Collation_binary {
			return plain
		}
		texts := textOrder{asciiWeights(t.Collation()), t.Collation().Sorter()}
		return func(ctx *sql.Context, a, b any) (int, error) {
			x, ok := a.(string)
			y, both := b.(string)
			if !ok || !both {
				return plain(ctx, a, b)
			}
			return texts.compare(x, y), nil
		}
	case types.NumberTypeImpl_:
		if !types.IsInteger(t) {
			return plain
		}
		signed := !types.IsUnsigned(t)
		return func(ctx *sql.Context, a, b any) (int, error) {
			switch a := a.(type) {
			case int32:
				if b, ok := b.(int32); ok && signed {
					return cmp.Compare(a, b), nil
				}
			case int64:
				if b, ok := b.(int64); ok && signed {
					return cmp.Compare(a, b), nil
				}
			case uint64:
				if b, ok := b.(uint64); ok && !signed {
					return cmp.Compare(a, b), nil
				}
			}
			return plain(ctx, a, b)
		}
	}
	return plain
}

// textOrder is the order of texts that types.StringType has in a collation: it compares the weights
// of one character after the other. If one text is the beginning of the other, the shorter one is
// first. Safe for concurrent use.
type textOrder struct {
	ascii *[utf8.RuneSelf]int32
	weigh sql.CollationSorter
}

// compare compares two texts.
func (o *textOrder) compare(a, b string) int {
	i := sharedRunes(a, b)
	for a, b = a[i:], b[i:]; len(a) > 0 && len(b) > 0; {
		x, n := o.weight(a)
		y, m := o.weight(b)
		if x != y {
			return cmp.Compare(x, y)
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}

// weight returns the weight of the first character of a text, and the character's length in bytes.
func (o *textOrder) weight(s string) (int32, int) {
	if c := s[0]; c < utf8.RuneSelf {
		return o.ascii[c], 1
	}
	r, n := utf8.DecodeRuneInString(s)
	return o.weigh(r), n
}

// sharedRunes returns the number of bytes of the characters that two texts have in common at their
// beginning.
func sharedRunes(a, b string) int {
	i, end := 0, min(len(a), len(b))
	for i < end && a[i] == b[i] {
		i++
	}
	for i > 0 && (i < len(a) && !utf8.RuneStart(a[i]) || i < len(b) && !utf8.RuneStart(b[i])) {
		i--
	}
	return i
}
