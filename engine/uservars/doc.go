// Package uservars has the user variables of connections, @name: it shows their values in user_variables_by_thread, charges and counts
// their memory, and has the expression @name := value.
//
// go-mysql-server keeps the values. Package connection has Variables for each connection: it tells them of each node of a plan that is
// built (Note) and of the end of the statement (Publish), and sets variables through them. The variables of a statement's connection
// are found through [Session]. The package calls budget, charge, sqlexpr, sqlvalue, diagnostics and the connection's thread.
//
// Begin reading at variables.go; memory.go is what they take, assignment.go the expression. Owned by the connection's goroutine.
//
// Called by catalog, connection and programs.
package uservars
