package status

import (
	"pfsd/engine/vtable"
	"pfsd/instr"
)

// Counters are the status variables that threads count. Safe for concurrent use.
type Counters struct {
	BytesReceived, BytesSent, questions, queries *instr.StatusVariable
	SlowQueries                                  *instr.StatusVariable
	OpenedTables                                 *instr.StatusVariable
	TimeSet, TimeExceeded                        *instr.StatusVariable
	CacheHits, CacheMisses, CacheOverflows       *instr.StatusVariable
	handler                                      [vtable.HandlerCount]*instr.StatusVariable
	Commit, Rollback, Savepoint, RollbackTo      *instr.StatusVariable
	statement                                    [len(statementStatus)]*instr.StatusVariable
	// commands are Com_KIND, by kind.
	commands map[string]*instr.StatusVariable
}

// Kinds of commands of the protocol, as their counters Com_KIND have them.
const (
	StmtPrepare = "stmt_prepare"
	StmtExecute = "stmt_execute"
	StmtClose   = "stmt_close"
	Admin       = "admin_commands"
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

func NewCounters(reg *instr.Registry) *Counters {
	c := &Counters{commands: map[string]*instr.StatusVariable{}}
	// What most statements count comes first: neighbours share a thread's memory.
	for _, v := range []struct {
		to   **instr.StatusVariable
		name string
	}{
		{&c.BytesReceived, "Bytes_received"}, {&c.BytesSent, "Bytes_sent"}, {&c.questions, "Questions"}, {&c.queries, "Queries"},
		{&c.Commit, "Handler_commit"},
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
	c.CacheHits = reg.NewStatusVariable("Table_open_cache_hits")
	c.CacheMisses = reg.NewStatusVariable("Table_open_cache_misses")
	c.CacheOverflows = reg.NewStatusVariable("Table_open_cache_overflows")
	c.OpenedTables = reg.NewStatusVariable("Opened_tables")
	c.TimeSet = reg.NewStatusVariable("Max_execution_time_set")
	c.TimeExceeded = reg.NewStatusVariable("Max_execution_time_exceeded")
	c.SlowQueries = reg.NewStatusVariable("Slow_queries")
	c.Rollback = reg.NewStatusVariable("Handler_rollback")
	c.Savepoint = reg.NewStatusVariable("Handler_savepoint")
	c.RollbackTo = reg.NewStatusVariable("Handler_savepoint_rollback")
	for _, kind := range commandKinds {
		c.commands[kind] = reg.NewStatusVariable("Com_" + kind)
	}
	for _, name := range unusedCounters {
		reg.NewStatusVariable(name)
	}
	return c
}

// Arrived counts a command of thread t; question tells whether it counts among the questions of the client.
func (c *Counters) Arrived(t *instr.Thread, question bool) {
	c.queries.AddTo(t, 1)
	if question {
		c.questions.AddTo(t, 1)
	}
}

// Command counts a statement of a kind, or a command of the protocol, of thread t; a kind that MySQL has no counter for counts nothing.
func (c *Counters) Command(t *instr.Thread, kind string) { c.commands[kind].AddTo(t, 1) }

// Requests counts what a statement of thread t has asked of the storage.
func (c *Counters) Requests(t *instr.Thread, n *vtable.HandlerCounts) {
	if *n == (vtable.HandlerCounts{}) {
		return
	}
	for i, n := range n {
		add(t, c.handler[i], n)
	}
}

// Statement counts what the counters of a statement of thread t say about how its plan was carried out.
func (c *Counters) Statement(t *instr.Thread, counters *[instr.StatementCounterCount]uint64) {
	for i := range statementStatus {
		add(t, c.statement[i], counters[statementStatus[i].counter])
	}
}

// add adds n to a status variable of thread t.
func add(t *instr.Thread, v *instr.StatusVariable, n uint64) {
	if n != 0 {
		v.AddTo(t, n)
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
	"replica_start", "replica_stop", "group_replication_start", "group_replication_stop", StmtExecute, StmtClose,
	"stmt_fetch", StmtPrepare, "stmt_reset", "stmt_send_long_data", "truncate", "uninstall_component", "uninstall_plugin",
	"unlock_instance", "unlock_tables", "update", "update_multi", "xa_commit", "xa_end", "xa_prepare", "xa_recover",
	"xa_rollback", "xa_start",
}
