// Package routine executes the bodies of stored procedures, functions and events as MySQL does: a
// [Program] runs a syntax tree, and tells [Steps] each instruction that MySQL makes of it. It also
// cuts the text of a program into the texts of its statements, and makes trees that go-mysql-server
// accepts. limits.go has the values of LIMIT. A [Function] is what a CREATE FUNCTION defines, a [FunctionCall] its call in an expression.
//
// Package connection runs programs, and package programs prepares them. The package calls executor,
// grammar, sqltree, sqlvalue and syntax. Begin reading at program.go; memory.go is what a program keeps
// while it runs. A Program is owned by one goroutine, the rest is safe for concurrent use.
//
// Called by infoschema, parsing, prepared and programs.
package routine
