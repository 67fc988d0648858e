// Package mysqldb is the database mysql: what the server knows of its accounts, in the tables where
// MySQL keeps them.
//
//	db := mysqldb.New(store, clock) // a database of go-mysql-server
//
// Each table has MySQL 8.4's columns and primary key. Those about accounts are made from the accounts at each
// SELECT: user, db, tables_priv, columns_priv, procs_priv, proxies_priv, global_grants, role_edges and
// default_roles, each in the file with its name, beside how an account is made of its rows. The others are in empty.go: there is
// nothing to tell in them, and rows that are written to them are left out. What is written to those about accounts (written.go) is
// theirs until Reload makes accounts of it (reading.go), as a dump that is restored does, with FLUSH PRIVILEGES at its end. Who may read
// and write is told by the caller.
//
// A Database and its tables are safe for concurrent use.
package mysqldb
