// Package weave writes the overlay with which go build compiles a recorder into any Go program.
//
//	o, err := weave.Make(weave.Toolchain{...}, cacheDirectory)
//	exec.Command("go", "build", "-overlay", o.File, "./cmd/server")
//
// It reads the user's own Go distribution, and finds by syntax the places where goroutines wait,
// where mutexes are locked, where files and sockets are used, where net/http serves and sends
// requests, and where database/sql calls drivers. It writes copies of some twenty files, in which it adds statements to existing lines, so that line numbers stay the same. If a
// place is not found, or is found more often than expected, the result is an error that names the
// place, and nothing is written.
//
// Files: weave.go the cache and the toolchain; edit.go how a file changes; places.go which files
// change and where; channels.go channels, condition variables and Onces; calls.go system calls; ends.go where the runtime ends the process. The directory recorder has the files that are added; the layout of a recording
// is in package instr/record.
//
// Called by cmd/pfsd. Calls instr/record. Begin reading with weave.go.
package weave
