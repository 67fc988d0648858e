package tables

import "pfsd/instr"

type threadClassRow struct {
	class            *instr.ThreadClass
	enabled, history bool
}

// The classes of threads. A thread that starts takes INSTRUMENTED and HISTORY from the row
// of its class; what it takes at its login comes from setup_actors.
//
// Differs: rows appear when the code first names a class, not all at the start.
//
// MySQL: performance_schema.setup_threads, since 8.0.
var _ = register(Def[*threadClassRow]{
	Name:     "setup_threads",
	Doc:      "The classes of threads, and which of them are watched.",
	Recorded: OfProgram,
	Columns: []Column[*threadClassRow]{
		{Name: "NAME", Kind: varchar(128), Get: func(r *threadClassRow) Value { return Text(r.class.Name()) }, Doc: "The class's name."},
		{Name: "ENABLED", Kind: yesNo, Get: func(r *threadClassRow) Value { return yes(r.enabled) }, Set: func(model Model, r *threadClassRow, v Value) error {
			model.Setup().SetThreadEnabled(r.class, isYes(v))
			return nil
		}, Doc: "INSTRUMENTED of the threads that start from now on."},
		{Name: "HISTORY", Kind: yesNo, Get: func(r *threadClassRow) Value { return yes(r.history) }, Set: func(model Model, r *threadClassRow, v Value) error {
			model.Setup().SetThreadHistory(r.class, isYes(v))
			return nil
		}, Doc: "HISTORY of the threads that start from now on."},
		{Name: "PROPERTIES", Kind: set("singleton", "user"), Get: func(r *threadClassRow) Value {
			return Text(propertyTexts[r.class.Properties()&(instr.Singleton|instr.User)])
		}, Doc: "What kind of threads these are: singleton if there is one at most, user if they are connections."},
		{Name: "VOLATILITY", Kind: integer, Get: func(*threadClassRow) Value { return Int(0) }, Doc: "How long the threads live, the higher the shorter; 0 is unknown."},
		{Name: "DOCUMENTATION", Kind: longtext.nullable(), Get: null[*threadClassRow], Doc: "What the threads do, if their class says so."},
	},
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"NAME"}, Unique: true}},
	Estimate: func(Model) int { return 10 },
	Rows: func(model Model, key Key) Source[*threadClassRow] {
		return mapped(list(model.Setup().ThreadClasses()), func(r *threadClassRow, c *instr.ThreadClass) bool {
			*r = threadClassRow{c, c.Enabled(), c.History()}
			return key.allows("NAME", Text(c.Name()))
		})
	},
})
