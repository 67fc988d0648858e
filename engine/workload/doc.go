// Package workload is a demonstration workload: it uses real locks, conditions, files, sockets and
// SQL sessions, all of them instrumented, inside the server.
//
// Three steps. Choose a mix, one of [Names]; [Start] it; call the function that Start
// returned to stop it, which waits for its last worker and removes its files.
//
// The contract. Every worker is a thread, thread/workload/NAME, with a limited number of operations per
// second; the mixes use limited disk space and memory. SQL sessions
// go through real loopback sockets to the server. All of it stops by itself when the context
// ends.
//
// Files: workload.go the mixes and how they are run; locks.go, queue.go, files.go, sockets.go
// and sessions.go one sort of work each.
//
// Called by config and engine. Calls instr. Begin reading with workload.go.
package workload
