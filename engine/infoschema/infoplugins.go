package infoschema

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"pfsd/engine/mends"
)

// moreInfoTables is information_schema with the tables of plugins. Database.Rows makes their rows. Safe for concurrent use.
//
// go-mysql-server: has no tables of plugins. MySQL: has those of its plugins.
type moreInfoTables struct{ sql.Database }

// WithPlugins is information_schema with the tables of plugins.
func WithPlugins(db sql.Database) sql.Database { return moreInfoTables{db} }

// FailedLogins is the table of the plugin connection_control.
const FailedLogins = "connection_control_failed_login_attempts"

// failedLoginsSchema are the columns of FailedLogins.
var failedLoginsSchema = sql.Schema{
	{Name: "USERHOST", Type: types.MustCreateString(sqltypes.VarChar, 354, sql.Collation_utf8mb3_general_ci), Source: FailedLogins, DatabaseSource: sql.InformationSchemaDatabaseName},
	{Name: "FAILED_ATTEMPTS", Type: types.Uint32, Source: FailedLogins, DatabaseSource: sql.InformationSchemaDatabaseName},
}

// GetTableInsensitive implements sql.Database.
func (m moreInfoTables) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	if strings.EqualFold(name, FailedLogins) && mends.PluginTables.On() {
		return &information_schema.InformationSchemaTable{
			TableName: FailedLogins, TableSchema: failedLoginsSchema,
			Reader: func(*sql.Context, sql.Catalog) (sql.RowIter, error) { return sql.RowsToRowIter(), nil },
		}, true, nil
	}
	return m.Database.GetTableInsensitive(ctx, name)
}

// GetTableNames implements sql.Database.
func (m moreInfoTables) GetTableNames(ctx *sql.Context) ([]string, error) {
	names, err := m.Database.GetTableNames(ctx)
	return append(names, FailedLogins), err
}
