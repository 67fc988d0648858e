// Package weave writes the overlay with which go build compiles a recorder into any Go program.
//
//	o, err := weave.Make(weave.Toolchain{...}, cacheDirectory)
//	exec.Command("go", "build", "-overlay", o.File, "./cmd/server")
//
// It reads the user's own Go distribution, finds by syntax the places where goroutines wait, where
// mutexes are locked, and where files and sockets are used, and writes copies of a dozen files
// with statements put into lines that are there, so that line numbers stay. A place that is not
// found, or found more often than it must be, is an error that names it: nothing is written then.
//
// Files: weave.go the cache and the toolchain; edit.go how a file changes; places.go which files
// change and where; recorder/ what is added, of which the layout is instr/record/layout.go.
//
// Called by cmd/pfsd. Calls instr/record. Begin reading with weave.go.
package weave
