// Package privilege says what an account needs for each kind of statement: for the statement as a
// whole, and for each of its clauses that touches a table, a database, a procedure, a file or a
// variable.
//
//  1. The engine determines the kind of a statement, and the objects of its clauses.
//  2. For returns the rules for a clause. A kind or a clause without a rule is refused.
//  3. Rule.Missing returns the privileges that an account lacks.
//
// rules.go has the table of rules, rule.go parses it, variable.go has the privileges for system
// variables, node.go the allowed nodes of plans. Nothing changes after the start of the program:
// everything is safe for concurrent use. The package does not import go-mysql-server.
//
// Called by connection, processlist and rights. Calls accounts. Begin reading with rule.go.
package privilege
