// Package diagnostics keeps the conditions that statements raise: errors, warnings and notes.
//
// Package engine has an [Area] for each connection, tells it when a statement begins and fails, and has it collect the warnings that
// go-mysql-server leaves in the session. SHOW WARNINGS, GET DIAGNOSTICS and SIGNAL are answered here; the session of a statement is
// found through [Session]. The package calls mysqlerr and grammar. All of it is in diagnostics.go; begin reading at Area. An Area is
// owned by the connection's goroutine.
package diagnostics
