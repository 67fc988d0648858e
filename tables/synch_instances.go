package tables

import "pfsd/instr"

// The channels, semaphores, groups of goroutines and other objects of synchronisation of package instr that exist, for which
// MySQL has no tables.
//
// MySQL: none.
var _ = register(Def[Instance]{
	Name:     "synch_instances",
	Doc:      "The channels, semaphores, groups of goroutines and the like that exist, and how full they are.",
	Recorded: OfProgram,
	Columns: []Column[Instance]{
		eventName("NAME", Instance.Class),
		objectInstance(Instance.ID),
		{Name: "IN_USE", Kind: bigint.nullable(), Get: roomOf(func(used, size int64) Value { return Int(used) }), Doc: "How many values are in the channel's buffer, units of the semaphore are taken, or goroutines of the group run; NULL of anything else."},
		{Name: "SIZE", Kind: bigint.nullable(), Get: roomOf(sizeOrNull), Doc: "How many there can be at a time; NULL without a limit."},
	},
	Indexes: []Index{
		{Name: "NAME", Columns: []string{"NAME"}},
		{Name: "PRIMARY", Columns: []string{"OBJECT_INSTANCE_BEGIN"}, Unique: true},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[Instance] {
		return instances(model, key, "NAME", instr.KindSynch)
	},
})

// roomOf returns get for an object with limited room, else NULL.
func roomOf(get func(used, size int64) Value) func(Instance) Value {
	return func(in Instance) Value {
		if s, ok := in.(SynchInstance); ok {
			if used, size, ok := s.Room(); ok {
				return get(used, size)
			}
		}
		return Null
	}
}

func sizeOrNull(_, size int64) Value {
	if size < 0 {
		return Null
	}
	return Int(size)
}
