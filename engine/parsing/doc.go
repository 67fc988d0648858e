// Package parsing makes syntax trees of what clients send: it is the parser that go-mysql-server
// calls.
//
// It refuses what MySQL refuses before it looks at any table, mends trees of which go-mysql-server
// would make something else than what they say, and knows statements that package syntax does not:
// those about accounts (account_statements.go), those that only have a grammar in package grammar
// (unparsed.go, server_statements.go), EXPLAIN with a format (explain_statements.go), and the
// definitions of what the server itself has, as dumps contain them (own_definition.go). Such a
// statement is an injected one of go-mysql-server, and makes its node of a plan itself, which
// answers.
//
// Package engine gives go-mysql-server a [Parser], and its sessions implement [Session]. The
// package calls syntax, grammar, sqltree, accounts, catalog and what the statements are about.
// Begin reading at parser.go. Safe for concurrent use.
//
// Called by connection and prepared.
package parsing
