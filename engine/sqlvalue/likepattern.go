package sqlvalue

import (
	"math"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
)

// A LikePattern is a pattern of LIKE. Safe for concurrent use.
type LikePattern struct {
	text      string
	escape    rune
	collation sql.CollationID
	parts     []int32 // weights of characters, or one of the two below
}

const (
	anyCharacter  int32 = math.MinInt32     // _
	anyCharacters int32 = math.MinInt32 + 1 // %
)

// NoEscape is the escape character of a pattern that has none.
const NoEscape rune = -1

// NewLikePattern returns a pattern; escape is the character that makes the one after it an ordinary one.
func NewLikePattern(collation sql.CollationID, text string, escape rune) (*LikePattern, error) {
	encoder, weight := collation.CharacterSet().Encoder(), collation.Sorter()
	p := &LikePattern{text: text, escape: escape, collation: collation}
	literal := false
	for i := 0; i < len(text); {
		r, width := encoder.NextRune(text[i:])
		if r == utf8.RuneError {
			return nil, sql.ErrCharSetInvalidString.New(collation.CharacterSet().Name(), text)
		}
		i += width
		switch {
		case literal:
			p.parts, literal = append(p.parts, weight(r)), false
		case r == '_':
			p.parts = append(p.parts, anyCharacter)
		case r == '%':
			if n := len(p.parts); n == 0 || p.parts[n-1] != anyCharacters {
				p.parts = append(p.parts, anyCharacters)
			}
		case r == escape && i < len(text):
			literal = true
		default:
			p.parts = append(p.parts, weight(r))
		}
	}
	return p, nil
}

// Is tells whether p was made of this text with this escape character.
func (p *LikePattern) Is(text string, escape rune) bool { return p.text == text && p.escape == escape }

// Match reports whether a text matches. The error is the reason why the statement of the work must end.
func (p *LikePattern) Match(work *Work, text string) (bool, error) {
	encoder, weight := p.collation.CharacterSet().Encoder(), p.collation.Sorter()
	at, part := 0, 0     // the next character, and the part that it has to match
	from, after := 0, -1 // where the last % ends so far, and the part after it; -1 if there was none
	for steps := 1; at < len(text); steps++ {
		if steps%matchingSteps == 0 {
			if err := work.Step(matchingSteps); err != nil {
				return false, err
			}
		}
		if part < len(p.parts) && p.parts[part] == anyCharacters {
			part++
			if from, after = at, part; part == len(p.parts) {
				return true, nil
			}
			continue
		}
		r, width := encoder.NextRune(text[at:])
		if r == utf8.RuneError {
			return false, nil
		}
		if part < len(p.parts) && (p.parts[part] == anyCharacter || p.parts[part] == weight(r)) {
			at, part = at+width, part+1
			continue
		}
		if after < 0 {
			return false, nil
		}
		_, width = encoder.NextRune(text[from:])
		from += width
		at, part = from, after
	}
	for part < len(p.parts) && p.parts[part] == anyCharacters {
		part++
	}
	return part == len(p.parts), nil
}

// matchingSteps is how many characters are matched between two calls of Work.Step.
const matchingSteps = 1 << 10
