// Package writes carries out INSERT, REPLACE, and UPDATE of and DELETE from several tables, row by row, as MySQL does: the triggers of each row
// that is written or goes away, AUTO_INCREMENT values, values that a sql_mode without strictness takes with a warning, and what the client is
// told.
//
//	rows, err := writes.Insert(ctx, statement, build) // yields a row for each row that was written; at the end of a plan, the answer OK
//
// Iterators are owned by one goroutine. They keep nothing of a row, but what a REPLACE or a trigger needs of it until the next one, and what is
// done to the rows of the second table of a join and those behind it, which is charged to the statement's memory. An error ends the statement,
// which the caller rolls back; with IGNORE, an error of a row that MySQL ignores is a warning.
//
// Files: insert.go (INSERT and REPLACE), lenient.go (what a row may lack), auto.go (AUTO_INCREMENT), joined.go (the tables of a join),
// update.go (UPDATE of several tables), delete.go (DELETE from several tables), triggers.go (triggers that go-mysql-server does not run),
// checks.go (CHECK of tables with virtual columns), answer.go (OK, with its text).
//
// Called by engine/planning's rules and engine/connection. Calls engine/mysqlerr, engine/usertables and engine/sqlvalue. Begin reading at
// insert.go.
package writes
