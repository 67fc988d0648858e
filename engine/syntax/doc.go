// Package syntax rewrites MySQL statements that go-mysql-server's parser, vitess, does not
// understand into statements that it does.
//
//  0. A blank comes between operators that vitess would take for a comment (operators.go).
//  1. vitess parses the text. If that succeeds, nothing else happens, unless the text may
//     contain something that vitess misreads (misread). So a statement that needs no rewriting costs
//     nothing.
//  2. Else the package splits the text into tokens. The rules (one in each rule_*.go) replace some
//     of them, and vitess parses the new text.
//  3. The package maps positions in the syntax tree, and the text that an error quotes, back to the
//     original text.
//
// Rules do not change strings, comments, hints, /*! */ comments and quoted names, except that
// definitions drops partitions and keys as a whole. If vitess does not need a rule, a test fails.
// Then delete the rule with its file.
//
// Safe for concurrent use.
//
// Files: operators.go (step 0), parser.go (steps 1 and 3), token.go (tokens), edit.go (the new text and its positions),
// rule_*.go (the rules), mariadbcomments.go (comments that vitess takes for code), reader.go (a
// token reader for other packages), contains.go (a search in texts), walk.go (a search in syntax
// trees).
//
// Called by many packages of engine. Calls bounds, budget and charge. Begin reading with parser.go.
package syntax
