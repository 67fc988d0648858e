package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/compat"
)

// infoRows are the tables of information_schema whose rows the server makes itself, by name in
// lower case; docs/differences.md tells of those that are empty.
func (s *Server) infoRows(p *provider) map[string]compat.InfoRows {
	grants := infoGrants{s.accounts}
	innodb := p.innodb
	return map[string]compat.InfoRows{
		"views":                             p.infoViews,
		"view_table_usage":                  p.infoViewTables,
		"view_routine_usage":                p.infoViewRoutines,
		"routines":                          p.infoRoutines,
		"parameters":                        p.infoParameters,
		"triggers":                          p.infoTriggers,
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
		"plugins":                           p.infoPlugins,
		"profiling":                         infoProfiling,
		"innodb_trx":                        innodb.transactions,
		"innodb_metrics":                    innodb.metrics,
		"innodb_cmp":                        innodb.compression,
		"innodb_cmp_reset":                  innodb.compression,
		"innodb_cmpmem":                     innodb.compressedPages,
		"innodb_cmpmem_reset":               innodb.compressedPages,
		compat.FailedLogins:                 s.failedLogins,
	}
}

// inScope tells whether a row about name in schema is one of those that are asked for, "" being all.
func inScope(schema, name, onlySchema, onlyName string) bool {
	return (onlySchema == "" || strings.EqualFold(schema, onlySchema)) && (onlyName == "" || strings.EqualFold(name, onlyName))
}

// databases are those that are asked for, "" being all.
func (p *provider) databases(ctx *sql.Context, only string) []sql.Database {
	if only == "" {
		return p.AllDatabases(ctx)
	}
	if !p.HasDatabase(ctx, only) {
		return nil
	}
	db, err := p.Database(ctx, only)
	if err != nil {
		return nil
	}
	return []sql.Database{db}
}
