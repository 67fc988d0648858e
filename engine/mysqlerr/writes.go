package mysqlerr

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/sqlvalue"
)

// rowError converts the error of a row that INSERT, UPDATE or DELETE could not write; nil for any other
// error. wrapped is go-mysql-server's error, cause the error inside it.
func rowError(ctx *sql.Context, wrapped, cause error) *mysql.SQLError {
	s, ok := ctx.ProcessList.(failingStatement)
	if !ok || s.Writes() == nil {
		return nil
	}
	rt := WrittenTable(s.Writes())
	if rt == nil {
		return nil
	}
	switch {
	case sql.ErrForeignKeyChildViolation.Is(cause):
		return Numbered(1452, "Cannot add or update a child row: a foreign key constraint fails ("+foreignKey(ctx, rt.SqlDatabase, cause.Error())+")")
	case sql.ErrForeignKeyParentViolation.Is(cause):
		return Numbered(1451, "Cannot delete or update a parent row: a foreign key constraint fails ("+foreignKey(ctx, rt.SqlDatabase, cause.Error())+")")
	case sql.ErrPrimaryKeyViolation.Is(cause), sql.ErrUniqueKeyViolation.Is(cause):
		return duplicateEntry(ctx, rt, cause)
	}
	column, value := refusedValue(ctx, rt.Schema(ctx), wrapped)
	if column == nil {
		return nil
	}
	switch {
	case sql.ErrValueOutOfRange.Is(cause), types.ErrConvertToDecimalLimit.Is(cause):
		return Numbered(1264, fmt.Sprintf("Out of range value for column '%s' at row 1", column.Name))
	case sql.ErrInvalidValueType.Is(cause):
		switch value.(type) {
		case []any, map[string]any, sql.JSONWrapper:
			return Numbered(3156, fmt.Sprintf("Invalid JSON value for CAST to %s from column %s at row 1", strings.ToUpper(TypeWord(column.Type)), column.Name))
		}
	case sql.ErrInvalidValue.Is(cause), sql.ErrTruncatedIncorrect.Is(cause):
		return Numbered(1366, fmt.Sprintf("Incorrect %s value: '%v' for column '%s' at row 1", TypeWord(column.Type), value, column.Name))
	case types.ErrConvertingToTime.Is(cause), types.IsTime(column.Type) && mysqlUnknown(cause):
		return Numbered(1292, fmt.Sprintf("Incorrect %s value: '%v' for column '%s' at row 1", TypeWord(column.Type), value, column.Name))
	case types.IsEnum(column.Type) || types.IsSet(column.Type):
		return Numbered(1265, fmt.Sprintf("Data truncated for column '%s' at row 1", column.Name))
	}
	return nil
}

// WrittenTable returns the first table that a node writes, nil if there is none.
func WrittenTable(n sql.Node) (rt *plan.ResolvedTable) {
	if insert, ok := n.(*plan.InsertInto); ok {
		n = insert.Destination
	}
	transform.Inspect(n, func(n sql.Node) bool {
		if access, ok := n.(*plan.IndexedTableAccess); ok {
			n = access.TableNode
		}
		if found, ok := n.(*plan.ResolvedTable); ok && rt == nil {
			rt = found
		}
		return rt == nil
	})
	return rt
}

// mysqlUnknown reports whether go-mysql-server has no number for an error.
func mysqlUnknown(err error) bool { return sql.CastSQLError(err).Num == mysql.ERUnknownError }

// TypeWord returns MySQL's word for the values of a type in errors.
func TypeWord(t sql.Type) string {
	switch {
	case types.IsDecimal(t):
		return "decimal"
	case types.IsFloat(t):
		return "double"
	case types.IsInteger(t):
		return "integer"
	}
	word, _, _ := strings.Cut(t.String(), "(")
	if word == "timestamp" {
		return "datetime"
	}
	return word
}

// refusedValue returns the column and the value that an error is about; nil if there is none.
func refusedValue(ctx *sql.Context, schema sql.Schema, err error) (*sql.Column, any) {
	for {
		switch e := err.(type) {
		case sql.WrappedTypeConversionError:
			if e.OffendingIdx >= 0 && e.OffendingIdx < len(schema) {
				return schema[e.OffendingIdx], e.OffendingVal
			}
			return nil, nil
		case sql.WrappedInsertError:
			if _, ok := e.Cause.(sql.WrappedTypeConversionError); ok || len(e.OffendingRow) != len(schema) {
				err = e.Cause
				continue
			}
			for i, v := range e.OffendingRow {
				if v == nil {
					continue
				}
				if _, inRange, err := sqlvalue.Target(schema[i].Type).Convert(ctx, v); err != nil || inRange != sql.InRange {
					return schema[i], v
				}
			}
		}
		return nil, nil
	}
}

// duplicateEntry is the error for a row whose key another row has.
func duplicateEntry(ctx *sql.Context, rt *plan.ResolvedTable, cause error) *mysql.SQLError {
	e, ok := cause.(interface{ Cause() error })
	if !ok {
		return nil
	}
	unique, ok := e.Cause().(sql.UniqueKeyError)
	if !ok {
		return nil
	}
	if whole := unique.Error(); strings.HasPrefix(whole, DuplicateEntry) {
		return Numbered(1062, whole)
	}
	schema := rt.Schema(ctx)
	entry := func(columns []int) (values string) {
		for i, c := range columns {
			if i > 0 {
				values += "-"
			}
			if c < len(unique.Existing) {
				values += ShownValue(ctx, schema[c].Type, unique.Existing[c])
			}
		}
		return values
	}
	said := func(values, key string) *mysql.SQLError {
		return Numbered(1062, fmt.Sprintf("Duplicate entry '%s' for key '%s.%s'", values, rt.Name(), key))
	}
	if unique.IsPK {
		var columns []int
		if pk, ok := sql.GetUnderlyingTable(rt.Table).(sql.PrimaryKeyTable); ok {
			columns = pk.PrimaryKeySchema(ctx).PkOrdinals
		}
		return said(entry(columns), "PRIMARY")
	}
	indexed, ok := sql.GetUnderlyingTable(rt.Table).(sql.IndexAddressable)
	if !ok {
		return nil
	}
	indexes, err := indexed.GetIndexes(ctx)
	if err != nil {
		return nil
	}
	key := strings.Trim(unique.Error(), "[]")
	for _, ix := range indexes {
		if !ix.IsUnique() || ix.ID() == "PRIMARY" {
			continue
		}
		var columns []int
		for _, expr := range ix.Expressions() {
			columns = append(columns, schema.IndexOf(expr[strings.LastIndex(expr, ".")+1:], rt.Name()))
		}
		if values := entry(columns); strings.ReplaceAll(strings.ReplaceAll(values, "-", ""), " ", "") == strings.NewReplacer("-", "", " ", "", ",", "").Replace(key) {
			return said(values, ix.ID())
		}
	}
	return nil
}

// ShownValue returns a value as text.
func ShownValue(ctx *sql.Context, t sql.Type, v any) string {
	if v == nil {
		return "NULL"
	}
	s, err := sqlvalue.Shown(ctx, t, nil, v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return s.ToString()
}

// foreignKey returns the constraint that go-mysql-server's message names, as MySQL shows it.
func foreignKey(ctx *sql.Context, db sql.Database, message string) string {
	var name, child, parent string
	for part := range strings.SplitSeq(message, ", ") {
		for label, to := range map[string]*string{"violation on fk: ": &name, "referenced table: ": &parent, "table: ": &child} {
			if _, quoted, ok := strings.Cut(part, label); ok && *to == "" && (label != "table: " || strings.HasPrefix(part, label)) {
				*to = strings.Trim(quoted, "`")
			}
		}
	}
	t, ok, err := db.GetTableInsensitive(ctx, child)
	if fkt, has := sql.GetUnderlyingTable(t).(sql.ForeignKeyTable); err == nil && ok && has {
		declared, err := fkt.GetDeclaredForeignKeys(ctx)
		if err != nil {
			return ""
		}
		for _, fk := range declared {
			if strings.EqualFold(fk.Name, name) {
				return fmt.Sprintf("`%s`.`%s`, CONSTRAINT `%s` FOREIGN KEY (`%s`) REFERENCES `%s` (`%s`)", db.Name(), child, fk.Name,
					strings.Join(fk.Columns, "`, `"), parent, strings.Join(fk.ParentColumns, "`, `"))
			}
		}
	}
	return fmt.Sprintf("`%s`.`%s`, CONSTRAINT `%s`", db.Name(), child, name)
}
