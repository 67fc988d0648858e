// Package sysschema makes the database sys of what package sys declares: views whose columns have
// the types that MySQL's have, procedures, the table sys_config, and functions.
//
// Package engine puts [NewDatabase] beside the users' databases, finds functions with
// [Server.Function], and has its parser call [TypeView]. Functions ask the server for what stands
// in [Server], the session of the statement through [Session], and package access. Begin reading
// at database.go; a function stands in the list of its file, functions_*.go. Safe for concurrent
// use.
package sysschema
