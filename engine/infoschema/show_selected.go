package infoschema

import (
	"cmp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mysqlerr"
	"pfsd/engine/syntax"
)

// IsSelected tells whether a SHOW stands for a query of information_schema.
func IsSelected(s *ast.Show) bool {
	return strings.EqualFold(s.Type, "index") || strings.EqualFold(s.Type, "events")
}

// SelectedShow is the query of information_schema that a SHOW stands for, nil if go-mysql-server carries it out itself.
//
// go-mysql-server: SHOW INDEX forgets its WHERE, SHOW EVENTS has the events of the current database whatever it is
// told, and their intervals are numbers. MySQL: makes queries of both.
func SelectedShow(ctx *sql.Context, s *ast.Show, databases sql.DatabaseProvider) (ast.Statement, error) {
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
			return nil, nil // the SQL engine says so
		}
		return selected(`TABLE_NAME AS "Table", NON_UNIQUE AS "Non_unique", INDEX_NAME AS "Key_name", SEQ_IN_INDEX AS "Seq_in_index",
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
		return selected(`EVENT_SCHEMA AS "Db", EVENT_NAME AS "Name", DEFINER AS "Definer", TIME_ZONE AS "Time zone", EVENT_TYPE AS "Type",
			EXECUTE_AT AS "Execute at", INTERVAL_VALUE AS "Interval value", INTERVAL_FIELD AS "Interval field", STARTS AS "Starts",
			ENDS AS "Ends", STATUS AS "Status", ORIGINATOR AS "Originator", CHARACTER_SET_CLIENT AS "character_set_client",
			COLLATION_CONNECTION AS "collation_connection", DATABASE_COLLATION AS "Database Collation"`,
			"EVENTS WHERE EVENT_SCHEMA = "+syntax.QuotedText(db)+like, ` ORDER BY "Name"`, where)
	}
	return nil, nil
}

// selected is a query of columns of a table of information_schema, whose rows are those that fulfil where, if it is
// not nil.
func selected(columns, from, order string, where ast.Expr) (ast.Statement, error) {
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

// SelectedKind is the kind of a SHOW that is carried out as a query.
func SelectedKind(text string) string {
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
