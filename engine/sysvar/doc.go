// Package sysvar has the system variables: their declarations, the values of a server and its sessions, the rules of SET, and
// mysqld-auto.cnf, the file of SET PERSIST.
//
// A [Variable] declares one. A [Server] has the global values, a [Session] the values that one session has set. Package config
// makes a Server from options. The engine calls CheckStatement for each statement that it parses, executes SET with NewAssignment,
// Persist and Assign, and shows values with Show and, in tables, Provide. Serve makes go-mysql-server take its variables from here.
// What the package needs of the running statement, the ProcessList of its context provides.
//
// Begin reading at variable.go; check.go and checktext.go have the values that SET accepts, memory.go what texts take, sqlvariable.go the
// variables as go-mysql-server sees them. A new variable is a line in declarations.go: see docs/adding-a-variable.md.
//
// Called by many packages of engine.
package sysvar
