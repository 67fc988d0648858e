package usertables

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/syntax"
)

// DropView implements sql.ViewDatabase. ALTER VIEW, which is executed as CREATE OR REPLACE VIEW,
// drops a view first. So the view must exist.
func (d Database) DropView(ctx *sql.Context, name string) error {
	if err := d.closed(ctx); err != nil {
		return err
	}
	if syntax.FirstWord(ctx.Query()) == "alter" {
		if _, ok, err := d.StoredDatabase.GetViewDefinition(ctx, name); err != nil || !ok {
			if _, table, _ := d.StoredDatabase.GetTableInsensitive(ctx, name); table {
				return mysql.NewSQLError(1347, "HY000", "'%s.%s' is not VIEW", d.Name(), name)
			}
			return mysql.NewSQLError(1146, "42S02", "Table '%s.%s' doesn't exist", d.Name(), name)
		}
	}
	return d.StoredDatabase.DropView(ctx, name)
}

// CreateTable implements sql.TableCreator.
func (d Database) CreateTable(ctx *sql.Context, name string, schema sql.PrimaryKeySchema, c sql.CollationID, comment string) error {
	if err := d.closed(ctx); err != nil {
		return err
	}
	d.lasting(ctx, name)
	return d.StoredDatabase.CreateTable(ctx, name, schema, c, comment)
}

// CreateIndexedTable implements sql.IndexedTableCreator.
func (d Database) CreateIndexedTable(ctx *sql.Context, name string, schema sql.PrimaryKeySchema, idx sql.IndexDef, c sql.CollationID) error {
	if err := d.closed(ctx); err != nil {
		return err
	}
	d.lasting(ctx, name)
	if err := d.StoredDatabase.CreateIndexedTable(ctx, name, schema, idx, c); err != nil {
		return err
	}
	// go-mysql-server: does not pass on the comment of a table with PRIMARY KEY (...).
	t, ok, err := d.StoredDatabase.GetTableInsensitive(ctx, name)
	if c, can := t.(sql.CommentAlterableTable); ok && can && mends.IndexedComments.On() {
		return c.ModifyComment(ctx, tableComment(mysqlerr.TreeOf(ctx)))
	}
	return err
}

// tableComment returns the comment that CREATE TABLE gives the table, "" if there is none.
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
func (d Database) DropTable(ctx *sql.Context, name string) error {
	if t, ok := d.temporaryTable(ctx, name); ok {
		s := SessionOf(ctx)
		s.dropRows(Stored(t))
		return s.Temporary(strings.ToLower(d.Name())).DropTable(ctx, t.Name())
	}
	if err := d.closed(ctx); err != nil {
		return err
	}
	return d.StoredDatabase.DropTable(ctx, name)
}

// RenameTable implements sql.TableRenamer.
func (d Database) RenameTable(ctx *sql.Context, from, to string) error {
	if t, ok := d.temporaryTable(ctx, from); ok {
		return SessionOf(ctx).Temporary(strings.ToLower(d.Name())).RenameTable(ctx, t.Name(), to)
	}
	if err := d.closed(ctx); err != nil {
		return err
	}
	if err := d.StoredDatabase.RenameTable(ctx, from, to); err != nil {
		return err
	}
	return d.renameTriggers(ctx, from, to)
}

// lasting records that the statement creates a table called name that is not temporary. From then
// on, the name means that table in this statement.
func (d Database) lasting(ctx *sql.Context, name string) {
	if s := SessionOf(ctx); s != nil {
		s.observer.Statement().lasting = newName(d.Name(), name)
	}
}
