package compat

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
)

// InfoSchema wraps information_schema.
//
// go-mysql-server: its tables are singletons that every query changes, a data race, and
// ENGINE is InnoDB for all; STATE in PROCESSLIST is "running" for all. MySQL: no race; ENGINE
// is the table's engine, and ENGINES lists PERFORMANCE_SCHEMA; STATE is the stage. The wrapper
// hands each query a copy of its own, puts engine in the rows of schema's tables, and what state
// says of a connection in its row. Safe for concurrent use.
func InfoSchema(db sql.Database, schema, engine string, state func(connection uint32) string) sql.Database {
	return infoSchema{db, schema, engine, state}
}

type infoSchema struct {
	sql.Database
	schema, engine string
	state          func(connection uint32) string
}

// Positions of columns in information_schema.TABLES, and in PROCESSLIST.
const (
	tablesSchema  = 1
	tablesEngine  = 4
	tablesComment = 20

	processID    = 0
	processState = 6
)

// GetTableInsensitive implements sql.Database.
func (d infoSchema) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	t, ok, err := d.Database.GetTableInsensitive(ctx, name)
	if err != nil || !ok {
		return t, ok, err
	}
	switch shared := t.(type) {
	case *information_schema.InformationSchemaTable:
		own := *shared
		t = &own
	case *information_schema.ColumnsTable:
		own := *shared
		t = &own
	default: // unexported types: only a fresh schema has a fresh one
		t, ok, err = information_schema.NewInformationSchemaDatabase().GetTableInsensitive(ctx, name)
		if err != nil || !ok {
			return t, ok, err
		}
	}
	switch strings.ToLower(name) {
	case "tables":
		return &editedTable{t, d.editTables}, true, nil
	case "engines":
		return &editedTable{t, d.editEngines}, true, nil
	case "processlist":
		return &editedTable{t, editProcesses(d.state)}, true, nil
	}
	return t, true, nil
}

func (d infoSchema) editTables(r sql.Row) []sql.Row {
	if s, _ := r[tablesSchema].(string); !strings.EqualFold(s, d.schema) {
		return []sql.Row{r}
	}
	r = r.Copy()
	r[tablesEngine] = d.engine
	r[tablesComment] = ""
	return []sql.Row{r}
}

func (d infoSchema) editEngines(r sql.Row) []sql.Row {
	return []sql.Row{r, {d.engine, "YES", "Performance Schema", "NO", "NO", "NO"}}
}

// editProcesses puts the state of a connection in its row, of PROCESSLIST or SHOW PROCESSLIST.
func editProcesses(state func(connection uint32) string) func(sql.Row) []sql.Row {
	return func(r sql.Row) []sql.Row {
		r = r.Copy()
		switch id := r[processID].(type) {
		case int64:
			r[processState] = state(uint32(id))
		case uint64:
			r[processState] = state(uint32(id))
		}
		return []sql.Row{r}
	}
}

// editedTable puts each row through edit.
type editedTable struct {
	sql.Table
	edit func(sql.Row) []sql.Row
}

// AssignCatalog implements what information_schema tables need of the catalog.
func (t *editedTable) AssignCatalog(c sql.Catalog) sql.Table {
	own := *t
	if a, ok := t.Table.(interface {
		AssignCatalog(sql.Catalog) sql.Table
	}); ok {
		own.Table = a.AssignCatalog(c)
	}
	return &own
}

// PartitionRows implements sql.Table.
func (t *editedTable) PartitionRows(ctx *sql.Context, p sql.Partition) (sql.RowIter, error) {
	rows, err := t.Table.PartitionRows(ctx, p)
	if err != nil {
		return nil, err
	}
	return &editedRows{RowIter: rows, edit: t.edit}, nil
}

type editedRows struct {
	sql.RowIter
	edit  func(sql.Row) []sql.Row
	queue []sql.Row
}

func (r *editedRows) Next(ctx *sql.Context) (sql.Row, error) {
	if len(r.queue) == 0 {
		row, err := r.RowIter.Next(ctx)
		if err != nil {
			return nil, err
		}
		r.queue = r.edit(row)
	}
	row := r.queue[0]
	r.queue = r.queue[1:]
	return row, nil
}
