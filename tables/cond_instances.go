package tables

import "pfsd/instr"

// The condition variables that exist.
//
// MySQL: performance_schema.cond_instances, since 5.5.
var _ = register(Def[instr.Instance]{
	Name: "cond_instances",
	Doc:  "The condition variables that exist.",
	Columns: []Column[instr.Instance]{
		eventName("NAME", instr.Instance.Class),
		objectInstance(instr.Instance.ID),
	},
	Indexes: []Index{
		{Name: "NAME", Columns: []string{"NAME"}},
		{Name: "PRIMARY", Columns: []string{"OBJECT_INSTANCE_BEGIN"}, Unique: true},
	},
	Estimate: fixedEstimate,
	Rows: func(reg *instr.Registry, key Key) Source[instr.Instance] {
		return instances(reg, key, "NAME", instr.KindCond)
	},
})
