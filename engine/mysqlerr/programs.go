package mysqlerr

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	goerrors "gopkg.in/src-d/go-errors.v1"

	"pfsd/engine/syntax"
)

// programError converts an error of go-mysql-server about stored programs; nil for any other.
func programError(ctx *sql.Context, err error) *mysql.SQLError {
	kinds := []struct {
		kind *goerrors.Kind
		told func(message string) *mysql.SQLError
	}{
		{sql.ErrStoredProcedureDoesNotExist, func(m string) *mysql.SQLError {
			return mysql.NewSQLError(1305, "42000", "PROCEDURE %s does not exist", procedureName(ctx, quoted(m)))
		}},
		{sql.ErrStoredProcedureAlreadyExists, func(m string) *mysql.SQLError {
			name := procedureName(ctx, quoted(m))
			return mysql.NewSQLError(1304, "42000", "PROCEDURE %s already exists", name[strings.IndexByte(name, '.')+1:])
		}},
		{sql.ErrCallIncorrectParameterCount, func(m string) *mysql.SQLError {
			parts := strings.Split(m, "`") // `NAME` expected `N` parameters but got `N`
			return mysql.NewSQLError(1318, "42000", "Incorrect number of arguments for PROCEDURE %s; expected %s, got %s", procedureName(ctx, parts[1]), parts[3], parts[5])
		}},
		{sql.ErrTriggerDoesNotExist, func(string) *mysql.SQLError {
			return mysql.NewSQLError(1360, "HY000", "Trigger does not exist")
		}},
		{sql.ErrTriggerTableInUse, func(m string) *mysql.SQLError {
			table, _, _ := strings.Cut(strings.TrimPrefix(m, "Can't update table "), " ")
			return InUse(table)
		}},
	}
	for _, k := range kinds {
		if k.kind.Is(err) {
			return k.told(textOf(err))
		}
	}
	return nil
}

// quoted returns the quoted text in a message.
func quoted(message string) string {
	if parts := strings.Split(message, `"`); len(parts) > 1 {
		return parts[1]
	}
	return message
}

// procedureName returns the name of a procedure as in the statement, with its database.
func procedureName(ctx *sql.Context, name string) string {
	var written ast.ProcedureName
	if s, err := syntax.Default.ParseSimple(ctx.Query()); err == nil {
		switch s := s.(type) {
		case *ast.Call:
			written = s.ProcName
		case *ast.DDL:
			if s.ProcedureSpec != nil {
				written = s.ProcedureSpec.ProcName
			}
		}
	}
	db := written.Qualifier.String()
	if db == "" {
		db = ctx.GetCurrentDatabase()
	}
	if strings.EqualFold(written.Name.String(), name) {
		name = written.Name.String()
	}
	return db + "." + name
}

// InUse is for a function or a trigger that changes a table of the statement around it.
func InUse(table string) *mysql.SQLError {
	return mysql.NewSQLError(1442, "HY000", "Can't update table '%s' in stored function/trigger because it is already used by statement which invoked this stored function/trigger.", table)
}
