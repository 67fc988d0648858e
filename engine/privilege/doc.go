// Package privilege says what an account needs for each kind of statement: for the statement as a whole, and for each
// of its clauses that touches a table, a database, a procedure, a file or a variable.
//
//  1. Whoever is about to carry out a statement finds out its kind, and what each of its clauses is about.
//  2. For gives the rules for a clause. A kind or a clause for which there is no rule is not carried out.
//  3. Rule.Missing tells what an account lacks.
//
// rules.go is the table, rule.go how it is read, variable.go what system variables need. Nothing here changes after the
// start of the program: everything is safe for concurrent use. The package knows nothing of the SQL engine.
package privilege
