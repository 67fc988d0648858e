package syntax

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// edit puts with in the place of text[start:end].
type edit struct {
	start, end int
	with       string
}

// rewriting is a text and what is to be changed in it. Owned by one goroutine.
type rewriting struct {
	text   string
	mode   Mode
	tokens []token
	edits  []edit // of places that do not overlap, in their order once written
	places []int  // where the edits begin in the result, once it is written
	gone   []bool // tokens that something else is put in the place of
	pairs  []int  // the token that closes each parenthesis or CASE, the end if there is none; nil until it is looked for
	behind []int  // the tokens behind expressions, by their first ones, 0 if it is not known
	added  int    // bytes that the edits put in
	visits int    // looks at tokens and edits
	// variables are the user variables that the parser cannot read, by the names that it has for them.
	variables map[string]string
	// placeholders are those names by the variables, next is the number of the next one, and numbers are those that are taken.
	placeholders map[string]string
	next         int
	numbers      map[string]bool
	compares     bool // there are comparisons that compare is to finish
	dropped      bool // something is left out that may have texts
	long         bool // more would be put in than maxAdded
}

// maxAdded is how many bytes the windows that stand where their names stood may have.
const maxAdded = 4 << 20

func newRewriting(text string, m Mode) *rewriting {
	tokens := scan(text, m)
	return &rewriting{text: text, mode: m, tokens: tokens, gone: make([]bool, len(tokens))}
}

// word is what token i is written as, if it is a word, a variable or a mark.
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

// replace puts with in the place of tokens i to j, j included.
func (r *rewriting) replace(i, j int, with string) {
	r.edit(r.tokens[i].start, r.tokens[j].end, with)
	for ; i <= j; i++ {
		r.visits++
		r.gone[i] = true
	}
}

// edit puts with in the place of a part of the text that is no token, or before the place at, if start and end are that.
func (r *rewriting) edit(start, end int, with string) {
	r.edits = append(r.edits, edit{start, end, with})
	r.added += len(with)
}

// insert puts with behind token i.
func (r *rewriting) insert(i int, with string) {
	at := r.tokens[i].end
	r.edit(at, at, with)
}

// replaced reports whether something else is put in the place of token i.
func (r *rewriting) replaced(i int) bool { return r.gone[i] }

// begins reports whether a statement of a program may begin behind token i.
func (r *rewriting) begins(i int) bool {
	return r.tokens[i].kind == kindWord && slices.Contains(before, strings.ToUpper(r.word(i)))
}

// quote makes a name in quotes of token i.
func (r *rewriting) quote(i int) { r.replace(i, i, "`"+r.word(i)+"`") }

// result is the new text.
func (r *rewriting) result() string {
	slices.SortStableFunc(r.edits, func(a, b edit) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	at := 0
	r.edits = slices.DeleteFunc(r.edits, func(e edit) bool { // two rules want the same words only of what is no statement
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
		b.WriteString(e.with)
		at = e.end
	}
	b.WriteString(r.text[at:])
	return b.String()
}

// original is where in the text the place at of the result is. What is within an edit, or behind one that is
// only inserted, is at its start.
func (r *rewriting) original(at int) int {
	i := sort.Search(len(r.places), func(i int) bool {
		r.visits++
		return at <= r.places[i]
	}) - 1 // the last edit before it
	if i < 0 {
		return min(max(at, 0), len(r.text))
	}
	e, behind := r.edits[i], at-r.places[i]-len(r.edits[i].with)
	if behind < 0 {
		return e.start
	}
	return min(e.end+behind, len(r.text))
}

// end is where in the text a statement ends that ends at the place at of the result: behind what was left out there.
func (r *rewriting) end(at int) int {
	rest := len(r.text) - at // behind it, in the result
	for _, e := range r.edits {
		rest += len(e.with) - (e.end - e.start)
	}
	if rest <= 0 {
		return len(r.text)
	}
	return r.original(at)
}

// at is the token that contains the place at of the text, or is the next one behind it.
func (r *rewriting) at(at int) int {
	return sort.Search(len(r.tokens)-1, func(i int) bool { return r.tokens[i].end > at })
}
