package infoschema

import (
	"io"
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/mends"
	"pfsd/engine/vtable"
	"pfsd/tables"
)

// Database is information_schema. Do not copy it. Safe for concurrent use.
//
// go-mysql-server: all queries change the same tables, a data race; each query makes the rows of
// all databases; engine, row format, privileges and keys are the same for all tables, or missing;
// everybody sees everything; STATE in PROCESSLIST is "running" for all; a row of TABLES repeats
// values of the row before, and CREATE_TIME is in 2000. MySQL: has no race; uses conditions on
// TABLE_SCHEMA and TABLE_NAME to find the tables; each engine describes its tables; a user sees the
// objects on which he has a privilege; STATE is the stage; CREATE_TIME is when the table was made.
//
// Here each query has its own copy of the tables. The schemas in Own describe themselves, Rows
// makes the rows of some tables, and go-mysql-server makes the rest.
type Database struct {
	sql.Database
	// Own are the schemas that describe themselves.
	Own []OwnSchema
	// Engine is the name of the engine of performance_schema.
	Engine string
	// Catalog has the tables that the rows describe.
	Catalog sql.Catalog
	// State returns the stage of a connection.
	State func(connection uint32) string
	// Sees reports whether the user may see a table, or, for the table "", a schema.
	Sees func(ctx *sql.Context, schema, table string) bool
	// Privileges returns the user's privileges on a column, as the column PRIVILEGES shows them.
	Privileges func(ctx *sql.Context, schema, table, column string) string
	// Created returns when a table was made, as CREATE_TIME shows it.
	Created func(ctx *sql.Context, schema, table string) any
	// Mode returns a sql_mode with its modes in MySQL's order.
	Mode func(string) string
	// Rows make the rows of the tables that go-mysql-server does not make, by name in lower case.
	// They check the privileges themselves.
	Rows map[string]RowFunc
	// Model says whom the rows are about.
	Model tables.Model

	once   sync.Once
	tables *infoTables // the tables as lists of tables show them
}

// listedTables returns the tables with MySQL's names and columns.
func (d *Database) listedTables() *infoTables {
	d.once.Do(func() { d.tables = newInfoTables(d.Database) })
	return d.tables
}

// GetTableNames implements sql.Database.
func (d *Database) GetTableNames(ctx *sql.Context) ([]string, error) {
	if !mends.InfoTableNames.On() {
		return d.Database.GetTableNames(ctx)
	}
	return d.listedTables().GetTableNames(ctx)
}

// OwnSchema is a schema that makes all or some of its rows in information_schema itself. Safe for
// concurrent use.
type OwnSchema interface {
	// Name returns the name of the schema.
	Name() string
	// Described returns the schema's rows of an information_schema table, whose name is in lower
	// case: the rows about the table only, or all if only is "". ok is false if go-mysql-server
	// makes these rows.
	Described(ctx *sql.Context, infoTable, only string) (rows []sql.Row, ok bool)
	// Rest returns db without the tables that the schema describes itself, nil if none is left.
	Rest(db sql.Database) sql.Database
}

// ownSchema returns the schema with a name if it describes itself, else nil.
func (d *Database) ownSchema(name string) OwnSchema {
	for _, o := range d.Own {
		if strings.EqualFold(o.Name(), name) {
			return o
		}
	}
	return nil
}

// otherTables returns the part of db that go-mysql-server describes.
func (d *Database) otherTables(db sql.Database) sql.Database {
	if o := d.ownSchema(db.Name()); o != nil {
		return o.Rest(db)
	}
	return db
}

// Positions of columns in information_schema tables.
const (
	columnSchema, columnTable, columnName, columnDefault, columnExtra, columnPrivileges = 1, 2, 3, 5, 17, 18

	processID    = 0
	processState = 6
)

// GetTableInsensitive implements sql.Database.
func (d *Database) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	if droppedTables[strings.ToLower(name)] {
		return nil, false, nil
	}
	t, ok, err := d.Database.GetTableInsensitive(ctx, name)
	if err != nil || !ok {
		return t, ok, err
	}
	if own := d.scopedTable(t, scope{}); own != nil {
		if columns, ok := own.(*information_schema.ColumnsTable); ok {
			// AllColumns calculates and keeps the defaults of all columns in the catalog. This
			// catalog has only the columns that go-mysql-server describes.
			columns.AssignCatalog(someDatabases{d.Catalog, d.otherTables})
			if _, err := columns.AllColumns(ctx); err != nil {
				return nil, false, err
			}
		}
		return own, true, nil
	}
	// The type of the table is not exported: only a new schema has a new table.
	return information_schema.NewInformationSchemaDatabase().GetTableInsensitive(ctx, name)
}

// scope is the schema and the table that a query reads, "" for all.
type scope struct{ schema, table string }

// scopedTable returns a copy of an information_schema table with only the rows in a scope; nil if the table cannot be copied.
func (d *Database) scopedTable(t sql.Table, s scope) sql.Table {
	name := strings.ToLower(t.Name())
	schema := d.listedTables().schemas[name]
	if rows := d.Rows[name]; rows != nil {
		t := &information_schema.InformationSchemaTable{
			TableName: name, TableSchema: schema,
			Reader: func(ctx *sql.Context, _ sql.Catalog) (sql.RowIter, error) {
				if err := d.noted(ctx, name); err != nil {
					return nil, err
				}
				all, err := rows(ctx, s.schema, s.table)
				return sql.RowsToRowIter(all...), err
			},
		}
		return t.AssignCatalog(d.Catalog)
	}
	if _, copied := t.(*information_schema.InformationSchemaTable); !copied && name == information_schema.StatisticsTableName {
		t = information_schema.NewDefaultStats().InformationSchemaTable
	}
	switch t := t.(type) {
	case *information_schema.ColumnsTable:
		own := *t
		own.TableSchema = schema
		own.RowIter = func(ctx *sql.Context, c sql.Catalog, defaults sql.Schema) (sql.RowIter, error) {
			read := information_schema.NewColumnsTable().RowIter
			return d.rows(ctx, name, own.TableSchema, s, c, func(c sql.Catalog) (sql.RowIter, error) { return read(ctx, c, defaults) })
		}
		return &own
	case *information_schema.InformationSchemaTable:
		own := *t
		own.TableSchema = schema
		if read := d.reader(name); read != nil {
			own.Reader = func(ctx *sql.Context, c sql.Catalog) (sql.RowIter, error) {
				return d.rows(ctx, name, own.TableSchema, s, c, func(c sql.Catalog) (sql.RowIter, error) { return read(ctx, c) })
			}
		}
		return &own
	}
	return nil
}

// noted warns who reads a table whose rows are about the server, while the server shows another process.
func (d *Database) noted(ctx *sql.Context, name string) error {
	return vtable.Noted(ctx, d.Model, sql.InformationSchemaDatabaseName, name)
}

// reader returns go-mysql-server's function that makes the rows of a table.
func (d *Database) reader(name string) func(*sql.Context, sql.Catalog) (sql.RowIter, error) {
	if name == information_schema.StatisticsTableName {
		return information_schema.NewDefaultStats().Reader
	}
	t, _, _ := d.Database.GetTableInsensitive(nil, name)
	if t, ok := t.(*information_schema.InformationSchemaTable); ok {
		return t.Reader
	}
	return nil
}

// rows returns the rows of a table in a scope. read makes go-mysql-server's rows for a catalog.
func (d *Database) rows(ctx *sql.Context, name string, schema sql.Schema, s scope, c sql.Catalog, read func(sql.Catalog) (sql.RowIter, error)) (sql.RowIter, error) {
	if err := d.noted(ctx, name); err != nil {
		return nil, err
	}
	if seenBy[name] == Process && !access.May(ctx, accounts.Process) {
		return nil, access.ErrNeeds(accounts.Process)
	}
	var described []sql.Row
	describesItself := map[OwnSchema]bool{}
	for _, o := range d.Own {
		if s.schema != "" && !strings.EqualFold(s.schema, o.Name()) {
			continue
		}
		rows, ok := o.Described(ctx, name, s.table)
		describesItself[o] = ok
		described = append(described, rows...)
	}
	rows, err := read(someDatabases{c, func(db sql.Database) sql.Database {
		switch {
		case s.schema != "" && !strings.EqualFold(db.Name(), s.schema):
			return nil
		case describesItself[d.ownSchema(db.Name())]:
			return d.otherTables(db)
		}
		return db
	}})
	if err != nil {
		return nil, err
	}
	if rows == nil { // go-mysql-server's COLUMN_STATISTICS, for a user all of whose privileges come from roles
		rows = sql.RowsToRowIter()
	}
	return &editedRows{RowIter: rows, more: described, edit: withChoiceTexts(schema, d.edit(ctx, name, schema))}, nil
}

// edit returns a function that corrects a row of a table. It returns no row if the user may not see it.
func (d *Database) edit(ctx *sql.Context, name string, schema sql.Schema) func(sql.Row) []sql.Row {
	correct := d.correct(ctx, name)
	if name == information_schema.ColumnsTableName {
		return correct // it leaves out the columns on which the session has no privileges
	}
	sees := d.sees(ctx, name, schema)
	return func(r sql.Row) []sql.Row {
		if !sees(r) {
			return nil
		}
		return correct(r)
	}
}

// correct returns a function that corrects a row of a table.
func (d *Database) correct(ctx *sql.Context, name string) func(sql.Row) []sql.Row {
	switch name {
	case "engines":
		return d.editEngines
	case "processlist":
		return editProcesses(d.State)
	case information_schema.ColumnsTableName:
		return d.correctColumns(ctx)
	case "tables":
		return func(r sql.Row) []sql.Row {
			d.editTable(ctx, r)
			return []sql.Row{r}
		}
	case "events":
		return func(r sql.Row) []sql.Row {
			const definer, mode, executed, originator = 3, 11, 18, 20
			if at, ok := r[executed].(string); ok && at < "0002" {
				r[executed] = nil // the event has never run
			}
			r[definer], r[mode], r[originator] = strings.ReplaceAll(cellText(r[definer]), "`", ""), d.Mode(cellText(r[mode])), uint32(1)
			return []sql.Row{r}
		}
	}
	return func(r sql.Row) []sql.Row { return []sql.Row{r} }
}

// correctColumns returns a function that corrects a row of COLUMNS. It returns no row if the session has
// no privilege on the column.
func (d *Database) correctColumns(ctx *sql.Context) func(sql.Row) []sql.Row {
	var table scope
	var columns map[string]*sql.Column
	return func(r sql.Row) []sql.Row {
		now := scope{r[columnSchema].(string), r[columnTable].(string)}
		if now != table {
			table, columns = now, d.columns(ctx, now)
		}
		if c := columns[r[columnName].(string)]; c != nil {
			if text, ok := r[columnDefault].(string); ok && (types.IsDateType(c.Type) || types.IsDecimal(c.Type)) {
				r[columnDefault] = asValue(ctx, c.Type, text)
			}
			r[columnExtra] = strings.TrimSpace(r[columnExtra].(string) + onUpdate(c))
		}
		privileges := d.Privileges(ctx, r[columnSchema].(string), r[columnTable].(string), r[columnName].(string))
		if privileges == "" {
			return nil
		}
		r[columnPrivileges] = privileges
		return []sql.Row{r}
	}
}

// TableRows returns the rows of TABLES about a schema.
func (d *Database) TableRows(ctx *sql.Context, schema string) ([]sql.Row, error) {
	const name = information_schema.TablesTableName
	rows, err := d.rows(ctx, name, d.listedTables().schemas[name], scope{schema: schema}, d.Catalog, func(c sql.Catalog) (sql.RowIter, error) {
		return d.reader(name)(ctx, c)
	})
	if err != nil {
		return nil, err
	}
	return sql.RowIterToRows(ctx, rows)
}

// editTable corrects a row of TABLES.
func (d *Database) editTable(ctx *sql.Context, r sql.Row) {
	const (
		engine, format      = 4, 6
		count, length, data = 7, 8, 9
		increment           = 13
		created, updated    = 14, 15
		collation           = 17
	)
	schema, _ := r[columnSchema].(string)
	name, _ := r[columnTable].(string)
	r[created] = d.Created(ctx, schema, name)
	if r[updated] == nil {
		return // a view, or a table of a schema that makes its own rows: the others have a time here
	}
	r[updated] = nil
	if strings.EqualFold(schema, sql.InformationSchemaDatabaseName) {
		r[engine], r[format], r[collation] = nil, nil, nil
	}
	t, _, err := d.Catalog.Table(ctx, schema, name)
	if err != nil {
		return
	}
	if _, ok := t.(sql.StatisticsTable); !ok {
		r[count], r[length], r[data] = uint64(0), uint64(0), uint64(0)
	} else if r[count] == uint64(0) {
		r[length] = uint64(0)
	}
	if _, ok := t.(sql.AutoIncrementTable); !ok {
		r[increment] = nil
	}
}

// columns returns the columns of a user's table by name, nil for any other table.
func (d *Database) columns(ctx *sql.Context, of scope) map[string]*sql.Column {
	if strings.EqualFold(of.schema, sql.InformationSchemaDatabaseName) || d.ownSchema(of.schema) != nil {
		return nil
	}
	t, _, err := d.Catalog.Table(ctx, of.schema, of.table)
	if err != nil {
		return nil
	}
	all := map[string]*sql.Column{}
	for _, c := range t.Schema(ctx) {
		all[c.Name] = c
	}
	return all
}

// editEngines adds the other engines after that of users' tables, and shows that this one has no
// XA.
func (d *Database) editEngines(r sql.Row) []sql.Row {
	r = r.Copy()
	if last := len(r) - 1; r[0] == "InnoDB" {
		r[last-1] = "NO"
	}
	return []sql.Row{
		r,
		{"MEMORY", "YES", "Hash based, stored in memory, useful for temporary tables", "NO", "NO", "NO"},
		{d.Engine, "YES", "Performance Schema", "NO", "NO", "NO"},
	}
}

// someDatabases is a catalog with only some databases, or parts of them.
type someDatabases struct {
	sql.Catalog
	part func(sql.Database) sql.Database // returns nil for a database that is not in this catalog
}

// AllDatabases implements sql.Catalog.
func (c someDatabases) AllDatabases(ctx *sql.Context) (known []sql.Database) {
	for _, db := range c.Catalog.AllDatabases(ctx) {
		part := c.part(db)
		if part == nil {
			continue
		}
		if d, ok := part.(*Database); ok {
			part = d.listedTables() // a list of its tables needs no copies of them
		}
		known = append(known, part)
	}
	return known
}

// Narrow returns the filter n with a copy of its information_schema table. The copy makes only the
// rows that the filter's conditions on TABLE_SCHEMA and TABLE_NAME allow. Narrow returns n itself if
// there are no such conditions, or if n filters another table.
func (d *Database) Narrow(ctx *sql.Context, n *plan.Filter) *plan.Filter {
	alias, aliased := n.Child.(*plan.TableAlias)
	child := n.Child
	if aliased {
		child = alias.Child
	}
	rt, ok := child.(*plan.ResolvedTable)
	if !ok || !strings.EqualFold(rt.SqlDatabase.Name(), sql.InformationSchemaDatabaseName) {
		return n
	}
	var s scope
	for _, e := range expression.SplitConjunction(ctx, n.Expression) {
		name, value := equalColumn(ctx, e)
		switch name {
		case "table_schema", "routine_schema", "specific_schema", "trigger_schema", "event_object_schema":
			s.schema = value
		case "table_name", "routine_name", "specific_name", "event_object_table":
			s.table = value
		}
	}
	t := d.scopedTable(sql.GetUnderlyingTable(rt.Table), s)
	if s == (scope{}) || t == nil {
		return n
	}
	narrow := *rt
	narrow.Table = t
	if child = &narrow; aliased {
		renamed, err := alias.WithChildren(ctx, child)
		if err != nil {
			return n
		}
		child = renamed
	}
	return plan.NewFilter(n.Expression, child)
}

// equalColumn returns the column, in lower case, and the text of a condition column = 'text'; "" for any other condition.
func equalColumn(ctx *sql.Context, e sql.Expression) (column, text string) {
	eq, ok := e.(*expression.Equals)
	if !ok {
		return "", ""
	}
	field, value := eq.Left(), eq.Right()
	if _, ok := field.(*expression.GetField); !ok {
		field, value = value, field
	}
	f, ok := field.(*expression.GetField)
	if !ok {
		return "", ""
	}
	switch value.(type) {
	case *expression.Literal, *function.Database:
	default:
		return "", ""
	}
	v, err := value.Eval(ctx, nil)
	if s, ok := v.(string); ok && err == nil {
		return strings.ToLower(f.Name()), s
	}
	return "", ""
}

// editProcesses returns a function that sets the stage in a row of PROCESSLIST or SHOW PROCESSLIST.
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

// editedRows applies edit to each row, and then to each row of more. Owned by one goroutine.
type editedRows struct {
	sql.RowIter
	edit  func(sql.Row) []sql.Row
	more  []sql.Row
	queue []sql.Row
	ended bool
}

// Next implements sql.RowIter.
func (r *editedRows) Next(ctx *sql.Context) (sql.Row, error) {
	for len(r.queue) == 0 {
		row, err := r.next(ctx)
		if err != nil {
			return nil, err
		}
		r.queue = r.edit(row)
	}
	row := r.queue[0]
	r.queue = r.queue[1:]
	return row, nil
}

func (r *editedRows) next(ctx *sql.Context) (sql.Row, error) {
	if !r.ended {
		row, err := r.RowIter.Next(ctx)
		if err != io.EOF {
			return row, err
		}
		r.ended = true
	}
	if len(r.more) == 0 {
		return nil, io.EOF
	}
	row := r.more[0]
	r.more = r.more[1:]
	return row, nil
}
