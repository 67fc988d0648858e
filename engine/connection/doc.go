// Package connection does what a client asks for: the commands of the protocol, and the statements in them.
//
// [Handler] is what the protocol layer of vitess calls, on the goroutine of the connection, which does all of its work. A command ([Handler.ComQuery])
// is parsed, planned or given a plan that was kept (package plancache), carried out, and its rows are sent (stream.go, package results); hints.go carries out its hints.
//
// A [Work] (work.go) is what the connection is doing: the statement that runs (statement.go), and one small type of each of the
// packages that know a part of it: session (locks and transaction), stages, tableuse, metering, uservars, diagnostics, profiling,
// rights, plancache, prepared, results and programs. These packages find their part through an interface that each of them declares, and
// that processes, the process list of a statement's context, implements (session_parts.go). [Builder] (builder.go and builder_*.go) says who builds which
// node of a plan.
//
// Other files: metadata_locks.go (what a statement locks before it begins), widths.go (how many columns it may have), transactions.go, steps.go (instructions of stored programs, each a
// statement inside of another), prepare.go (COM_STMT_PREPARE), events.go (events of the scheduler), commands.go and simple_commands.go (commands
// that are no statements), query_logs.go (what goes to the logs), memory.go (what a connection has in memory), warnings.go
// (which warnings of the SQL engine it keeps) and bootstrap.go
// (statements of the server itself).
//
// Called by package engine, which makes the parts and puts them together; calls nearly all packages below it. A Work and a Client
// are owned by the goroutine of their connection; a Handler and a Builder are safe for concurrent use. Begin reading with
// [Handler.ComQuery].
package connection
