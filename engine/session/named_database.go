package session

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
)

// InNamed lets a statement be carried out in the database that it names, where the SQL engine takes the
// current one, until back is called.
//
// go-mysql-server: renames tables of the current database, whatever RENAME names; CREATE and DROP VIEW want a
// current database, and ANALYZE TABLE that of the table; SHOW TRIGGERS shows those of the current one. MySQL: takes the database of the name.
func InNamed(ctx *sql.Context, s ast.Statement) (back func(), err error) {
	if !mends.NamedDatabases.On() {
		return func() {}, nil
	}
	current := ctx.GetCurrentDatabase()
	name := ""
	switch s := s.(type) {
	case *ast.DDL:
		if name, err = renamedIn(s, current); err != nil {
			return nil, err
		}
		switch {
		case current != "":
		case s.ViewSpec != nil:
			name = s.ViewSpec.ViewName.DbQualifier.String()
		case len(s.FromViews) > 0:
			name = s.FromViews[0].DbQualifier.String()
		}
	case *ast.Show:
		if strings.EqualFold(s.Type, "triggers") && s.ShowTablesOpt != nil {
			name = s.ShowTablesOpt.DbName
		}
	case *ast.Analyze:
		if len(s.Tables) > 0 {
			name = s.Tables[0].DbQualifier.String()
		}
	case *ast.AlterTable:
		for _, part := range s.Statements {
			if part.Action != ast.RenameStr || len(part.ToTables) == 0 {
				continue
			}
			if name = s.Table.DbQualifier.String(); name == "" {
				name = current
			}
			if to := part.ToTables[0].DbQualifier.String(); to != "" && !strings.EqualFold(to, name) {
				return nil, errOtherDatabase()
			}
		}
	}
	if name == "" || strings.EqualFold(name, current) {
		return func() {}, nil
	}
	ctx.SetCurrentDatabase(name)
	return func() { ctx.SetCurrentDatabase(current) }, nil
}

// renamedIn is the database of the tables that a statement renames, "" if it renames none.
func renamedIn(s *ast.DDL, current string) (name string, err error) {
	if s.Action != ast.RenameStr {
		return "", nil
	}
	for i, t := range append(append(ast.TableNames{}, s.FromTables...), s.ToTables...) {
		db := t.DbQualifier.String()
		if db == "" {
			db = current
		}
		if i > 0 && !strings.EqualFold(db, name) {
			return "", errOtherDatabase()
		}
		name = db
	}
	return name, nil
}

func errOtherDatabase() error {
	return mysql.NewSQLError(1235, "42000", "This version of MySQL doesn't yet support 'RENAME TABLE to another database'")
}
