package bounds

// Weight is how much the parser can make of a text.
type Weight struct {
	// Deep is at least how deep the tree gets, in levels that each take a token: words, operators and brackets that
	// stand in each other or go on from one another. What stands side by side between commas counts once.
	Deep int
	// Tokens is the number of tokens.
	Tokens int
	// Values is how many of them are values and what is between them, in the rows of an INSERT.
	Values int
	// Queries is the most SELECTs of a statement, Inner how many of them lie in each other, and Sets how many set
	// operations a statement has.
	Queries, Inner, Sets int
	// Doubling is the most words behind each other or in each other that can make the work double.
	Doubling int
	// Blocks is the number of words with which statements in each other can begin.
	Blocks int
	// With tells that there may be common table expressions.
	With bool
	// Commas is the number of commas, Tables that of words and commas that can stand between tables.
	Commas, Tables int
	// Stars is the number of asterisks.
	Stars int
	// Creates tells that the text begins with CREATE or ALTER.
	Creates bool
	// End is where the first statement ends, behind its semicolon; the length of the text if there is no other.
	End int
}

// frame is what is known of a pair of brackets, or of what is outside of them all. An element is what stands between commas.
type frame struct {
	blocks  int // words behind which everything may be a level deeper, up to the end of the text
	lasting int // words behind which everything may be a level deeper, up to the end of the statement
	own     int // tokens of the element
	inside  int // the deepest brackets of the element
	deepest int // of the elements that are over
	queries int // 1 if it has a SELECT
	doubles int // of the element: words that can double the work
	within  int // the most of its brackets
	most    int // the most of the elements that are over
}

// ends notes that an element is over.
func (f *frame) ends() {
	f.deepest = max(f.deepest, f.own+f.inside)
	f.most = max(f.most, f.doubles+f.within)
	f.own, f.inside, f.doubles, f.within = 0, 0, 0, 0
}

// deep is how deep what is in the brackets can be. The element must be over.
func (f *frame) deep() int { return f.blocks + f.lasting + f.deepest }

// running is deep while the element is not over.
func (f *frame) running() int { return f.blocks + f.lasting + max(f.deepest, f.own+f.inside) }

// Measure weighs the first statement of text; ansi tells that names stand in double quotes. It takes no memory, unless
// more than 32 brackets are in each other. It stops where the limits are passed.
//
//	deep(brackets) = lasting + max over the elements (tokens that are no values + max over the brackets in it)
func Measure(input string, ansi bool) (w Weight) {
	var first [32]frame
	stack := append(first[:0], frame{})
	f := &stack[0]
	l := newLexer(input, ansi)
	queries, sets, levels := 0, 0, 0
	body := false // the statement may have others in it
	creates, inserts := false, false
	last := end
	sum := 0 // of the frames that are open
	for {
		k := l.next()
		if k == end {
			break
		}
		w.Tokens++
		switch k {
		case word:
			class := classOf(l.text[l.start:l.at])
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
				f.lasting++
				inserts = false // it is no list of rows, or there may be tables in it
				queries++
				w.Queries = max(w.Queries, queries)
				if f.doubles++; f.queries == 0 {
					f.queries = 1
					levels++
					w.Inner = max(w.Inner, levels)
				}
			case joins:
				f.lasting++
				w.Tables++
			case set:
				f.lasting++
				sets++
				w.Sets = max(w.Sets, sets)
			case with:
				f.lasting++
				w.With = true
			case lasts:
				f.lasting++
			case blocks:
				f.blocks++
				w.Blocks++
			case doubles:
				f.own++
				f.doubles++
			case field:
				f.own++
				f.doubles += fieldDoubling
			case constant:
				f.own++
				if inserts && len(stack) == 2 {
					w.Values++
				}
			}
		case leaf, mark:
			f.own++
			if k == mark && l.text[l.start] == '*' {
				w.Stars++
			}
			if inserts && len(stack) == 2 && k == mark && l.text[l.start] == '-' {
				w.Values++
			}
		case number, text:
			if k == text && last == text {
				f.own++ // the tokenizer calls itself for texts side by side
			}
			if inserts && len(stack) == 2 {
				w.Values++
			}
		case comma:
			f.ends()
			if inserts && len(stack) <= 2 {
				w.Values++
				break
			}
			w.Commas++
			w.Tables++
		case open:
			if inserts && len(stack) == 1 {
				w.Values++
			}
			sum += f.blocks + f.lasting + f.own + 1
			stack = append(stack, frame{})
			f = &stack[len(stack)-1]
		case closing:
			if len(stack) == 1 {
				break
			}
			f.ends()
			deep, doubling := f.deep()+1, f.most
			levels -= f.queries
			stack = stack[:len(stack)-1]
			f = &stack[len(stack)-1]
			sum -= f.blocks + f.lasting + f.own + 1
			f.inside, f.within = max(f.inside, deep), max(f.within, doubling)
			if inserts && len(stack) == 1 {
				w.Values++
			}
		case semicolon:
			f.ends()
			if len(stack) > 1 {
				break
			}
			if !body {
				w.Deep, w.Doubling, w.End = max(w.Deep, f.deep()), max(w.Doubling, f.most), l.at
				return w
			}
			w.Deep, w.Doubling = max(w.Deep, f.deep()), max(w.Doubling, f.most)
			f.lasting, f.deepest, f.most = 0, 0, 0
			queries, sets, levels, f.queries = 0, 0, 0, 0
		}
		last = k
		if deep := sum + f.running(); deep > maxDeep || w.Tokens-w.Values > maxTokens || w.Values > maxValues {
			w.Deep, w.End = max(w.Deep, deep), len(input)
			return w
		}
	}
	for {
		f.ends()
		deep, doubling := f.deep(), f.most
		if len(stack) == 1 {
			w.Deep, w.Doubling, w.End = max(w.Deep, deep), max(w.Doubling, doubling), len(input)
			return w
		}
		stack = stack[:len(stack)-1]
		f = &stack[len(stack)-1]
		f.inside, f.within = max(f.inside, deep+1), max(f.within, doubling)
	}
}

// class is what a word does to what stands behind it.
type class uint8

const (
	plain    class = iota
	query          // SELECT
	set            // it stands between the parts of a UNION or the like
	joins          // it stands between tables
	with           // common table expressions follow, perhaps
	lasts          // what follows a comma behind it may be a level deeper
	blocks         // so may what follows a semicolon
	doubles        // it can make the work double
	field          // it multiplies the work
	create         // it makes a program, perhaps
	program        // it is a program that is made
	insert         // it inserts rows
	constant       // it is a value
)

// classOf is the class of a word.
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
		return joins
	case "union", "except", "intersect":
		return set
	case "with":
		return with
	case "explain", "analyze", "describe", "desc":
		return lasts
	case "if", "case", "begin", "loop", "while", "repeat", "then", "else", "elseif", "do", "handler":
		return blocks
	case "between", "nullif", "in", "any", "some", "all":
		return doubles
	case "field":
		return field
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
