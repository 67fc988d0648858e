// Package diagnostics keeps the conditions that statements raise: errors, warnings and notes.
//
// Package connection has an [Area] for each connection, tells it when a statement begins and fails, and has it collect the warnings that
// go-mysql-server leaves in the session. SHOW WARNINGS, GET DIAGNOSTICS and SIGNAL are answered here; the session of a statement is
// found through [Session]. [Errors] makes the error that a client gets, and counts it once. The package calls mysqlerr, grammar and
// secrets. Begin reading at Area in diagnostics.go; errors.go has Errors, memory.go what conditions take. Both are owned by the connection's goroutine.
//
// Called by connection, parsing, programs and uservars.
package diagnostics
