// Package bounds says how large a statement may be, before anything is done with it that takes more than the length of
// its text: go-mysql-server's parser, planner and executor recurse over the tree of a statement, a stack that overflows
// ends the process, and what they take grows with the square of a tree's depth or doubles with each level.
//
//  1. Measure reads the text once, without memory, as the parser's tokenizer does, and returns a bound on the tree that
//     the parser can make of it. Check says whether that may be parsed.
//  2. Tree looks at what the parser has made, for the limits that MySQL has too: tables, columns and queries in each
//     other. It is called where Measure says that a tree could pass them.
//
// Safe for concurrent use.
//
// Files: lexer.go (tokens), weight.go (Measure), tree.go (Tree), errors.go (limits and errors).
package bounds
