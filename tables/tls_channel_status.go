package tables

// TLSChannelRow is a property of a TLS channel.
type TLSChannelRow struct {
	Channel, Property, Value string
}

// How the connections of clients are encrypted: for each channel the files that it has its
// certificates from, until when these hold, and how often it was used. There is no channel for
// administrators, whose row says so.
//
// MySQL: performance_schema.tls_channel_status, since 8.0.21.
var _ = register(Def[*TLSChannelRow]{
	Name:     "tls_channel_status",
	Doc:      "The channels that encrypt connections, with their properties.",
	Recorded: OfServer,
	Columns: []Column[*TLSChannelRow]{
		{Name: "CHANNEL", Kind: varchar(128), Get: func(r *TLSChannelRow) Value { return Text(r.Channel) }, Doc: "The channel: mysql_main is for clients, mysql_admin for administrators."},
		{Name: "PROPERTY", Kind: varchar(128), Get: func(r *TLSChannelRow) Value { return Text(r.Property) }, Doc: "The property, most of them named as the status variables of the same meaning."},
		{Name: "VALUE", Kind: varchar(2048), Get: func(r *TLSChannelRow) Value { return Text(r.Value) }, Doc: "Its value."},
	},
	Estimate: func(Model) int { return 58 },
	Rows:     provided[TLSChannelRow],
})
