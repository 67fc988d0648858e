// Package tables declares the tables of performance_schema: one file for each, named
// after it. It reads a [Model] of what was recorded, such as the one [Of] a registry of package
// instr, and knows nothing of SQL servers.
//
// To use it: take a [Table] from [All], call [Table.Scan] with the columns you want and perhaps a
// [Key] of equalities, and read rows from the [Cursor]. [Table.Insert], [Table.Update],
// [Table.Delete] and [Table.Truncate] do what MySQL's statements do.
//
// # How to add a table
//
//  1. Make the file <table_name>.go. Declare the type of a row, R: a pointer to a struct, or
//     a few words, that a getter reads without allocating. What a row needs to agree with
//     itself, such as statistics, is copied into it once, not read by each getter.
//  2. Declare the table: var _ = register(Def[R]{...}). Columns come in MySQL's order, one
//     line each: name, kind, getter, documentation with the unit. Groups of columns that
//     several tables share are in columns.go, enums in kind.go.
//  3. Write Rows, which starts a scan. Most tables put two parts of rows.go together: a
//     source of classes, instances or threads, and mapped, which makes a row of each. Use
//     the key: look up what it names, and let Key.allows drop what cannot match before
//     a row is made of it. Read in batches, in constant memory, without goroutines. What
//     package instr knows nothing of, a server provides: see Provide. A table that never has
//     rows here, or whose rows never change, says why: Def.Empty, Def.Static.
//  4. List the Indexes as MySQL has them. Give a column that can be updated its Set, and
//     the table its Insert, Delete and Truncate if MySQL has them.
//  5. Write the comment above: what the rows are, one line "Differs: COLUMN ..." for each
//     difference from MySQL, and at last "MySQL: performance_schema.x, since 5.5." or
//     "MySQL: none.".
//  6. The facts of MySQL's tables are in testdata/mysql84. The tests compare: columns, keys
//     and privileges with the facts, but for what a Differs line admits; scans by each index
//     with full scans; units in the documentation.
//  7. Let populate (populate_test.go) give the table rows, and test with known operations
//     that it shows exactly these. Add its golden file to testdata/sql, and let the list in
//     docs/tables.md be written.
//
// # Contract
//
// A Table may be used concurrently; a Cursor is owned by one goroutine and needs no closing. A scan
// copies the rows one after another: no row is torn, but two rows need not be of the same moment. A
// scan stops nobody who records, and allocates nothing for each row; the texts of values are shared
// and must not be changed.
//
// Files: table.go is the framework; model.go is the interface of what is read, and process.go the
// model of this process. kind.go has SQL types, value.go values, errors.go the errors of writes;
// provide.go is for what a server adds. columns.go and rows.go have what several tables share,
// columns_work.go and rows_work.go what the tables of statements, stages, transactions and errors
// share, and rows_status.go what those of status variables share. lock_graph.go follows waits for
// locks. Each of the other files is a table, or like connect_attrs.go what two of them share.
//
// Called by engine and its packages. Calls instr and timers. Begin reading with table.go, then any table.
package tables

// Schema is the database that has the tables.
const Schema = "performance_schema"

// Engine is the name of the storage engine that the tables belong to.
const Engine = "PERFORMANCE_SCHEMA"
