// Package record reads recordings: the files that programs built with pfsd build write while they
// run, and leave behind when they end.
//
//	r, err := record.Open("/tmp/pfsd/pfsd.4711.1763945000000000000")
//	...
//	for _, t := range r.Threads() { ... }
//
// A recording belongs to somebody else, who may be writing it, have been killed in the middle of
// that, or mean harm: nothing in it is believed. What is not within its bounds is left out, and a
// row that kept changing is left out and counted in [Recording.Torn]; no content of a file makes a
// method panic, take more memory than the layout has rows for, or loop. A Recording may be used
// concurrently, and several may be of one file.
//
// Files: layout.go what is in a file, which is compiled into the recorder too; recording.go the
// reader; list.go which recordings there are.
package record

import _ "embed" // of layout.go

// Layout is the source of layout.go, which package runtime of a recorded program has as well.
//
//go:embed layout.go
var Layout string

// Version is the version of the layout.
const Version = recVersion
