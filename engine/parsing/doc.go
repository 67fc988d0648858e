// Package parsing makes syntax trees of the texts that clients send. It is the parser that
// go-mysql-server calls.
//
// It refuses statements that MySQL refuses before it looks at any table. It changes syntax trees
// that go-mysql-server would execute with another meaning. It also parses statements that package
// syntax cannot parse: those about accounts (account_statements.go), those that only package
// grammar parses (unparsed.go, server_statements.go), EXPLAIN with a format
// (explain_statements.go), and statements of dumps that define what the server itself has
// (own_definition.go). For such a statement, it makes an injected statement of go-mysql-server
// (ast.InjectedStatement), which makes the node of its plan itself. That node executes the
// statement.
//
// Package connection gives go-mysql-server a [Parser], and its sessions implement [Session]. The
// package calls syntax, grammar, sqltree, accounts, catalog and the packages that the statements
// are about. Begin reading at parser.go. Safe for concurrent use.
//
// Called by connection and prepared.
package parsing
