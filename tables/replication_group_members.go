package tables

// The members of the replication group.
//
// MySQL: performance_schema.replication_group_members, since 5.7.
var _ = register(Def[noRow]{
	Name:     "replication_group_members",
	Doc:      "The members of the replication group.",
	Recorded: OfAny,
	Empty:    "the server is in no replication group",
	Columns: []Column[noRow]{
		{Name: "CHANNEL_NAME", Kind: char(64), Get: never, Doc: "The group's channel."},
		{Name: "MEMBER_ID", Kind: char(36).binary(), Get: never, Doc: "The member's server_uuid."},
		{Name: "MEMBER_HOST", Kind: char(255).asciiText(), Get: never, Doc: "The member's host."},
		{Name: "MEMBER_PORT", Kind: integer.nullable(), Get: never, Doc: "The member's port."},
		{Name: "MEMBER_STATE", Kind: char(64).binary(), Get: never, Doc: "The member's state."},
		{Name: "MEMBER_ROLE", Kind: char(64).binary(), Get: never, Doc: "PRIMARY or SECONDARY."},
		{Name: "MEMBER_VERSION", Kind: char(64).binary(), Get: never, Doc: "The member's version."},
		{Name: "MEMBER_COMMUNICATION_STACK", Kind: char(64).binary(), Get: never, Doc: "How the members talk, XCom or MySQL."},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
