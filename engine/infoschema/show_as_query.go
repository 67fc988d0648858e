package infoschema

import (
	"cmp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/syntax"
)

// IsQuery reports whether a SHOW is executed as a query of information_schema.
func IsQuery(s *ast.Show) bool {
	return strings.EqualFold(s.Type, "index") || strings.EqualFold(s.Type, "events")
}

// QueryOfShow returns the query of information_schema that executes a SHOW, nil if go-mysql-server
// executes the SHOW itself.
//
// go-mysql-server: SHOW INDEX ignores its WHERE, SHOW EVENTS always shows the current database, and
// intervals are numbers. MySQL: executes both as queries.
func QueryOfShow(ctx *sql.Context, s *ast.Show, databases sql.DatabaseProvider) (ast.Statement, error) {
	if !mends.QueriesOfShow.On() {
		return nil, nil
	}
	switch strings.ToLower(s.Type) {
	case "index":
		if s.ShowIndexFilterOpt == nil {
			return nil, nil
		}
		db := s.Database
		if db == "" {
			db = s.Table.DbQualifier.String()
		}
		db, table := cmp.Or(db, ctx.GetCurrentDatabase()), s.Table.Name.String()
		if found, err := databases.Database(ctx, db); err != nil {
			return nil, err
		} else if _, ok, err := found.GetTableInsensitive(ctx, table); err != nil || !ok {
			return nil, nil // go-mysql-server reports the error
		}
		return newQuery(`TABLE_NAME AS "Table", NON_UNIQUE AS "Non_unique", INDEX_NAME AS "Key_name", SEQ_IN_INDEX AS "Seq_in_index",
			COLUMN_NAME AS "Column_name", COLLATION AS "Collation", CARDINALITY AS "Cardinality", SUB_PART AS "Sub_part", PACKED AS "Packed",
			NULLABLE AS "Null", INDEX_TYPE AS "Index_type", COMMENT AS "Comment", INDEX_COMMENT AS "Index_comment",
			IS_VISIBLE AS "Visible", EXPRESSION AS "Expression"`,
			"STATISTICS WHERE TABLE_SCHEMA = "+syntax.QuotedText(db)+" AND TABLE_NAME = "+syntax.QuotedText(table), "", s.ShowIndexFilterOpt)
	case "events":
		db, like := "", ""
		var where ast.Expr
		if o := s.ShowTablesOpt; o != nil {
			if db = o.DbName; o.Filter != nil {
				where = o.Filter.Filter
				if where == nil {
					like = " AND EVENT_NAME LIKE " + syntax.QuotedText(o.Filter.Like)
				}
			}
		}
		if db = cmp.Or(db, ctx.GetCurrentDatabase()); db == "" {
			return nil, mysqlerr.NoDatabase()
		}
		if !databases.HasDatabase(ctx, db) {
			return nil, mysqlerr.UnknownDatabase(db)
		}
		return newQuery(`EVENT_SCHEMA AS "Db", EVENT_NAME AS "Name", DEFINER AS "Definer", TIME_ZONE AS "Time zone", EVENT_TYPE AS "Type",
			EXECUTE_AT AS "Execute at", INTERVAL_VALUE AS "Interval value", INTERVAL_FIELD AS "Interval field", STARTS AS "Starts",
			ENDS AS "Ends", STATUS AS "Status", ORIGINATOR AS "Originator", CHARACTER_SET_CLIENT AS "character_set_client",
			COLLATION_CONNECTION AS "collation_connection", DATABASE_COLLATION AS "Database Collation"`,
			"EVENTS WHERE EVENT_SCHEMA = "+syntax.QuotedText(db)+like, ` ORDER BY "Name"`, where)
	}
	return nil, nil
}

// newQuery returns a query of a table of information_schema; where may be nil.
func newQuery(columns, from, order string, where ast.Expr) (ast.Statement, error) {
	text := strings.ReplaceAll(`SELECT * FROM (SELECT `+columns, `"`, "`") + " FROM information_schema." + from + ") AS shown" + strings.ReplaceAll(order, `"`, "`")
	s, err := syntax.Default.ParseSimple(text)
	if err != nil {
		return nil, err
	}
	if where != nil {
		s.(*ast.Select).Where = ast.NewWhere(ast.WhereStr, where)
	}
	return &ast.ParenSelect{Select: s.(*ast.Select)}, nil
}

// QueryKind returns the statement kind of a SHOW that is executed as a query.
func QueryKind(text string) string {
	for _, word := range strings.Fields(strings.ToLower(text)) {
		switch word {
		case "index", "indexes", "keys":
			return "show_keys"
		case "events":
			return "show_events"
		}
	}
	return "select"
}
