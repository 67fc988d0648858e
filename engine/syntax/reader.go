package syntax

import "strings"

// Reader reads the tokens of a text one after the other, those of the code in comments too that is for MySQL of this
// version or an older one. Code of a newer one is a mark that fits nowhere. Owned by one goroutine.
type Reader struct {
	Text    string
	NewCode bool // code of any version is read, as go-mysql-server does

	Kind    Kind
	At, End int    // of the token; End is where the next one is looked for
	Word    string // a word in upper case, a name as it is meant, := or the first character of anything else
	Raw     string // the token as it is written, a name as it is meant

	kind kind // of the token
	code bool // it is in a comment with code
}

// Kind is what a Reader takes a token for.
type Kind uint8

// What a Reader takes tokens for.
const (
	End   Kind = iota // behind the last token
	Word              // a keyword or a name without quotes
	Name              // a name in backquotes
	Other             // a mark, a text, a number, a variable, an account
)

// Next goes to the next token.
func (r *Reader) Next() {
	for {
		t := next(r.Text, token{r.kind, r.At, r.End}, Mode{})
		rest := r.Text[t.start:]
		r.kind, r.At, r.End = t.kind, t.start, t.end
		switch n := r.codeStart(rest); {
		case t.kind == kindCode && n > 0:
			r.kind, r.End, r.code = kindEnd, t.start+n, true
		case t.kind == kindCode && strings.HasPrefix(rest, "/*M!"):
		case r.code && strings.HasPrefix(rest, "*/"):
			r.kind, r.End, r.code = kindEnd, t.start+len("*/"), false
		default:
			r.take()
			return
		}
	}
}

// take says what the token is.
func (r *Reader) take() {
	r.Raw = r.Text[r.At:r.End]
	r.Kind, r.Word = Other, r.Raw
	switch n := len(r.Raw); {
	case r.kind == kindEnd:
		r.Kind = End
	case r.kind == kindWord:
		r.Word = strings.ToUpper(r.Raw)
		if r.End == len(r.Text) || r.Text[r.End] != '@' { // else it is an account
			r.Kind = Word
		}
	case r.kind == kindName && n > 1 && r.Raw[n-1] == '`':
		r.Kind = Name
		r.Raw = strings.ReplaceAll(r.Raw[1:n-1], "``", "`")
		r.Word = r.Raw
	case r.kind != kindMark:
		r.Word = r.Raw[:1]
	}
}

// codeStart is how long the beginning of a comment is whose text is read, such as /*!50000; 0 if there is none.
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

// newest is the version of MySQL whose code is read: every server here is at least of it.
const newest = "80400"

// IsMark reports whether the token is this mark, or a text in these quotes.
func (r *Reader) IsMark(m string) bool { return r.Kind == Other && r.Word == m }
