// Package statements says what kind of statement a syntax tree is, in MySQL's terms: the last part of the name of its instrument
// statement/sql/KIND.
//
// Package connection asks [Kind] of each statement to choose its instrument and its counter, package rights to find what it needs. A
// statement that the server carries out itself is an injected one of go-mysql-server; it implements one of the interfaces here,
// [Accounts], [Grammar], [Definition] or [Prepare]. The package calls grammar and syntax, and has no state. All of it is in
// kind.go. Safe for concurrent use.
//
// Called by connection, prepared, programs and rights. Begin reading with kind.go.
package statements
