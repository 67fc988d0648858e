package writes

import (
	"io"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/executor"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/planning"
	"pfsd/engine/usertables"
)

// modify changes rows of the tables of a join. Owned by one goroutine.
//
// go-mysql-server: runs the triggers of a table for each row of the join, counts the rows that it changes as those that it finds, and
// calculates columns from what the join has read. MySQL: runs them for each row of the table, counts each of these once, whatever it is joined
// with, and calculates them from the row that is written.
type modify struct {
	source  sql.RowIter
	width   int      // of the rows of the join; those of the source have the old values before the new ones
	tables  []*setOf // as their columns are in the rows
	ignore  bool
	strict  bool
	matched int
	changed int
	number  int64 // of the row of the join, from 1
	ended   bool  // the source has no more rows
	closed  bool
}

// setOf is a table of which rows are changed.
type setOf struct {
	*joined
	name      string // its alias
	table     *plan.ResolvedTable
	updater   sql.RowUpdater
	columns   sql.Schema
	bytes     sql.Schema // the columns, by which rows are compared
	assigned  []int      // the columns that SET names
	renewed   *executor.Renewed
	generated *executor.Generated
	checks    sql.CheckConstraints
	later     []change // what is changed when the join has been read
}

// change is a row as the join has read it, with the values of the assigned columns.
type change struct{ row, values sql.Row }

// JoinOf returns the join that n updates, nil if n updates one table that is not joined.
func JoinOf(n *plan.Update) *plan.UpdateJoin {
	join, _ := n.Child.(*plan.UpdateJoin)
	return join
}

// Update builds the UPDATE n of a join. triggers has those of each table, as [planning.UpdateTargets] names them, nil if there is none.
func Update(ctx *sql.Context, c sql.Catalog, n *plan.Update, triggers []*planning.Triggers, row sql.Row, build Build) (sql.RowIter, error) {
	join := JoinOf(n)
	source, ok := join.Child.(*plan.UpdateSource)
	if !ok {
		return nil, sql.ErrUnsupportedFeature.New("UPDATE of a join of this kind")
	}
	before := slices.ContainsFunc(triggers, func(t *planning.Triggers) bool { return t.Before(plan.UpdateTrigger) })
	if stored, now, err := executor.StoreUpdate(ctx, source, before); err != nil {
		return nil, err
	} else if now {
		source = stored
	}
	set := source.UpdateExprs.ExplicitUpdateExprs()
	u := &modify{width: len(source.Child.Schema(ctx)), ignore: n.Ignore, strict: sql.LoadSqlMode(ctx).Strict() && !n.Ignore}
	var editors []sql.EditOpenerCloser
	for i, name := range planning.UpdateTargets(join) {
		t, err := newSetOf(ctx, c, source.Child, name, join.UpdateTargets[name])
		if err != nil {
			return nil, err
		}
		if set, err = t.assign(ctx, set); err != nil {
			return nil, err
		}
		if i < len(triggers) {
			t.triggers = run(triggers[i], row, build)
		}
		u.tables = append(u.tables, t)
		editors = append(editors, t.updater)
	}
	source = plan.NewUpdateSource(source.Child, source.Ignore, plan.NewUpdateExprs(set, len(set)))
	byPlace(u.tables, func(t *setOf) *joined { return t.joined })
	if err := u.setsKeyTwice(); err != nil {
		return nil, err
	}
	var err error
	if u.source, err = build(ctx, source, row); err != nil {
		return nil, err
	}
	return &answering{plan.NewTableEditorIter(u, editors...), u.answer}, nil
}

// newSetOf returns the table that the rows of n name so.
func newSetOf(ctx *sql.Context, c sql.Catalog, n sql.Node, name string, target sql.Node) (*setOf, error) {
	table, err := plan.GetUpdatable(target)
	if err != nil {
		return nil, err
	}
	rt := mysqlerr.WrittenTable(target)
	if rt == nil {
		return nil, sql.ErrUnsupportedFeature.New("UPDATE of a join of this kind")
	}
	t := &setOf{name: name, table: rt, updater: table.Updater(ctx)}
	if t.joined, err = newJoined(ctx, n, name, rt.Schema(ctx), t.updater); err != nil {
		return nil, err
	}
	checks, err := checksOf(ctx, rt)
	if err != nil {
		return nil, err
	}
	if t.columns, t.checks, err = defined(ctx, c, rt, checks, rt.Schema(ctx), 0); err != nil {
		return nil, err
	}
	t.bytes = usertables.BytesSchema(t.columns)
	t.generated, err = executor.NewGenerated(ctx, t.columns)
	return t, err
}

// assign notes what set assigns to the columns of the table. It returns set with the defaults of these columns.
func (t *setOf) assign(ctx *sql.Context, set []sql.Expression) ([]sql.Expression, error) {
	set, err := executor.SetDefaults(ctx, set, t.name, t.columns)
	if err != nil {
		return nil, err
	}
	for _, e := range set {
		if _, column := executor.Assignment(e); column != nil && strings.EqualFold(column.Table(), t.name) {
			t.assigned = append(t.assigned, t.columns.IndexOfColName(column.Name()))
		}
	}
	t.renewed, err = executor.NewRenewed(ctx, t.columns, t.assigned)
	return set, err
}

// setsKeyTwice returns the error for a table that is updated under two names, whose rows are found by the primary key that SET names.
func (u *modify) setsKeyTwice() error {
	for i, t := range u.tables {
		for _, o := range u.tables[:i] {
			if !strings.EqualFold(t.table.Name(), o.table.Name()) || !strings.EqualFold(t.table.Database().Name(), o.table.Database().Name()) {
				continue
			}
			if t.setsKey() || o.setsKey() {
				const message = "Primary key/partition key update is not allowed since the table is updated both as '%s' and '%s'."
				return mysql.NewSQLError(1706, "HY000", message, o.name, t.name)
			}
		}
	}
	return nil
}

// setsKey tells whether SET names a column of the primary key.
func (t *setOf) setsKey() bool {
	return slices.ContainsFunc(t.assigned, func(place int) bool { return t.columns[place].PrimaryKey })
}

// Next implements sql.RowIter: it yields each row that has been changed, with its old values before the new ones.
func (u *modify) Next(ctx *sql.Context) (sql.Row, error) {
	for !u.ended {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row, err := u.source.Next(ctx)
		if err == io.EOF {
			u.ended = true
			break
		}
		if err != nil {
			return nil, err
		}
		u.number++
		pair, err := u.found(ctx, row)
		if pair != nil || err != nil {
			return pair, err
		}
	}
	for _, t := range u.tables[1:] {
		for len(t.later) > 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			c := t.later[0]
			t.later = t.later[1:]
			if pair, err := u.write(ctx, t, c); pair != nil || err != nil {
				return pair, err
			}
		}
	}
	return nil, io.EOF
}

// found changes the row of the first table in a row of the source, and keeps those of the others for later. It returns what is changed.
func (u *modify) found(ctx *sql.Context, row sql.Row) (pair sql.Row, err error) {
	old, now := row[len(row)/2-u.width:len(row)/2], row[len(row)-u.width:] // those of statements around this one come first in each half
	for i, t := range u.tables {
		own, err := t.take(ctx, old)
		if err != nil {
			return nil, err
		}
		if own == nil {
			continue
		}
		u.matched++
		c := change{own, make(sql.Row, len(t.assigned))}
		for i, place := range t.assigned {
			c.values[i] = now[t.start+place]
		}
		if i == 0 {
			if pair, err = u.write(ctx, t, c); err != nil {
				return nil, err
			}
			continue
		}
		if c.row, err = t.keep(own); err != nil {
			return nil, err
		}
		if c.values, err = t.keep(c.values); err != nil {
			return nil, err
		}
		t.later = append(t.later, c)
	}
	return pair, nil
}

// write changes a row of a table. It returns it as it was before as it is now, nil if it is not changed.
func (u *modify) write(ctx *sql.Context, t *setOf, c change) (sql.Row, error) {
	old, err := t.find(ctx, c.row)
	if old == nil || err != nil {
		return nil, err
	}
	if err := t.generated.Fill(ctx, old, u.number, true); err != nil {
		return nil, err
	}
	now := slices.Clone(old)
	for i, place := range t.assigned {
		now[place] = c.values[i]
	}
	same, err := old.Equals(ctx, now, t.bytes)
	if err != nil {
		return nil, err
	}
	if !same {
		if err := t.renewed.Fill(ctx, now, u.number); err != nil {
			return nil, err
		}
	}
	now, err = u.triggered(ctx, t, old, now)
	if err != nil {
		return nil, err
	}
	if same, err = old.Equals(ctx, now, t.bytes); err != nil {
		return nil, err
	}
	pair := slices.Concat(old, now)
	if !same {
		if err := u.put(ctx, t, old, now); err != nil {
			return nil, u.refused(ctx, now, err)
		}
		u.changed++
	}
	if err := t.triggers.after(ctx, plan.UpdateTrigger, pair); err != nil || same {
		return nil, err
	}
	return pair, nil
}

// triggered returns the new values of a row as the triggers that run before it leave them.
func (u *modify) triggered(ctx *sql.Context, t *setOf, old, now sql.Row) (sql.Row, error) {
	if t.triggers != nil {
		if err := t.generated.Fill(ctx, now, u.number, false); err != nil {
			return nil, err
		}
		pair, err := t.triggers.before(ctx, plan.UpdateTrigger, slices.Concat(old, now))
		if err != nil {
			return nil, err
		}
		now = pair[len(old):]
	}
	return now, t.generated.Fill(ctx, now, u.number, false)
}

// put writes a row that is changed into its table.
func (u *modify) put(ctx *sql.Context, t *setOf, old, now sql.Row) error {
	if err := fillNulls(ctx, t.columns, now, u.strict); err != nil {
		return err
	}
	if err := check(ctx, t.checks, now); err != nil {
		return err
	}
	return t.updater.Update(ctx, old, now)
}

// refused returns the error of a row that cannot be written, or a warning with IGNORE.
func (u *modify) refused(ctx *sql.Context, row sql.Row, err error) error {
	if !u.ignore {
		return err
	}
	for _, kind := range plan.IgnorableErrors {
		if kind.Is(err) {
			warn(ctx, mysqlerr.Of(ctx, err))
			return nil
		}
	}
	return err
}

// answer is the answer OK.
func (u *modify) answer(*sql.Context) types.OkResult {
	return types.OkResult{RowsAffected: uint64(u.changed), Info: plan.UpdateInfo{Matched: u.matched, Updated: u.changed}}
}

// Close implements sql.RowIter.
func (u *modify) Close(ctx *sql.Context) error {
	if u.closed {
		return nil
	}
	u.closed = true
	err := u.source.Close(ctx)
	for _, t := range u.tables {
		if e := t.close(ctx, t.updater); err == nil {
			err = e
		}
	}
	return err
}
