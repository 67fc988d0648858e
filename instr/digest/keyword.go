package digest

// keyword is a word of MySQL's grammar, in upper case.
type keyword struct {
	word     string
	token    token
	function bool // a keyword only if a parenthesis follows
}

// table finds words: open addressing, by hashOf. Immutable once made.
type table struct {
	words []keyword
	slots [2048]uint16 // index into words + 1
	most  int          // bytes of the longest word
}

var (
	words     = newTable(keywords[:])
	hintWords = newTable(hintKeywords[:])
)

func newTable(list []keyword) *table {
	t := &table{words: list}
	for i, k := range list {
		t.most = max(t.most, len(k.word))
		at := hashOf(k.word) % uint32(len(t.slots))
		for t.slots[at] != 0 {
			at = (at + 1) % uint32(len(t.slots))
		}
		t.slots[at] = uint16(i + 1)
	}
	return t
}

// hashStart and hashStep compute the hash of a word byte by byte, without regard to letter case.
const hashStart uint32 = 2166136261

func hashStep(h uint32, c byte) uint32 { return (h ^ uint32(c|0x20)) * 16777619 }

func hashOf(word string) uint32 {
	h := hashStart
	for i := range len(word) {
		h = hashStep(h, word[i])
	}
	return h
}

// find returns the keyword that word is, without regard to the case of ASCII letters; nil if it is
// none.
func (t *table) find(word string, hash uint32) *keyword {
	if len(word) > t.most {
		return nil
	}
	for at := hash % uint32(len(t.slots)); t.slots[at] != 0; at = (at + 1) % uint32(len(t.slots)) {
		if k := &t.words[t.slots[at]-1]; equalFold(word, k.word) {
			return k
		}
	}
	return nil
}

// equalFold compares a word with one in upper case.
func equalFold(word, upper string) bool {
	if len(word) != len(upper) {
		return false
	}
	for i := range len(word) {
		c := word[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c != upper[i] {
			return false
		}
	}
	return true
}

// lookUp returns the token of a word of the grammar, 0 if it is none; function reports whether a
// parenthesis follows.
func lookUp(word string, hash uint32, function bool) token {
	if k := words.find(word, hash); k != nil && (function || !k.function) {
		return k.token
	}
	return 0
}

// operator returns the token of a comparison or shift operator, 0 if s is none.
func operator(s string) token {
	switch s {
	case "=":
		return tokEq
	case "<=>":
		return tokEqual
	case "<":
		return tokLt
	case "<=":
		return tokLe
	case ">":
		return tokGt
	case ">=":
		return tokGe
	case "<>", "!=":
		return tokNe
	case "<<":
		return tokShiftLeft
	case ">>":
		return tokShiftRt
	case "&&":
		return tokAndAnd
	case "||":
		return tokOrOr
	}
	return 0
}

// charsets are the character sets that can introduce a text, as in _latin1'x'.
var charsets = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range []string{
		"armscii8", "ascii", "big5", "binary", "cp1250", "cp1251", "cp1256", "cp1257", "cp850", "cp852", "cp866",
		"cp932", "dec8", "eucjpms", "euckr", "gb18030", "gb2312", "gbk", "geostd8", "greek", "hebrew", "hp8",
		"keybcs2", "koi8r", "koi8u", "latin1", "latin2", "latin5", "latin7", "macce", "macroman", "sjis", "swe7",
		"tis620", "ucs2", "ujis", "utf16", "utf16le", "utf32", "utf8", "utf8mb3", "utf8mb4",
	} {
		m[name] = true
	}
	return m
}()

// charsetMax is how many bytes the longest name of a character set has.
const charsetMax = len("armscii8")

func isCharset(name string) bool {
	if len(name) > charsetMax {
		return false
	}
	var lower [charsetMax]byte
	for i := range len(name) {
		lower[i] = name[i]
		if 'A' <= name[i] && name[i] <= 'Z' {
			lower[i] |= 0x20
		}
	}
	return charsets[string(lower[:len(name)])]
}
