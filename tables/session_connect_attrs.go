package tables

import "pfsd/instr"

// What the clients of all connections have said of themselves when they connected.
//
// MySQL: performance_schema.session_connect_attrs, since 5.6.
var _ = register(Def[*connectAttrRow]{
	Name:     "session_connect_attrs",
	Doc:      "What the clients of all connections have said of themselves.",
	Recorded: NotKept,
	Columns:  connectAttrColumns,
	Indexes:  connectAttrIndexes,
	Binary:   true,
	Estimate: connectAttrEstimate,
	Rows: connectAttrRows(func(Model) func(instr.Account) bool {
		return func(instr.Account) bool { return true }
	}),
})
