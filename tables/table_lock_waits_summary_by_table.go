package tables

import (
	"slices"

	"pfsd/instr"
)

// The locks on each table that setup_objects has watched. TRUNCATE empties the statistics.
//
// MySQL: performance_schema.table_lock_waits_summary_by_table, since 5.6.
var _ = register(Def[*tableRow]{
	Name:     "table_lock_waits_summary_by_table",
	Doc:      "How often and how long locks on each table were waited for.",
	Recorded: NotKept,
	Columns:  slices.Concat(tableColumns, tableLockColumns()),
	Indexes:  []Index{{Name: "OBJECT", Columns: []string{"OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME"}, Unique: true}},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*tableRow] {
		return mapped(list(tablesOf(model, key)), func(r *tableRow, t *instr.Table) bool { return r.setLocks(t) })
	},
	Truncate: Model.ResetTableLocks,
})
