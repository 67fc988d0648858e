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
	edits          []edit // result sorts them, and deletes those that overlap others
	places         []int  // result sets where each edit begins in the new text
	replacedTokens []bool // whether each token is replaced
	// pairs has, for each parenthesis or CASE, the token that closes it, or the last token if there
	// is none. It is nil before the first use.
	pairs []int
	// exprEnds has, for each token, the token behind the expression that begins there, or 0 if that
	// is not known yet.
	exprEnds []int
	added    int // how many bytes the edits add
	visits   int // how many visits of tokens and edits there are, as a measure of work
	// variables has the user variables that vitess cannot read. The keys are their placeholders.
	variables map[string]string
	// placeholders has the placeholders. The keys are the user variables. next is the number of the
	// next placeholder, numbers are those that the text already has.
	placeholders   map[string]string
	next           int
	numbers        map[string]bool
	hasShares      bool // the syntax tree has locks for restoreShares
	hasComparisons bool // the syntax tree has comparisons for compare
	dropped        bool // a rule dropped something that may contain strings
	tooLong        bool // the edits would add more than maxAdded
}

// maxAdded is the largest number of bytes that the edits of windows can add.
const maxAdded = 4 << 20

func newRewriting(text string, m Mode) *rewriting {
	tokens := scan(text, m)
	return &rewriting{text: text, mode: m, tokens: tokens, replacedTokens: make([]bool, len(tokens))}
}

// word returns the text of token i, "" if there is no such token.
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

// replaced reports whether token i is replaced.
func (r *rewriting) replaced(i int) bool { return r.replacedTokens[i] }

// mayStartStatement reports whether a statement of a stored program can begin behind token i.
func (r *rewriting) mayStartStatement(i int) bool {
	return r.tokens[i].kind == kindWord && slices.Contains(statementStarts, strings.ToUpper(r.word(i)))
}

// quote quotes token i as a name.
func (r *rewriting) quote(i int) { r.replace(i, i, "`"+r.word(i)+"`") }

// result returns the new text.
func (r *rewriting) result() string {
	slices.SortStableFunc(r.edits, func(a, b edit) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	at := 0
	r.edits = slices.DeleteFunc(r.edits, func(e edit) bool { // if two rules replace the same words, the text is no statement
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

// original returns the position in the original text for a position in the new text. For a position
// within an edit, or right behind an insertion, this is the start of the edit.
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

// originalEnd returns the position in the original text where a statement ends, for its end in the
// new text. If a rule drops something at the end of the text, the position is behind that.
func (r *rewriting) originalEnd(at int) int {
	rest := len(r.text) - at // becomes the length of the new text behind at
	for _, e := range r.edits {
		rest += len(e.text) - (e.end - e.start)
	}
	if rest <= 0 {
		return len(r.text)
	}
	return r.original(at)
}

// tokenAt returns the token at a position of the original text, or the next token behind it.
func (r *rewriting) tokenAt(at int) int {
	return sort.Search(len(r.tokens)-1, func(i int) bool { return r.tokens[i].end > at })
}
