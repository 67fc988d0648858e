package tables

import "pfsd/instr"

// This file has what session_connect_attrs and session_account_connect_attrs share.

type connectAttrRow struct {
	process  uint64
	position int
	instr.ConnectAttr
}

var connectAttrColumns = []Column[*connectAttrRow]{
	{Name: "PROCESSLIST_ID", Kind: bigintUnsigned, Get: func(r *connectAttrRow) Value { return Uint(r.process) }, Doc: "The connection's number, CONNECTION_ID()."},
	{Name: "ATTR_NAME", Kind: varchar(32).binary(), Get: func(r *connectAttrRow) Value { return clientText(cut(r.Name, 32)) }, Doc: "The attribute's name, such as program_name; _truncated says how many bytes of attributes had no room."},
	{Name: "ATTR_VALUE", Kind: varchar(1024).binary().nullable(), Get: func(r *connectAttrRow) Value { return clientText(cut(r.Value, 1024)) }, Doc: "The attribute's value; NULL if it is empty."},
	{Name: "ORDINAL_POSITION", Kind: integer.nullable(), Get: func(r *connectAttrRow) Value { return Int(int64(r.position)) }, Doc: "The attribute's place among those of its connection, from 0."},
}

var connectAttrIndexes = []Index{{Name: "PRIMARY", Columns: []string{"PROCESSLIST_ID", "ATTR_NAME"}, Unique: true}}

func connectAttrEstimate(model Model) int { return 10 * threadCount(model) }

// connectAttrRows starts a scan of the attributes of the connections of some accounts: of those for
// which the function that shown returns is true.
func connectAttrRows(shown func(Model) func(instr.Account) bool) func(Model, Key) Source[*connectAttrRow] {
	return func(model Model, key Key) Source[*connectAttrRow] {
		allowed := shown(model)
		var attrs []instr.ConnectAttr
		var rows []connectAttrRow
		var refs []*connectAttrRow
		return each(connectionsNamed(model, key, "PROCESSLIST_ID"), func(t Thread) []*connectAttrRow {
			info, ok := t.Snapshot()
			if !ok || info.Process == 0 || !key.allows("PROCESSLIST_ID", Uint(info.Process)) || !allowed(info.Account) {
				return nil
			}
			attrs, rows, refs = t.ConnectAttrs(attrs[:0]), rows[:0], refs[:0]
			if t.ID() != info.ID {
				return nil
			}
			for i, a := range attrs {
				if key.allows("ATTR_NAME", Text(cut(a.Name, 32))) {
					rows = append(rows, connectAttrRow{info.Process, i, a})
				}
			}
			for i := range rows {
				refs = append(refs, &rows[i])
			}
			return refs
		})
	}
}
