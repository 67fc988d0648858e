// Package serverfiles has the statements and the function with which clients read and write files of the server: LOAD DATA, SELECT ...
// INTO OUTFILE and INTO DUMPFILE, and LOAD_FILE.
//
// The builder of plans calls Load and Into; the function stands among those of the server. Which files a client may touch and what they
// look like is in clientfiles, which knows nothing of go-mysql-server. The instruments of the files are found through [Session].
//
// Begin reading at load.go and into.go. Safe for concurrent use.
//
// Called by catalog, connection and engine.
package serverfiles
