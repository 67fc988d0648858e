package infoschema

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
	"pfsd/engine/compat"
	"pfsd/engine/sysschema"
)

// Server is what the tables and SHOW ask of the server. Safe for concurrent use.
type Server struct {
	Databases sql.DatabaseProvider
	Accounts  *accounts.Store
	// Settings are those of sys, and Created is when its functions were made.
	Settings *sysschema.Config
	Created  time.Time
	InnoDB   InnoDB
}

// Rows are the tables of information_schema whose rows the server makes itself, by name in
// lower case; docs/differences.md tells of those that are empty.
func (s *Server) Rows() map[string]compat.InfoRows {
	grants := grantRows{s.Accounts}
	innodb := s.InnoDB
	return map[string]compat.InfoRows{
		"views":                             s.viewRows,
		"view_table_usage":                  s.viewTableRows,
		"view_routine_usage":                s.viewRoutineRows,
		"routines":                          s.routineRows,
		"parameters":                        s.parameterRows,
		"triggers":                          s.triggerRows,
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
		"plugins":                           s.allPlugins,
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
func (s *Server) schemas(ctx *sql.Context, only string) []sql.Database {
	if only == "" {
		return s.Databases.AllDatabases(ctx)
	}
	if !s.Databases.HasDatabase(ctx, only) {
		return nil
	}
	db, err := s.Databases.Database(ctx, only)
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
