package tables

import "pfsd/instr"

type fileRow struct {
	class *instr.Class
	name  string
	open  int64
}

// The files that were opened, also after they are closed, until they are deleted.
//
// MySQL: performance_schema.file_instances, since 5.5.
var _ = register(Def[*fileRow]{
	Name:     "file_instances",
	Doc:      "The files that were opened and exist.",
	Recorded: OfProgram,
	Columns: []Column[*fileRow]{
		{Name: "FILE_NAME", Kind: varchar(512), Get: func(r *fileRow) Value { return Text(r.name) }, Doc: "The file's name, absolute."},
		eventName("EVENT_NAME", func(r *fileRow) *instr.Class { return r.class }),
		{Name: "OPEN_COUNT", Kind: intUnsigned, Get: func(r *fileRow) Value { return Uint(uint64(r.open)) }, Doc: "How many times the file is open now."},
	},
	Indexes: []Index{
		{Name: "EVENT_NAME", Columns: []string{"EVENT_NAME"}},
		{Name: "PRIMARY", Columns: []string{"FILE_NAME"}, Unique: true},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*fileRow] {
		return mapped(fileInstances(model, key), func(r *fileRow, in Instance) bool {
			f := in.(FileInstance)
			*r = fileRow{f.Class(), cut(f.Name(), fileNameLen), f.OpenCount()}
			return key.allows("FILE_NAME", Text(r.name))
		})
	},
})
