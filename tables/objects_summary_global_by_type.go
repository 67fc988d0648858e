package tables

import (
	"slices"

	"pfsd/instr"
)

// objectRow is a table or a stored program.
type objectRow struct {
	kind, schema, name Value
	count              uint64
	times              times
	waits              instr.Stat     // of a table
	calls              instr.WorkStat // of a program
}

// What each object was used: the waits for each table that setup_objects has watched, for its
// rows and for locks, and the runs of each stored program. A program has a row from its first run
// on. TRUNCATE empties the statistics of the tables.
//
// MySQL: performance_schema.objects_summary_global_by_type, since 5.6.
var _ = register(Def[*objectRow]{
	Name:     "objects_summary_global_by_type",
	Doc:      "How often and how long each table and stored program was used.",
	Recorded: NotKept,
	Columns: slices.Concat([]Column[*objectRow]{
		{Name: "OBJECT_TYPE", Kind: varchar(64).nullable(), Get: func(r *objectRow) Value { return r.kind }, Doc: "TABLE, TEMPORARY TABLE, EVENT, FUNCTION, PROCEDURE or TRIGGER."},
		{Name: "OBJECT_SCHEMA", Kind: varchar(64).nullable(), Get: func(r *objectRow) Value { return r.schema }, Doc: "The schema that the object is in."},
		{Name: "OBJECT_NAME", Kind: varchar(64).nullable(), Get: func(r *objectRow) Value { return r.name }, Doc: "The object's name."},
	}, timesColumns("STAR", "WAIT", "waits for the table, or runs of the program", func(r *objectRow) (uint64, times) { return r.count, r.times })),
	Indexes:  []Index{{Name: "OBJECT", Columns: []string{"OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME"}, Unique: true}},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*objectRow] {
		allowed := func(kind, schema, name Value) bool {
			return key.allows("OBJECT_TYPE", kind) && key.allows("OBJECT_SCHEMA", schema) && key.allows("OBJECT_NAME", name)
		}
		return after(mapped(list(tablesOf(model, key)), func(r *objectRow, t *instr.Table) bool {
			*r = objectRow{kind: Text(t.Type()), schema: tableSchema(t), name: tableName(t), waits: t.IO(instr.NoIndex).All()}
			for i := range t.Indexes() {
				r.waits.Add(t.IO(i).All())
			}
			locks := t.Locks()
			r.waits.Add(locks.All(nil))
			r.count, r.times = r.waits.Count, &r.waits
			return true
		}), mapped(list(model.Programs()), func(r *objectRow, p instr.ProgramRow) bool {
			*r = objectRow{kind: programType(&p), schema: programSchema(&p), name: programName(&p), calls: p.Calls}
			r.count, r.times = r.calls.Count, &r.calls
			return allowed(r.kind, r.schema, r.name)
		}))
	},
	Truncate: func(model Model) {
		model.ResetTableIO()
		model.ResetTableLocks()
	},
})
