package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/moment"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/sys"
)

func isSys(db string) bool { return strings.EqualFold(db, sys.Schema) }

// newSysDatabase makes the database sys with its views, its procedures and their settings.
func newSysDatabase(config *sysConfig) *memory.Database {
	d := memory.NewDatabase(sys.Schema)
	ctx := sql.NewEmptyContext()
	_ = d.SetCollation(ctx, collation)
	for _, v := range sys.Views {
		if err := d.CreateView(ctx, v.Name, v.Select, v.Create()); err != nil {
			panic("engine: " + v.Name + ": " + err.Error())
		}
	}
	d.AddTable(config.Name(), config)
	for _, p := range sys.Procedures {
		err := d.SaveStoredProcedure(ctx, sql.StoredProcedureDetails{
			Name: p.Name, CreateStatement: p.Create, CreatedAt: config.created, ModifiedAt: config.created, SqlMode: sysMode,
		})
		if err != nil {
			panic("engine: " + p.Name + ": " + err.Error())
		}
	}
	return d
}

// sysMode is the sql_mode that the procedures of sys are carried out with.
const sysMode = defaultSQLMode

// sysView is what a view of sys declares, nil if there is none of that name.
func sysView(name string) *sys.View { return sysViews[strings.ToLower(name)] }

var sysViews = func() map[string]*sys.View {
	m := map[string]*sys.View{}
	for i := range sys.Views {
		m[sys.Views[i].Name] = &sys.Views[i]
	}
	return m
}()

// sysViewRows are what information_schema says of the views of sys, and of the key of sys_config. What sys has besides, it says
// as of any database.
type sysViewRows struct{ config *sysConfig }

// Name implements compat.OwnSchema.
func (sysViewRows) Name() string { return sys.Schema }

// Rest implements compat.OwnSchema.
func (sysViewRows) Rest(db sql.Database) sql.Database { return withoutViews{db} }

// withoutViews is a database that tells nothing of its views.
type withoutViews struct{ sql.Database }

// Described implements compat.OwnSchema.
func (s sysViewRows) Described(ctx *sql.Context, infoTable, only string) (rows []sql.Row, ok bool) {
	var describe func(*sql.Context, *sys.View) []sql.Row
	switch infoTable {
	case "tables":
		describe = s.describeTable
	case "columns":
		describe = describeViewColumns
	case "statistics":
		if inScope(sys.Schema, sysConfigName, "", only) {
			rows = append(rows, s.config.describeKey())
		}
		return rows, true
	default:
		return nil, false
	}
	for i := range sys.Views {
		if v := &sys.Views[i]; only == "" || strings.EqualFold(only, v.Name) {
			rows = append(rows, describe(ctx, v)...)
		}
	}
	return rows, true
}

// describeTable is the view's row of information_schema.TABLES.
func (s sysViewRows) describeTable(ctx *sql.Context, v *sys.View) []sql.Row {
	const view = uint16(2)
	row := sql.Row{catalogName, sys.Schema, v.Name, view}
	for len(row) < 21 {
		row = append(row, nil)
	}
	row[infoCreated], row[infoTableComment] = moment.Wall(s.config.created, 0, moment.Zone(ctx)), "VIEW"
	return []sql.Row{row}
}

// Positions of columns in information_schema.TABLES.
const (
	infoTableKind, infoCount, infoIncrement = 3, 7, 13

	infoCreated, infoChecksum, infoTableComment = 14, 18, 20
)

// sysViewOf is the view of sys that n is, nil if it is none.
func sysViewOf(n sql.Node) *sys.View {
	a, ok := n.(*plan.SubqueryAlias)
	if !ok {
		return nil
	}
	v := sysView(a.Name())
	if v == nil || strings.TrimSpace(a.TextDefinition) != v.Select {
		return nil
	}
	return v
}

// closed is why the session may not make or drop what stands in d itself: nobody may in sys but the
// server, when it starts.
func (d usersDatabase) closed(ctx *sql.Context) error {
	if !isSys(d.Name()) || ctx.Session.ID() == bootstrapID {
		return nil
	}
	return access.ErrSchemaDenied(ctx, sys.Schema)
}

// DropView implements sql.ViewDatabase. ALTER VIEW, which is carried out as CREATE OR REPLACE VIEW, drops a view
// first: there must be one.
func (d usersDatabase) DropView(ctx *sql.Context, name string) error {
	if err := d.closed(ctx); err != nil {
		return err
	}
	if firstWord(ctx.Query()) == "alter" {
		if _, ok, err := d.Database.GetViewDefinition(ctx, name); err != nil || !ok {
			if _, table, _ := d.Database.GetTableInsensitive(ctx, name); table {
				return mysql.NewSQLError(1347, "HY000", "'%s.%s' is not VIEW", d.Name(), name)
			}
			return mysql.NewSQLError(1146, "42S02", "Table '%s.%s' doesn't exist", d.Name(), name)
		}
	}
	return d.Database.DropView(ctx, name)
}

// CreateTable implements sql.TableCreator.
func (d usersDatabase) CreateTable(ctx *sql.Context, name string, schema sql.PrimaryKeySchema, c sql.CollationID, comment string) error {
	if err := d.closed(ctx); err != nil {
		return err
	}
	d.lasting(ctx, name)
	d.created.note(ctx, d.Name(), name)
	return d.Database.CreateTable(ctx, name, schema, c, comment)
}

// CreateIndexedTable implements sql.IndexedTableCreator.
func (d usersDatabase) CreateIndexedTable(ctx *sql.Context, name string, schema sql.PrimaryKeySchema, idx sql.IndexDef, c sql.CollationID) error {
	if err := d.closed(ctx); err != nil {
		return err
	}
	d.lasting(ctx, name)
	d.created.note(ctx, d.Name(), name)
	if err := d.Database.CreateIndexedTable(ctx, name, schema, idx, c); err != nil {
		return err
	}
	// go-mysql-server: does not tell the comment of a table with PRIMARY KEY (...).
	t, ok, err := d.Database.GetTableInsensitive(ctx, name)
	if c, can := t.(sql.CommentAlterableTable); ok && can {
		return c.ModifyComment(ctx, tableComment(mysqlerr.TreeOf(ctx)))
	}
	return err
}

// tableComment is the comment that CREATE TABLE gives the table, "" for none.
func tableComment(s ast.Statement) string {
	ddl, ok := s.(*ast.DDL)
	if !ok || ddl.TableSpec == nil {
		return ""
	}
	for _, o := range ddl.TableSpec.TableOpts {
		if strings.EqualFold(o.Name, "comment") {
			return o.Value
		}
	}
	return ""
}

// DropTable implements sql.TableDropper.
func (d usersDatabase) DropTable(ctx *sql.Context, name string) error {
	if t, ok := d.temporaryTable(ctx, name); ok {
		if w := workOf(ctx); w != nil {
			w.dropRows(stored(t))
		}
		return temporary(ctx)[strings.ToLower(d.Name())].DropTable(ctx, t.Name())
	}
	if err := d.closed(ctx); err != nil {
		return err
	}
	return d.Database.DropTable(ctx, name)
}

// RenameTable implements sql.TableRenamer.
func (d usersDatabase) RenameTable(ctx *sql.Context, from, to string) error {
	if t, ok := d.temporaryTable(ctx, from); ok {
		return temporary(ctx)[strings.ToLower(d.Name())].RenameTable(ctx, t.Name(), to)
	}
	if err := d.closed(ctx); err != nil {
		return err
	}
	d.stored.Lock()
	err := d.Database.RenameTable(ctx, from, to)
	d.stored.Unlock()
	if err != nil {
		return err
	}
	d.created.rename(d.Name(), from, to)
	return d.renameTriggers(ctx, from, to)
}
