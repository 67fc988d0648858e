// Package results sends the rows of a statement to a client, in the text protocol or the binary one. It writes the packets itself, as the
// protocol layer of vitess copies each value three times.
//
// A connection has a Writer, which holds what is not sent yet, and an Answers, which sends the result of each statement, and those of the
// statements in a procedure. A Result takes the rows of one statement from go-mysql-server, counts them, and writes them through a Rows:
// Row for each row of go-mysql-server, or BeginScan and Values for those of a table of performance_schema, which need no row made of
// them. FieldsOf says what a client is told of columns.
//
// Called by packages connection (statements), programs (statements of procedures) and prepared (columns). Calls package wire, which has the
// packets, and sqlvalue, which has the texts of values. Owned by the goroutine of the connection. Begin reading with answers.go. Files:
// result.go (rows of one statement), writer.go (packets of a result), rows.go (packets of rows), binary.go (values of the binary
// protocol), columns.go (what a client is told of columns).
package results
