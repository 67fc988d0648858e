package tables

import (
	"slices"

	"pfsd/instr"
)

// What was done with the rows of each table that setup_objects has watched: as many operations
// as there were rows. TRUNCATE empties the statistics of the tables and of their indexes.
//
// MySQL: performance_schema.table_io_waits_summary_by_table, since 5.6.
var _ = register(Def[*tableRow]{
	Name:     "table_io_waits_summary_by_table",
	Doc:      "What was done with the rows of each table, and how long it took.",
	Recorded: NotKept,
	Columns:  slices.Concat(tableColumns, tableIOColumns),
	Indexes:  []Index{{Name: "OBJECT", Columns: []string{"OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME"}, Unique: true}},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*tableRow] {
		return mapped(list(tablesOf(model, key)), func(r *tableRow, t *instr.Table) bool {
			sum := t.IO(instr.NoIndex)
			for i := range t.Indexes() {
				sum.Add(t.IO(i))
			}
			return r.set(t, instr.NoIndex, sum)
		})
	},
	Truncate: Model.ResetTableIO,
})
