// Package grammar parses the statements of MySQL that vitess cannot parse, such as HANDLER, CHECK
// TABLE or GET DIAGNOSTICS, into a [Statement].
//
// [Grammar] is called with what vitess refuses, by package parsing. The package calls syntax, whose
// reader cuts a text into tokens, and mends. Begin reading at grammar.go; grammar_server.go has the
// statements that need no parts of their text. Safe for concurrent use.
//
// Called by many packages of engine.
package grammar
