package recorded

import (
	"strings"

	"pfsd/tables"
)

// shown has the tables of performance_schema and information_schema by whom their rows are about. A view of sys is about what the tables
// are about that it reads; the tables of history are made of what is recorded.
var shown = map[string]map[tables.Origin]string{
	tables.Schema: {
		tables.OfProgram: `active_session_history cond_instances deadlocks event_histograms event_percentiles
			events_stages_current events_stages_history events_stages_history_long
			events_stages_summary_by_thread_by_class events_stages_summary_by_thread_by_event_name events_stages_summary_by_thread_by_order
			events_stages_summary_global_by_class events_stages_summary_global_by_event_name events_stages_summary_global_by_order
			events_statements_current events_statements_history events_statements_history_long
			events_statements_histogram_by_digest events_statements_histogram_global events_statements_summary_by_digest
			events_statements_summary_by_thread_by_event_name events_statements_summary_global_by_event_name
			events_transactions_current events_transactions_history events_transactions_history_long
			events_transactions_summary_by_thread_by_event_name events_transactions_summary_global_by_event_name
			events_waits_current events_waits_history events_waits_history_long events_waits_histogram_by_event_name events_waits_histogram_global
			events_waits_history_metric events_waits_snapshot
			events_waits_summary_by_instance events_waits_summary_by_thread_by_class events_waits_summary_by_thread_by_event_name
			events_waits_summary_by_thread_by_family events_waits_summary_by_thread_by_genus events_waits_summary_by_thread_by_order
			events_waits_summary_by_thread_by_time events_waits_summary_global_by_class events_waits_summary_global_by_event_name
			events_waits_summary_global_by_family events_waits_summary_global_by_genus events_waits_summary_global_by_order
			file_instances file_summary_by_event_name file_summary_by_instance goroutine_threads goroutines held_locks
			holds_histogram_by_event_name holds_summary_by_instance holds_summary_global_by_event_name
			lock_waits mutex_instances rwlock_instances setup_consumers setup_instruments setup_threads
			socket_instances socket_summary_by_event_name socket_summary_by_instance synch_instances threads`,
		tables.OfAny: `component_scheduler_tasks innodb_redo_log_files keyring_component_status keyring_keys performance_timers
			replication_applier_configuration replication_applier_filters replication_applier_global_filters replication_applier_status
			replication_applier_status_by_coordinator replication_applier_status_by_worker replication_asynchronous_connection_failover
			replication_asynchronous_connection_failover_managed replication_connection_configuration replication_connection_status
			replication_group_member_stats replication_group_members setup_timers temporary_account_locks user_defined_functions`,
		tables.OfServer: `binary_log_transaction_compression_stats captures cpu_profile data_lock_waits data_locks error_log
			global_status global_variable_attributes global_variables host_cache log_status persisted_variables plan_cache processlist
			session_status session_variables setup_actors setup_objects tls_channel_status variables_info variables_metadata`,
		tables.NotKept: `accounts events_errors_summary_by_account_by_error events_errors_summary_by_host_by_error
			events_errors_summary_by_thread_by_error events_errors_summary_by_user_by_error events_errors_summary_global_by_error
			events_stages_summary_by_account_by_event_name events_stages_summary_by_host_by_event_name events_stages_summary_by_user_by_event_name
			events_statements_summary_by_account_by_event_name events_statements_summary_by_host_by_event_name
			events_statements_summary_by_program events_statements_summary_by_user_by_event_name
			events_transactions_summary_by_account_by_event_name events_transactions_summary_by_host_by_event_name
			events_transactions_summary_by_user_by_event_name
			events_waits_summary_by_account_by_event_name events_waits_summary_by_host_by_event_name events_waits_summary_by_user_by_event_name
			hosts memory_summary_by_account_by_event_name memory_summary_by_host_by_event_name memory_summary_by_thread_by_event_name
			memory_summary_by_user_by_event_name memory_summary_global_by_event_name metadata_locks objects_summary_global_by_type
			pool_connections prepared_statements_instances session_account_connect_attrs session_connect_attrs setup_loggers setup_meters
			setup_metrics status_by_account status_by_host status_by_thread status_by_user table_handles
			table_io_waits_summary_by_index_usage table_io_waits_summary_by_table table_lock_waits_summary_by_table
			user_variables_by_thread users variables_by_thread`,
		tables.Refused: `goroutine_leaks`,
	},
	"information_schema": {
		tables.OfAny: `administrable_role_authorizations applicable_roles character_sets check_constraints collation_character_set_applicability
			collations column_privileges column_statistics columns columns_extensions enabled_roles engines events files
			innodb_columns innodb_datafiles innodb_fields innodb_foreign innodb_foreign_cols innodb_ft_being_deleted innodb_ft_config
			innodb_ft_default_stopword innodb_ft_deleted innodb_ft_index_cache innodb_ft_index_table innodb_indexes innodb_tables
			innodb_tablespaces innodb_tablespaces_brief innodb_tablestats innodb_temp_table_info innodb_virtual key_column_usage keywords
			parameters partitions plugins referential_constraints resource_groups role_column_grants role_routine_grants role_table_grants
			routines schema_privileges schemata schemata_extensions st_geometry_columns st_spatial_reference_systems st_units_of_measure
			statistics table_constraints table_constraints_extensions table_privileges tables tables_extensions tablespaces_extensions
			triggers user_attributes user_privileges view_routine_usage view_table_usage views`,
		tables.OfServer: `connection_control_failed_login_attempts innodb_buffer_page innodb_buffer_page_lru innodb_buffer_pool_stats
			innodb_cached_indexes innodb_cmp innodb_cmp_per_index innodb_cmp_per_index_reset innodb_cmp_reset innodb_cmpmem
			innodb_cmpmem_reset innodb_metrics innodb_session_temp_tablespaces innodb_trx optimizer_trace processlist profiling`,
	},
}

// origins is shown by schema and table.
var origins = func() map[string]map[string]tables.Origin {
	all := map[string]map[string]tables.Origin{}
	for schema, by := range shown {
		all[schema] = map[string]tables.Origin{}
		for origin, names := range by {
			for _, name := range strings.Fields(names) {
				if all[schema][name] != tables.Unclassified {
					panic("recorded: " + schema + "." + name + " has two origins")
				}
				all[schema][name] = origin
			}
		}
	}
	return all
}()

// Origin is whom the rows of a table are about. The names are in lower case.
func (m *Model) Origin(schema, table string) tables.Origin {
	if of, ok := origins[schema]; ok {
		return of[table]
	}
	return tables.OfProgram
}
