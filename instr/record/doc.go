// Package record reads recordings: the files that programs built with pfsd build write while they
// run, and leave behind when they end.
//
//	r, err := record.Open("/tmp/pfsd/pfsd.4711.1763945000000000000")
//	...
//	for _, t := range r.Threads() { work, ok := r.Work(t) ... }
//
// The file belongs to another process, which may be writing it, may have been killed while it
// wrote, or may be malicious: nothing in the file is trusted. Values outside of their bounds are
// left out. A row that kept changing is left out and counted in [Recording.Torn]. A file that was cut
// is refused, or, if that happens later, is an error of [Recording.Err]. Whatever the file contains,
// no method panics, loops for ever, or takes more memory than the rows of the layout need. A
// Recording may be used concurrently, and there may be several of one file.
//
// Files: layout.go what is in a file, which is compiled into the recorder too; recording.go the
// reader; threads.go goroutines; seen.go those whose rows have not changed; now.go when a recording ends; cut.go files that have lost their end; work.go statements, stages and
// transactions; thread_waits.go statistics by goroutine; times.go histograms; locks.go locks that are waited for;
// holds.go who holds locks; connections.go who has connections of pools; waited.go channels and the like that are waited for; list.go which recordings there are.
//
// Called by cmd/pfsd, cmd/pfsd/weave and tables/recorded. Calls no other package of the module.
// Begin reading with recording.go.
package record

import _ "embed" // of layout.go

// Layout is the source of layout.go, which package runtime of a recorded program has as well.
//
//go:embed layout.go
var Layout string

// Version is the version of the layout.
const Version = recVersion
