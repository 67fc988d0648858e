package infoschema

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
)

// Seen says which accounts see a row of an information_schema table, as MySQL 8.4 documents it.
type Seen uint8

// Who sees a row. The zero value is nobody: a table without a rule shows no rows.
const (
	nobody Seen = iota
	// Everybody: the rows are about the server.
	Everybody
	// Itself: the function of the table in [Server.Rows], or go-mysql-server, makes rows only of what
	// the session may see.
	Itself
	// OfDatabase, OfTable and OfColumn: who has a privilege on the database, on the table or on one of
	// its columns, on the column or its table.
	OfDatabase
	OfTable
	OfColumn
	// OfEvent: who has the privilege EVENT on the database.
	OfEvent
	// Process: who has the privilege PROCESS; for others a query of the table is an error.
	Process
)

// seenBy says who sees the rows of each table of information_schema, by name in lower case.
var seenBy = func() map[string]Seen {
	all := map[string]Seen{}
	for seen, names := range map[Seen]string{
		Everybody: `character_sets collations collation_character_set_applicability engines keywords plugins resource_groups st_spatial_reference_systems
			st_units_of_measure tablespaces_extensions`,
		Itself: `administrable_role_authorizations applicable_roles check_constraints column_privileges connection_control_failed_login_attempts enabled_roles
			optimizer_trace parameters partitions processlist profiling role_column_grants role_routine_grants role_table_grants routines schema_privileges table_privileges triggers
			user_attributes user_privileges view_routine_usage view_table_usage views`,
		OfDatabase: `schemata schemata_extensions`,
		OfTable:    `referential_constraints statistics table_constraints table_constraints_extensions tables tables_extensions`,
		OfColumn:   `column_statistics columns columns_extensions key_column_usage st_geometry_columns`,
		OfEvent:    `events`,
		Process: `files innodb_buffer_page innodb_buffer_page_lru innodb_buffer_pool_stats innodb_cached_indexes innodb_cmp
			innodb_cmpmem innodb_cmpmem_reset innodb_cmp_per_index innodb_cmp_per_index_reset innodb_cmp_reset innodb_columns innodb_datafiles
			innodb_fields innodb_foreign innodb_foreign_cols innodb_ft_being_deleted innodb_ft_config innodb_ft_default_stopword innodb_ft_deleted
			innodb_ft_index_cache innodb_ft_index_table innodb_indexes innodb_metrics innodb_session_temp_tablespaces innodb_tables
			innodb_tablespaces innodb_tablespaces_brief innodb_tablestats innodb_temp_table_info innodb_trx innodb_virtual`,
	} {
		for _, name := range strings.Fields(names) {
			all[name] = seen
		}
	}
	return all
}()

// sees returns a function that reports whether the session may see a row of a table with this
// schema.
func (d *Database) sees(ctx *sql.Context, name string, schema sql.Schema) func(sql.Row) bool {
	seen := seenBy[name]
	switch seen {
	case Everybody, Itself:
		return func(sql.Row) bool { return true }
	case nobody:
		return func(sql.Row) bool { return false }
	case Process:
		may := access.May(ctx, accounts.Process)
		return func(sql.Row) bool { return may }
	}
	at := func(names ...string) int {
		return slices.IndexFunc(schema, func(c *sql.Column) bool { return slices.Contains(names, c.Name) })
	}
	in, of, column := at("TABLE_SCHEMA", "SCHEMA_NAME", "CONSTRAINT_SCHEMA", "EVENT_SCHEMA"), -1, -1
	if seen == OfTable || seen == OfColumn {
		of = at("TABLE_NAME")
	}
	if seen == OfColumn {
		column = at("COLUMN_NAME")
	}
	text := func(r sql.Row, at int) string {
		if at < 0 {
			return ""
		}
		return cellText(r[at])
	}
	type object struct{ schema, table, column string }
	var last object
	var is bool
	return func(r sql.Row) bool {
		now := object{text(r, in), text(r, of), text(r, column)}
		if now == last {
			return is
		}
		last = now
		switch {
		case strings.EqualFold(now.schema, sql.InformationSchemaDatabaseName):
			is = true
		case seen == OfEvent:
			is = access.Of(ctx).Schema(now.schema).Has(accounts.Event)
		case seen == OfColumn:
			is = d.Privileges(ctx, now.schema, now.table, now.column) != ""
		default:
			is = d.Sees(ctx, now.schema, now.table)
		}
		return is
	}
}

// checkRows are the rows of CHECK_CONSTRAINTS: the session sees those of the tables that it sees.
//
// go-mysql-server by itself does not say whose constraint it is. MySQL: shows a constraint to who has a
// privilege on the table.
func (s *Server) checkRows(ctx *sql.Context, schema, _ string) (rows []sql.Row, err error) {
	for _, db := range s.schemas(ctx, schema) {
		if strings.EqualFold(db.Name(), sql.InformationSchemaDatabaseName) {
			continue
		}
		names, err := db.GetTableNames(ctx)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if !access.Visible(ctx, db.Name(), name) {
				continue
			}
			t, ok, err := db.GetTableInsensitive(ctx, name)
			if err != nil {
				return nil, err
			}
			checked, is := t.(sql.CheckTable)
			if !ok || !is {
				continue
			}
			all, err := checked.GetChecks(ctx)
			if err != nil {
				return nil, err
			}
			for _, c := range all {
				rows = append(rows, sql.Row{catalogName, db.Name(), c.Name, c.CheckExpression})
			}
		}
	}
	return rows, nil
}
