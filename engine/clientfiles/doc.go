// Package clientfiles is the directory in which clients may read and write files of the server's
// machine: LOAD_FILE, LOAD DATA, INTO OUTFILE and INTO DUMPFILE. MySQL: secure_file_priv.
//
//  1. Dir says which directory that is.
//  2. Dir.Open opens a file in it, Dir.Create makes a new one.
//  3. Fields writes rows into such a file as INTO OUTFILE does.
//
// A name is looked up below the directory by the operating system itself, so that neither ..
// nor a symbolic link leads out of it, not even one that takes the place of a directory while
// the name is looked up. Errors are those of MySQL. All of it is safe for concurrent use.
//
// dir.go has the directory, errors.go what its operations fail with, fields.go the format of
// INTO OUTFILE.
package clientfiles
