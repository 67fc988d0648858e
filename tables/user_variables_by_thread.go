package tables

import "pfsd/instr"

type userVariableRow struct {
	thread uint64
	instr.UserVariable
}

// The variables that sessions have set with SET @name and the like.
//
// Differs: VARIABLE_VALUE is as it was at the end of the session's last statement, not in the middle of one.
//
// MySQL: performance_schema.user_variables_by_thread, since 5.7.
var _ = register(Def[*userVariableRow]{
	Name:     "user_variables_by_thread",
	Doc:      "The user variables of sessions.",
	Recorded: NotKept,
	Columns: []Column[*userVariableRow]{
		{Name: "THREAD_ID", Kind: bigintUnsigned, Get: func(r *userVariableRow) Value { return Uint(r.thread) }, Doc: "The session's thread."},
		{Name: "VARIABLE_NAME", Kind: varchar(64), Get: func(r *userVariableRow) Value { return clientText(cut(r.Name, 64)) }, Doc: "The variable's name, without @."},
		{Name: "VARIABLE_VALUE", Kind: longblob.nullable(), Get: func(r *userVariableRow) Value { return textOrNull(r.Value) }, Doc: "The variable's value as text; NULL for NULL and for the empty text."},
	},
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "VARIABLE_NAME"}, Unique: true}},
	Estimate: func(model Model) int { return 10 * threadCount(model) },
	Rows: func(model Model, key Key) Source[*userVariableRow] {
		var all []instr.UserVariable
		var rows []userVariableRow
		var refs []*userVariableRow
		return each(threadsOf(model, key), func(t Thread) []*userVariableRow {
			id := t.ID()
			all, rows, refs = t.UserVariables(all[:0]), rows[:0], refs[:0]
			if id == 0 || t.ID() != id {
				return nil
			}
			for _, v := range all {
				if key.allows("VARIABLE_NAME", Text(cut(v.Name, 64))) {
					rows = append(rows, userVariableRow{id, v})
				}
			}
			for i := range rows {
				refs = append(refs, &rows[i])
			}
			return refs
		})
	},
})
