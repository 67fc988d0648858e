// Package mysqlerr has the errors that clients get: MySQL's numbers, SQLSTATEs and texts.
//
// The errors that the server itself raises are functions and variables. [Of] converts any other error, of go-mysql-server, the
// parser or the operating system, by the tables in errors.go and kinds.go. clip.go bounds their texts. Begin reading at errors.go; a new number also needs a
// line in All.
//
// Called by many packages of engine. Calls budget, grammar, instr, mdl, sqlvalue, syntax and
// tables.
package mysqlerr
