// Package connection is what one client has the server do: its commands, the statements in them, and the stored programs that these run.
//
// [Handler] is what the protocol layer calls, on the goroutine of the connection, which does all of its work: a command ([Handler.ComQuery]) is
// parsed, found a plan or given one that was kept (kept.go, keptvalues.go), carried out and sent (stream.go). What the connection is doing is a
// [Work] (observe.go), which has a small type of each of the packages session, stages, tableuse, metering, uservars, diagnostics,
// profiling and rights; these find it through the interface that each of them declares, which the process list of a statement's
// context implements. Who builds which node of a plan says [Builder] (builder.go and builder_*.go).
//
// Beside a statement's way: metadata_locks.go (what it locks before it begins), prepared.go, preparing.go and longdata.go (prepared
// statements), program.go, trigger.go, events.go and answers.go (stored programs), commands.go (what the protocol layer carries out itself),
// query_logs.go (what the logs are told), memory.go (what a connection has in memory).
//
// Called by package engine, which makes the parts and puts them together; calls nearly all packages below it. A Work and a Client are
// their connection's goroutine's; a Handler and a Builder are safe for concurrent use. Begin reading with [Handler.ComQuery].
package connection
