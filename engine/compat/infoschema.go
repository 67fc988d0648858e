package compat

import (
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// InfoSchema is information_schema.
//
// go-mysql-server: its tables are singletons that every query changes, a data race; they make the
// rows of all databases, whatever the query asks for; what they say of a table's engine, row
// format, privileges and keys is the same for all, or missing; everybody sees everything; STATE in
// PROCESSLIST is "running" for all. MySQL: no race; a condition on TABLE_SCHEMA and TABLE_NAME is
// looked up; each engine speaks for its tables; one sees what one has a privilege on; STATE is the
// stage. What TABLES says of a table without rows, AUTO_INCREMENT or engine is what it has said of the one
// before, and all are made in 2000. MySQL: nothing, and when they were.
//
// Here each query has a copy of the tables for itself; what they say of the schemas in Own
// comes from these, what Rows makes from there, and go-mysql-server is not asked about it. It must not
// be copied. Safe for concurrent use.
type InfoSchema struct {
	sql.Database
	// Own are the schemas that speak for themselves.
	Own []OwnSchema
	// Engine is the name of an engine that there is besides those of users' tables.
	Engine string
	// Catalog is where its tables look for others.
	Catalog sql.Catalog
	// State is what a connection is doing.
	State func(connection uint32) string
	// Sees tells whether the user may know of a table, or of a schema for the table "".
	Sees func(ctx *sql.Context, schema, table string) bool
	// Privileges are those of the user on a column, as PRIVILEGES has them.
	Privileges func(ctx *sql.Context, schema, table, column string) string
	// Created is when a table was made, as CREATE_TIME has it.
	Created func(ctx *sql.Context, schema, table string) any
	// Mode is a sql_mode with its parts in MySQL's order.
	Mode func(string) string
	// Rows make the rows of the tables, by name in lower case, that go-mysql-server is not asked about at
	// all. They tell by themselves who may see what.
	Rows map[string]InfoRows

	once   sync.Once
	tables *infoTables // what lists of tables show
}

// listed are the tables as MySQL names them.
func (d *InfoSchema) listed() *infoTables {
	d.once.Do(func() { d.tables = newInfoTables(d.Database) })
	return d.tables
}

// GetTableNames implements sql.Database.
func (d *InfoSchema) GetTableNames(ctx *sql.Context) ([]string, error) {
	if !infoTableNames.On() {
		return d.Database.GetTableNames(ctx)
	}
	return d.listed().GetTableNames(ctx)
}

// OwnSchema is a schema that speaks for itself, or for some of what it has. Safe for concurrent use.
type OwnSchema interface {
	// Name is its name.
	Name() string
	// Described returns its rows of an information_schema table, named in lower case, those about
	// the table only, or about all for ""; ok is false if it leaves them to go-mysql-server.
	Described(ctx *sql.Context, infoTable, only string) (rows []sql.Row, ok bool)
	// Rest is db with what it does not speak for, nil if that is nothing.
	Rest(db sql.Database) sql.Database
}

// own is the schema of a name that speaks for itself, nil if there is none.
func (d *InfoSchema) own(name string) OwnSchema {
	for _, o := range d.Own {
		if strings.EqualFold(o.Name(), name) {
			return o
		}
	}
	return nil
}

// rest is what an information_schema table has to say that go-mysql-server is to be asked about of db.
func (d *InfoSchema) rest(db sql.Database) sql.Database {
	if o := d.own(db.Name()); o != nil {
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
func (d *InfoSchema) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	if dropped[strings.ToLower(name)] {
		return nil, false, nil
	}
	t, ok, err := d.Database.GetTableInsensitive(ctx, name)
	if err != nil || !ok {
		return t, ok, err
	}
	if own := d.about(t, scope{}); own != nil {
		if columns, ok := own.(*information_schema.ColumnsTable); ok {
			// Works out the defaults of all columns that it knows of, and keeps them: these are fewer.
			columns.AssignCatalog(someDatabases{d.Catalog, d.rest})
			if _, err := columns.AllColumns(ctx); err != nil {
				return nil, false, err
			}
		}
		return own, true, nil
	}
	// The type is not exported: only a fresh schema has a fresh one.
	return information_schema.NewInformationSchemaDatabase().GetTableInsensitive(ctx, name)
}

// scope is what the rows of a query are about: a schema, and a table in it, "" for all.
type scope struct{ schema, table string }

// about is a copy of an information_schema table whose rows are those in a scope; nil if it
// cannot be copied.
func (d *InfoSchema) about(t sql.Table, s scope) sql.Table {
	name := strings.ToLower(t.Name())
	schema := d.listed().schemas[name]
	if rows := d.Rows[name]; rows != nil {
		t := &information_schema.InformationSchemaTable{
			TableName: name, TableSchema: schema,
			Reader: func(ctx *sql.Context, _ sql.Catalog) (sql.RowIter, error) {
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

// reader is how go-mysql-server reads a table.
func (d *InfoSchema) reader(name string) func(*sql.Context, sql.Catalog) (sql.RowIter, error) {
	if name == information_schema.StatisticsTableName {
		return information_schema.NewDefaultStats().Reader
	}
	t, _, _ := d.Database.GetTableInsensitive(nil, name)
	if t, ok := t.(*information_schema.InformationSchemaTable); ok {
		return t.Reader
	}
	return nil
}

// rows are the rows of a table in a scope; read is how go-mysql-server reads those of a catalog.
func (d *InfoSchema) rows(ctx *sql.Context, name string, schema sql.Schema, s scope, c sql.Catalog, read func(sql.Catalog) (sql.RowIter, error)) (sql.RowIter, error) {
	var described []sql.Row
	ours := map[OwnSchema]bool{}
	for _, o := range d.Own {
		if s.schema != "" && !strings.EqualFold(s.schema, o.Name()) {
			continue
		}
		rows, ok := o.Described(ctx, name, s.table)
		ours[o] = ok
		described = append(described, rows...)
	}
	rows, err := read(someDatabases{c, func(db sql.Database) sql.Database {
		switch {
		case s.schema != "" && !strings.EqualFold(db.Name(), s.schema):
			return nil
		case ours[d.own(db.Name())]:
			return d.rest(db)
		}
		return db
	}})
	if err != nil {
		return nil, err
	}
	if rows == nil { // COLUMN_STATISTICS of those who have no privileges but through roles
		rows = sql.RowsToRowIter()
	}
	return &editedRows{RowIter: rows, more: described, edit: choose(schema, d.edit(ctx, name, schema))}, nil
}

// edit returns what becomes of a row of a table: none if the user may not know of it.
func (d *InfoSchema) edit(ctx *sql.Context, name string, schema sql.Schema) func(sql.Row) []sql.Row {
	switch name {
	case "engines":
		return d.editEngines
	case "processlist":
		return editProcesses(d.State)
	case "columns":
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
	edited := func(r sql.Row) []sql.Row { return []sql.Row{r} }
	switch name {
	case "tables":
		edited = func(r sql.Row) []sql.Row {
			d.editTable(ctx, r)
			return []sql.Row{r}
		}
	case "events":
		edited = func(r sql.Row) []sql.Row {
			const definer, mode, executed, originator = 3, 11, 18, 20
			if at, ok := r[executed].(string); ok && at < "0002" {
				r[executed] = nil // it never has been
			}
			account, _ := r[definer].(string)
			modes, _ := r[mode].(string)
			r[definer], r[mode], r[originator] = strings.ReplaceAll(account, "`", ""), d.Mode(modes), uint32(1)
			return []sql.Row{r}
		}
	}
	at := func(names ...string) int {
		return slices.IndexFunc(schema, func(c *sql.Column) bool { return slices.Contains(names, c.Name) })
	}
	in, of := at("TABLE_SCHEMA", "EVENT_OBJECT_SCHEMA", "SCHEMA_NAME", "CONSTRAINT_SCHEMA", "EVENT_SCHEMA"), at("TABLE_NAME", "EVENT_OBJECT_TABLE")
	if in < 0 {
		return func(r sql.Row) []sql.Row { return []sql.Row{r} }
	}
	var last scope
	var seen bool
	return func(r sql.Row) []sql.Row {
		var now scope
		now.schema, _ = r[in].(string)
		if of >= 0 {
			now.table, _ = r[of].(string)
		}
		if now != last {
			last, seen = now, strings.EqualFold(now.schema, sql.InformationSchemaDatabaseName) || d.Sees(ctx, now.schema, now.table)
		}
		if !seen {
			return nil
		}
		return edited(r)
	}
}

// TableRows are the rows of TABLES about a schema.
func (d *InfoSchema) TableRows(ctx *sql.Context, schema string) ([]sql.Row, error) {
	const name = information_schema.TablesTableName
	rows, err := d.rows(ctx, name, d.listed().schemas[name], scope{schema: schema}, d.Catalog, func(c sql.Catalog) (sql.RowIter, error) {
		return d.reader(name)(ctx, c)
	})
	if err != nil {
		return nil, err
	}
	return sql.RowIterToRows(ctx, rows)
}

// editTable puts into a row of TABLES what is so of its table.
func (d *InfoSchema) editTable(ctx *sql.Context, r sql.Row) {
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
		return // a view, or a table that has spoken for itself
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

// columns are those of a user's table, nil for another one.
func (d *InfoSchema) columns(ctx *sql.Context, of scope) map[string]*sql.Column {
	if strings.EqualFold(of.schema, sql.InformationSchemaDatabaseName) || d.own(of.schema) != nil {
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

// editEngines adds the engines that there are besides the users' tables' own, which has no XA.
func (d *InfoSchema) editEngines(r sql.Row) []sql.Row {
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

// someDatabases is a catalog that knows of some databases alone, or of a part of them.
type someDatabases struct {
	sql.Catalog
	part func(sql.Database) sql.Database // nil for those that it does not know
}

// AllDatabases implements sql.Catalog.
func (c someDatabases) AllDatabases(ctx *sql.Context) (known []sql.Database) {
	for _, db := range c.Catalog.AllDatabases(ctx) {
		part := c.part(db)
		if part == nil {
			continue
		}
		if d, ok := part.(*InfoSchema); ok {
			part = d.listed() // to list its tables needs no copies of them
		}
		known = append(known, part)
	}
	return known
}

// Narrow returns n, a condition on rows, with what it says of TABLE_SCHEMA and TABLE_NAME told to
// the information_schema table that it is about, or n itself if it says nothing or is about
// something else.
func (d *InfoSchema) Narrow(ctx *sql.Context, n *plan.Filter) *plan.Filter {
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
		name, value := equated(ctx, e)
		switch name {
		case "table_schema", "routine_schema", "specific_schema", "trigger_schema", "event_object_schema":
			s.schema = value
		case "table_name", "routine_name", "specific_name", "event_object_table":
			s.table = value
		}
	}
	t := d.about(sql.GetUnderlyingTable(rt.Table), s)
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

// equated is the column, in lower case, and the text that a condition says are equal; "" if it says something else.
func equated(ctx *sql.Context, e sql.Expression) (column, text string) {
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

// editedRows puts each row through edit, then each of more. Owned by one goroutine.
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
