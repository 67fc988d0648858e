package engine

import (
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

// database is performance_schema. Safe for concurrent use.
type database struct {
	tables map[string]*vtable.Table // by lower-case name
	names  []string
	// created is when the tables were made.
	created time.Time
}

func newDatabase(m tables.Model, defs []tables.Table) *database {
	d := &database{tables: map[string]*vtable.Table{}, created: time.Now()}
	for _, def := range defs {
		d.tables[strings.ToLower(def.Name())] = vtable.New(m, def)
		d.names = append(d.names, def.Name())
	}
	return d
}

// definition is that of a table, nil if there is none.
func (d *database) definition(name string) tables.Table {
	if t := d.tables[name]; t != nil {
		return t.Def
	}
	return nil
}

// Name implements sql.Database.
func (d *database) Name() string { return vtable.Database }

// GetTableInsensitive implements sql.Database.
func (d *database) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	t, ok := d.tables[strings.ToLower(name)]
	if !ok {
		return nil, false, nil
	}
	return t, true, nil
}

// GetTableNames implements sql.Database.
func (d *database) GetTableNames(*sql.Context) ([]string, error) { return d.names, nil }

// GetCollation implements sql.CollatedDatabase.
func (d *database) GetCollation(*sql.Context) sql.CollationID { return vtable.Collation }

// SetCollation implements sql.CollatedDatabase.
func (d *database) SetCollation(ctx *sql.Context, _ sql.CollationID) error {
	return access.ErrOwnSchema(ctx)
}

// provider is performance_schema and mysql beside the users' databases. Safe for
// concurrent use.
type provider struct {
	*usertables.Databases
	schema *database
	mysql  *mysqldb.Database
	// queryLogs are the slow log and the general log.
	queryLogs *querylog.Logs
	events    *eventQueue
	reg       *instr.Registry
	channel   *wire.Channel // of clients
	// accounts are who may do what.
	accounts *accounts.Store
	// variables are those of the server, version what it says it is, config the settings of sys, and sys what its functions ask.
	variables *sysvar.Server
	version   string
	config    *sysschema.Config
	sys       *sysschema.Server
	info      *infoschema.Server
	log       *errorlog.Log
	// clone writes a copy of the server's data to a new directory.
	clone func(path string) error
}

func newProvider(reg *instr.Registry, schema *database, store *accounts.Store, tables usertables.Storage) *provider {
	config := sysschema.NewConfig(sysvar.DefaultSQLMode)
	events := newEventQueue(reg)
	return &provider{
		Databases: usertables.New(tables, sysschema.NewDatabase(config), events, reg),
		schema:    schema, events: events, reg: reg, accounts: store, config: config,
		mysql: mysqldb.New(store, mysqldb.Clock{
			Local:  func(ctx *sql.Context, t time.Time) time.Time { return moment.Wall(t, 0, moment.Zone(ctx)) },
			Moment: func(ctx *sql.Context, t time.Time) time.Time { return moment.Instant(t, moment.Zone(ctx)) },
		}),
	}
}

// Database implements sql.DatabaseProvider.
func (p *provider) Database(ctx *sql.Context, name string) (sql.Database, error) {
	if vtable.Is(name) {
		return p.schema, nil
	}
	if mysqldb.Is(name) {
		return p.mysql, nil
	}
	return p.Databases.Database(ctx, name)
}

// HasDatabase implements sql.DatabaseProvider.
func (p *provider) HasDatabase(ctx *sql.Context, name string) bool {
	return vtable.Is(name) || mysqldb.Is(name) || p.Databases.HasDatabase(ctx, name)
}

// AllDatabases implements sql.DatabaseProvider.
func (p *provider) AllDatabases(ctx *sql.Context) []sql.Database {
	return append([]sql.Database{p.mysql, p.schema}, p.Databases.AllDatabases(ctx)...)
}

// DropDatabase implements sql.MutableDatabaseProvider.
func (p *provider) DropDatabase(ctx *sql.Context, name string) error {
	if vtable.Is(name) || sys.Is(name) {
		return access.ErrSchemaDenied(ctx, strings.ToLower(name))
	}
	if mysqldb.Is(name) {
		return mysqldb.ErrSchema()
	}
	return p.Databases.DropDatabase(ctx, name)
}
