// Package sqltree changes the syntax trees that vitess makes, before go-mysql-server plans them: it
// puts functions of packages sqlexpr and executor where go-mysql-server evaluates an expression
// otherwise than MySQL ([Operators], [Functions]), completes names, and refuses what MySQL refuses
// ([RefusedQuery]).
//
// Package parsing calls it with each statement. Begin reading at treerules.go. Safe for concurrent
// use; a tree belongs to who calls.
//
// Called by catalog, parsing, programs and routine.
package sqltree
