package tables

// How each channel connects to its source.
//
// MySQL: performance_schema.replication_connection_configuration, since 5.7.
var _ = register(Def[noRow]{
	Name:     "replication_connection_configuration",
	Doc:      "How each channel connects to its source.",
	Recorded: OfAny,
	Empty:    "the server is no replica: it has no replication channels",
	Columns: []Column[noRow]{
		{Name: "CHANNEL_NAME", Kind: char(64), Get: never, Doc: "The replication channel."},
		{Name: "HOST", Kind: char(255).asciiText(), Get: never, Doc: "The source's host."},
		{Name: "PORT", Kind: integer, Get: never, Doc: "The source's port."},
		{Name: "USER", Kind: char(32).binary(), Get: never, Doc: "The account at the source."},
		{Name: "NETWORK_INTERFACE", Kind: char(60).binary(), Get: never, Doc: "The interface of the replica that is used."},
		{Name: "AUTO_POSITION", Kind: oneZero, Get: never, Doc: "Whether positions go by GTIDs."},
		{Name: "SSL_ALLOWED", Kind: enum("YES", "NO", "IGNORED"), Get: never, Doc: "Whether the connection is encrypted."},
		{Name: "SSL_CA_FILE", Kind: varchar(512), Get: never, Doc: "The file of the authority's certificate."},
		{Name: "SSL_CA_PATH", Kind: varchar(512), Get: never, Doc: "The directory of such certificates."},
		{Name: "SSL_CERTIFICATE", Kind: varchar(512), Get: never, Doc: "The file of the replica's certificate."},
		{Name: "SSL_CIPHER", Kind: varchar(512), Get: never, Doc: "The ciphers that may be used."},
		{Name: "SSL_KEY", Kind: varchar(512), Get: never, Doc: "The file of the replica's key."},
		{Name: "SSL_VERIFY_SERVER_CERTIFICATE", Kind: yesNo, Get: never, Doc: "Whether the source's name is checked."},
		{Name: "SSL_CRL_FILE", Kind: varchar(255), Get: never, Doc: "The file of revoked certificates."},
		{Name: "SSL_CRL_PATH", Kind: varchar(255), Get: never, Doc: "The directory of such files."},
		{Name: "CONNECTION_RETRY_INTERVAL", Kind: integer, Get: never, Doc: "The time between two attempts to connect, seconds."},
		{Name: "CONNECTION_RETRY_COUNT", Kind: bigintUnsigned, Get: never, Doc: "How many attempts there are."},
		{Name: "HEARTBEAT_INTERVAL", Kind: Kind{Type: TypeDouble, Len: 10, Decimals: 3}, Get: never, Doc: "The time between two heartbeats, seconds."},
		{Name: "TLS_VERSION", Kind: varchar(255), Get: never, Doc: "The versions of TLS that may be used."},
		{Name: "PUBLIC_KEY_PATH", Kind: varchar(512), Get: never, Doc: "The file of the source's public key."},
		{Name: "GET_PUBLIC_KEY", Kind: yesNo, Get: never, Doc: "Whether the source is asked for it."},
		{Name: "NETWORK_NAMESPACE", Kind: varchar(64), Get: never, Doc: "The network namespace."},
		{Name: "COMPRESSION_ALGORITHM", Kind: char(64).binary(), Get: never, Doc: "The algorithms of compression that may be used."},
		{Name: "ZSTD_COMPRESSION_LEVEL", Kind: integer, Get: never, Doc: "The level of compression by zstd."},
		{Name: "TLS_CIPHERSUITES", Kind: plainText.nullable().utf8mb3().binary(), Get: never, Doc: "The ciphers of TLS 1.3 that may be used."},
		{Name: "SOURCE_CONNECTION_AUTO_FAILOVER", Kind: oneZero, Get: never, Doc: "Whether another source is taken when this one is lost."},
		{Name: "GTID_ONLY", Kind: oneZero, Get: never, Doc: "Whether only GTIDs are kept as position."},
	},
	Indexes: []Index{
		{Name: "PRIMARY", Columns: []string{"CHANNEL_NAME"}, Unique: true},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
