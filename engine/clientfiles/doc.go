// Package clientfiles is the directory in which clients may read and write files of the server's
// machine: LOAD_FILE, LOAD DATA, INTO OUTFILE and INTO DUMPFILE. MySQL: secure_file_priv.
//
//  1. Dir says which directory that is.
//  2. Dir.Open opens a file in it, Dir.Create makes a new one.
//  3. Fields writes rows into such a file as INTO OUTFILE does.
//
// The operating system itself looks names up below the directory (os.Root), so that neither .. nor a
// symbolic link leads out of it, even if a link replaces a directory during the look-up. Errors are
// those of MySQL. All of it is safe for concurrent use.
//
// dir.go has the directory, errors.go the errors, fields.go the format of INTO OUTFILE.
//
// Called by engine and serverfiles. Calls instr. Begin reading with dir.go.
package clientfiles
