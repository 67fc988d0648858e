package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
)

// allRights is what root has: who has it need not be asked about.
var allRights = accounts.SchemaLevel.With(accounts.SetOf(
	accounts.Reload, accounts.Process, accounts.File, accounts.Super, accounts.ReplicationClient,
	accounts.ReplicationSlaveAdmin, accounts.BinlogAdmin,
))

// tableNeeds are the privileges on a table that a statement's part of this type needs.
var tableNeeds = map[string]accounts.Set{
	ast.AuthType_SELECT:      accounts.SetOf(accounts.Select),
	ast.AuthType_INSERT:      accounts.SetOf(accounts.Insert),
	ast.AuthType_REPLACE:     accounts.SetOf(accounts.Insert, accounts.Delete),
	ast.AuthType_UPDATE:      accounts.SetOf(accounts.Update),
	ast.AuthType_DELETE:      accounts.SetOf(accounts.Delete),
	ast.AuthType_DROP:        accounts.SetOf(accounts.Drop),
	ast.AuthType_ALTER:       accounts.SetOf(accounts.Alter),
	ast.AuthType_INDEX:       accounts.SetOf(accounts.Index),
	ast.AuthType_TRIGGER:     accounts.SetOf(accounts.Trigger),
	ast.AuthType_LOCK:        accounts.SetOf(accounts.Select, accounts.LockTables),
	ast.AuthType_FOREIGN_KEY: accounts.SetOf(accounts.References),
	authSelectInsert:         accounts.SetOf(accounts.Select, accounts.Insert),
}

// schemaNeeds are those on a database. What can be done with a privilege on a table in it, too,
// is not here: authorizeNode asks for that, when it knows the table.
var schemaNeeds = map[string]accounts.Set{
	ast.AuthType_ALTER:          accounts.SetOf(accounts.Alter),
	ast.AuthType_EVENT:          accounts.SetOf(accounts.Event),
	ast.AuthType_CREATE_ROUTINE: accounts.SetOf(accounts.CreateRoutine),
	ast.AuthType_CREATE_TEMP:    accounts.SetOf(accounts.CreateTemporaryTables),
}

// authorize tells why the session may not do a part of a statement.
func (a access) authorize(ctx *sql.Context, info ast.AuthInformation) error {
	r := rightsOf(ctx)
	may := r.accessIn(ctx, info)
	if may == nil || may.Global().HasAll(allRights) {
		return informationOnly(ctx, info)
	}
	if err := informationOnly(ctx, info); err != nil {
		return err
	}
	switch info.AuthType {
	case ast.AuthType_IGNORE:
		return nil
	case ast.AuthType_FILE:
		if !may.Has(accounts.File) {
			return errDenied(ctx)
		}
	case ast.AuthType_RELOAD:
		if !may.Has(accounts.Reload) {
			return errNeeds(accounts.Reload)
		}
	case ast.AuthType_REPLICATION:
		if !may.HasAny(accounts.Super, accounts.ReplicationSlaveAdmin) {
			return errNeeds(accounts.Super, accounts.ReplicationSlaveAdmin)
		}
	case ast.AuthType_REPLICATION_CLIENT:
		if !may.HasAny(accounts.Super, accounts.ReplicationClient) {
			return errNeeds(accounts.Super, accounts.ReplicationClient)
		}
	case ast.AuthType_BINLOG:
		if !may.HasAny(accounts.Super, accounts.BinlogAdmin) {
			return errNeeds(accounts.Super, accounts.BinlogAdmin)
		}
	case ast.AuthType_CALL:
		db, name := orCurrent(ctx, info.TargetNames[0]), info.TargetNames[1]
		if !may.Routine(db, name, false).Has(accounts.Execute) {
			return errRoutineDenied(ctx, "execute", db, name)
		}
	case ast.AuthType_VISIBLE:
		for _, db := range info.TargetNames {
			if db = orCurrent(ctx, db); db != "" && !visible(ctx, db, "") {
				return errSchemaDenied(ctx, db)
			}
		}
	case ast.AuthType_RENAME:
		return renames(ctx, may, info.TargetNames)
	default:
		return a.authorizeTargets(ctx, r, may, info)
	}
	return nil
}

// authorizeTargets is authorize for what is done with databases and tables.
func (a access) authorizeTargets(ctx *sql.Context, r *rights, may *accounts.Access, info ast.AuthInformation) error {
	switch info.TargetType {
	case ast.AuthTargetType_DatabaseIdentifiers:
		need, ok := schemaNeeds[info.AuthType]
		if !ok {
			return nil
		}
		for _, db := range info.TargetNames {
			if db = orCurrent(ctx, db); !may.Schema(db).HasAll(need) {
				return errSchemaDenied(ctx, db)
			}
		}
	case ast.AuthTargetType_SingleTableIdentifier, ast.AuthTargetType_MultipleTableIdentifiers, ast.AuthTargetType_TableColumn:
		step := 2
		if info.TargetType == ast.AuthTargetType_TableColumn {
			step = 3
		}
		for i := 0; i+1 < len(info.TargetNames); i += step {
			db := orCurrent(ctx, info.TargetNames[i])
			if err := r.authorizeTable(ctx, may, info, db, info.TargetNames[i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// authorizeTable is authorize for what is done with a table. Where it depends on the columns, it
// only notes that these are to be asked about.
func (r *rights) authorizeTable(ctx *sql.Context, may *accounts.Access, info ast.AuthInformation, db, table string) error {
	need, ok := tableNeeds[info.AuthType]
	if !ok || strings.EqualFold(db, informationSchema) {
		return nil
	}
	if w := workOf(ctx); w != nil && w.hides(ctx, tableKey(db, table)) {
		return nil // whose own it is
	}
	have := tableRights(may, db, table)
	if info.AuthType == ast.AuthType_LOCK && !have.Has(accounts.LockTables) {
		return errSchemaDenied(ctx, db) // which it is granted on
	}
	switch info.AuthType {
	case ast.AuthType_SELECT, ast.AuthType_INSERT:
		if !have.HasAll(need) && may.AnyColumn(db, table).HasAll(need) {
			r.columns = true
			return nil
		}
	case ast.AuthType_UPDATE, ast.AuthType_DELETE:
		// The parser says so of all tables of the statement, those too that are only read, and
		// the columns that are read for it need SELECT.
		need = need.With(accounts.SetOf(accounts.Select))
		if !have.HasAll(need) && have.With(may.AnyColumn(db, table)).HasAny(need) {
			r.columns = true
			return nil
		}
		need = tableNeeds[info.AuthType]
	}
	if have.HasAll(need) {
		return nil
	}
	return errTableDenied(ctx, strings.Join(need.Without(have).Names(), ", "), table)
}

// tableRights is what may be done with a table, what everybody may do included.
func tableRights(may *accounts.Access, db, table string) accounts.Set {
	have := may.Table(db, table)
	if isSchema(db) {
		name := strings.ToLower(table)
		if worldReadable[name] {
			have = have.With(accounts.SetOf(accounts.Select))
		}
		if worldTruncatable[name] {
			have = have.With(accounts.SetOf(accounts.Drop))
		}
	}
	return have
}

// renames tells why tables may not be renamed; names are databases and tables, of which four
// belong together.
func renames(ctx *sql.Context, may *accounts.Access, names []string) error {
	for i := 0; i+3 < len(names); i += 4 {
		from, to := accounts.SetOf(accounts.Alter, accounts.Drop), accounts.SetOf(accounts.Insert, accounts.Create)
		if db := orCurrent(ctx, names[i]); !may.Table(db, names[i+1]).HasAll(from) {
			return errTableDenied(ctx, "ALTER, DROP", names[i+1])
		}
		if db := orCurrent(ctx, names[i+2]); !may.Table(db, names[i+3]).HasAll(to) {
			return errTableDenied(ctx, "INSERT, CREATE", names[i+3])
		}
	}
	return nil
}

// informationOnly keeps everybody from changing information_schema.
func informationOnly(ctx *sql.Context, info ast.AuthInformation) error {
	switch info.AuthType {
	case ast.AuthType_SELECT, ast.AuthType_SHOW, ast.AuthType_VISIBLE, ast.AuthType_IGNORE, ast.AuthType_LOCK, ast.AuthType_CALL,
		ast.AuthType_SHOW_CREATE_PROCEDURE, "":
		return nil
	}
	step := 0
	switch info.TargetType {
	case ast.AuthTargetType_DatabaseIdentifiers:
		step = 1
	case ast.AuthTargetType_SingleTableIdentifier, ast.AuthTargetType_MultipleTableIdentifiers:
		step = 2
	case ast.AuthTargetType_TableColumn:
		step = 3
	default:
		return nil
	}
	for i := 0; i < len(info.TargetNames); i += step {
		if strings.EqualFold(orCurrent(ctx, info.TargetNames[i]), informationSchema) {
			return errSchemaDenied(ctx, informationSchema)
		}
	}
	return nil
}

// errSchemaDenied is for what may not be done with a database.
func errSchemaDenied(ctx *sql.Context, db string) error {
	id := accountOf(ctx)
	return mysql.NewSQLError(1044, "42000", "Access denied for user '%s'@'%s' to database '%s'", id.User, id.Host, db)
}

// errRoutineDenied is for what may not be done with a procedure.
func errRoutineDenied(ctx *sql.Context, what, db, name string) error {
	id := accountOf(ctx)
	return mysql.NewSQLError(1370, "42000", "%s command denied to user '%s'@'%s' for routine '%s.%s'", what, id.User, id.Host, db, name)
}

// errDenied is for what needs a privilege for the whole server, in the words of a login.
func errDenied(ctx *sql.Context) error {
	id := accountOf(ctx)
	r := rightsOf(ctx)
	return errLogin(id.User, id.Host, r != nil && r.password)
}

// errLogin is for a client that is not let in.
func errLogin(user, host string, password bool) *mysql.SQLError {
	given := "NO"
	if password {
		given = "YES"
	}
	return mysql.NewSQLError(1045, "28000", "Access denied for user '%s'@'%s' (using password: %s)", user, host, given)
}

// accountOf is the account of the session of ctx.
func accountOf(ctx *sql.Context) accounts.ID {
	if a := accessOf(ctx); a != nil {
		return a.Account.ID
	}
	c := ctx.Session.Client()
	return accounts.ID{User: c.User, Host: c.Address}
}
