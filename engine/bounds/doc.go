// Package bounds limits the size of a statement before it is parsed and before it is planned:
// go-mysql-server's parser, planner and executor recurse over the syntax tree, and a stack overflow
// ends the process. Their work grows with the square of the depth, or doubles with each level.
//
//  1. Measure scans the text once, without allocating, as the parser's tokenizer does, and returns an upper bound of the
//     tree that the parser can make of it. Check reports whether the text may be parsed.
//  2. Tree checks the parsed statement for the limits that MySQL has too: tables, columns and nested queries. It does
//     nothing where Measure shows that no limit can be exceeded.
//
// Safe for concurrent use.
//
// Files: lexer.go (tokens), weight.go (Measure), tree.go (Tree), errors.go (limits and errors).
//
// Called by parsing, syntax and usertables. Calls no other package of the module. Begin reading
// with weight.go.
package bounds
