// Package programs runs stored programs: procedures, functions, triggers and events.
//
// Each connection has a [Session], which knows the programs that run inside each other. A CALL parses the procedure (programs.go), runs its
// body with package routine, one instruction after the other (call.go, run.go), and sends what its statements answer (answers.go). A
// trigger is part of the plan of a statement: [TriggerNode] stands around each of its statements (nodes.go), and tells when they run
// (triggers.go, triggervariables.go). A function runs when the expression that calls it is evaluated (functions.go). The scheduler's events come to
// [Session.RunEvent].
//
// Each instruction is a statement of its own, with an event, locks and errors. Those belong to the connection, which does for programs what
// [Connection] says, and lends them its [Parts]. [Builder] builds the nodes of plans that are about programs.
//
// Called by package connection. Calls routine, syntax and sqltree for the programs; diagnostics, rights, tableuse, prepared and results for
// what their statements do. A Session is owned by the goroutine of its connection; what parses is safe for concurrent use. Begin reading
// with call.go.
package programs
