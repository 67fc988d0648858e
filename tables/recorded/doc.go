// Package recorded is the model of a recording: what the tables of performance_schema read, change
// and empty when they show another process, which may have ended.
//
//	rec, err := record.Open(path)
//	model := recorded.New(rec, tables.Of(registry)) // of the server that shows it
//
// The rows only show the recorded program. Its instruments are kinds of waits, by function; its
// threads are goroutines, whose numbers are their THREAD_IDs. Status variables, and what a server
// provides, are those of the server. Switches are written into the recording, where the program
// reads them. TRUNCATE only affects this model: other readers of the same recording keep their
// rows.
//
// Everything is safe for concurrent use. The content of a recording is not trusted: see package
// record.
//
// Files: model.go the model; instruments.go names and switches of instruments; threads.go
// goroutines and their events; reading.go the model of one statement; goroutines.go all goroutines; origins.go whom the rows of tables are about; thread_waits.go statistics of goroutines; times.go histograms;
// statements.go statements, stages and transactions; holds.go who holds locks; lock_waits.go who waits for locks; synch_waits.go and channel_waits.go channels and the like that are waited for, and who is perhaps in the way; connections.go who has connections of pools; objects.go locks,
// files and sockets.
//
// Called by cmd/pfsd. Calls instr, instr/record and tables. Begin reading with model.go.
package recorded
