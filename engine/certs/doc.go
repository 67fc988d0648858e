// Package certs makes, reads and checks the certificates with which the server encrypts connections, under MySQL's file names.
//
// The TLS channels of the server call it at start and when they reload. Begin reading at Load.
package certs
