package infoschema

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlvalue"
)

// RowFunc returns the rows of an information_schema table. If schema or name is not "", it may
// return only the rows about this schema, or about this table or routine. The caller still checks
// the condition on each row.
type RowFunc func(ctx *sql.Context, schema, name string) ([]sql.Row, error)

// infoTables are the tables of information_schema as MySQL 8.4 has them. A query finds a table
// under go-mysql-server's name, a list shows MySQL's name. Safe for concurrent use.
//
// go-mysql-server: has names in lower case, and TABLESPACES, which MySQL 8.4 does not have; columns
// of InnoDB's tables are in lower case, and some have other names or are missing; ENUM and SET are
// numbers that functions do not convert to text. MySQL: names are in upper case, and so are the
// columns of most of InnoDB's tables; ENUM and SET are text in every function.
type infoTables struct {
	sql.Database
	schemas map[string]sql.Schema // by name in lower case
	names   []string
}

// droppedTables are the tables of go-mysql-server that MySQL 8.4 does not have.
var droppedTables = map[string]bool{information_schema.TablespacesTableName: true}

// lowerColumns are InnoDB's tables with columns in lower case.
var lowerColumns = map[string]bool{
	"innodb_trx": true, "innodb_cmp": true, "innodb_cmp_reset": true, "innodb_cmpmem": true, "innodb_cmpmem_reset": true,
	"innodb_cmp_per_index": true, "innodb_cmp_per_index_reset": true, "innodb_ft_default_stopword": true,
}

// renamedColumns maps a table and go-mysql-server's name of a column to MySQL's name of the column,
// where they differ.
var renamedColumns = map[string]map[string]string{
	"innodb_ft_being_deleted": {"type": "DOC_ID"},
	"view_routine_usage":      {"SPECIFIC_TABLE": "SPECIFIC_NAME"},
}

func newInfoTables(db sql.Database) *infoTables {
	t := &infoTables{Database: db, schemas: map[string]sql.Schema{}}
	names, _ := db.GetTableNames(nil)
	for _, name := range names {
		if droppedTables[name] {
			continue
		}
		t.names = append(t.names, strings.ToUpper(name))
		if found, ok, _ := db.GetTableInsensitive(nil, name); ok {
			t.schemas[name] = mysqlSchema(name, found.Schema(nil))
		}
	}
	slices.Sort(t.names)
	return t
}

// mysqlSchema returns MySQL's schema of a table, given go-mysql-server's.
func mysqlSchema(name string, s sql.Schema) sql.Schema {
	upper := strings.HasPrefix(name, "innodb_") && !lowerColumns[name]
	own := make(sql.Schema, len(s), len(s)+1)
	for i, c := range s {
		column := *c
		if upper {
			column.Name = strings.ToUpper(c.Name)
		}
		if renamed, ok := renamedColumns[name][c.Name]; ok {
			column.Name = renamed
		}
		switch t := c.Type.(type) {
		case sql.DecimalType:
			if name == "profiling" { // go-mysql-server's type has no digits after the point
				column.Type = types.MustCreateDecimalType(9, 6)
			}
		case sql.EnumType:
			column.Type = sqlvalue.NewChoice(c.Name, t.Values(), false)
		case sql.SetType:
			column.Type = sqlvalue.NewChoice(c.Name, t.Values(), true)
		}
		own[i] = &column
	}
	if name == "innodb_tables" {
		own = append(own, &sql.Column{Name: "TOTAL_ROW_VERSIONS", Type: types.Int32, Source: name, DatabaseSource: s[0].DatabaseSource})
	}
	return own
}

// GetTableNames implements sql.Database.
func (t *infoTables) GetTableNames(*sql.Context) ([]string, error) { return slices.Clone(t.names), nil }

// GetTableInsensitive implements sql.Database. It is for lists of tables.
func (t *infoTables) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	if droppedTables[strings.ToLower(name)] {
		return nil, false, nil
	}
	found, ok, err := t.Database.GetTableInsensitive(ctx, name)
	if err != nil || !ok {
		return found, ok, err
	}
	return listedTable{found, t.schemas[strings.ToLower(name)]}, true, nil
}

// listedTable is a table as lists of tables show it.
type listedTable struct {
	sql.Table
	schema sql.Schema
}

// Name implements sql.Table.
func (t listedTable) Name() string { return strings.ToUpper(t.Table.Name()) }

// Schema implements sql.Table.
func (t listedTable) Schema(*sql.Context) sql.Schema { return t.schema }

// withChoiceTexts returns a function that calls edit, and replaces go-mysql-server's numbers in
// ENUM and SET columns by their texts.
func withChoiceTexts(schema sql.Schema, edit func(sql.Row) []sql.Row) func(sql.Row) []sql.Row {
	var at []int
	for i, c := range schema {
		if _, ok := c.Type.(*sqlvalue.Choice); ok {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return edit
	}
	return func(r sql.Row) []sql.Row {
		rows := edit(r)
		for _, row := range rows {
			for _, i := range at {
				if _, is := row[i].(string); is || row[i] == nil {
					continue
				}
				c := schema[i].Type.(*sqlvalue.Choice)
				if text, ok := c.At(row[i]); ok {
					row[i] = text
				}
			}
		}
		return rows
	}
}
