// Package syntax is the one place where MySQL's texts are made such as go-mysql-server's parser takes
// them: a parser in front of that parser.
//
//  1. A text is parsed as it is. If that succeeds nothing else happens, unless it has what the parser
//     takes for something else (misread): a statement that needs no rewriting costs nothing.
//  2. Else it is read as tokens, the rules (rule_*.go, one gap each) say what to put in the place of which
//     tokens, and the new text is parsed.
//  3. What the syntax tree says of places in the text, and what an error quotes, is brought back to the
//     text as it was written.
//
// No rule touches what stands in strings, comments (those with code for MySQL, and hints, included) and
// quoted names, but one that leaves out partitions and keys as a whole. A rule that go-mysql-server no longer needs is deleted with its file: a test says when.
//
// Safe for concurrent use.
//
// Files: parser.go (steps 1 and 3), token.go (tokens), edit.go (new texts and their places), rule_*.go;
// mariadbcomments.go, of what the parser takes though it should not; reader.go, for those who read a text otherwise.
package syntax
