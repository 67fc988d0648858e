package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/accounts"
)

// authorizeNode tells why the session may not carry out n: what the SQL engine does not ask
// authorize about, or not under the name of what it is about.
func authorizeNode(ctx *sql.Context, may *accounts.Access, n sql.Node) error {
	switch n := n.(type) {
	case *plan.CreateDB:
		return needSchema(ctx, may, n.DbName, accounts.Create)
	case *plan.DropDB:
		return needSchema(ctx, may, n.DbName, accounts.Drop)
	case *plan.ShowCreateDatabase:
		return needVisible(ctx, n.Database().Name())
	case *plan.ShowTables:
		return needVisible(ctx, n.Database().Name())
	case *plan.ShowTableStatus:
		return needVisible(ctx, n.Database().Name())
	case *plan.CreateTable:
		if n.Temporary() {
			return nil // asked about before
		}
		return needTable(ctx, may, n.Database().Name(), n.Name(), accounts.Create)
	case *plan.CreateProcedure:
		return mayDefine(ctx, may, procedureDefiner(n.StoredProcDetails.CreateStatement))
	case *plan.CreateTrigger:
		return mayDefine(ctx, may, n.Definer)
	case *plan.CreateEvent:
		return mayDefine(ctx, may, n.Definer)
	case *plan.CreateView:
		if err := mayDefine(ctx, may, n.Definer); err != nil {
			return err
		}
		if err := needTable(ctx, may, n.Database().Name(), n.Name, accounts.CreateView); err != nil || !n.IsReplace {
			return err
		}
		return needTable(ctx, may, n.Database().Name(), n.Name, accounts.Drop)
	case *plan.DropView:
		for _, child := range n.Children() {
			if v, ok := child.(*plan.SingleDropView); ok {
				if err := needTable(ctx, may, v.Database().Name(), v.ViewName, accounts.Drop); err != nil {
					return err
				}
			}
		}
	case *plan.DropProcedure:
		if !may.Routine(n.Db.Name(), n.ProcedureName, false).Has(accounts.AlterRoutine) {
			return errRoutineDenied(ctx, "alter routine", n.Db.Name(), n.ProcedureName)
		}
	case *plan.Into:
		if (n.Outfile != "" || n.Dumpfile != "") && !may.Has(accounts.File) {
			return errDenied(ctx)
		}
	case *plan.InsertInto:
		return loads(ctx, may, n)
	case *plan.ShowColumns:
		return needTableVisible(ctx, n.Child, "SELECT")
	case *plan.ShowIndexes:
		return needTableVisible(ctx, n.Child, "SELECT")
	case *plan.ShowCreateTable:
		return needTableVisible(ctx, n.Child, "SHOW")
	case answerNode:
		if strings.HasPrefix(n.kind, "show_engine_") && !may.Has(accounts.Process) {
			return errNeeds(accounts.Process)
		}
	}
	return nil
}

func needSchema(ctx *sql.Context, may *accounts.Access, db string, p accounts.Privilege) error {
	if may.Schema(db).Has(p) {
		return nil
	}
	return errSchemaDenied(ctx, db)
}

func needTable(ctx *sql.Context, may *accounts.Access, db, table string, p accounts.Privilege) error {
	if may.Table(db, table).Has(p) {
		return nil
	}
	return errTableDenied(ctx, p.String(), table)
}

func needVisible(ctx *sql.Context, db string) error {
	if visible(ctx, db, "") {
		return nil
	}
	return errSchemaDenied(ctx, db)
}

// needTableVisible is for what shows how the table is made that n reads.
func needTableVisible(ctx *sql.Context, n sql.Node, command string) error {
	t, ok := n.(*plan.ResolvedTable)
	if !ok || t.SqlDatabase == nil || visible(ctx, t.SqlDatabase.Name(), t.Name()) {
		return nil
	}
	return errTableDenied(ctx, command, t.Name())
}

// loads is for LOAD DATA, of which the SQL engine asks whether it may read the file alone.
func loads(ctx *sql.Context, may *accounts.Access, n *plan.InsertInto) error {
	if _, ok := n.Source.(*plan.LoadData); !ok {
		return nil
	}
	if t, err := plan.GetInsertable(n.Destination); err == nil {
		return needTable(ctx, may, n.Database().Name(), t.Name(), accounts.Insert)
	}
	return nil
}

// shown filters what SHOW DATABASES and its sisters list: names tells the database and the
// table that a row is about, from the row.
func shown(rows sql.RowIter, names func(sql.Row) (db, table string)) sql.RowIter {
	return &shownRows{rows, names}
}

// shownRows leaves out what the session may not see. Owned by one goroutine.
type shownRows struct {
	sql.RowIter
	names func(sql.Row) (db, table string)
}

// Next implements sql.RowIter.
func (s *shownRows) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		row, err := s.RowIter.Next(ctx)
		if err != nil {
			return nil, err
		}
		if db, table := s.names(row); visible(ctx, db, table) {
			return row, nil
		}
	}
}

// databaseRow is a row that is about the database with the name in its first column.
func databaseRow(r sql.Row) (db, table string) { return text(r[0]), "" }

// tableRow is a row that is about the table of db with the name in its first column.
func tableRow(db sql.Database) func(sql.Row) (db, table string) {
	return func(r sql.Row) (string, string) { return db.Name(), text(r[0]) }
}

// text is a value that is a text.
func text(v any) string {
	s, _ := v.(string)
	return s
}
