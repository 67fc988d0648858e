// Package mysqldb is the database mysql: it shows the server's accounts in MySQL's grant tables.
//
//	db := mysqldb.New(store, clock) // a database of go-mysql-server
//
// Each table has MySQL 8.4's columns and primary key. The tables about accounts are made from the
// accounts at each SELECT: user, db, tables_priv, columns_priv, procs_priv, proxies_priv,
// global_grants, role_edges and default_roles. Each has a file of its name, which also has the way
// back, from a row to an account. The other tables (empty_tables.go) have no rows, and drop rows
// that are written to them. Writes to the tables about accounts (edits.go) stay in these tables
// until Reload makes accounts of them (reload.go), at FLUSH PRIVILEGES: that is how a dump is
// restored. The caller checks who may read and write.
//
// A Database and its tables are safe for concurrent use.
//
// Called by catalog, engine, infoschema, parsing and rights. Calls accounts, executor and sqlvalue.
// Begin reading with database.go.
package mysqldb
