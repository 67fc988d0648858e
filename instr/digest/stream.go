package digest

import "strings"

// token is a token's number in MySQL's grammar: of a character, a word, an operator, a word of
// hints, or the result of a reduction.
type token = uint16

// The tokens that the lexer and the reductions must know.
const (
	tokEnd        token = 0
	tokAbort      token = 258 // text that the lexer cannot read
	tokAndAnd     token = 273
	tokBinNum     token = 292
	tokBinary     token = 290
	tokEq         token = 415
	tokEqual      token = 416
	tokGe         token = 456
	tokGt         token = 469
	tokHexNum     token = 474
	tokIdent      token = 482
	tokIn         token = 504
	tokJSONSep    token = 514
	tokLe         token = 522
	tokHostname   token = 529
	tokLt         token = 549
	tokNchar      token = 611
	tokNe         token = 614
	tokNot2       token = 621
	tokNot        token = 622
	tokNull       token = 627
	tokNum        token = 628
	tokOr2        token = 642
	tokOrOr       token = 644
	tokParam      token = 652
	tokRollup     token = 734
	tokSetVar     token = 757
	tokShiftLeft  token = 759
	tokShiftRt    token = 760
	tokText       token = 827
	tokCharset    token = 852
	tokWith       token = 892
	tokWithRollup token = 894
	tokJSONUnq    token = 907
	tokDollar     token = 1204

	tokValue         token = 1100
	tokValueList     token = 1101
	tokRowSingle     token = 1102
	tokRowSingleList token = 1103
	tokRowMultiple   token = 1104
	tokRowMultiList  token = 1105
	tokIdentifier    token = 1106
	tokIdentifierAt  token = 1107
	tokHintOpen      token = 1108
	tokHintClose     token = 1109
	tokInValues      token = 1110
	tokUnused        token = 1111
)

// tokenBytes is how many bytes a token has, and the length of an identifier.
const tokenBytes = 2

// stream is the tokens of a statement, reduced while they come in.
type stream struct {
	buf    []byte
	max    int
	lastID int  // where the tokens after the last identifier begin
	full   bool // a token did not fit: nothing more is added
	// The two tokens before the present one as the lexer read them, without hints.
	before, before2 token
}

// add adds a token of the statement. name and doubled belong to an identifier: see lexer.
func (s *stream) add(t token, name string, doubled byte) {
	read := t
	if t == tokNull && s.nullIsValue() {
		// MySQL first adds the keyword: so there must be room for it, and a sign before it stays.
		if len(s.buf)+tokenBytes > s.max {
			s.full = true
			return
		}
		t = tokValue
	}
	s.put(t, name, doubled)
	s.before, s.before2 = read, s.before
}

// put adds a token of the statement or of a hint.
func (s *stream) put(t token, name string, doubled byte) {
	switch t {
	case tokNum, tokBinNum, tokHexNum:
		for s.endsInSign() {
			s.drop(1)
		}
		s.putValue()
	case tokHostname, tokText, tokNchar, tokParam, tokValue:
		s.putValue()
	case ')':
		s.putParenthesis()
	case tokIdent:
		s.putIdentifier(tokIdentifier, name, doubled)
	case tokIdentifierAt:
		s.putIdentifier(tokIdentifierAt, name, doubled)
	default:
		s.store(t)
	}
}

// last returns the n-th token from the end, 1 for the last one; tokUnused if there are fewer tokens
// after the last identifier.
func (s *stream) last(n int) token {
	at := len(s.buf) - n*tokenBytes
	if at < s.lastID {
		return tokUnused
	}
	return token(s.buf[at]) | token(s.buf[at+1])<<8
}

func (s *stream) drop(n int) { s.buf = s.buf[:len(s.buf)-n*tokenBytes] }

func (s *stream) store(t token) {
	if len(s.buf)+tokenBytes > s.max {
		s.full = true
		return
	}
	s.buf = append(s.buf, byte(t), byte(t>>8))
}

// endsInSign reports whether the last token is the sign of the number that follows, and not an
// operator.
func (s *stream) endsInSign() bool {
	t := s.last(1)
	return (t == '-' || t == '+') && startsExpression(s.last(2))
}

func (s *stream) putValue() {
	if s.last(1) == ',' {
		if t := s.last(2); t == tokValue || t == tokValueList {
			s.drop(2)
			s.store(tokValueList)
			return
		}
	}
	s.store(tokValue)
}

func (s *stream) putParenthesis() {
	if s.last(2) != '(' {
		s.store(')')
		return
	}
	switch s.last(1) {
	case tokValue:
		s.putRow(tokRowSingle, tokRowSingleList)
	case tokValueList:
		s.putRow(tokRowMultiple, tokRowMultiList)
	default:
		s.store(')')
	}
}

// putRow replaces the tokens in parentheses by row, and this together with a row or list before it
// by list.
func (s *stream) putRow(row, list token) {
	s.drop(2)
	switch before := s.last(1); {
	case before == tokIn:
		s.drop(1)
		s.store(tokInValues)
	case before == ',' && (s.last(2) == row || s.last(2) == list):
		s.drop(2)
		s.store(list)
	default:
		s.store(row)
	}
}

func (s *stream) putIdentifier(t token, name string, doubled byte) {
	n := len(name)
	if doubled != 0 {
		n -= strings.Count(name, string([]byte{doubled, doubled}))
	}
	if len(s.buf)+2*tokenBytes+n > s.max {
		s.full = true
		return
	}
	s.buf = append(s.buf, byte(t), byte(t>>8), byte(n), byte(n>>8))
	if doubled == 0 {
		s.buf = append(s.buf, name...)
	} else {
		for i := 0; i < len(name); i++ {
			s.buf = append(s.buf, name[i])
			if name[i] == doubled {
				i++
			}
		}
	}
	s.lastID = len(s.buf)
}

// end is the end of the statement.
func (s *stream) end() {
	for !s.full && s.last(1) == ';' {
		s.drop(1)
	}
}
