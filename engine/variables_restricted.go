package engine

// restricted are the variables whose session value not everybody may set.
var restricted = map[string]bool{
	"auto_increment_increment": true, "auto_increment_offset": true, "binlog_direct_non_transactional_updates": true,
	"binlog_format": true, "binlog_row_image": true, "binlog_row_value_options": true, "binlog_rows_query_log_events": true,
	"bulk_insert_buffer_size": true, "character_set_database": true, "character_set_filesystem": true,
	"collation_database": true, "default_collation_for_utf8mb4": true, "default_table_encryption": true, "gtid_next": true,
	"histogram_generation_max_mem_size": true, "immediate_server_version": true, "original_commit_timestamp": true,
	"original_server_version": true, "pseudo_replica_mode": true, "pseudo_slave_mode": true, "pseudo_thread_id": true,
	"rbr_exec_mode": true, "require_row_format": true, "sql_log_bin": true, "sql_log_off": true,
}
