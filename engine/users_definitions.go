package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/sys"
)

// closed is why the session may not make or drop what stands in d itself: nobody may in sys but the
// server, when it starts.
func (d usersDatabase) closed(ctx *sql.Context) error {
	if !sys.Is(d.Name()) || ctx.Session.ID() == bootstrapID {
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
