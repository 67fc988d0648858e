// Package sysschema makes the database sys: the views and procedures that package sys declares, with
// MySQL's column types, the table sys_config, and the functions.
//
// Package engine puts [NewDatabase] beside the users' databases, finds functions with
// [Server.Function], and has its parser call [TypeView]. Functions use the server through
// [Server], the session of the statement through [Session], and package access. Begin reading
// at database.go; a function stands in the list of its file, functions_*.go. Safe for concurrent
// use.
//
// Called by catalog, connection, engine, infoschema, parsing and plancache. Calls sys, which has the
// declarations, access and functions.
package sysschema
