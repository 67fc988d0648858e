// Package datadir is the data directory of a server. One server at a time uses it, and no acknowledged
// write is lost or incomplete, whenever the process or the machine stops.
//
//  1. Open makes the directory if it is missing, locks it, and removes the leftovers of a server that
//     stopped while it was writing.
//  2. Dir.Write replaces a file, Dir.WriteAll makes several new ones: when it returns nil, the new text is
//     on the disk; if it fails, or the process ends before, the old text is.
//  3. Dir.Close unlocks the directory.
//
// All persistent files are written through these two functions. The lock is the operating
// system's, on the file pfsd.lock: it ends with the process. All of it is
// safe for concurrent use.
//
// dir.go has the directory, lock_unix.go and lock_other.go its lock, write.go how files are written,
// owner_unix.go and owner_other.go the warnings about its permissions, seal.go the checksums of files.
//
// Called by certs, config, engine, errorlog, sysvar and wire. Calls instr. Begin reading with
// dir.go.
package datadir
