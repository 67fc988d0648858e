// Package results writes the rows of a statement to a client, in the text protocol or the binary one, past go-mysql-server's protocol
// layer, which takes each value three times in its hands.
//
// A connection has a Writer, which holds what is not sent yet. Each result is a Rows of it: NewRows, BeginRows with the columns, then Row for
// each row of the SQL engine, or BeginScan and Values for those of a table of performance_schema, which need no row made of them;
// EndResult, or EndLate where the protocol layer writes the end itself. FieldsOf says what a client is told of columns.
//
// Calls: package wire, which has the packets, and sqlvalue, which has the texts of values. Called by the execution of statements and of
// procedures. Owned by the connection's goroutine. Files: writer.go (packets of a result), rows.go (rows), binary.go (the binary protocol's
// values), columns.go (what a client is told of columns).
package results
