// Package infoschema makes the rows of SHOW statements and of the tables of information_schema that
// go-mysql-server lacks or fills differently: views, routines, triggers, privileges, plugins, InnoDB's
// tables and monitor, and the tables of performance_schema and sys.
//
// Package engine makes a [Server] and gives its [Server.Rows] to infoschema.Database, which looks
// them up; its builder calls [Server.ShowCreate] and others. The package reads
// databases, accounts, and packages access, vtable and sysschema. Begin reading at infoschema.go;
// each file is named after what it is about. Safe for concurrent use.
//
// Called by many packages of engine.
package infoschema
