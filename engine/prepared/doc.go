// Package prepared has the prepared statements of a connection: those of the protocol (COM_STMT_PREPARE) and those of SQL (PREPARE).
//
// Each connection has a [Statements], which counts them, gives them numbers, takes their memory from the connection's, and shows them in
// prepared_statements_instances. [Parse] parses and plans a text that is to be prepared; PREPARE does so too, as a statement of its own.
// EXECUTE and COM_STMT_EXECUTE ask [Statements.Executed] and [Statements.ByID] what they carry out.
//
// Called by package connection, which answers the commands and carries out the statements. Calls go-mysql-server, whose session keeps the
// syntax trees; plancache, which knows how the values of a prepared statement are used; parsing, rights and secrets. Owned by the
// connection's goroutine. Begin reading with statements.go. Files: prepare.go (PREPARE), longdata.go (values that are sent ahead).
package prepared
