// Package sysvar has the system variables: what is declared of each and which values it takes, the values that a server and its
// sessions have, the rules of SET, and mysqld-auto.cnf, which keeps what SET PERSIST has set.
//
// A [Variable] declares one. A [Server] has the global values, a [Session] what one session has set. Package config makes a Server from
// options. The engine asks Refused of each statement that it parses, carries out a SET with ToSet, Persist and Assign, and shows values
// with Show and, in tables, Provide. Serve has go-mysql-server take its variables from here. What is to be known of the statement that
// runs, the ProcessList of its context says.
//
// Begin reading at variable.go; check.go has what SET accepts, sqlvariable.go what go-mysql-server sees. A new variable is a line in
// table.go; docs.go says what it has an effect on.
package sysvar
