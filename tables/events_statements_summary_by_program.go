package tables

import (
	"slices"
	"strings"

	"pfsd/instr"
)

// Stored programs: how often each ran, and the statements that it ran, as far as
// setup_objects has them watched. A row comes with the program's first run, and goes when
// the program is dropped. TRUNCATE makes the statistics 0.
//
// MySQL: performance_schema.events_statements_summary_by_program, since 5.7.
var _ = register(Def[*instr.ProgramRow]{
	Name:     "events_statements_summary_by_program",
	Doc:      "Stored programs, and the statements that they ran.",
	Recorded: NotKept,
	Columns: slices.Concat([]Column[*instr.ProgramRow]{
		{Name: "OBJECT_TYPE", Kind: objectTypes, Get: programType, Doc: "The program's type."},
		{Name: "OBJECT_SCHEMA", Kind: varchar(64), Get: programSchema, Doc: "The program's database."},
		{Name: "OBJECT_NAME", Kind: varchar(64), Get: programName, Doc: "The program's name."},
	},
		workStatColumns("STAR", "WAIT", "runs", func(r *instr.ProgramRow) *instr.WorkStat { return &r.Calls }),
		programStatements(),
		statementCounterColumns(func(r *instr.ProgramRow) *instr.StatementStat { return &r.Statements })),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME"}, Unique: true}},
	Estimate: func(model Model) int { return len(model.Programs()) },
	Rows: func(model Model, key Key) Source[*instr.ProgramRow] {
		return mapped(list(model.Programs()), func(r *instr.ProgramRow, p instr.ProgramRow) bool {
			*r = p
			return key.allows("OBJECT_TYPE", programType(r)) && key.allows("OBJECT_SCHEMA", programSchema(r)) && key.allows("OBJECT_NAME", programName(r))
		})
	},
	Truncate: Model.TruncatePrograms,
})

// programStatements are the number and times of the statements that a program ran.
func programStatements() []Column[*instr.ProgramRow] {
	columns := workStatColumns("STATEMENTS", "WAIT", "statements", func(r *instr.ProgramRow) *instr.WorkStat { return &r.Statements.WorkStat })
	for i := range columns {
		columns[i].Name = strings.Replace(columns[i].Name, "_TIMER_", "_STATEMENTS_", 1)
	}
	return columns
}

func programType(r *instr.ProgramRow) Value   { return Text(objectTypes.Values[r.Type]) }
func programSchema(r *instr.ProgramRow) Value { return Text(cut(r.Schema, 64)) }
func programName(r *instr.ProgramRow) Value   { return Text(cut(r.Name, 64)) }
