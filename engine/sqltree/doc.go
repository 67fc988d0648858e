// Package sqltree changes the syntax trees that vitess makes, before go-mysql-server plans them.
// Where go-mysql-server evaluates an expression otherwise than MySQL, it puts a function of package
// sqlexpr, builtins or executor in the place of the expression ([Operators], [Functions]). It also completes
// names ([Names]), refuses queries that MySQL refuses ([RefusedQuery]), and gives declarations of
// spatial types those that check what they convert ([SpatialTypes]).
//
// qualify.go puts the database before the names in the text of a view ([Qualify]).
//
// Package parsing calls it with each statement. Begin reading at treerules.go. Safe for concurrent
// use with different trees: only one goroutine may use a tree while a function changes it.
//
// Called by catalog, infoschema, parsing, programs, routine and usertables. Calls builtins, executor, grammar, mends, sqlexpr,
// sqlvalue and syntax.
package sqltree
