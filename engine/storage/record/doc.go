// Package record has the forms in which definitions are stored: of tables, with their columns and
// indexes, as JSON texts under keys that have the kind of the definition, its database and its name.
//
// Two steps. Make a [Table] with [NewTable], or a [Column] with [NewColumn], and write it with [Put].
// Read all of a kind with [Load], and get the columns for go-mysql-server with [Column.SQLColumn].
//
// Files: table.go (tables, columns and indexes), record.go (keys, reading and writing). Begin reading
// with table.go. A record belongs to one goroutine while it changes.
//
// Called by storage. Calls sqlvalue, storage/codec and txkv.
package record
