package infoschema

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
	"pfsd/engine/sysschema"
)

// Server is the part of the server that the tables and SHOW read. Safe for concurrent use.
type Server struct {
	Databases sql.DatabaseProvider
	Accounts  *accounts.Store
	// Settings are the settings of sys. Created is when the functions of sys were made.
	Settings *sysschema.Config
	Created  time.Time
	InnoDB   InnoDB
}

// Rows returns the functions that make the rows of tables of information_schema, by table name in
// lower case. docs/differences.md lists the empty tables.
func (s *Server) Rows() map[string]RowFunc {
	grants := grantRows{s.Accounts}
	innodb := s.InnoDB
	return map[string]RowFunc{
		"views":                             s.viewRows,
		"view_table_usage":                  s.viewTableRows,
		"view_routine_usage":                s.viewRoutineRows,
		"routines":                          s.routineRows,
		"parameters":                        s.parameterRows,
		"triggers":                          s.triggerRows,
		"check_constraints":                 s.checkRows,
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

// inScope reports whether a row about name in schema is wanted; onlySchema and onlyName are "" for all.
func inScope(schema, name, onlySchema, onlyName string) bool {
	return (onlySchema == "" || strings.EqualFold(schema, onlySchema)) && (onlyName == "" || strings.EqualFold(name, onlyName))
}

// schemas returns the database named only, or all databases for "".
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

// cellText returns a value that is a text, "" for any other value.
func cellText(v any) string {
	s, _ := v.(string)
	return s
}
