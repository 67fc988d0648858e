// Package errorlog is the server's error log: its file in MySQL's format, its last lines for the
// table error_log, and its messages with their numbers.
//
// The server opens a [Log]; other packages call its Write with one of the messages. Begin reading
// at log.go. What clients send cannot make lines of its own (plain.go).
//
// Called by many packages of engine. Calls datadir, instr and tables.
package errorlog
