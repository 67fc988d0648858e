// Package processlist knows the connections of a server and the events that it carries out: the process list, KILL, SHOW PROCESSLIST,
// and what ends waits for clients that take too long or are gone.
//
// Package connection adds a Client to the List when a connection begins, and tells it of each command; the list is the sql.ProcessList of
// go-mysql-server, too. Others read it: the tables of threads, status variables, transactions. What a connection is doing is a [Work],
// which package connection implements. The package calls wire, rights and infoschema.
//
// Begin reading at list.go; kill.go is KILL, show.go SHOW PROCESSLIST, watch.go what ends waits, transactions.go the transactions of all.
// A List is safe for concurrent use; what of a Client is not guarded by its lock is owned by the connection's goroutine.
//
// Called by connection, datalocks and engine.
package processlist
