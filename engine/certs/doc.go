// Package certs makes, reads and checks the certificates with which the server encrypts connections, under MySQL's file names.
//
// The server's TLS channels call it at start and when they reload. Begin reading at Load.
//
// Called by wire. Calls datadir, errorlog and instr.
package certs
