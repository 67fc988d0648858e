package writes

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/usertables"
)

// auto gives the AUTO_INCREMENT column of a table values. Owned by one goroutine.
//
// go-mysql-server: takes a value when a row needs one, so that the rows of two statements get them by turns. It finds out which row gets the
// first one from the text of the statement. MySQL: an INSERT with VALUES takes as many values as it has rows when it needs the first one, and
// LAST_INSERT_ID() is the first one that was made up for a row that was inserted, in whatever statement. A row gets its value last: a trigger
// that runs before that sees 0, and a row that is refused before takes none. A row that is not inserted then gives its value back to the next
// one of the statement. The values of the table go on after one that the statement has when its row is inserted; those of REPLACE and of a query in
// any case.
type auto struct {
	table       sql.AutoIncrementTable
	reserver    usertables.AutoReserver // nil if the table has none
	place       int                     // of the column
	rows, seen  uint64                  // of the statement, if it has VALUES, and of those the ones that have come here
	taken       bool                    // values have been taken for the statement
	next, left  uint64                  // of those
	given       bool                    // the statement has a value for the row
	made        bool                    // the value of the row was made up
	early       bool                    // values go on after one that a row has also if it is not inserted
	passed      any                     // the value that the row has and was not made up, if values go on after it
	first, last uint64                  // the first one that was made up, and the one of the last row
}

// withAuto returns the source of an INSERT with the values of the AUTO_INCREMENT column, nil if the table has none.
func withAuto(ctx *sql.Context, source sql.Node, table sql.Table, values *plan.Values, replace bool) (sql.Node, *auto, error) {
	a := &auto{place: -1, early: replace || values == nil}
	for i, c := range table.Schema(ctx) {
		if c.AutoIncrement {
			a.place = i
		}
	}
	t, ok := sql.GetUnderlyingTable(table).(sql.AutoIncrementTable)
	if a.place < 0 || !ok {
		return source, nil, nil
	}
	a.table = t
	a.reserver, _ = usertables.Stored(table).(usertables.AutoReserver)
	if values != nil {
		a.rows = uint64(len(values.ExpressionTuples))
	}
	n, err := a.in(ctx, source)
	return n, a, err
}

// in returns the source with the values of a.
func (a *auto) in(ctx *sql.Context, n sql.Node) (sql.Node, error) {
	if p, ok := n.(*plan.Project); ok {
		all := make([]sql.Expression, len(p.Projections))
		for i, e := range p.Projections {
			if x, ok := e.(*expression.AutoIncrement); ok {
				e = &autoValue{expression.UnaryExpressionStub{Child: x.Child}, x.Type(ctx), a}
			}
			all[i] = e
		}
		return plan.NewProject(all, p.Child), nil
	}
	children := n.Children()
	if len(children) == 0 {
		return n, nil
	}
	if _, trigger := n.(*plan.TriggerExecutor); !trigger && len(children) != 1 {
		return n, nil
	}
	first, err := a.in(ctx, children[0])
	if err != nil {
		return nil, err
	}
	return n.WithChildren(ctx, append([]sql.Node{first}, children[1:]...)...)
}

// take returns a new value. The first time, values for all rows of the statement are used up, and later for those that are left of them.
func (a *auto) take(ctx *sql.Context) (uint64, error) {
	if a.left == 0 {
		want := a.rows
		if a.taken {
			want = a.rows - min(a.seen-1, a.rows)
		}
		var err error
		if a.reserver == nil {
			a.next, err = a.table.GetNextAutoIncrementValue(ctx, nil)
			a.left = 1
		} else {
			a.next, a.left, err = a.reserver.ReserveAutoIncrement(max(want, 1))
		}
		if err != nil {
			a.left = 0
			return 0, err
		}
		a.taken = true
	}
	v := a.next
	if a.left--; a.left > 0 {
		a.next++
	}
	return v, nil
}

// giveBack gives the value of the last row back, if it was made up: the row is not inserted.
func (a *auto) giveBack() {
	if a == nil || !a.made {
		return
	}
	if a.left > 0 {
		a.next--
	}
	a.left++
	a.made = false
}

// goOnAfter has values go on after one that a row has.
func (a *auto) goOnAfter(given uint64) {
	if a.left == 0 || given < a.next {
		return
	}
	if passed := given - a.next; passed+1 < a.left {
		a.next, a.left = given+1, a.left-passed-1
	} else {
		a.left = 0
	}
}

// pass has the values of the table go on after that of the row, if now says so.
func (a *auto) pass(ctx *sql.Context, now bool) error {
	if !now || a.passed == nil {
		return nil
	}
	_, err := a.table.GetNextAutoIncrementValue(ctx, a.passed)
	a.passed = nil
	return err
}

// inserted notes that a row has been inserted.
func (a *auto) inserted(ctx *sql.Context, row sql.Row) error {
	a.changed(row)
	if a.made && a.first == 0 {
		a.first = a.last
		ctx.GetLastQueryInfo().LastInsertId.Store(int64(a.first))
	}
	a.made = false
	return a.pass(ctx, true)
}

// changed notes that a row has been made of the last one of the statement.
func (a *auto) changed(row sql.Row) {
	a.made = a.made && row[a.place] != nil
	switch v := row[a.place].(type) {
	case nil:
	case uint64:
		a.last = v
	default:
		if n, _, err := types.Int64.Convert(sql.NewEmptyContext(), v); err == nil && n != nil {
			a.last = uint64(n.(int64))
		}
	}
}

// autoValue is the value of the AUTO_INCREMENT column of a row, 0 until it gets one.
type autoValue struct {
	expression.UnaryExpressionStub
	typ  sql.Type
	auto *auto
}

// String implements sql.Expression.
func (v *autoValue) String() string { return v.Child.String() }

// Type implements sql.Expression.
func (v *autoValue) Type(*sql.Context) sql.Type { return v.typ }

// IsNullable implements sql.Expression.
func (v *autoValue) IsNullable(*sql.Context) bool { return false }

// WithChildren implements sql.Expression.
func (v *autoValue) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(v, len(children), 1)
	}
	return &autoValue{expression.UnaryExpressionStub{Child: children[0]}, v.typ, v.auto}, nil
}

// Eval implements sql.Expression.
func (v *autoValue) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	var given any
	var err error
	if v.Child != nil {
		if given, err = v.Child.Eval(ctx, row); err != nil {
			return nil, err
		}
	}
	if v.auto.given = given != nil; given == nil {
		return v.typ.Zero(), nil
	}
	return given, nil
}

// value returns the value of the column in a row that has given.
func (a *auto) value(ctx *sql.Context, t sql.Type, given any) (any, error) {
	a.seen++
	a.made, a.passed = !a.given, nil
	if given != nil {
		sign, err := t.Compare(ctx, given, t.Zero())
		if err != nil {
			return given, nil // the column says what is wrong with it
		}
		a.made = sign == 0 && (!a.given || !sql.LoadSqlMode(ctx).ModeEnabled(sql.NoAutoValueOnZero))
		if sign > 0 {
			a.passed = given
			if err := a.pass(ctx, a.early); err != nil {
				return nil, err
			}
			if n, _, err := types.Uint64.Convert(ctx, given); err == nil {
				a.goOnAfter(n.(uint64))
			}
		}
	}
	if !a.made {
		return given, nil
	}
	n, err := a.take(ctx)
	if err != nil {
		return nil, err
	}
	made, _, err := t.Convert(ctx, n)
	return made, err
}

// columnAt returns the place of a column among names, negative if it is not there.
func columnAt(names []string, column string) int {
	for i, n := range names {
		if strings.EqualFold(n, column) {
			return i
		}
	}
	return -1
}
