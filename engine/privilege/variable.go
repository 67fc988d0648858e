package privilege

import "strings"

// Restricted tells whether a session may set a variable for itself only with what the clause
// session of set_option asks for. The name is in lower case.
func Restricted(variable string) bool { return restricted[variable] }

var restricted = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(`
		auto_increment_increment auto_increment_offset binlog_direct_non_transactional_updates binlog_format binlog_row_image
		binlog_row_value_options binlog_rows_query_log_events binlog_transaction_compression
		binlog_transaction_compression_level_zstd bulk_insert_buffer_size character_set_database character_set_filesystem
		collation_database connection_memory_chunk_size connection_memory_limit debug debug_sync
		default_collation_for_utf8mb4 default_table_encryption global_connection_memory_tracking gtid_next
		histogram_generation_max_mem_size immediate_server_version internal_tmp_mem_storage_engine
		original_commit_timestamp original_server_version pseudo_replica_mode pseudo_slave_mode pseudo_thread_id
		query_memory_limit
		rbr_exec_mode require_row_format sql_log_bin sql_log_off sql_generate_invisible_primary_key
		sql_require_primary_key terminology_use_previous xa_detach_on_prepare`) {
		m[name] = true
	}
	return m
}()

// ForVariable returns the rules for the global value of a variable beyond the one of the clause
// global; nil for most. The name is in lower case.
func ForVariable(variable string) []Rule { return variableRules[variable] }

var variableRules = func() map[string][]Rule {
	m := map[string][]Rule{}
	for _, r := range parse(`
		mandatory_roles                    -    server   ROLE_ADMIN
		authentication_policy              -    server   AUTHENTICATION_POLICY_ADMIN
		binlog_encryption                  -    server   SUPER|BINLOG_ENCRYPTION_ADMIN
		default_table_encryption           -    server   TABLE_ENCRYPTION_ADMIN
		table_encryption_privilege_check   -    server   TABLE_ENCRYPTION_ADMIN
		offline_mode                       -    server   CONNECTION_ADMIN|SUPER
	`) {
		m[r.Kind] = append(m[r.Kind], r)
	}
	return m
}()
