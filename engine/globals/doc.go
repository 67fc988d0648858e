// Package globals deals with what go-mysql-server and vitess have only once in a process: system
// and status variables, the default sql_mode, the log of vitess. Where possible it gives each
// server its own, and it leaves other engines of the process as they are (TestNeighbour in package
// engine).
//
// Package engine calls [NewEngine] in place of sqle.New, and [ServeVariables]; connections make
// their sessions in [NewSession]. Begin reading at engine.go and systemvars.go. Safe for concurrent
// use.
//
// Called by connection, engine, planning and sysvar.
package globals
