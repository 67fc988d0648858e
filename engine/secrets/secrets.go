// Package secrets keeps passwords out of what is shown of statements: in tables, in the log, and in
// errors.
//
//  1. Hide is for a text that has not been parsed, or cannot be.
//  2. HideParsed is for one that has been.
//  3. HideIn is for the message of an error of a statement.
//
// A text that nobody understands may have a password anywhere, and its quotes may be wrong. So
// nothing is shown of it behind the first quote, or behind the first word that resembles one of
// those that passwords follow: with two letters more, less or other than it, and whatever stands
// between its letters. Statements about accounts that parse do better: package accounts knows
// where their passwords are.
//
// All of it is safe for concurrent use, and allocates only where something is hidden.
package secrets

import "strings"

// Secret stands for what is hidden.
const Secret = "<secret>"

// The words that passwords follow, in the letters of a text without all that stands between them.
const words = "identified" + "password"

// errorsMax is how many letters of a word can be wrong.
const errorsMax = 2

// The automaton has a bit for each letter of the words: bit i is set after a letter of the text
// if the word up to i ends there. begins are the bits of first letters, ends those of last ones, and
// missing those that are reached by leaving out as many letters as there may be errors.
var (
	letters [256]uint32 // by letter, 0 for what is none
	begins  uint32
	ends    uint32
	missing [errorsMax + 1]uint32
)

func init() {
	for i := range len(words) {
		letters[words[i]] |= 1 << i
		letters[words[i]-0x20] |= 1 << i
	}
	for c := byte('a'); c <= 'z'; c++ {
		letters[c] |= 1 << 31 // a letter, of no word
		letters[c-0x20] |= 1 << 31
	}
	for _, first := range []int{0, len("identified")} {
		begins |= 1 << first
		for d := range missing {
			for i := range d {
				missing[d] |= 1 << (first + i)
			}
		}
	}
	ends = 1<<(len("identified")-1) | 1<<(len(words)-1)
}

// resembling is where the first part of text ends that resembles one of the words, -1 if there
// is none.
func resembling(text string) int {
	r0, r1, r2 := missing[0], missing[1], missing[2]
	for i := range len(text) {
		mask := letters[text[i]]
		if mask == 0 {
			continue
		}
		// In each row the letter is right, or in the row before one too many, a wrong one, or one is
		// missing.
		n0 := (r0<<1 | begins) & mask
		n1 := (r1<<1|begins)&mask | r0 | r0<<1 | n0<<1 | missing[1]
		n2 := (r2<<1|begins)&mask | r1 | r1<<1 | n1<<1 | missing[2]
		if n2&ends != 0 {
			return i + 1 + rest(text[i+1:], n0, n1)
		}
		r0, r1, r2 = n0, n1, n2
	}
	return -1
}

// rest is how far a word goes on in text that has been taken to end with letters missing, r0 and
// r1 being the automaton's rows with fewer errors.
func rest(text string, r0, r1 uint32) int {
	end, seen := 0, 0
	for i := range len(text) {
		mask := letters[text[i]]
		if mask == 0 {
			continue
		}
		n0 := (r0<<1 | begins) & mask
		r1 = (r1<<1|begins)&mask | r0 | r0<<1 | n0<<1 | missing[1]
		r0 = n0
		if seen++; seen == 1 && r1&ends != 0 || seen == 2 && r0&ends != 0 {
			end = i + 1
		}
		if seen == errorsMax {
			break
		}
	}
	return end
}

// cut is from where on nothing is shown of a text that may have a password; -1 if it has none.
func cut(text string) int {
	end := resembling(text)
	if end < 0 {
		return -1
	}
	if quote := strings.IndexAny(text, "'\"`"); quote >= 0 && quote < end {
		return quote
	}
	return end
}

// Hide returns what may be shown of a text that is not known to be a statement, text itself if
// there can be no password in it.
func Hide(text string) string {
	if at := cut(text); at >= 0 {
		return text[:at] + Secret
	}
	return text
}

// phrases are what stands before a password in a statement that is understood, as the letters of the
// text are.
var phrases = []string{"identifiedby", "identifiedwith", "sourcepassword", "masterpassword"}

// HideParsed returns what may be shown of a statement that has been parsed and is not about
// accounts itself: one that has such statements in its literals, comments or body.
func HideParsed(text string) string {
	if resembling(text) < 0 {
		return text
	}
	var plain strings.Builder
	for i := range len(text) {
		if letters[text[i]] != 0 {
			plain.WriteByte(text[i] | 0x20)
		}
	}
	all := plain.String()
	for _, p := range phrases {
		if strings.Contains(all, p) {
			return Hide(text)
		}
	}
	// What sets something, or has other statements in it, is not what it seems if a word is wrong. A
	// column may have any name, but not in a text or a comment.
	if first, second := firstWords(text); aboutServer[first] && !aboutTables[second] {
		return Hide(text)
	}
	if i := strings.IndexAny(text, "'\"#/-"); i >= 0 && containsLetters(text[i:], "setpassword") {
		return Hide(text)
	}
	return text
}

// aboutServer are the first words of statements that can be about accounts, or have others in
// them, and aboutTables the second words of those of them that are not.
var (
	aboutServer = set("set prepare execute call create alter change start clone install kill explain grant revoke signal")
	aboutTables = set("table tables temporary view index unique fulltext database schema select insert update delete replace with algorithm")
)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

// containsLetters tells whether the letters of text contain a word.
func containsLetters(text, word string) bool {
	var plain strings.Builder
	for i := range len(text) {
		if letters[text[i]] != 0 {
			plain.WriteByte(text[i] | 0x20)
		}
	}
	return strings.Contains(plain.String(), word)
}

// firstWords are the first two words of a text, in lower case.
func firstWords(text string) (first, second string) {
	words := strings.FieldsFunc(text[:min(len(text), 200)], func(c rune) bool { return c >= 0x80 || letters[c] == 0 })
	words = append(words, "", "")
	return strings.ToLower(words[0]), strings.ToLower(words[1])
}

// near is where an error's message begins to quote the statement.
const near = " near '"

// HideIn returns what may be shown of the message of an error of a statement, which may be about a
// text in it.
func HideIn(message, statement string) string {
	at := strings.Index(message, near)
	if at < 0 {
		if HideParsed(message) != message {
			return Hide(message)
		}
		return message
	}
	head, quoted := message[:at+len(near)], message[at+len(near):]
	tail := ""
	if i := strings.LastIndex(quoted, "' at line "); i >= 0 {
		quoted, tail = quoted[:i], quoted[i:]
	}
	if quoted == "" {
		return message
	}
	hidden := cut(statement)
	if hidden < 0 {
		return head + Hide(quoted) + tail
	}
	from := strings.LastIndex(statement, quoted)
	if from < 0 || from >= hidden {
		return head + Secret + tail
	}
	if from+len(quoted) <= hidden {
		return message
	}
	return head + quoted[:hidden-from] + Secret + tail
}
