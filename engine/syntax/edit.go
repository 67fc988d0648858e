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
	// variables are the user variables that the parser cannot read, by the names that it has for them.
	variables map[string]string
	compares  bool // there are comparisons that compare is to finish
	dropped   bool // something is left out that may have texts
}

func newRewriting(text string, m Mode) *rewriting {
	return &rewriting{text: text, mode: m, tokens: scan(text, m)}
}

// word is what token i is written as, if it is a word, a variable or a mark.
func (r *rewriting) word(i int) string {
	if i < 0 || i >= len(r.tokens) {
		return ""
	}
	return r.text[r.tokens[i].start:r.tokens[i].end]
}

// is reports whether token i is this keyword or mark.
func (r *rewriting) is(i int, word string) bool {
	if i < 0 || i >= len(r.tokens) {
		return false
	}
	k := r.tokens[i].kind
	return (k == kindWord || k == kindMark) && strings.EqualFold(r.word(i), word)
}

// replace puts with in the place of tokens i to j, j included.
func (r *rewriting) replace(i, j int, with string) {
	r.edits = append(r.edits, edit{r.tokens[i].start, r.tokens[j].end, with})
}

// replaced reports whether something else is put in the place of token i.
func (r *rewriting) replaced(i int) bool {
	return slices.ContainsFunc(r.edits, func(e edit) bool { return e.start <= r.tokens[i].start && r.tokens[i].end <= e.end })
}

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
	b.Grow(len(r.text) + 16*len(r.edits))
	at = 0
	for _, e := range r.edits {
		b.WriteString(r.text[at:e.start])
		b.WriteString(e.with)
		at = e.end
	}
	b.WriteString(r.text[at:])
	return b.String()
}

// original is where in the text the place at of the result is. What is within an edit, or behind one that is
// only inserted, is at its start.
func (r *rewriting) original(at int) int {
	shift := 0 // of the result against the text
	for _, e := range r.edits {
		if at <= e.start+shift {
			break
		}
		if at < e.start+shift+len(e.with) {
			return e.start
		}
		shift += len(e.with) - (e.end - e.start)
	}
	return min(max(at-shift, 0), len(r.text))
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
