// Package builtins has functions of MySQL that go-mysql-server lacks or implements differently, and
// that a statement reaches by their names: its own, or those that take the place of an operator, a
// literal, an INTERVAL or a column in the syntax tree.
//
// Most are a Definition of package sqlexpr. Files: converttz.go, intervalvalue.go, typedliteral.go and
// fraction.go (times); cast.go (CAST); concat.go, regexp.go, repeat.go, trim.go
// and quote.go (texts); enumtext.go (ENUM and SET); jsoncontains.go, jsonextract.go and
// memberof.go (JSON); power.go; lastinsertid.go; inneraggregates.go (aggregates of subqueries); refusedexpressions.go and vectors.go (functions that
// return only errors); updatednames.go (names of columns); limited.go (what max_allowed_packet limits); generalfunctions.go (those of package mysqlfuncs, or what stands for them).
// Begin reading with trim.go, which has a call in the syntax tree and its function. Expressions are
// safe for concurrent use.
//
// Called by alldigits, executor, mysqlfuncs, parsing, plancache, planning, programs, resultsize and sqltree. Calls mends, sqlexpr,
// sqlvalue and syntax.
package builtins
