package secrets

import "strings"

// secret replaces what is hidden.
const secret = "<secret>"

// The words that passwords follow.
const words = "identified" + "password"

// errorsMax is how many letters of a word may be wrong.
const errorsMax = 2

// The automaton has a bit for each letter of the words: bit i is set after a letter of the text
// if the word up to i ends there. begins are the bits of first letters, ends those of last ones, and
// missing those that are reached by leaving out as many letters as there may be errors.
var (
	letters        [256]uint32 // by letter, 0 for what is none
	firstLetters   uint32
	lastLetters    uint32
	missingLetters [errorsMax + 1]uint32
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
		firstLetters |= 1 << first
		for d := range missingLetters {
			for i := range d {
				missingLetters[d] |= 1 << (first + i)
			}
		}
	}
	lastLetters = 1<<(len("identified")-1) | 1<<(len(words)-1)
}

// endOfSecretWord returns the end of the first part of text that resembles one of the words, -1 if
// there is none.
func endOfSecretWord(text string) int {
	r0, r1, r2 := missingLetters[0], missingLetters[1], missingLetters[2]
	for i := range len(text) {
		mask := letters[text[i]]
		if mask == 0 {
			continue
		}
		// In each row the letter is right, or in the row before one too many, a wrong one, or one is
		// missing.
		n0 := (r0<<1 | firstLetters) & mask
		n1 := (r1<<1|firstLetters)&mask | r0 | r0<<1 | n0<<1 | missingLetters[1]
		n2 := (r2<<1|firstLetters)&mask | r1 | r1<<1 | n1<<1 | missingLetters[2]
		if n2&lastLetters != 0 {
			return i + 1 + wordRest(text[i+1:], n0, n1)
		}
		r0, r1, r2 = n0, n1, n2
	}
	return -1
}

// wordRest returns how long a word continues that was taken to end with letters missing. r0 and r1
// are the automaton's rows with fewer errors.
func wordRest(text string, r0, r1 uint32) int {
	end, seen := 0, 0
	for i := range len(text) {
		mask := letters[text[i]]
		if mask == 0 {
			continue
		}
		n0 := (r0<<1 | firstLetters) & mask
		r1 = (r1<<1|firstLetters)&mask | r0 | r0<<1 | n0<<1 | missingLetters[1]
		r0 = n0
		if seen++; seen == 1 && r1&lastLetters != 0 || seen == 2 && r0&lastLetters != 0 {
			end = i + 1
		}
		if seen == errorsMax {
			break
		}
	}
	return end
}

// secretStart returns where a text that may have a password is cut; -1 if it has none.
func secretStart(text string) int {
	end := endOfSecretWord(text)
	if end < 0 {
		return -1
	}
	if quote := strings.IndexAny(text, "'\"`"); quote >= 0 && quote < end {
		return quote
	}
	return end
}

// Hide returns what may be shown of a text that has not been parsed: text itself if it cannot have a
// password.
func Hide(text string) string {
	if at := secretStart(text); at >= 0 {
		return text[:at] + secret
	}
	return text
}

// phrases precede a password in a parsed statement: lower case, letters only.
var phrases = []string{"identifiedby", "identifiedwith", "sourcepassword", "masterpassword"}

// HideParsed returns what may be shown of a parsed statement that is not about accounts: it may
// have such a statement in its literals, comments or body.
func HideParsed(text string) string {
	if endOfSecretWord(text) < 0 {
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
	// A statement that sets something or contains other statements may be a misspelled one about
	// accounts. Other statements may have columns of these names, but literals and comments are
	// still searched.
	if first, second := firstWords(text); aboutServer[first] && !aboutTables[second] {
		return Hide(text)
	}
	if i := strings.IndexAny(text, "'\"#/-"); i >= 0 && containsLetters(text[i:], "setpassword") {
		return Hide(text)
	}
	return text
}

// aboutServer are the first words of statements that may be about accounts or contain other
// statements; aboutTables are the second words of those that are not.
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

// containsLetters reports whether the letters of text contain a word.
func containsLetters(text, word string) bool {
	var plain strings.Builder
	for i := range len(text) {
		if letters[text[i]] != 0 {
			plain.WriteByte(text[i] | 0x20)
		}
	}
	return strings.Contains(plain.String(), word)
}

// firstWords returns the first two words of a text, in lower case.
func firstWords(text string) (first, second string) {
	words := strings.FieldsFunc(text[:min(len(text), 200)], func(c rune) bool { return c >= 0x80 || letters[c] == 0 })
	words = append(words, "", "")
	return strings.ToLower(words[0]), strings.ToLower(words[1])
}

// near is what precedes the quoted statement in an error message.
const near = " near '"

// HideIn returns what may be shown of the error message of a statement.
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
	hidden := secretStart(statement)
	if hidden < 0 {
		return head + Hide(quoted) + tail
	}
	from := strings.LastIndex(statement, quoted)
	if from < 0 || from >= hidden {
		return head + secret + tail
	}
	if from+len(quoted) <= hidden {
		return message
	}
	return head + quoted[:hidden-from] + secret + tail
}
