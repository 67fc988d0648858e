package engine

import (
	"pfsd/engine/vtable"
	"pfsd/instr"
)

// statusCounters are the status variables that threads count. Safe for concurrent use.
type statusCounters struct {
	bytesReceived, bytesSent, questions, queries *instr.StatusVariable
	slowQueries                                  *instr.StatusVariable
	openedTables                                 *instr.StatusVariable
	timeSet, timeExceeded                        *instr.StatusVariable
	cacheHits, cacheMisses, cacheOverflows       *instr.StatusVariable
	handler                                      [vtable.HandlerCount]*instr.StatusVariable
	commit, rollback, savepoint, rollbackTo      *instr.StatusVariable
	statement                                    [len(statementStatus)]*instr.StatusVariable
	// commands are Com_KIND, by kind.
	commands map[string]*instr.StatusVariable
}

// Kinds of commands of the protocol, by which their counters Com_KIND are known.
const (
	comStmtPrepared = "stmt_prepare"
	comStmtExecuted = "stmt_execute"
	comStmtClosed   = "stmt_close"
	comAdmin        = "admin_commands"
)

// statementStatus are the status variables that sum up counters of statements.
var statementStatus = [...]struct {
	name    string
	counter instr.StatementCounter
}{
	{"Select_scan", instr.SelectScan}, {"Select_range", instr.SelectRange}, {"Select_full_join", instr.SelectFullJoin},
	{"Select_full_range_join", instr.SelectFullRangeJoin}, {"Select_range_check", instr.SelectRangeCheck},
	{"Sort_rows", instr.SortRows}, {"Sort_scan", instr.SortScan}, {"Sort_range", instr.SortRange}, {"Sort_merge_passes", instr.SortMergePasses},
	{"Created_tmp_tables", instr.CreatedTmpTables}, {"Created_tmp_disk_tables", instr.CreatedTmpDiskTables},
	{"Secondary_engine_execution_count", instr.CountSecondary},
}

// unusedCounters are status variables of threads that count what does not exist here;
// docs/differences.md says why.
var unusedCounters = []string{
	"Com_stmt_reprepare", "Handler_discover", "Handler_external_lock", "Handler_mrr_init", "Handler_prepare", "Handler_read_rnd",
	"Max_execution_time_set_failed", "Opened_table_definitions",
}

func newCounters(reg *instr.Registry) *statusCounters {
	c := &statusCounters{commands: map[string]*instr.StatusVariable{}}
	// What most statements count comes first: neighbours share a thread's memory.
	for _, v := range []struct {
		to   **instr.StatusVariable
		name string
	}{
		{&c.bytesReceived, "Bytes_received"}, {&c.bytesSent, "Bytes_sent"}, {&c.questions, "Questions"}, {&c.queries, "Queries"},
		{&c.commit, "Handler_commit"},
	} {
		*v.to = reg.NewStatusVariable(v.name)
	}
	c.queries.Keep()
	for i, name := range vtable.HandlerNames {
		c.handler[i] = reg.NewStatusVariable(name)
	}
	for i, s := range statementStatus {
		c.statement[i] = reg.NewStatusVariable(s.name)
	}
	c.cacheHits = reg.NewStatusVariable("Table_open_cache_hits")
	c.cacheMisses = reg.NewStatusVariable("Table_open_cache_misses")
	c.cacheOverflows = reg.NewStatusVariable("Table_open_cache_overflows")
	c.openedTables = reg.NewStatusVariable("Opened_tables")
	c.timeSet = reg.NewStatusVariable("Max_execution_time_set")
	c.timeExceeded = reg.NewStatusVariable("Max_execution_time_exceeded")
	c.slowQueries = reg.NewStatusVariable("Slow_queries")
	c.rollback = reg.NewStatusVariable("Handler_rollback")
	c.savepoint = reg.NewStatusVariable("Handler_savepoint")
	c.rollbackTo = reg.NewStatusVariable("Handler_savepoint_rollback")
	for _, kind := range commandKinds {
		c.commands[kind] = reg.NewStatusVariable("Com_" + kind)
	}
	for _, name := range unusedCounters {
		reg.NewStatusVariable(name)
	}
	return c
}

// ask counts what the statement that runs asks of the storage.
func (w *work) ask(what int, n uint64) {
	if w != nil {
		w.statement.Add(what, n)
	}
}

// sum adds n to a status variable of the connection's.
func (w *work) sum(v *instr.StatusVariable, n uint64) {
	if n != 0 {
		v.AddTo(w.thread, n)
	}
}

// arrived counts a command; question tells whether it counts among the questions of the client.
func (w *work) arrived(question bool) {
	w.status.queries.AddTo(w.thread, 1)
	if question {
		w.status.questions.AddTo(w.thread, 1)
	}
}

// command counts a statement of a kind, or a command of the protocol; a kind that MySQL has no
// counter for counts nothing.
func (w *work) command(kind string) { w.status.commands[kind].AddTo(w.thread, 1) }

// sumUp adds what the statement that ends has counted to the status variables.
func (w *work) sumUp() {
	o := &w.statement
	if o.Handler != (vtable.HandlerCounts{}) {
		for i, n := range o.Handler {
			w.sum(w.status.handler[i], n)
		}
	}
	if !o.scans.none() || o.Sorted > 0 {
		for i := range statementStatus {
			w.sum(w.status.statement[i], o.result.Counters[statementStatus[i].counter])
		}
	}
}

// commandKinds are the kinds of statements and commands that MySQL counts, in its order.
var commandKinds = []string{
	"admin_commands", "assign_to_keycache", "alter_db", "alter_event", "alter_function", "alter_instance", "alter_procedure",
	"alter_resource_group", "alter_server", "alter_table", "alter_tablespace", "alter_user", "alter_user_default_role", "analyze",
	"begin", "binlog", "call_procedure", "change_db", "change_repl_filter", "change_replication_source", "check", "checksum",
	"clone", "commit", "create_db", "create_event", "create_function", "create_index", "create_procedure", "create_role",
	"create_server", "create_table", "create_resource_group", "create_trigger", "create_udf", "create_user", "create_view",
	"create_spatial_reference_system", "dealloc_sql", "delete", "delete_multi", "do", "drop_db", "drop_event", "drop_function",
	"drop_index", "drop_procedure", "drop_resource_group", "drop_role", "drop_server", "drop_spatial_reference_system",
	"drop_table", "drop_trigger", "drop_user", "drop_view", "empty_query", "execute_sql", "explain_other", "flush",
	"get_diagnostics", "grant", "grant_roles", "ha_close", "ha_open", "ha_read", "help", "import", "insert", "insert_select",
	"install_component", "install_plugin", "kill", "load", "lock_instance", "lock_tables", "optimize", "preload_keys",
	"prepare_sql", "purge", "purge_before_date", "release_savepoint", "rename_table", "rename_user", "repair", "replace",
	"replace_select", "reset", "resignal", "restart", "revoke", "revoke_all", "revoke_roles", "rollback",
	"rollback_to_savepoint", "savepoint", "select", "set_option", "set_password", "set_resource_group", "set_role", "signal",
	"show_binlog_events", "show_binlogs", "show_charsets", "show_collations", "show_create_db", "show_create_event",
	"show_create_func", "show_create_proc", "show_create_table", "show_create_trigger", "show_databases", "show_engine_logs",
	"show_engine_mutex", "show_engine_status", "show_events", "show_errors", "show_fields", "show_function_code",
	"show_function_status", "show_grants", "show_keys", "show_binary_log_status", "show_open_tables", "show_parse_tree",
	"show_plugins", "show_privileges", "show_procedure_code", "show_procedure_status", "show_processlist", "show_profile",
	"show_profiles", "show_relaylog_events", "show_replicas", "show_replica_status", "show_status", "show_storage_engines",
	"show_table_status", "show_tables", "show_triggers", "show_variables", "show_warnings", "show_create_user", "shutdown",
	"replica_start", "replica_stop", "group_replication_start", "group_replication_stop", comStmtExecuted, comStmtClosed,
	"stmt_fetch", comStmtPrepared, "stmt_reset", "stmt_send_long_data", "truncate", "uninstall_component", "uninstall_plugin",
	"unlock_instance", "unlock_tables", "update", "update_multi", "xa_commit", "xa_end", "xa_prepare", "xa_recover",
	"xa_rollback", "xa_start",
}
