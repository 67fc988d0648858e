// Package sqlexpr has operators and functions as MySQL evaluates them, where go-mysql-server's
// differ: arithmetic, comparisons, CAST, CASE, LIKE, texts, collations, and how large a result may
// be.
//
// They come into a statement in two ways. A function stands in the place of go-mysql-server's, by
// its name or by one that package sqltree writes into the syntax tree (the functions called ...Call
// and ...Functions; internalnames.go). And [MendExpressions] replaces the expressions of a node
// while a plan is built. Most functions are a [Definition], which makes a [Call].
//
// Packages mysqlfuncs and sysschema make their functions here too. The package calls sqlvalue,
// syntax and mends. Begin reading at call.go and arithmetic.go. An expression is safe for
// concurrent use unless its comment says otherwise.
//
// Called by many packages of engine.
package sqlexpr
