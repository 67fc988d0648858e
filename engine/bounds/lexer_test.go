package bounds

import (
	"math/rand/v2"
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// shape is what of a text's tokens the weight depends on: a comma, a bracket, a semicolon, and between them how many
// tokens there are that are no values.
type shape struct {
	mark   byte
	tokens int
}

// shapes are those of a text as this package reads it.
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

// parserShapes are those of a text as the parser reads it, up to where it finds an error.
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

// checkTokens holds the tokens of a text against the parser's: none may be missing.
func checkTokens(t *testing.T, input string, ansi bool) {
	t.Helper()
	got, want := shapes(input, ansi), parserShapes(input, ansi)
	if len(got) < len(want) {
		t.Fatalf("%q: %d pieces, the parser has %d", input, len(got), len(want))
	}
	for i, w := range want {
		if got[i].mark != w.mark || got[i].tokens < w.tokens {
			t.Fatalf("%q, ansi %v, piece %d: %c and %d tokens, the parser has %c and %d", input, ansi, i, got[i].mark, got[i].tokens, w.mark, w.tokens)
		}
	}
}

// pieces are what texts are made from that are read in unusual ways.
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
