package tables

import (
	"slices"

	"pfsd/instr"
)

// The operations on each socket that is open. Receiving counts as READ, sending as WRITE.
// TRUNCATE empties the statistics of the sockets.
//
// MySQL: performance_schema.socket_summary_by_instance, since 5.6.
var _ = register(Def[*ioRow]{
	Name:     "socket_summary_by_instance",
	Doc:      "The operations on each open socket: how many, how long, how many bytes.",
	Recorded: OfProgram,
	Columns: slices.Concat([]Column[*ioRow]{
		eventName("EVENT_NAME", (*ioRow).instrument),
		objectInstance(func(r *ioRow) uint64 { return r.object }),
	}, ioColumns(bigintUnsigned)),
	Indexes: []Index{
		{Name: "EVENT_NAME", Columns: []string{"EVENT_NAME"}},
		{Name: "PRIMARY", Columns: []string{"OBJECT_INSTANCE_BEGIN"}, Unique: true},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*ioRow] {
		return mapped(instances(model, key, "EVENT_NAME", instr.KindSocket), func(r *ioRow, in Instance) bool {
			return r.set(in.Class(), in.ID(), "", in.(SocketInstance).IO())
		})
	},
	Truncate: resetInstances(instr.KindSocket),
})
