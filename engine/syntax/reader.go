package syntax

import "strings"

// Reader reads the tokens of a text one after the other. It also reads those in /*! */ comments for
// this or an older version of MySQL. For a comment for a newer version, it returns a mark that no
// grammar accepts. Owned by one goroutine.
type Reader struct {
	Text    string
	Mode    Mode
	NewCode bool // read /*! */ comments of any version, as vitess does

	Kind    Kind
	At, End int    // the token's position; the next token begins at End or later
	Word    string // a word in upper case, a name without its quotes, := or the first character of anything else
	Raw     string // the token as written, a name without its quotes

	kind kind // the kind of the token
	code bool // the token is inside a /*! */ comment
}

// Kind is the kind of a token of a Reader.
type Kind uint8

// Kinds of tokens.
const (
	End   Kind = iota // behind the last token
	Word              // a keyword or a name without quotes
	Name              // a name in quotes
	Other             // a mark, a string, a number, a variable, an account
)

// Next goes to the next token.
func (r *Reader) Next() {
	for {
		// The contents of such a comment are read one by one: next would search for its end, again for each comment in a comment.
		if at := skipBlanks(r.Text, r.End); strings.HasPrefix(r.Text[at:], "/*!") {
			if n := r.codeStart(r.Text[at:]); n > 0 {
				r.kind, r.At, r.End, r.code = kindEnd, at, at+n, true
				continue
			}
		}
		t := next(r.Text, token{r.kind, r.At, r.End}, r.Mode)
		rest := r.Text[t.start:]
		r.kind, r.At, r.End = t.kind, t.start, t.end
		switch {
		case t.kind == kindCode && strings.HasPrefix(rest, "/*M!"):
		case r.code && strings.HasPrefix(rest, "*/"):
			r.kind, r.End, r.code = kindEnd, t.start+len("*/"), false
		default:
			r.take()
			return
		}
	}
}

// take sets the kind and the texts of the token.
func (r *Reader) take() {
	r.Raw = r.Text[r.At:r.End]
	r.Kind, r.Word = Other, r.Raw
	switch n := len(r.Raw); {
	case r.kind == kindEnd:
		r.Kind = End
	case r.kind == kindWord:
		r.Word = strings.ToUpper(r.Raw)
		if r.End == len(r.Text) || r.Text[r.End] != '@' { // otherwise it is an account
			r.Kind = Word
		}
	case r.kind == kindName && n > 1 && r.Raw[n-1] == r.Raw[0]:
		quote := r.Raw[:1]
		r.Kind = Name
		r.Raw = strings.ReplaceAll(r.Raw[1:n-1], quote+quote, quote)
		r.Word = r.Raw
	case r.kind != kindMark:
		r.Word = r.Raw[:1]
	}
}

// codeStart returns the length of the beginning, such as /*!50000, of a comment whose contents the
// Reader reads. It returns 0 if s does not begin with such a comment.
func (r *Reader) codeStart(s string) int {
	rest, ok := strings.CutPrefix(s, "/*!")
	digits := 0
	for digits < len(rest) && isDigit(rest[digits]) {
		digits++
	}
	if !ok || !r.NewCode && (digits != len(newest) || rest[:digits] > newest) {
		return 0
	}
	return len("/*!") + digits
}

// newest is the newest version whose /*! */ comments a Reader reads. No server of this module
// claims to be an older version.
const newest = "80400"

// IsMark reports whether the token is this mark, or a string in these quotes.
func (r *Reader) IsMark(m string) bool { return r.Kind == Other && r.Word == m }
