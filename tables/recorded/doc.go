// Package recorded is the model of a recording: what the tables of performance_schema read, change
// and empty when the program that they are about is another process, or was one.
//
//	rec, err := record.Open(path)
//	model := recorded.New(rec, tables.Of(registry)) // of the server that shows it
//
// The rows are the program's alone: its instruments are kinds of waits by function, its threads
// goroutines, whose numbers are their THREAD_IDs. Status variables, and what a server provides of
// itself, stay the server's. Switches go into the recording, where the program finds them;
// TRUNCATE is this model's alone, so that others who read the same recording keep their rows.
//
// Everything is safe for concurrent use. A recording is not believed: see package record.
//
// Files: model.go the model; instruments.go names and switches of instruments; threads.go
// goroutines and their events; objects.go locks, files and sockets.
package recorded
