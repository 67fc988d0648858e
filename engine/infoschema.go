package engine

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
	"pfsd/engine/compat"
	"pfsd/engine/sysschema"
)

// infoServer is what the tables and SHOW ask of the server. Safe for concurrent use.
type infoServer struct {
	databases sql.DatabaseProvider
	accounts  *accounts.Store
	// settings are those of sys, and created is when its functions were made.
	settings *sysschema.Config
	created  time.Time
	innodb   infoInnoDB
}

// rows are the tables of information_schema whose rows the server makes itself, by name in
// lower case; docs/differences.md tells of those that are empty.
func (s *infoServer) rows() map[string]compat.InfoRows {
	grants := infoGrants{s.accounts}
	innodb := s.innodb
	return map[string]compat.InfoRows{
		"views":                             s.infoViews,
		"view_table_usage":                  s.infoViewTables,
		"view_routine_usage":                s.infoViewRoutines,
		"routines":                          s.infoRoutines,
		"parameters":                        s.infoParameters,
		"triggers":                          s.infoTriggers,
		"user_attributes":                   grants.attributes,
		"user_privileges":                   grants.users,
		"schema_privileges":                 grants.schemas,
		"table_privileges":                  grants.tables,
		"column_privileges":                 grants.columns,
		"role_table_grants":                 grants.roleTables,
		"role_column_grants":                grants.roleColumns,
		"role_routine_grants":               grants.roleRoutines,
		"enabled_roles":                     grants.enabledRoles,
		"applicable_roles":                  grants.applicableRoles,
		"administrable_role_authorizations": grants.administrableRoles,
		"plugins":                           s.infoPlugins,
		"innodb_trx":                        innodb.transactions,
		"innodb_metrics":                    innodb.metrics,
		"innodb_cmp":                        innodb.compression,
		"innodb_cmp_reset":                  innodb.compression,
		"innodb_cmpmem":                     innodb.compressedPages,
		"innodb_cmpmem_reset":               innodb.compressedPages,
	}
}

// inScope tells whether a row about name in schema is one of those that are asked for, "" being all.
func inScope(schema, name, onlySchema, onlyName string) bool {
	return (onlySchema == "" || strings.EqualFold(schema, onlySchema)) && (onlyName == "" || strings.EqualFold(name, onlyName))
}

// schemas are the databases that are asked for, "" being all.
func (s *infoServer) schemas(ctx *sql.Context, only string) []sql.Database {
	if only == "" {
		return s.databases.AllDatabases(ctx)
	}
	if !s.databases.HasDatabase(ctx, only) {
		return nil
	}
	db, err := s.databases.Database(ctx, only)
	if err != nil {
		return nil
	}
	return []sql.Database{db}
}

// cellText is a value that is a text.
func cellText(v any) string {
	s, _ := v.(string)
	return s
}
