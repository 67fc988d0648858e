package engine

import (
	"strings"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/errorlog"
	"pfsd/engine/infoschema"
	"pfsd/engine/moment"
	"pfsd/engine/mysqldb"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/sys"
	"pfsd/engine/sysschema"
	"pfsd/engine/sysvar"
	"pfsd/engine/vtable"
	"pfsd/instr"
	"pfsd/tables"
)

func isSchema(db string) bool { return strings.EqualFold(db, vtable.Database) }

func isMySQL(db string) bool { return strings.EqualFold(db, mysqldb.Name) }

// database is performance_schema. Safe for concurrent use.
type database struct {
	tables map[string]*vtable.Table // by lower-case name
	names  []string
	// created is when the tables were made.
	created time.Time
}

func newDatabase(reg *instr.Registry, defs []tables.Table) *database {
	d := &database{tables: map[string]*vtable.Table{}, created: time.Now()}
	for _, def := range defs {
		d.tables[strings.ToLower(def.Name())] = vtable.New(reg, def)
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
func (d *database) SetCollation(ctx *sql.Context, _ sql.CollationID) error { return errNoAccess(ctx) }

// provider is performance_schema and mysql beside the users' databases in memory. Safe for
// concurrent use.
type provider struct {
	*memory.DbProvider
	schema  *database
	mysql   *mysqldb.Database
	events  *eventQueue
	reg     *instr.Registry
	channel *channel // of clients
	// accounts are who may do what.
	accounts *accounts.Store
	// variables are those of the server, version what it says it is, config the settings of sys, and sys what its functions ask.
	variables *sysvar.Server
	version   string
	config    *sysschema.Config
	sys       *sysschema.Server
	info      *infoschema.Server
	log       *errorlog.Log
	// shutdown stops the server because a user asks for it.
	shutdown func(user string)
	// runner carries out statements that are part of others.
	runner sql.StatementRunner
	// programs guards what the databases know of procedures and triggers.
	programs sync.RWMutex
	// stored guards what users' tables are made of. Whoever looks a table up copies it, also without a lock of metadata, as information_schema does;
	// whoever writes to what is stored, and not to a copy, has it alone.
	stored  sync.RWMutex
	created creations
}

func newProvider(reg *instr.Registry, schema *database, store *accounts.Store) *provider {
	config := sysschema.NewConfig(sysvar.DefaultSQLMode)
	test := memory.NewDatabase("test")
	_ = test.SetCollation(nil, sql.Collation_utf8mb4_0900_ai_ci) // MySQL's default; it cannot fail
	return &provider{
		DbProvider: memory.NewDBProvider(test, sysschema.NewDatabase(config)), schema: schema, events: newEventQueue(reg), reg: reg, accounts: store, config: config,
		mysql: mysqldb.New(store, mysqldb.Clock{
			Local:  func(ctx *sql.Context, t time.Time) time.Time { return moment.Wall(t, 0, moment.Zone(ctx)) },
			Moment: func(ctx *sql.Context, t time.Time) time.Time { return moment.Instant(t, moment.Zone(ctx)) },
		}),
	}
}

// Database implements sql.DatabaseProvider.
func (p *provider) Database(ctx *sql.Context, name string) (sql.Database, error) {
	if isSchema(name) {
		return p.schema, nil
	}
	if isMySQL(name) {
		return p.mysql, nil
	}
	db, err := p.DbProvider.Database(ctx, name)
	if err != nil {
		return nil, mysqlerr.UnknownDatabase(name)
	}
	return p.users(db), nil
}

// users is a database as statements know it.
func (p *provider) users(db sql.Database) sql.Database {
	if m, ok := db.(*memory.Database); ok {
		return usersDatabase{m, p.events, p.reg, &p.programs, &p.created, &listing{}, &p.stored}
	}
	return db
}

// storage is the provider of sessions, which want users' databases as they are stored.
type storage struct{ *provider }

// Database implements sql.DatabaseProvider.
func (s storage) Database(ctx *sql.Context, name string) (sql.Database, error) {
	if of, hidden := strings.CutSuffix(name, temporarySuffix); hidden {
		if db := temporary(ctx)[of]; db != nil {
			return db, nil
		}
	}
	db, err := s.provider.Database(ctx, name)
	if users, ok := db.(usersDatabase); ok {
		return users.Database, err
	}
	return db, err
}

// HasDatabase implements sql.DatabaseProvider.
func (p *provider) HasDatabase(ctx *sql.Context, name string) bool {
	return isSchema(name) || isMySQL(name) || p.DbProvider.HasDatabase(ctx, name)
}

// AllDatabases implements sql.DatabaseProvider.
func (p *provider) AllDatabases(ctx *sql.Context) []sql.Database {
	all := []sql.Database{p.mysql, p.schema}
	for _, db := range p.DbProvider.AllDatabases(ctx) {
		all = append(all, p.users(db))
	}
	return all
}

// DropDatabase implements sql.MutableDatabaseProvider.
func (p *provider) DropDatabase(ctx *sql.Context, name string) error {
	if isSchema(name) || sys.Is(name) {
		return access.ErrSchemaDenied(ctx, strings.ToLower(name))
	}
	if isMySQL(name) {
		return mysqldb.ErrSchema()
	}
	err := p.DbProvider.DropDatabase(ctx, name)
	p.events.change(func() {}) // those of the database are gone
	return err
}
