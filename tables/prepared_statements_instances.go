package tables

import (
	"slices"

	"pfsd/instr"
)

type preparedRow struct {
	*instr.PreparedStatement
	thread, event      uint64
	kind, schema, name string
	stat               instr.PreparedStat
}

// The statements that are prepared, by the protocol or by PREPARE, until they are closed or
// their connection ends. There is a row if the statement that prepares is instrumented
// (statement/com/Prepare, statement/sql/prepare_sql), and an execution counts if it is
// (statement/com/Execute, statement/sql/execute_sql). TRUNCATE empties the statistics.
//
// Differs: COUNT_REPREPARE is always 0 in the server, which plans a prepared statement anew at each execution.
//
// MySQL: performance_schema.prepared_statements_instances, since 5.7.
var _ = register(Def[*preparedRow]{
	Name:     "prepared_statements_instances",
	Doc:      "The statements that are prepared, who prepared them and what their executions were like.",
	Recorded: NotKept,
	Columns: slices.Concat([]Column[*preparedRow]{
		objectInstance(func(r *preparedRow) uint64 { return r.ID() }),
		{Name: "STATEMENT_ID", Kind: bigintUnsigned, Get: func(r *preparedRow) Value { return Uint(r.StatementID) }, Doc: "The statement's number in its connection, which the protocol uses."},
		{Name: "STATEMENT_NAME", Kind: varchar(64).nullable(), Get: (*preparedRow).named, Doc: "The name that PREPARE gave it; NULL if the protocol prepared it."},
		{Name: "SQL_TEXT", Kind: longtext, Get: func(r *preparedRow) Value { return clientText(r.SQLText) }, Doc: "The statement's text, up to 1024 bytes of it."},
		{Name: "OWNER_THREAD_ID", Kind: bigintUnsigned, Get: func(r *preparedRow) Value { return Uint(r.thread) }, Doc: "The thread that prepared the statement."},
		{Name: "OWNER_EVENT_ID", Kind: bigintUnsigned, Get: func(r *preparedRow) Value { return Uint(r.event) }, Doc: "The event in which that was: the statement, or in a stored program what that is part of; 0 if it had no event."},
		{Name: "OWNER_OBJECT_TYPE", Kind: objectTypes.nullable(), Get: func(r *preparedRow) Value { return textOrNull(r.kind) }, Doc: "The type of the stored program that prepared the statement; NULL if none did."},
		{Name: "OWNER_OBJECT_SCHEMA", Kind: varchar(64).nullable(), Get: (*preparedRow).ownerSchema, Doc: "The stored program's database; NULL if there is none."},
		{Name: "OWNER_OBJECT_NAME", Kind: varchar(64).nullable(), Get: (*preparedRow).ownerName, Doc: "The stored program's name; NULL if there is none."},
		{Name: "EXECUTION_ENGINE", Kind: engines.nullable(), Get: func(r *preparedRow) Value {
			return Text(engines.Values[min(1, r.stat.Executed.Counters[instr.CountSecondary])])
		}, Doc: "Which engine carried the statement out: PRIMARY or SECONDARY."},
		{Name: "TIMER_PREPARE", Kind: bigintUnsigned, Get: func(r *preparedRow) Value { return Uint(r.stat.Prepare.SumPicoseconds()) }, Doc: "Time that it took to prepare the statement, picoseconds; 0 if that was not timed."},
		{Name: "COUNT_REPREPARE", Kind: bigintUnsigned, Get: func(r *preparedRow) Value { return Uint(r.stat.Reprepared) }, Doc: "How many times the server prepared the statement anew by itself."},
	}, workStatColumns("EXECUTE", "EXECUTE", "executions", func(r *preparedRow) *instr.WorkStat { return &r.stat.Executed.WorkStat }),
		statementCounterColumns(func(r *preparedRow) *instr.StatementStat { return &r.stat.Executed })),
	Indexes: []Index{
		{Name: "OWNER_OBJECT_TYPE", Columns: []string{"OWNER_OBJECT_TYPE", "OWNER_OBJECT_SCHEMA", "OWNER_OBJECT_NAME"}},
		{Name: "OWNER_THREAD_ID", Columns: []string{"OWNER_THREAD_ID", "OWNER_EVENT_ID"}, Unique: true},
		{Name: "PRIMARY", Columns: []string{"OBJECT_INSTANCE_BEGIN"}, Unique: true},
		{Name: "STATEMENT_ID", Columns: []string{"STATEMENT_ID"}},
		{Name: "STATEMENT_NAME", Columns: []string{"STATEMENT_NAME"}},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*preparedRow] {
		var all []*instr.PreparedStatement
		return mapped(each(threadsNamed(model, key, "OWNER_THREAD_ID"), func(t Thread) []*instr.PreparedStatement {
			all = t.PreparedStatements(all[:0])
			return all
		}), func(r *preparedRow, p *instr.PreparedStatement) bool {
			*r = preparedRow{PreparedStatement: p}
			r.thread, r.event = p.Owner()
			r.kind, r.schema, r.name = p.OwnerObject()
			if !key.allows("OBJECT_INSTANCE_BEGIN", Uint(r.ID())) || !key.allows("STATEMENT_ID", Uint(r.StatementID)) || !key.allows("STATEMENT_NAME", r.named()) ||
				!key.allows("OWNER_EVENT_ID", Uint(r.event)) || !key.allows("OWNER_OBJECT_TYPE", textOrNull(r.kind)) ||
				!key.allows("OWNER_OBJECT_SCHEMA", r.ownerSchema()) || !key.allows("OWNER_OBJECT_NAME", r.ownerName()) {
				return false
			}
			r.stat = p.Stat()
			return true
		})
	},
	Truncate: Model.ResetPreparedStatements,
})

func (r *preparedRow) named() Value       { return clientText(cut(r.Name, 64)) }
func (r *preparedRow) ownerSchema() Value { return textOrNull(cut(r.schema, 64)) }
func (r *preparedRow) ownerName() Value   { return textOrNull(cut(r.name, 64)) }
