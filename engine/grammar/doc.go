// Package grammar parses the statements of MySQL that vitess cannot parse, such as HANDLER, CHECK
// TABLE or GET DIAGNOSTICS, into a [Statement].
//
// Package parsing calls [Grammar] with each text that vitess refuses. The package calls syntax,
// whose reader cuts a text into tokens, and mends. Begin reading at grammar.go. grammar_server.go
// has the statements of which the server needs only the kind. Safe for concurrent use.
//
// Called by many packages of engine.
package grammar
