package catalog

import (
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/errorlog"
	"pfsd/engine/infoschema"
	"pfsd/engine/moment"
	"pfsd/engine/mysqldb"
	"pfsd/engine/querylog"
	"pfsd/engine/sys"
	"pfsd/engine/sysschema"
	"pfsd/engine/sysvar"
	"pfsd/engine/usertables"
	"pfsd/engine/vtable"
	"pfsd/engine/wire"
	"pfsd/instr"
	"pfsd/tables"
)

// PerformanceSchema is performance_schema, or another database of such tables. Safe for concurrent use.
type PerformanceSchema struct {
	name   string
	Tables map[string]*vtable.Table // by lower-case name
	Names  []string
	// Created is when the tables were made.
	Created time.Time
}

// NewPerformanceSchema makes the database of these tables, whose rows come from m.
func NewPerformanceSchema(name string, m tables.Model, defs []tables.Table) *PerformanceSchema {
	d := &PerformanceSchema{name: name, Tables: map[string]*vtable.Table{}, Created: time.Now()}
	for _, def := range defs {
		d.Tables[strings.ToLower(def.Name())] = vtable.New(name, m, def)
		d.Names = append(d.Names, def.Name())
	}
	return d
}

// Definition is that of a table, nil if there is none.
func (d *PerformanceSchema) Definition(name string) tables.Table {
	if t := d.Tables[name]; t != nil {
		return t.Def
	}
	return nil
}

// NewHistory makes the database history, the time buckets of what performance_schema counts.
func NewHistory(m tables.Model) *PerformanceSchema {
	var defs []tables.Table
	for _, h := range tables.HistoryTables() {
		defs = append(defs, h.Table())
	}
	slices.SortFunc(defs, func(a, b tables.Table) int { return strings.Compare(a.Name(), b.Name()) })
	return NewPerformanceSchema(tables.HistorySchema, m, defs)
}

// Name implements sql.Database.
func (d *PerformanceSchema) Name() string { return d.name }

// HasVirtualTables implements vtable.Schema.
func (d *PerformanceSchema) HasVirtualTables() {}

// GetTableInsensitive implements sql.Database.
func (d *PerformanceSchema) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	t, ok := d.Tables[strings.ToLower(name)]
	if !ok {
		return nil, false, nil
	}
	return t, true, nil
}

// GetTableNames implements sql.Database.
func (d *PerformanceSchema) GetTableNames(*sql.Context) ([]string, error) { return d.Names, nil }

// GetCollation implements sql.CollatedDatabase.
func (d *PerformanceSchema) GetCollation(*sql.Context) sql.CollationID { return vtable.Collation }

// SetCollation implements sql.CollatedDatabase.
func (d *PerformanceSchema) SetCollation(ctx *sql.Context, _ sql.CollationID) error {
	return access.ErrSchemaDenied(ctx, d.name)
}

// Provider is performance_schema and mysql beside the users' databases. The server fills in what New does not know before it serves.
// Safe for concurrent use from then on.
type Provider struct {
	*usertables.Databases
	Schema *PerformanceSchema
	// History is the database history; nil where the users have one of this name.
	History *PerformanceSchema
	MySQL   *mysqldb.Database
	// QueryLogs are the slow log and the general log.
	QueryLogs *querylog.Logs
	Registry  *instr.Registry
	Channel   *wire.Channel // of clients
	// Accounts are who may do what.
	Accounts *accounts.Store
	// Variables are those of the server, Version what it says it is, Config the settings of sys, and Sys what its functions ask.
	Variables *sysvar.Server
	Version   string
	Config    *sysschema.Config
	Sys       *sysschema.Server
	Info      *infoschema.Server
	Log       *errorlog.Log
	// Clone writes a copy of the server's data to a new directory.
	Clone func(path string) error
}

// New makes the databases of a server: performance_schema is schema, store are the accounts, and tables those of users. Whoever carries
// out events, events tells of changes.
func New(reg *instr.Registry, schema *PerformanceSchema, store *accounts.Store, tables usertables.Storage, events usertables.Events) *Provider {
	config := sysschema.NewConfig(sysvar.DefaultSQLMode)
	return &Provider{
		Databases: usertables.New(tables, sysschema.NewDatabase(config), events, reg, func(name string) bool {
			_, native := Functions[name]
			return native
		}),
		Schema: schema, Registry: reg, Accounts: store, Config: config,
		MySQL: mysqldb.New(store, mysqldb.Clock{
			Local: func(ctx *sql.Context, t time.Time, digits int) time.Time {
				return moment.Wall(t, digits, moment.Zone(ctx))
			},
			Moment: func(ctx *sql.Context, t time.Time) time.Time { return moment.Instant(t, moment.Zone(ctx)) },
		}),
	}
}

// IsHistory reports whether a database is history, and not one of the users'.
func (p *Provider) IsHistory(name string) bool {
	return p.History != nil && strings.EqualFold(name, tables.HistorySchema)
}

// Database implements sql.DatabaseProvider.
func (p *Provider) Database(ctx *sql.Context, name string) (sql.Database, error) {
	if vtable.Is(name) {
		return p.Schema, nil
	}
	if p.IsHistory(name) {
		return p.History, nil
	}
	if mysqldb.Is(name) {
		return p.MySQL, nil
	}
	return p.Databases.Database(ctx, name)
}

// HasDatabase implements sql.DatabaseProvider.
func (p *Provider) HasDatabase(ctx *sql.Context, name string) bool {
	return vtable.Is(name) || p.IsHistory(name) || mysqldb.Is(name) || p.Databases.HasDatabase(ctx, name)
}

// AllDatabases implements sql.DatabaseProvider.
func (p *Provider) AllDatabases(ctx *sql.Context) []sql.Database {
	own := []sql.Database{p.MySQL, p.Schema}
	if p.History != nil && !dumps() {
		own = append(own, p.History)
	}
	return append(own, p.Databases.AllDatabases(ctx)...)
}

// dumps reports whether the client is mysqldump or mariadb-dump: these leave performance_schema and sys out of a dump of all
// databases, but cannot know history, whose tables nobody could make again.
func dumps() bool {
	t := instr.Current()
	return t != nil && slices.ContainsFunc(t.ConnectAttrs(nil), func(a instr.ConnectAttr) bool {
		return a.Name == "program_name" && (a.Value == "mysqldump" || a.Value == "mariadb-dump")
	})
}

// DropDatabase implements sql.MutableDatabaseProvider.
func (p *Provider) DropDatabase(ctx *sql.Context, name string) error {
	if vtable.Is(name) || p.IsHistory(name) || sys.Is(name) {
		return access.ErrSchemaDenied(ctx, strings.ToLower(name))
	}
	if mysqldb.Is(name) {
		return mysqldb.ErrSchema()
	}
	return p.Databases.DropDatabase(ctx, name)
}
