package tables

import "pfsd/instr"

// Which users, from which hosts, are watched: a connection takes ENABLED and HISTORY at
// its login from the row of its user and host, or else from one with % for the host, or
// for the user, or for both; without a row it is not watched. Threads in the background
// are.
//
// MySQL: performance_schema.setup_actors, since 5.6.
var _ = register(Def[*instr.SetupActor]{
	Name:     "setup_actors",
	Doc:      "The users that are watched.",
	Recorded: OfServer,
	Columns: []Column[*instr.SetupActor]{
		{Name: "HOST", Kind: char(255).asciiText(), Default: "%", Get: func(r *instr.SetupActor) Value { return Text(r.Host) }, Doc: "The client's host; % stands for any."},
		{Name: "USER", Kind: char(32).binary(), Default: "%", Get: func(r *instr.SetupActor) Value { return Text(r.User) }, Doc: "The user; % stands for any."},
		{Name: "ROLE", Kind: char(32).binary(), Default: "%", Get: func(r *instr.SetupActor) Value { return Text(r.Role) }, Doc: "The role; only rows that say % count."},
		{Name: "ENABLED", Kind: yesNo, Default: "YES", Get: func(r *instr.SetupActor) Value { return yes(r.Enabled) }, Set: func(model Model, r *instr.SetupActor, v Value) error {
			model.Setup().UpdateActor(*r, func(row *instr.SetupActor) { row.Enabled = isYes(v) })
			return nil
		}, Doc: "INSTRUMENTED of the threads."},
		{Name: "HISTORY", Kind: yesNo, Default: "YES", Get: func(r *instr.SetupActor) Value { return yes(r.History) }, Set: func(model Model, r *instr.SetupActor, v Value) error {
			model.Setup().UpdateActor(*r, func(row *instr.SetupActor) { row.History = isYes(v) })
			return nil
		}, Doc: "HISTORY of the threads."},
	},
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"HOST", "USER", "ROLE"}, Unique: true}},
	Estimate: func(Model) int { return 10 },
	Rows: func(model Model, key Key) Source[*instr.SetupActor] {
		return mapped(list(setupActorsOf(model, key)), func(r *instr.SetupActor, a instr.SetupActor) bool {
			*r = a
			return key.allows("HOST", Text(a.Host)) && key.allows("USER", Text(a.User)) && key.allows("ROLE", Text(a.Role))
		})
	},
	Insert: func(model Model, row []Value) error {
		return model.Setup().AddActor(instr.SetupActor{Host: row[0].s, User: row[1].s, Role: row[2].s, Enabled: isYes(row[3]), History: isYes(row[4])})
	},
	Delete: func(model Model, r *instr.SetupActor) error {
		model.Setup().RemoveActor(r.Host, r.User, r.Role)
		return nil
	},
	Truncate: func(model Model) { model.Setup().ClearActors() },
})

// setupActorsOf returns the row whose host, user and role key gives, or all.
func setupActorsOf(model Model, key Key) []instr.SetupActor {
	host, hasHost := key.Text("HOST")
	user, hasUser := key.Text("USER")
	role, hasRole := key.Text("ROLE")
	if !hasHost || !hasUser || !hasRole {
		return model.Setup().Actors()
	}
	if row, ok := model.Setup().Actor(host, user, role); ok {
		return []instr.SetupActor{row}
	}
	return nil
}
