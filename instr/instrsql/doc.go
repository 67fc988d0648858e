// Package instrsql shows what a program asks of databases by database/sql as statements.
//
//	db, err := instrsql.Open("mysql", dsn, instrsql.WithName("orders"))
//
// [Open], [OpenDB], [Register] and [WrapDriver] are used like sql.Open, sql.OpenDB and sql.Register; every optional interface of a driver
// stays as it is. Each call of the driver is a statement of the goroutine that makes it; what happens meanwhile, such as waits for sockets, is
// part of it, and the statement is part of the request that the goroutine serves. A goroutine that is no thread becomes one; where goroutines do not
// become threads by themselves it is thread/db/client for as long as the call takes.
//
// What the columns of events_statements_current, its histories and its summaries mean:
//
//   - EVENT_NAME is statement/db.client/ and the first word of the text, such as select, or connect, ping, prepare, begin, commit and
//     rollback; other for a word that is not known.
//   - SQL_TEXT, DIGEST and DIGEST_TEXT are the query's. Arguments are not recorded. CURRENT_SCHEMA is what [WithName] says.
//   - MYSQL_ERRNO, RETURNED_SQLSTATE and MESSAGE_TEXT are the driver's error: its number, if the driver tells one, else 1105; its SQLSTATE, else
//     HY000. A cancelled context is 1317, a deadline 3024.
//   - TIMER_WAIT is the time until the database answers. ROWS_SENT is the rows that the program has read: a query counts when its rows
//     are closed. ROWS_AFFECTED is the driver's.
//
// A prepared statement is one of the goroutine that prepares it, in prepared_statements_instances until it is closed or that goroutine's thread ends. Its executions
// by all goroutines count in it.
//
// A transaction of database/sql is a transaction of the goroutine that begins it, unless that is in one. If another goroutine ends it, as
// database/sql does where its context ends, events_transactions_current shows it until its goroutine begins another one.
//
// Waiting for a connection of the pool is wait/synch/cond/db.client/pool, recorded when it is over; database/sql tells it of databases
// that Open and OpenDB have made.
//
// Who has which connection, since when and from which line is in [instr.Reader.PoolConnections].
//
// Where to begin: instrsql.go makes databases, conn.go and stmt.go are what the driver's calls go through, rows.go counts rows.
package instrsql
