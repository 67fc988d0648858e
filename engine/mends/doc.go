// Package mends is the list of what go-mysql-server and its parser vitess do otherwise than MySQL,
// and what the server does about it: a [Mend] for each difference, with its files, how it is
// attached, and a canary, which shows whether it is still needed. docs/mends.md is made of the
// list.
//
// The code of a mend stands in the package of its topic: syntax and grammar (texts), sqltree
// (syntax trees), sqlvalue, sqlexpr and builtins (values, operators and functions), planning (rules of the
// analyzer), executor (nodes of plans), routine (stored programs), infoschema (what describes
// tables), globals (what go-mysql-server has once for a process). It asks [Mend.On] before it does
// anything, so that a test can switch one mend off.
//
// To add one, write it in a file of its topic's package, with a comment "go-mysql-server: ...
// MySQL: ...", and put it on the list in mends.go. The package imports nothing. Begin reading at
// mend.go.
//
// Called by many packages of engine. Calls no other package of the module.
package mends
