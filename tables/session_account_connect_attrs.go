package tables

import "pfsd/instr"

// What the clients of those connections have said of themselves that have the user and the
// host of the connection that asks: that is the thread of the goroutine that reads, and if it
// has none, there are no rows.
//
// MySQL: performance_schema.session_account_connect_attrs, since 5.6.
var _ = register(Def[*connectAttrRow]{
	Name:     "session_account_connect_attrs",
	Doc:      "What the clients of the connections of one's own account have said of themselves.",
	Recorded: NotKept,
	Columns:  connectAttrColumns,
	Indexes:  connectAttrIndexes,
	Binary:   true,
	Estimate: connectAttrEstimate,
	Rows: connectAttrRows(func(model Model) func(instr.Account) bool {
		t, reader := reader(model)
		return func(a instr.Account) bool { return t != nil && a == reader.Account }
	}),
})
