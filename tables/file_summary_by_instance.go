package tables

import (
	"slices"

	"pfsd/instr"
)

// The operations on each file. TRUNCATE empties the statistics of the files.
//
// MySQL: performance_schema.file_summary_by_instance, since 5.5.
var _ = register(Def[*ioRow]{
	Name:     "file_summary_by_instance",
	Doc:      "The operations on each file: how many, how long, how many bytes.",
	Recorded: OfProgram,
	Columns: slices.Concat([]Column[*ioRow]{
		{Name: "FILE_NAME", Kind: varchar(512), Get: func(r *ioRow) Value { return Text(r.name) }, Doc: "The file's name, absolute."},
		eventName("EVENT_NAME", (*ioRow).instrument),
		objectInstance(func(r *ioRow) uint64 { return r.object }),
	}, ioColumns(bigint)),
	Indexes: []Index{
		{Name: "EVENT_NAME", Columns: []string{"EVENT_NAME"}},
		{Name: "FILE_NAME", Columns: []string{"FILE_NAME"}},
		{Name: "PRIMARY", Columns: []string{"OBJECT_INSTANCE_BEGIN"}, Unique: true},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*ioRow] {
		return mapped(fileInstances(model, key), func(r *ioRow, in Instance) bool {
			f := in.(FileInstance)
			name := cut(f.Name(), fileNameLen)
			return key.allows("FILE_NAME", Text(name)) && r.set(f.Class(), f.ID(), name, f.IO())
		})
	},
	Truncate: resetInstances(instr.KindFile),
})
