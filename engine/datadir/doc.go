// Package datadir is the directory in which a server keeps what is to last: one server at a time,
// and nothing that it has acknowledged is lost or half there, whenever the process or the machine
// stops.
//
//  1. Open makes the directory if it is missing, locks it, and clears away what a server that
//     stopped in the middle of writing has left.
//  2. Dir.Write replaces a file, Dir.WriteAll several of them: all of the new text is there when it
//     returns, and all of the old one if it fails or never returns.
//  3. Dir.Close lets the next server in.
//
// All writing of files that last goes through these two functions. The lock is the operating
// system's, on the file pfsd.lock: it ends with the process, however that ends. All of it is
// safe for concurrent use.
//
// dir.go has the directory, lock_unix.go and lock_other.go its lock, write.go how files are
// written, owner_unix.go and owner_other.go whose the directory is.
package datadir
