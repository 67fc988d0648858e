package syntax

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// edit replaces text[start:end].
type edit struct {
	start, end int
	text       string
}

// rewriting is a text with its tokens and edits. Owned by one goroutine.
type rewriting struct {
	text           string
	mode           Mode
	tokens         []token
	edits          []edit // sorted and without overlaps once the result is made
	places         []int  // where the edits begin in the result, once it is made
	replacedTokens []bool // by token
	pairs          []int  // for each parenthesis or CASE the token that closes it, else the last token; nil until needed
	exprEnds       []int  // the token behind each expression, by its first token; 0 if not known yet
	added          int    // bytes that the edits add
	visits         int    // visited tokens and edits, a measure of work
	// variables are the user variables that the parser cannot read, by their placeholders.
	variables map[string]string
	// placeholders are the placeholders by variable, next is the number of the next one, numbers
	// are those in use.
	placeholders   map[string]string
	next           int
	numbers        map[string]bool
	hasShares      bool // the syntax tree has locks for restoreShares
	hasComparisons bool // the syntax tree has comparisons for compare
	dropped        bool // something was dropped that may contain strings
	tooLong        bool // the edits would add more than maxAdded
}

// maxAdded bounds the bytes that the edits of windows add.
const maxAdded = 4 << 20

func newRewriting(text string, m Mode) *rewriting {
	tokens := scan(text, m)
	return &rewriting{text: text, mode: m, tokens: tokens, replacedTokens: make([]bool, len(tokens))}
}

// word returns the text of token i if it is a word, a variable or a mark.
func (r *rewriting) word(i int) string {
	r.visits++
	if i < 0 || i >= len(r.tokens) {
		return ""
	}
	return r.text[r.tokens[i].start:r.tokens[i].end]
}

// is reports whether token i is this keyword or mark.
func (r *rewriting) is(i int, word string) bool {
	r.visits++
	if i < 0 || i >= len(r.tokens) {
		return false
	}
	k := r.tokens[i].kind
	return (k == kindWord || k == kindMark) && strings.EqualFold(r.word(i), word)
}

// replace replaces tokens i to j, j included.
func (r *rewriting) replace(i, j int, with string) {
	r.edit(r.tokens[i].start, r.tokens[j].end, with)
	for ; i <= j; i++ {
		r.visits++
		r.replacedTokens[i] = true
	}
}

// edit replaces a part of the text that is not a token, or inserts a text if start is end.
func (r *rewriting) edit(start, end int, with string) {
	r.edits = append(r.edits, edit{start, end, with})
	r.added += len(with)
}

// insert inserts a text behind token i.
func (r *rewriting) insert(i int, with string) {
	at := r.tokens[i].end
	r.edit(at, at, with)
}

// replaced reports whether token i was replaced.
func (r *rewriting) replaced(i int) bool { return r.replacedTokens[i] }

// mayStartStatement reports whether a statement of a program may begin behind token i.
func (r *rewriting) mayStartStatement(i int) bool {
	return r.tokens[i].kind == kindWord && slices.Contains(statementStarts, strings.ToUpper(r.word(i)))
}

// quote quotes token i as a name.
func (r *rewriting) quote(i int) { r.replace(i, i, "`"+r.word(i)+"`") }

// result returns the new text.
func (r *rewriting) result() string {
	slices.SortStableFunc(r.edits, func(a, b edit) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	at := 0
	r.edits = slices.DeleteFunc(r.edits, func(e edit) bool { // two rules replace the same words only if the text is not a statement
		overlaps := e.start < at
		at = max(at, e.end)
		return overlaps
	})
	var b strings.Builder
	b.Grow(len(r.text) + r.added)
	at = 0
	r.places = r.places[:0]
	for _, e := range r.edits {
		b.WriteString(r.text[at:e.start])
		r.places = append(r.places, b.Len())
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(r.text[at:])
	return b.String()
}

// original maps a position of the result to the text. A position within an edit, or right behind an
// insertion, maps to the start of the edit.
func (r *rewriting) original(at int) int {
	i := sort.Search(len(r.places), func(i int) bool {
		r.visits++
		return at <= r.places[i]
	}) - 1 // the last edit before at
	if i < 0 {
		return min(max(at, 0), len(r.text))
	}
	e, behind := r.edits[i], at-r.places[i]-len(r.edits[i].text)
	if behind < 0 {
		return e.start
	}
	return min(e.end+behind, len(r.text))
}

// originalEnd maps the end of a statement in the result to the text, behind anything that was
// dropped there.
func (r *rewriting) originalEnd(at int) int {
	rest := len(r.text) - at // length of the result behind at
	for _, e := range r.edits {
		rest += len(e.text) - (e.end - e.start)
	}
	if rest <= 0 {
		return len(r.text)
	}
	return r.original(at)
}

// tokenAt returns the token at a position of the text, or the next one behind it.
func (r *rewriting) tokenAt(at int) int {
	return sort.Search(len(r.tokens)-1, func(i int) bool { return r.tokens[i].end > at })
}
