package tables

// PlanCacheRow is a statement whose plan is kept, or cannot be kept.
type PlanCacheRow struct {
	Kind, Schema, Statement string
	Plans, Hits             uint64
	Refused                 string // why no plan is kept, "" if one is
}

// The statements whose plans the server keeps, and those whose plans it cannot keep, and why. TRUNCATE forgets them all.
//
// MySQL: none.
var _ = register(Def[*PlanCacheRow]{
	Name:     "plan_cache",
	Doc:      "The statements whose plans the server keeps, and those whose plans it cannot keep, and why.",
	Recorded: OfServer,
	Columns: []Column[*PlanCacheRow]{
		{Name: "KIND", Kind: varchar(16), Get: func(r *PlanCacheRow) Value { return Text(r.Kind) }, Doc: "`TEXT` if the plan serves one text alone, `SHAPE` if it serves texts with other values, `PREPARED` if it is a prepared statement's."},
		{Name: "SCHEMA_NAME", Kind: varchar(64).nullable(), Get: func(r *PlanCacheRow) Value { return textOrNull(r.Schema) }, Doc: "The current database of the sessions that the plan serves; NULL if they have none."},
		{Name: "STATEMENT", Kind: longtext, Get: func(r *PlanCacheRow) Value { return Text(r.Statement) }, Doc: "The statement, with `?` and a letter for the kind of each value that may be another one."},
		{Name: "PLANS", Kind: bigintUnsigned, Get: func(r *PlanCacheRow) Value { return Uint(r.Plans) }, Doc: "How many plans are kept: as many sessions can use them at once."},
		{Name: "HITS", Kind: bigintUnsigned, Get: func(r *PlanCacheRow) Value { return Uint(r.Hits) }, Doc: "How often one of them has been used again."},
		{Name: "REFUSED", Kind: varchar(255).nullable(), Get: func(r *PlanCacheRow) Value { return textOrNull(r.Refused) }, Doc: "Why no plan is kept; NULL if one is."},
	},
	Estimate: fixedEstimate,
	Truncate: truncateProvided[PlanCacheRow],
	Rows:     providedIf(func(Key, *PlanCacheRow) bool { return true }),
})
