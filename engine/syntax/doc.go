// Package syntax rewrites MySQL statements that go-mysql-server's parser, vitess, does not
// understand into statements that it does.
//
//  1. A text is parsed as it is. If that succeeds, nothing else happens, unless it may contain something that vitess
//     misreads (misread): a statement that needs no rewriting costs nothing.
//  2. Else the text is split into tokens, the rules (rule_*.go, one gap each) replace some of them, and the new text is
//     parsed.
//  3. Positions in the syntax tree, and the text that an error quotes, are mapped back to the original text.
//
// Rules do not change strings, comments, hints, /*! */ comments and quoted names, except that
// definitions drops partitions and keys as a whole. When vitess no longer needs a rule, a test
// fails, and the rule is deleted with its file.
//
// Safe for concurrent use.
//
// Files: parser.go (steps 1 and 3), token.go (tokens), edit.go (the new text and its positions),
// rule_*.go (the rules), mariadbcomments.go (comments that vitess takes for code), reader.go (a
// token reader for other packages), contains.go (a search in texts), walk.go (a search in syntax
// trees).
//
// Called by many packages of engine. Calls bounds, budget and charge. Begin reading with parser.go.
package syntax
