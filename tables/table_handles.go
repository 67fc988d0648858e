package tables

import "pfsd/instr"

// The tables that setup_objects has watched and threads have open, and who uses them now. A thread keeps a table open for the
// next statement when one has ended.
//
// MySQL: performance_schema.table_handles, since 5.7.
var _ = register(Def[*instr.TableHandleInfo]{
	Name:     "table_handles",
	Doc:      "The tables that are open, and their locks.",
	Recorded: NotKept,
	Columns: []Column[*instr.TableHandleInfo]{
		{Name: "OBJECT_TYPE", Kind: varchar(64), Get: func(r *instr.TableHandleInfo) Value { return Text(r.Table.Type()) }, Doc: "TABLE or TEMPORARY TABLE."},
		{Name: "OBJECT_SCHEMA", Kind: varchar(64), Get: func(r *instr.TableHandleInfo) Value { return tableSchema(r.Table) }, Doc: "The schema that the table is in."},
		{Name: "OBJECT_NAME", Kind: varchar(64), Get: func(r *instr.TableHandleInfo) Value { return tableName(r.Table) }, Doc: "The table's name."},
		objectInstance(func(r *instr.TableHandleInfo) uint64 { return r.ID }),
		{Name: "OWNER_THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *instr.TableHandleInfo) Value { return Uint(r.Thread) }, Doc: "The thread that uses the table; 0 if none does."},
		{Name: "OWNER_EVENT_ID", Kind: bigintUnsigned.nullable(), Get: func(r *instr.TableHandleInfo) Value { return Uint(r.Event) }, Doc: "The event that uses the table; 0 if none does, or it is not recorded."},
		{Name: "INTERNAL_LOCK", Kind: varchar(64).nullable(), Get: func(r *instr.TableHandleInfo) Value { return lockName(r.Internal, r.HasInternal) }, Doc: "The lock of the SQL layer; NULL for none."},
		{Name: "EXTERNAL_LOCK", Kind: varchar(64).nullable(), Get: func(r *instr.TableHandleInfo) Value { return lockName(r.External, r.HasExternal) }, Doc: "The lock of the store, READ EXTERNAL or WRITE EXTERNAL; NULL for none."},
	},
	Indexes: []Index{
		{Name: "OBJECT_TYPE", Columns: []string{"OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME"}},
		{Name: "OWNER_THREAD_ID", Columns: []string{"OWNER_THREAD_ID", "OWNER_EVENT_ID"}},
		{Name: "PRIMARY", Columns: []string{"OBJECT_INSTANCE_BEGIN"}, Unique: true},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*instr.TableHandleInfo] {
		var all []*instr.Table
		if id, ok := key.Uint("OBJECT_INSTANCE_BEGIN"); ok {
			if t := model.TableOfHandle(id); t != nil {
				all = allowedTables([]*instr.Table{t}, key)
			}
		} else if thread, ok := key.Uint("OWNER_THREAD_ID"); ok && thread != 0 {
			all = allowedTables(model.TablesUsedBy(thread), key)
		} else {
			all = tablesOf(model, key)
		}
		return mapped(each(all, (*instr.Table).TableHandles), func(r *instr.TableHandleInfo, h instr.TableHandleInfo) bool {
			*r = h
			return key.allows("OBJECT_INSTANCE_BEGIN", Uint(h.ID)) && key.allows("OWNER_THREAD_ID", Uint(h.Thread)) && key.allows("OWNER_EVENT_ID", Uint(h.Event))
		})
	},
})

func lockName(kind instr.TableLock, has bool) Value {
	if !has {
		return Null
	}
	return Text(kind.String())
}
