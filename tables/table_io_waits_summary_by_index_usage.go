package tables

import (
	"slices"

	"pfsd/instr"
)

// What was done with the rows of each table that setup_objects has watched, by the index that
// found them; the row without an index has what was found without one, and all inserts. TRUNCATE
// empties the statistics of the tables and of their indexes.
//
// MySQL: performance_schema.table_io_waits_summary_by_index_usage, since 5.6.
var _ = register(Def[*tableRow]{
	Name:     "table_io_waits_summary_by_index_usage",
	Doc:      "What was done with the rows of each table, by the index that found them.",
	Recorded: NotKept,
	Columns: slices.Concat(tableColumns, []Column[*tableRow]{
		{Name: "INDEX_NAME", Kind: varchar(64).nullable(), Get: (*tableRow).indexName, Doc: "The index that found the rows; NULL where none did."},
	}, tableIOColumns),
	Indexes:  []Index{{Name: "OBJECT", Columns: []string{"OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME", "INDEX_NAME"}, Unique: true}},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*tableRow] {
		var indexes []tableRow
		return mapped(each(tablesOf(model, key), func(t *instr.Table) []tableRow {
			indexes = indexes[:0]
			for i := range t.Indexes() {
				indexes = append(indexes, tableRow{table: t, index: i})
			}
			return append(indexes, tableRow{table: t, index: instr.NoIndex})
		}), func(r *tableRow, i tableRow) bool {
			return key.allows("INDEX_NAME", i.indexName()) && r.set(i.table, i.index, i.table.IO(i.index))
		})
	},
	Truncate: Model.ResetTableIO,
})
