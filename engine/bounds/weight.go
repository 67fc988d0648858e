package bounds

// Weight is an upper bound of what the parser can make of a text.
type Weight struct {
	// Depth is an upper bound of the depth of the tree: each token may add a level, but of the
	// elements of a list, which are side by side, only the deepest counts.
	Depth int
	// Tokens is the number of tokens.
	Tokens int
	// Values is the number of those tokens that are constants, commas and brackets in the rows of
	// an INSERT.
	Values int
	// Queries is the number of SELECTs of a statement, NestedQueries how deep they are nested, and
	// SetOperations the number of its set operations; for a program, the largest numbers among its
	// statements.
	Queries, NestedQueries, SetOperations int
	// Doubling is the number of words, nested or one behind the other, that can double the work.
	Doubling int
	// Blocks is the number of words that can begin a block of statements.
	Blocks int
	// MayHaveWith is true if there may be common table expressions.
	MayHaveWith bool
	// Commas is the number of commas, Tables that of words and commas that can join tables.
	Commas, Tables int
	// Bytes is about how many bytes the parser's tree takes: within a factor of two of it for all
	// but a few kinds of statements, which are short by other limits.
	Bytes int
	// Stars is the number of asterisks.
	Stars int
	// LongName and LongNumber begin the first name and the first number that are longer than any may be, "" if there are none.
	LongName, LongNumber string
	// Creates is true if the text begins with CREATE or ALTER.
	Creates bool
	// End is where the first statement ends, behind its semicolon; the length of the text if it is
	// the only one.
	End int
}

// frame is the state of an open pair of brackets, or of the text outside all brackets. An element
// is the text between two commas.
type frame struct {
	blocks  int // words that may deepen everything behind them, up to the end of the text
	lasting int // words that may deepen everything behind them, up to the end of the statement
	own     int // tokens of the current element
	inside  int // the deepest brackets in the current element
	deepest int // depth of the deepest finished element
	queries int // 1 if it has a SELECT
	doubles int // words of the current element that can double the work
	within  int // the most such words in its brackets
	most    int // the most such words in a finished element
}

// endElement finishes the current element.
func (f *frame) endElement() {
	f.deepest = max(f.deepest, f.own+f.inside)
	f.most = max(f.most, f.doubles+f.within)
	f.own, f.inside, f.doubles, f.within = 0, 0, 0, 0
}

// depth returns the depth of the brackets. The current element must be finished.
func (f *frame) depth() int { return f.blocks + f.lasting + f.deepest }

// currentDepth is depth with the current element.
func (f *frame) currentDepth() int { return f.blocks + f.lasting + max(f.deepest, f.own+f.inside) }

// Measure weighs the first statement of input; ansi is the SQL mode ANSI_QUOTES. It does not
// allocate unless more than 32 brackets are nested, and stops where a limit is exceeded.
//
//	deep(brackets) = lasting + max over the elements (tokens without inserted values + max over the brackets in it)
func Measure(input string, ansi bool) Weight { return measure(input, ansi, len(input)) }

// FirstEnd returns an end of the first statement of input that is found without reading more than about twice near bytes behind it: where
// that statement ends, or of a program that is longer than near bytes, where the first statement behind these bytes ends, be it in the
// program or behind it.
func FirstEnd(input string, ansi bool, near int) int {
	return measure(input, ansi, near).End
}

// measure is Measure, and stops behind the first semicolon outside of brackets that is at or behind the offset near. It is one case for each
// kind of token.
func measure(input string, ansi bool, near int) (w Weight) {
	var first [32]frame
	stack := append(first[:0], frame{})
	f := &stack[0]
	l := newLexer(input, ansi)
	queries, sets, levels := 0, 0, 0
	body := false // the statement may be a program with others in it
	creates, inserts := false, false
	last := end
	sum := 0 // depth of the open frames
	for {
		k := l.next()
		if k == end {
			break
		}
		w.Tokens++
		switch k {
		case word:
			class := classOf(l.text[l.start:l.at])
			w.noteName(l.text[l.start:l.at])
			w.Bytes += wordBytes
			if w.Tokens == 1 {
				creates, inserts = class == create, class == insert
				w.Creates = creates
			}
			switch class {
			case plain, create, insert:
				f.own++
			case program:
				f.own++
				body = body || creates && len(stack) == 1
			case query:
				w.Bytes += queryBytes
				f.lasting++
				inserts = false // INSERT ... SELECT, or a subquery in the rows
				queries++
				w.Queries = max(w.Queries, queries)
				if f.doubles++; f.queries == 0 {
					f.queries = 1
					levels++
					w.NestedQueries = max(w.NestedQueries, levels)
				}
			case betweenTables:
				f.lasting++
				w.Tables++
			case set:
				f.lasting++
				sets++
				w.SetOperations = max(w.SetOperations, sets)
			case with:
				f.lasting++
				w.MayHaveWith = true
			case nestsAfterComma:
				f.lasting++
			case nestsAfterSemicolon:
				f.blocks++
				w.Blocks++
			case doublesWork:
				f.own++
				f.doubles++
			case multipliesWork:
				f.own++
				f.doubles += fieldDoubling
			case constant:
				f.own++
				if inserts && len(stack) == 2 {
					w.Values++
					w.Bytes += valueBytes - wordBytes
				}
			}
		case leaf, mark:
			f.own++
			if k == leaf {
				w.Bytes += wordBytes
				w.noteName(l.text[l.start:l.at])
			}
			if k == mark && l.text[l.start] == '*' {
				w.Stars++
			}
			if inserts && len(stack) == 2 && k == mark && l.text[l.start] == '-' {
				w.Values++
				w.Bytes += valueBytes
			}
		case number, text:
			if k == text && last == text {
				f.own++ // the tokenizer recurses for adjacent texts
			}
			w.Bytes += max(0, l.at-l.start-shortText)
			if k == number && l.at-l.start > maxNumber && w.LongNumber == "" && l.text[l.start+1]|0x20 != 'x' {
				w.LongNumber = l.text[l.start:l.at]
			}
			if inserts && len(stack) == 2 {
				w.Values++
				w.Bytes += valueBytes
			} else {
				w.Bytes += literalBytes
			}
		case comma:
			f.endElement()
			if inserts && len(stack) <= 2 {
				w.Values++
				w.Bytes += valueBytes
				break
			}
			w.Bytes += commaBytes
			w.Commas++
			w.Tables++
		case open:
			if inserts && len(stack) == 1 {
				w.Values++
				w.Bytes += valueBytes
			} else {
				w.Bytes += bracketBytes
			}
			sum += f.blocks + f.lasting + f.own + 1
			stack = append(stack, frame{})
			f = &stack[len(stack)-1]
		case closing:
			if len(stack) == 1 {
				break
			}
			f.endElement()
			deep, doubling := f.depth()+1, f.most
			levels -= f.queries
			stack = stack[:len(stack)-1]
			f = &stack[len(stack)-1]
			sum -= f.blocks + f.lasting + f.own + 1
			f.inside, f.within = max(f.inside, deep), max(f.within, doubling)
			if inserts && len(stack) == 1 {
				w.Values++
				w.Bytes += valueBytes
			}
		case semicolon:
			f.endElement()
			if len(stack) > 1 {
				break
			}
			if !body || l.at >= near {
				w.Depth, w.Doubling, w.End = max(w.Depth, f.depth()), max(w.Doubling, f.most), l.at
				return w
			}
			w.Depth, w.Doubling = max(w.Depth, f.depth()), max(w.Doubling, f.most)
			f.lasting, f.deepest, f.most = 0, 0, 0
			queries, sets, levels, f.queries = 0, 0, 0, 0
		}
		last = k
		if deep := sum + f.currentDepth(); deep > maxDepth || w.Tokens-w.Values > maxTokens || w.Values > maxValues {
			w.Depth, w.End = max(w.Depth, deep), len(input)
			return w
		}
	}
	for {
		f.endElement()
		deep, doubling := f.depth(), f.most
		if len(stack) == 1 {
			w.Depth, w.Doubling, w.End = max(w.Depth, deep), max(w.Doubling, doubling), len(input)
			return w
		}
		stack = stack[:len(stack)-1]
		f = &stack[len(stack)-1]
		f.inside, f.within = max(f.inside, deep+1), max(f.within, doubling)
	}
}

// noteName notes a name that is too long. Bits, 0b01, look like a name.
func (w *Weight) noteName(name string) {
	if len(name) > maxName && w.LongName == "" && classes[name[0]]&isDigit == 0 {
		w.LongName = name
	}
}

// What the tokens of a text become in the tree, bytes, on average over texts of many shapes.
const (
	wordBytes    = 65
	literalBytes = 45 // a number or a text
	shortText    = 16 // a text as long as this costs no more than a number
	commaBytes   = 60 // an element of a list
	bracketBytes = 60
	queryBytes   = 280 // a SELECT, besides the word
	valueBytes   = 24  // a token in the rows of an INSERT
)

// class is the effect of a word on what follows it.
type class uint8

const (
	plain               class = iota
	query                     // SELECT
	set                       // between the parts of a set operation
	betweenTables             // between tables
	with                      // may begin common table expressions
	nestsAfterComma           // what follows a comma behind it may be a level deeper
	nestsAfterSemicolon       // what follows a semicolon behind it may be a level deeper, too
	doublesWork               // may double the work
	multipliesWork            // multiplies the work
	create                    // may create a program
	program                   // the kind of a program that is created
	insert                    // inserts rows
	constant                  // a value
)

// classOf returns the class of a word.
func classOf(w string) class {
	if len(w) < 2 || len(w) > len("straight_join") {
		return plain
	}
	var b [16]byte
	for i := range len(w) {
		b[i] = w[i] | 0x20
	}
	switch string(b[:len(w)]) {
	case "select":
		return query
	case "join", "straight\x7fjoin":
		return betweenTables
	case "union", "except", "intersect":
		return set
	case "with":
		return with
	case "explain", "analyze", "describe", "desc":
		return nestsAfterComma
	case "if", "case", "begin", "loop", "while", "repeat", "then", "else", "elseif", "do", "handler":
		return nestsAfterSemicolon
	case "between", "nullif", "in", "any", "some", "all":
		return doublesWork
	case "field":
		return multipliesWork
	case "create", "alter":
		return create
	case "procedure", "function", "trigger", "event":
		return program
	case "insert", "replace":
		return insert
	case "null", "default", "true", "false":
		return constant
	}
	return plain
}
