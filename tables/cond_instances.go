package tables

import "pfsd/instr"

// The condition variables that exist.
//
// MySQL: performance_schema.cond_instances, since 5.5.
var _ = register(Def[Instance]{
	Name:     "cond_instances",
	Doc:      "The condition variables that exist.",
	Recorded: OfProgram,
	Columns: []Column[Instance]{
		eventName("NAME", Instance.Class),
		objectInstance(Instance.ID),
	},
	Indexes: []Index{
		{Name: "NAME", Columns: []string{"NAME"}},
		{Name: "PRIMARY", Columns: []string{"OBJECT_INSTANCE_BEGIN"}, Unique: true},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[Instance] {
		return instances(model, key, "NAME", instr.KindCond)
	},
})
