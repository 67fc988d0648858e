package digest

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
)

// DefaultMaxLength is MySQL's default of max_digest_length, bytes.
const DefaultMaxLength = 1024

// Size is how many bytes a digest has.
const Size = sha256.Size

// Mode is a set of those SQL modes that decide how text is split into tokens.
type Mode uint8

// The SQL modes.
const (
	// AnsiQuotes is ANSI_QUOTES: text in double quotes is an identifier.
	AnsiQuotes Mode = 1 << iota
	// PipesAsConcat is PIPES_AS_CONCAT: || concatenates, and is not OR.
	PipesAsConcat
	// NoBackslashEscapes is NO_BACKSLASH_ESCAPES: a backslash is an ordinary character.
	NoBackslashEscapes
	// HighNotPrecedence is HIGH_NOT_PRECEDENCE: NOT has the precedence of !.
	HighNotPrecedence
	// IgnoreSpace is IGNORE_SPACE: space may stand between a function and its parenthesis.
	IgnoreSpace
)

// ParseMode returns the modes of sql_mode, a list of names separated by commas, that matter here.
// It ignores other names. Safe for concurrent use.
func ParseMode(sqlMode string) Mode {
	var m Mode
	for len(sqlMode) > 0 {
		var name string
		name, sqlMode, _ = strings.Cut(sqlMode, ",")
		switch strings.ToUpper(strings.TrimSpace(name)) {
		case "ANSI":
			m |= AnsiQuotes | PipesAsConcat | IgnoreSpace
		case "ANSI_QUOTES":
			m |= AnsiQuotes
		case "PIPES_AS_CONCAT":
			m |= PipesAsConcat
		case "NO_BACKSLASH_ESCAPES":
			m |= NoBackslashEscapes
		case "HIGH_NOT_PRECEDENCE":
			m |= HighNotPrecedence
		case "IGNORE_SPACE":
			m |= IgnoreSpace
		}
	}
	return m
}

// Builder computes digests in memory that it uses again. The zero value is ready. Owned by one
// goroutine.
type Builder struct {
	lexer
	stream
}

// Compute returns the digest of a statement and the tokens it is made of, at most maxLength bytes.
// The tokens are in the Builder's memory, and valid until its next use. There are none if the text
// has no tokens or maxLength is below 2; MySQL counts such statements in no digest.
func (b *Builder) Compute(sql string, maxLength int, mode Mode) (hash [Size]byte, tokens []byte) {
	b.lexer = lexer{sql: sql, mode: mode}
	b.stream = stream{buf: b.buf[:0], max: maxLength}
	for t := b.next(); t != tokEnd && !b.full; t = b.next() {
		if t == tokWith {
			// Only here the grammar looks ahead by one token.
			if t = b.next(); t == tokRollup {
				t = tokWithRollup
			} else {
				b.add(tokWith, "", 0)
			}
		}
		if t == tokEnd {
			break
		}
		b.add(t, b.name, b.doubled)
		if hintable(t) && !b.full && b.hints(&b.stream) {
			t = tokAbort
			b.add(t, "", 0)
		}
		if t == tokAbort {
			break
		}
	}
	b.end()
	b.sql, b.name = "", ""
	return sha256.Sum256(b.buf), b.buf
}

var builders = sync.Pool{New: func() any { return new(Builder) }}

// Compute is Builder.Compute; the tokens belong to the caller. Safe for concurrent use.
func Compute(sql string, maxLength int, mode Mode) (hash [Size]byte, tokens []byte) {
	b := builders.Get().(*Builder)
	defer builders.Put(b)
	hash, tokens = b.Compute(sql, maxLength, mode)
	if len(tokens) == 0 {
		return hash, nil
	}
	return hash, append([]byte(nil), tokens...)
}

// Hex is a digest as column DIGEST shows it: 64 hexadecimal digits. Safe for concurrent use.
func Hex(hash [Size]byte) string { return hex.EncodeToString(hash[:]) }
