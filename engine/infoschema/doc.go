// Package infoschema makes the rows of the tables of information_schema that go-mysql-server lacks
// or has otherwise, and of SHOW: views, routines, triggers, privileges, plugins, what InnoDB's
// tables and monitor say, and what there is to say of performance_schema and sys.
//
// Package engine makes a [Server] and gives its [Server.Rows] to compat.InfoSchema, which looks
// them up; its builder asks [Described], [Server.ShowCreate] and their sisters. The package asks
// databases, accounts and packages access, vtable and sysschema. Begin reading at infoschema.go;
// each file is named after what it is about. Safe for concurrent use.
package infoschema
