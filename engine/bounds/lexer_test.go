package bounds

import (
	"math/rand/v2"
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// shape is the part of a text's tokens that its weight depends on: a comma, a bracket or a
// semicolon, and the number of tokens up to the next one that are not values.
type shape struct {
	mark   byte
	tokens int
}

// shapes returns the shapes of a text as this package reads it.
func shapes(input string, ansi bool) (all []shape) {
	all = []shape{{}}
	for l := newLexer(input, ansi); ; {
		last := &all[len(all)-1]
		switch k := l.next(); k {
		case end:
			return all
		case comma, open, closing, semicolon:
			all = append(all, shape{mark: l.text[l.start]})
		case number, text:
		default:
			last.tokens++
		}
	}
}

// parserShapes returns the shapes of a text as the parser reads it, up to the first error that it
// finds.
func parserShapes(input string, ansi bool) (all []shape) {
	tokens := ast.NewStringTokenizer(input)
	if ansi {
		tokens = ast.NewStringTokenizerForAnsiQuotes(input)
	}
	all = []shape{{}}
	for {
		last := &all[len(all)-1]
		switch k, _ := tokens.Scan(); k {
		case 0, ast.LEX_ERROR:
			return all
		case ',', '(', ')', ';':
			all = append(all, shape{mark: byte(k)})
		case ast.COMMENT, ast.STRING, ast.HEX, ast.BIT_LITERAL, ast.INTEGRAL, ast.FLOAT, ast.HEXNUM, ast.VALUE_ARG, '.':
		default:
			last.tokens++
		}
	}
}

// checkTokens compares the tokens of a text with those of the parser: none may be missing.
func checkTokens(t *testing.T, input string, ansi bool) {
	t.Helper()
	got, want := shapes(input, ansi), parserShapes(input, ansi)
	if len(got) < len(want) {
		t.Fatalf("%q: %d shapes, the parser has %d", input, len(got), len(want))
	}
	for i, w := range want {
		if got[i].mark != w.mark || got[i].tokens < w.tokens {
			t.Fatalf("%q, ansi %v, shape %d: %c and %d tokens, the parser has %c and %d", input, ansi, i, got[i].mark, got[i].tokens, w.mark, w.tokens)
		}
	}
}

// pieces are parts of texts that are tokenized in unusual ways.
var pieces = strings.Split("'|\"|`|''|\\|\\'|@|@@|@`|--|-- |#|//|/*|*/|/*!|/*!50000|/*!1|/*!123456|/*M!|/*M!100100 |\n| |\t|\v|\x00|(|)|,|;|a|x'|b'|X'0|N'|_utf8mb4'|1|1.|.5|1e|1e-|1e+|0x|0xf|0b1|$|é|\u00a0|:a|::|:=|:begin|?|not|for|not enforced|select|+|-|->|->>|<|<=>|<>|<<|>>|!|!=|&&|||||.|a.b|a@b|'a'@'b'|\\\\|%|~|^|{|}|null|1a|12abc|.1e|*|=", "|")

func TestTokens(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300_000 {
		var b strings.Builder
		for range 1 + random.IntN(16) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		checkTokens(t, b.String(), random.IntN(2) == 0)
	}
}

func FuzzTokens(f *testing.F) {
	for _, p := range pieces {
		f.Add("select 1"+p+"1"+p, true)
	}
	f.Fuzz(func(t *testing.T, input string, ansi bool) { checkTokens(t, input, ansi) })
}
