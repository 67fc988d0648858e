// Package workload is work to look at: it runs real locks, conditions, files, sockets and
// SQL sessions, all of them instrumented, inside the server.
//
// Three steps. Choose a mix, one of [Names]; [Start] it; call the function that Start
// returned to stop it, which waits for its last worker and removes its files.
//
// The contract. Every worker is a thread of its own, thread/workload/NAME, and does so many
// operations a second; what the mixes use up on disk and in memory has a limit. SQL sessions
// go through real loopback sockets to the server. All of it stops by itself when the context
// ends.
//
// Files: workload.go the mixes and how they are run; locks.go, queue.go, files.go, sockets.go
// and sessions.go one sort of work each.
package workload
