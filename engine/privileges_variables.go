package engine

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// mayAssign tells why the session may not set a system variable.
func mayAssign(ctx *sql.Context, a assigned) error {
	switch a.scope {
	case sql.SystemVariableScope_Session:
		if restricted[a.v.name] && !may(ctx, accounts.Super, accounts.SystemVariablesAdmin, accounts.SessionVariablesAdmin) {
			return accounts.ErrNeeds("SUPER, SYSTEM_VARIABLES_ADMIN or SESSION_VARIABLES_ADMIN")
		}
	case sql.SystemVariableScope_PersistOnly:
		if a.v.fixed && !(may(ctx, accounts.SystemVariablesAdmin) && may(ctx, accounts.PersistRoVariablesAdmin)) {
			return accounts.ErrNeeds("SYSTEM_VARIABLES_ADMIN and PERSIST_RO_VARIABLES_ADMIN")
		}
		fallthrough
	default:
		if !may(ctx, accounts.Super, accounts.SystemVariablesAdmin) {
			return errNeeds(accounts.Super, accounts.SystemVariablesAdmin)
		}
	}
	return nil
}

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
