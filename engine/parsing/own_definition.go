package parsing

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/catalog"
	"pfsd/engine/mysqldb"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/nodes"
	"pfsd/engine/rights"
	"pfsd/engine/session"
	"pfsd/engine/sys"
	"pfsd/engine/sysschema"
	"pfsd/engine/usertables"
)

// ownDefinition is a statement of a dump of all databases that defines what the server itself has
// in mysql or sys: DROP ... IF EXISTS, CREATE, ALTER TABLE ... DISABLE KEYS. A table of mysql, and
// sys.sys_config, loses its rows, so that the dump can insert its own. For anything else, the
// statement changes nothing and adds a warning. Safe for concurrent use.
type ownDefinition struct {
	tree     ast.Statement
	provider *catalog.Provider
	do       func(*sql.Context) ([]sql.Row, error) // executes the statement
}

// Definition returns the statement of the dump. Packages statements and rights call it.
func (o ownDefinition) Definition() ast.Statement { return o.tree }

// ownDefinition returns an injected [ownDefinition] if s is such a statement, else nil.
func (p Parser) ownDefinition(ctx *sql.Context, s ast.Statement) ast.Statement {
	if ctx.Session.ID() == usertables.Bootstrap {
		return nil
	}
	var do func(*sql.Context) ([]sql.Row, error)
	switch s := s.(type) {
	case *ast.DDL:
		do = p.ownDDL(ctx, s)
	case *ast.DBDDL:
		if s.Action == ast.DropStr && s.IfExists && sys.Is(s.DBName) {
			do = rejectChange(sys.Schema)
		}
	case *ast.AlterTable:
		if len(s.Statements) != 1 || s.Statements[0].IndexSpec == nil || !strings.HasSuffix(strings.ToLower(s.Statements[0].IndexSpec.Action), "able") {
			return nil // it does not ENABLE or DISABLE keys
		}
		do = p.ownKeys(session.OrCurrent(ctx, s.Table.DbQualifier.String()), s.Table.Name.String(), strings.EqualFold(s.Statements[0].IndexSpec.Action, "enable"))
	}
	if do == nil {
		return nil
	}
	info := ast.AuthInformation{AuthType: ast.AuthType_IGNORE, TargetType: ast.AuthTargetType_Ignore}
	return ast.InjectedStatement{Statement: ownDefinition{s, p.provider, do}, Auth: info}
}

// ownDDL returns the function that executes a CREATE or DROP of something that the server itself
// has. It returns nil for any other.
func (p Parser) ownDDL(ctx *sql.Context, s *ast.DDL) func(*sql.Context) ([]sql.Row, error) {
	switch {
	case s.Temporary:
	case s.Action == ast.DropStr && len(s.FromTables) > 0:
		return p.ownDrop(ctx, s)
	case s.Action == ast.DropStr && len(s.FromViews) > 0:
		for _, n := range s.FromViews {
			if !s.IfExists || !p.inSys(ctx, n.DbQualifier.String(), n.Name.String()) {
				return nil
			}
		}
		return rejectChange(sys.Schema)
	case s.ViewSpec != nil && s.Action == ast.CreateStr && !s.OrReplace:
		if p.inSys(ctx, s.ViewSpec.ViewName.DbQualifier.String(), s.ViewSpec.ViewName.Name.String()) {
			return rejectChange(sys.Schema)
		}
	case s.ProcedureSpec != nil:
		if (s.Action == ast.CreateStr || s.IfExists) && p.inSys(ctx, s.ProcedureSpec.ProcName.Qualifier.String(), s.ProcedureSpec.ProcName.Name.String()) {
			return rejectChange(sys.Schema)
		}
	case s.Action == ast.CreateStr && s.TableSpec != nil && s.OptSelect == nil:
		db, name := session.OrCurrent(ctx, s.Table.DbQualifier.String()), s.Table.Name.String()
		if mysqldb.Is(db) && p.provider.MySQL.Has(name) {
			return func(ctx *sql.Context) ([]sql.Row, error) { return p.createOwn(ctx, s) }
		}
		if p.inSys(ctx, db, name) {
			return rejectChange(sys.Schema)
		}
	}
	return nil
}

// inSys reports whether the server has a view, a procedure or a table of this name in sys.
func (p Parser) inSys(ctx *sql.Context, db, name string) bool {
	if !sys.Is(session.OrCurrent(ctx, db)) {
		return false
	}
	return sys.ViewNamed(name) != nil || strings.EqualFold(name, sysschema.ConfigName) || sys.HasProcedure(name)
}

// rejectChange returns a function that changes nothing, and adds the warning that db is a system
// schema.
func rejectChange(db string) func(*sql.Context) ([]sql.Row, error) {
	return func(ctx *sql.Context) ([]sql.Row, error) {
		ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: 3552, Message: "Access to system schema '" + db + "' is rejected."})
		return okRows(), nil
	}
}

func okRows() []sql.Row { return []sql.Row{sql.NewRow(types.NewOkResult(0))} }

// ownDrop returns the function that executes a DROP TABLE of tables that all are in mysql, or, with
// IF EXISTS, in sys. It returns nil for any other.
func (p Parser) ownDrop(ctx *sql.Context, s *ast.DDL) func(*sql.Context) ([]sql.Row, error) {
	for _, n := range s.FromTables {
		db := session.OrCurrent(ctx, n.DbQualifier.String())
		if !mysqldb.Is(db) && (!sys.Is(db) || !s.IfExists) {
			return nil
		}
		if mysqldb.Is(db) && !p.provider.MySQL.Has(n.Name.String()) {
			return nil
		}
	}
	return func(ctx *sql.Context) ([]sql.Row, error) {
		for _, n := range s.FromTables {
			db, name := session.OrCurrent(ctx, n.DbQualifier.String()), n.Name.String()
			if mysqldb.Is(db) {
				if !rights.MayWriteAccounts(ctx) {
					return nil, mysqldb.ErrTable(name)
				}
				if p.provider.MySQL.Drop(name) {
					continue
				}
			} else if strings.EqualFold(name, sysschema.ConfigName) {
				p.provider.Config.Restoring.Store(true)
				_, _ = p.provider.Config.Truncate(ctx)
				continue
			}
			unknown := mysql.NewSQLError(1051, "42S02", "Unknown table '%s.%s'", strings.ToLower(db), name)
			if !s.IfExists {
				return nil, unknown
			}
			ctx.Session.Warn(&sql.Warning{Level: "Note", Code: unknown.Num, Message: unknown.Message})
		}
		return okRows(), nil
	}
}

// createOwn executes CREATE TABLE of a table of mysql.
func (p Parser) createOwn(ctx *sql.Context, s *ast.DDL) ([]sql.Row, error) {
	if !rights.MayWriteAccounts(ctx) {
		return nil, mysqldb.ErrSchema()
	}
	var columns []string
	for _, c := range s.TableSpec.Columns {
		columns = append(columns, c.Name.String())
	}
	err := p.provider.MySQL.Create(s.Table.Name.String(), columns)
	if err == nil || !s.IfNotExists {
		return okRows(), err
	}
	e := mysqlerr.Of(ctx, err)
	if e.Num != 1050 {
		return nil, err
	}
	ctx.Session.Warn(&sql.Warning{Level: "Note", Code: e.Num, Message: e.Message})
	return okRows(), nil
}

// ownKeys returns the function that executes ALTER TABLE ... DISABLE KEYS or ENABLE KEYS, which
// stand around the rows of a table in a dump. It returns nil if the server itself has no such
// table.
func (p Parser) ownKeys(db, table string, enable bool) func(*sql.Context) ([]sql.Row, error) {
	switch {
	case mysqldb.Is(db) && p.provider.MySQL.Has(table):
		return func(ctx *sql.Context) ([]sql.Row, error) {
			if !rights.MayWriteAccounts(ctx) {
				return nil, mysqldb.ErrTable(table)
			}
			return okRows(), nil
		}
	case sys.Is(db) && strings.EqualFold(table, sysschema.ConfigName):
		return func(*sql.Context) ([]sql.Row, error) {
			if enable {
				p.provider.Config.Restoring.Store(false)
			}
			return okRows(), nil
		}
	}
	return nil
}

// WithResolvedChildren implements ast.Injectable. It makes the node of the statement's plan.
func (o ownDefinition) WithResolvedChildren(context.Context, []any) (any, error) {
	return nodes.Answer{Kind: "own_definition", Columns: types.OkResultSchema, Rows: o.do}, nil
}
