// Package sqlexpr has MySQL's operators and functions where those of go-mysql-server differ:
// arithmetic, comparisons, CASE, LIKE, texts and collations. Other functions are in packages
// builtins and mysqlfuncs.
//
// They come into a statement in two ways. A function takes the place of a function of
// go-mysql-server. It has the same name, or package sqltree writes its name into the syntax tree
// (functions called ...Call and ...Functions, and the names in internalnames.go). And
// [MendExpressions] replaces the expressions of a node while go-mysql-server builds a plan. Most
// functions are a [Definition], which makes a [Call].
//
// Packages builtins, mysqlfuncs and sysschema make their functions with this package too. The package calls
// sqlvalue, syntax and mends. Begin reading at call.go and arithmetic.go. An expression is safe for
// concurrent use unless its comment says otherwise.
//
// Called by many packages of engine.
package sqlexpr
