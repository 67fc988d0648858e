package recorded

import (
	"strings"

	"pfsd/tables"
)

// infoTables has the tables of information_schema by whom their rows are about. Those of performance_schema say it themselves; a view of sys is
// about what the tables are about that it reads; the tables of history are made of what is recorded.
var infoTables = map[tables.Origin]string{
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
}

// infoOrigins is infoTables by table.
var infoOrigins = func() map[string]tables.Origin {
	all := map[string]tables.Origin{}
	for origin, names := range infoTables {
		for _, name := range strings.Fields(names) {
			if all[name] != tables.Unclassified {
				panic("recorded: information_schema." + name + " has two origins")
			}
			all[name] = origin
		}
	}
	return all
}()

// Origin is whom the rows of a table are about. The names are in lower case.
func (m *Model) Origin(schema, table string) tables.Origin {
	switch schema {
	case tables.Schema:
		return tables.RecordedOrigin(table)
	case "information_schema":
		return infoOrigins[table]
	}
	return tables.OfProgram
}
