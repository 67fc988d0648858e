package tables

import "pfsd/instr"

type socketRow struct {
	SocketInstance
	owner uint64
	idle  bool
}

// The sockets that are open: listeners and connections.
//
// MySQL: performance_schema.socket_instances, since 5.6.
var _ = register(Def[*socketRow]{
	Name:     "socket_instances",
	Doc:      "The sockets that are open, and who uses them.",
	Recorded: OfProgram,
	Columns: []Column[*socketRow]{
		eventName("EVENT_NAME", func(r *socketRow) *instr.Class { return r.Class() }),
		objectInstance(func(r *socketRow) uint64 { return r.ID() }),
		{Name: "THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *socketRow) Value { return uintOrNull(r.owner) }, Doc: "The thread that the socket belongs to; NULL if it is none's."},
		{Name: "SOCKET_ID", Kind: integer, Get: func(r *socketRow) Value { return Int(int64(r.FD())) }, Doc: "The file descriptor."},
		{Name: "IP", Kind: varchar(64), Get: func(r *socketRow) Value { return Text(cut(r.IP(), 64)) }, Doc: "The address: of a connection, the client's; empty for a unix socket."},
		{Name: "PORT", Kind: integer, Get: func(r *socketRow) Value { return Int(int64(r.Port())) }, Doc: "The port of that address; 0 for a unix socket."},
		{Name: "STATE", Kind: enum("IDLE", "ACTIVE"), Get: (*socketRow).state, Doc: "IDLE while the server waits for the client's next request, else ACTIVE."},
	},
	Indexes: []Index{
		{Name: "IP", Columns: []string{"IP", "PORT"}},
		{Name: "PRIMARY", Columns: []string{"OBJECT_INSTANCE_BEGIN"}, Unique: true},
		{Name: "SOCKET_ID", Columns: []string{"SOCKET_ID"}},
		{Name: "THREAD_ID", Columns: []string{"THREAD_ID"}},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*socketRow] {
		return mapped(instances(model, key, "EVENT_NAME", instr.KindSocket), func(r *socketRow, in Instance) bool {
			s := in.(SocketInstance)
			*r = socketRow{s, s.Owner(), s.Idle()}
			return key.allows("THREAD_ID", uintOrNull(r.owner)) && key.allows("SOCKET_ID", Int(int64(s.FD()))) &&
				key.allows("IP", Text(cut(s.IP(), 64))) && key.allows("PORT", Int(int64(s.Port())))
		})
	},
})

func (r *socketRow) state() Value {
	if r.idle {
		return Text("IDLE")
	}
	return Text("ACTIVE")
}
