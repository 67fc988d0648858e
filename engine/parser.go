package engine

import (
	"context"
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/compat"
)

// parser refuses what MySQL refuses before it looks at any table, and the SQL engine
// does not ask about. Safe for concurrent use.
type parser struct{ sql.Parser }

// Parse implements sql.Parser.
func (p parser) Parse(ctx *sql.Context, query string, multi bool) (ast.Statement, string, string, error) {
	s, one, rest, err := p.Parser.Parse(ctx, query, multi)
	compat.Delete(s)
	return s, one, rest, orRefused(ctx, query, s, err)
}

// ParseOneWithOptions implements sql.Parser.
func (p parser) ParseOneWithOptions(ctx context.Context, query string, o ast.ParserOptions) (ast.Statement, int, error) {
	s, n, err := p.Parser.ParseOneWithOptions(ctx, query, o)
	compat.Delete(s)
	return s, n, orRefused(ctx, query, s, err)
}

// ParseWithOptions implements sql.Parser.
func (p parser) ParseWithOptions(ctx context.Context, query string, delimiter rune, multi bool, o ast.ParserOptions) (ast.Statement, string, string, error) {
	s, one, rest, err := p.Parser.ParseWithOptions(ctx, query, delimiter, multi, o)
	compat.Procedure(s)
	return s, one, rest, err
}

// handlerOpen is HANDLER [DATABASE.]TABLE OPEN, which the SQL engine does not know.
var handlerOpen = regexp.MustCompile("(?i)^\\s*HANDLER\\s+(?:`?(\\w+)`?\\s*\\.\\s*)?`?(\\w+)`?\\s+OPEN\\b")

// orRefused returns err, or why statement s may not run.
func orRefused(ctx context.Context, query string, s ast.Statement, err error) error {
	sc, ok := ctx.(*sql.Context)
	if !ok {
		return err
	}
	if err != nil {
		if m := handlerOpen.FindStringSubmatch(query); m != nil && isSchema(orCurrent(sc, m[1])) {
			return errNoOption(m[2])
		}
		return err
	}
	ddl, ok := s.(*ast.DDL)
	if !ok {
		return refusedVariable(query, s)
	}
	switch ddl.Action {
	case ast.RenameStr:
		for _, t := range append(append(ast.TableNames{}, ddl.FromTables...), ddl.ToTables...) {
			if isSchema(orCurrent(sc, t.DbQualifier.String())) {
				return errNoAccess(sc)
			}
		}
	case ast.CreateStr:
		return refusedTable(sc, ddl)
	}
	return nil
}

// refusedTable keeps tables out of performance_schema, and its engine out of other schemas.
func refusedTable(ctx *sql.Context, ddl *ast.DDL) error {
	if isSchema(orCurrent(ctx, ddl.Table.DbQualifier.String())) && ddl.TableSpec != nil {
		return errNoAccess(ctx)
	}
	if ddl.OptLike != nil {
		for _, t := range ddl.OptLike.LikeTables {
			if isSchema(orCurrent(ctx, t.DbQualifier.String())) {
				return errWrongUsage()
			}
		}
	}
	if ddl.TableSpec != nil {
		for _, o := range ddl.TableSpec.TableOpts {
			if strings.EqualFold(o.Name, "engine") && isSchema(o.Value) {
				return errWrongUsage()
			}
		}
	}
	return nil
}

// qualified is table with the database that query gives it, else with the current one.
func qualified(ctx *sql.Context, table string) string {
	db := ctx.GetCurrentDatabase()
	s, err := sql.DefaultMySQLParser.ParseSimple(ctx.Query())
	if err != nil {
		return db + "." + table
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if t, ok := n.(ast.TableName); ok && strings.EqualFold(t.Name.String(), table) && !t.DbQualifier.IsEmpty() {
			db = t.DbQualifier.String()
		}
		return true, nil
	}, s)
	return db + "." + table
}

// drops tells whether the statement is DROP TABLE.
func drops(ctx *sql.Context) bool {
	s, err := sql.DefaultMySQLParser.ParseSimple(ctx.Query())
	ddl, ok := s.(*ast.DDL)
	return err == nil && ok && ddl.Action == ast.DropStr
}
