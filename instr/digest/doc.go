// Package digest makes MySQL 8.4's statement digests: the hash by which
// events_statements_summary_by_digest groups statements, and their normalised text, byte for
// byte.
//
// Use, in three steps:
//
//	hash, tokens := digest.Compute(sql, digest.DefaultMaxLength, mode) // or with a Builder, which allocates nothing
//	key := digest.Hex(hash)                                            // column DIGEST
//	text := digest.Text(tokens)                                        // column DIGEST_TEXT
//
// # What a digest is
//
// The statement is split into tokens as MySQL's lexer does. Each token is 2 bytes, its number
// in MySQL's grammar, little endian; an identifier is its token, 2 bytes of length, and its
// bytes as the client sent them. The digest is the SHA-256 of these bytes. While tokens
// come in, they are reduced, never across an identifier:
//
//   - a literal, a placeholder, the name of a user variable: ?
//   - a sign before a number, after a token that starts an expression: nothing
//   - values with commas between: ?, ...
//   - such in parentheses: (?) or (...)
//   - such with commas between: (?) /* , ... */ or (...) /* , ... */
//   - such after IN: IN (...)
//
// Comments, white space and a semicolon at the end are not tokens. Optimizer hints are tokens,
// after the five words that they may follow. A token that does not fit in the maximum length ends
// the digest; nothing shows that tokens are left out.
//
// # NULL
//
// MySQL's grammar makes a value of NULL where it is a literal, and leaves the keyword where it is
// part of an operator or of a definition. This package has no grammar: the word before NULL
// decides. NULL is a literal where an operand must follow, which is after an operator, an opening
// parenthesis, a comma, or a word like SELECT, WHEN, DEFAULT or BY. It stays a keyword after IS,
// after a column's type and after SET (ON DELETE SET NULL), before ON EMPTY and ON ERROR, and as
// the value of the few options that take the word itself. After NOT and BINARY, the word before
// these decides in the same way.
//
// # Contract
//
// Statements are UTF-8 (utf8mb4). The package does not check whether a statement is correct. MySQL
// counts a statement that does not parse, or that has no token, in no digest: the caller must do
// the same. If a text has several statements, the caller passes one at a time. Everything works in
// one pass and in linear time, and cannot fail. Functions are safe for concurrent use; a Builder is
// owned by one goroutine.
//
// # Files
//
// digest.go: the API; stream.go: the tokens and their reductions; lexer.go, comment.go,
// number.go and hint.go: the lexer; null.go: which NULL is a value; keyword.go: the look-up of
// words; text.go: the normalised text; tables.go: MySQL's words and tokens, generated from
// testdata/mysql84 by "go test ./instr/digest -run TestTables -rewrite".
//
// Called by connection, functions and instr. Calls no other package of the module. Begin reading
// with digest.go.
package digest
