package tables

// The keys in the keyring: their names, not their values.
//
// MySQL: performance_schema.keyring_keys, since 8.0.16.
var _ = register(Def[noRow]{
	Name:     "keyring_keys",
	Doc:      "The names of the keys in the keyring.",
	Recorded: OfAny,
	Empty:    "no component keeps keys",
	Columns: []Column[noRow]{
		{Name: "KEY_ID", Kind: varchar(255).binary(), Get: never, Doc: "The key's name."},
		{Name: "KEY_OWNER", Kind: varchar(255).nullable().binary(), Get: never, Doc: "Whose key it is."},
		{Name: "BACKEND_KEY_ID", Kind: varchar(255).nullable().binary(), Get: never, Doc: "The key's name where it is kept."},
	},
	Binary:   true,
	Estimate: fixedEstimate,
	Rows:     noRows,
})
