// Package mysqldb is the database mysql: what the server knows of its accounts, in the tables where
// MySQL keeps them, for reading.
//
//	db := mysqldb.New(store, local) // a database of go-mysql-server
//
// Each table has MySQL 8.4's columns and primary key. Those about accounts are made from the accounts at each
// SELECT: user, db, tables_priv, columns_priv, procs_priv, proxies_priv, global_grants, role_edges and
// default_roles, each in the file with its name. The others are in empty.go: there is nothing to tell in them. Nothing
// can be written: accounts change by CREATE USER, GRANT and their like. Who may read is told by the caller.
//
// A Database and its tables are safe for concurrent use.
package mysqldb
