// Package instrsql records the calls that a program makes to databases by database/sql as
// statements.
//
//	db, err := instrsql.Open("mysql", dsn, instrsql.WithName("orders"))
//
// [Open], [OpenDB], [Register] and [WrapDriver] are used like sql.Open, sql.OpenDB and sql.Register; the optional interfaces of a
// driver work as before. Each call of the driver is a statement of the goroutine that makes it. What happens meanwhile, such as
// waits for sockets, is part of the statement, and the statement is part of the request that the goroutine serves. A goroutine
// that is no thread becomes one; where goroutines do not become threads by themselves, it is thread/db/client for as long as the
// call takes.
//
// What the columns of events_statements_current, its histories and its summaries mean:
//
//   - EVENT_NAME is statement/db.client/ and the first word of the text, such as select; or connect, ping, prepare, begin, commit
//     or rollback; or other, for a word that is not known.
//   - SQL_TEXT, DIGEST and DIGEST_TEXT are those of the query. To prepare one is another statement than to execute it: its DIGEST_TEXT
//     has PREPARE in front. Arguments are not recorded. CURRENT_SCHEMA is the name of
//     [WithName].
//   - MYSQL_ERRNO, RETURNED_SQLSTATE and MESSAGE_TEXT are the driver's error: its number if it has one, else 1105; its SQLSTATE,
//     else HY000. A cancelled context is error 1317, an exceeded deadline 3024.
//   - TIMER_WAIT is the time until the database answers. ROWS_SENT is how many rows the program has read, so a query counts when
//     its rows are closed. ROWS_AFFECTED is what the driver returns.
//
// A prepared statement belongs to the goroutine that prepares it. It is in prepared_statements_instances until it is closed or
// the thread of that goroutine ends. Executions by all goroutines count in it.
//
// A transaction of database/sql is a transaction of the goroutine that begins it, unless that goroutine is in one already. If
// another goroutine ends it, as database/sql does when its context ends, events_transactions_current shows it until its own
// goroutine begins another one.
//
// A wait for a connection of the pool is wait/synch/cond/db.client/pool. It is recorded when it is over, for databases that Open
// and OpenDB have made.
//
// Who has which connection, since when and from which line is in [instr.Reader.PoolConnections].
//
// Where to begin: instrsql.go makes databases; the driver's calls go through conn.go and stmt.go, which also counts rows;
// database.go records them.
//
// Called by programs that use database/sql. Calls instr. Begin reading with instrsql.go.
package instrsql
