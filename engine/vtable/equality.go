package vtable

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlexpr"
	"pfsd/instr"
	"pfsd/tables"
)

// equality converts "column = v" to a condition of a scan. It reports false if the scan could miss a row
// that SQL finds. If the condition is marked as near, the scan may also find rows that are not equal in
// SQL.
func (t *Table) equality(column string, v any) (tables.Eq, bool) {
	defs := t.Def.Columns()
	i := slices.IndexFunc(defs, func(c tables.ColumnInfo) bool { return strings.EqualFold(c.Name, column) })
	if i < 0 {
		return tables.Eq{}, false
	}
	column = defs[i].Name
	if s, ok := v.(string); ok {
		kind := defs[i].Kind
		if kind.Type == tables.TypeChar {
			s = strings.TrimRight(s, " ") // the column stores no trailing spaces, and ignores them in comparisons
		}
		eq := tables.Eq{Column: column, Value: tables.Text(s), Near: !exactText(defs[i])}
		return eq, kind.IsText() && kind.Type != tables.TypeJSON && instr.PlainText(s) && !strings.HasSuffix(s, " ")
	}
	if defs[i].Kind.IsText() || isMoment(defs[i].Kind) {
		return tables.Eq{}, false
	}
	if n, ok := wholeNumber(v); ok {
		return tables.Eq{Column: column, Value: n}, true
	}
	return tables.Eq{}, false
}

// wholeNumber converts v to a table's number, if it is an integer.
func wholeNumber(v any) (tables.Value, bool) {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if r.Int() < 0 {
			return tables.Int(r.Int()), true
		}
		return tables.Uint(uint64(r.Int())), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return tables.Uint(r.Uint()), true
	}
	return tables.Null, false
}

func isMoment(k tables.Kind) bool { return k.Type == tables.TypeTimestamp || k.Type == tables.TypeDate }

// exactText reports whether equality with printable ASCII is the same in the scan and in the collation. It
// is for binary columns, and for those with only ASCII: hosts, enumerations, hashes, and the names of
// instruments, consumers and timers. In other columns the collation also finds "é" for "e".
func exactText(c tables.ColumnInfo) bool {
	switch {
	case c.Kind.Type == tables.TypeEnum, c.Kind.ASCII, c.Kind.Binary:
		return true
	case c.Kind.Type == tables.TypeVarChar:
		return c.Name == "EVENT_NAME" || c.Name == "NAME" || c.Name == "TIMER_NAME" || c.Name == "DIGEST"
	}
	return false
}

// pushDown splits cond, a filter directly above a scan of t with the output columns cols, into the
// conjuncts "column = constant", as a key, and the rest, nil if there is none. The key also has the bounds of a window of
// time, which the rest tests again.
func pushDown(ctx *sql.Context, t *Table, cols []int, cond sql.Expression) (tables.Key, sql.Expression) {
	var key tables.Key
	var rest []sql.Expression
	for _, e := range expression.SplitConjunction(ctx, cond) {
		eq, ok := constantEquality(ctx, t, cols, e)
		if ok {
			key = append(key, eq)
		}
		if !ok || eq.Near {
			rest = append(rest, e)
		}
		if !ok {
			key = append(key, momentBounds(ctx, t, cols, e)...)
		}
	}
	return key, expression.JoinAnd(rest...)
}

func constantEquality(ctx *sql.Context, t *Table, cols []int, e sql.Expression) (tables.Eq, bool) {
	eq, ok := sqlexpr.Equality(e)
	if !ok {
		return tables.Eq{}, false
	}
	field, isField := eq.Left().(*expression.GetField)
	constant, isConstant := eq.Right().(*expression.Literal)
	if !isField {
		field, isField = eq.Right().(*expression.GetField)
		constant, isConstant = eq.Left().(*expression.Literal)
	}
	if !isField || !isConstant || field.Index() >= len(cols) {
		return tables.Eq{}, false
	}
	if _, ok := constant.Value().(string); ok && types.IsBinaryType(constant.Type(ctx)) {
		return tables.Eq{}, false // a comparison with a binary constant compares bytes
	}
	return t.equality(t.Def.Columns()[cols[field.Index()]].Name, constant.Value())
}
