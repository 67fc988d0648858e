package writes

import (
	"context"
	"io"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/executor"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/planning"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/usertables"
)

// Build makes the iterator of a node.
type Build func(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error)

// insert writes the rows of an INSERT or a REPLACE. Owned by one goroutine.
//
// go-mysql-server: runs the triggers of INSERT alone, whatever REPLACE deletes and ON DUPLICATE KEY UPDATE changes; assigns AUTO_INCREMENT
// values one by one, and does not know which of them are new; refuses what a row lacks, whatever the sql_mode; and tells the client less.
// MySQL: as the files of this package say.
type insert struct {
	node    *plan.InsertInto
	columns sql.Schema
	bytes   sql.Schema // the columns, by which rows are compared
	source  sql.RowIter
	// into inserts rows, replace too; without a replace, replacer is nil, and without ON DUPLICATE KEY UPDATE, updater is.
	into      sql.RowInserter
	replacer  sql.RowReplacer
	updater   sql.RowUpdater
	auto      *auto // nil without an AUTO_INCREMENT column
	checks    sql.CheckConstraints
	generated *executor.Generated
	derived   []sql.Expression // what ON DUPLICATE KEY UPDATE sets besides what it names and what is generated
	triggers  *running
	lenient   lenient
	tally     tally
	number    int64 // of the row, from 1
	lastID    bool  // ON DUPLICATE KEY UPDATE has LAST_INSERT_ID(value)
	closed    bool
}

// Insert builds the INSERT or REPLACE n, whose source converts its values to the columns. triggers are those of the table that do not stand in
// the plan, nil for none.
func Insert(ctx *sql.Context, n *plan.InsertInto, triggers *planning.Triggers, checks sql.CheckConstraints, row sql.Row, build Build) (sql.RowIter, error) {
	table, err := plan.GetInsertable(n.Destination)
	if err != nil {
		return nil, err
	}
	if n.OnDupExprs.HasUpdates() && contain(ctx, n.OnDupExprs.AllExpressions(), isSubquery) {
		return nil, sql.ErrUnsupportedFeature.New("a subquery in ON DUPLICATE KEY UPDATE")
	}
	i := &insert{node: n, columns: n.Destination.Schema(ctx), checks: checks, triggers: run(triggers, row, build)}
	if n.IsReplace || n.OnDupExprs.HasUpdates() {
		i.bytes = usertables.BytesSchema(i.columns)
	}
	for _, c := range n.Checks() {
		mended := *c
		if mended.Expr, err = sqlexpr.MendExpression(ctx, c.Expr); err != nil {
			return nil, err
		}
		i.checks = append(i.checks, &mended)
	}
	if i.generated, err = executor.NewGenerated(ctx, i.columns); err != nil {
		return nil, err
	}
	var editors []sql.EditOpenerCloser
	if n.IsReplace {
		i.replacer = table.(sql.ReplaceableTable).Replacer(ctx)
		i.into = i.replacer
		editors = append(editors, i.replacer)
	} else {
		i.into = table.Inserter(ctx)
		editors = append(editors, i.into)
		if n.OnDupExprs.HasUpdates() {
			i.updater = table.(sql.UpdatableTable).Updater(ctx)
			i.derived = slices.DeleteFunc(slices.Clone(n.OnDupExprs.DerivedUpdateExprs()), i.generates)
			i.lastID = contain(ctx, n.OnDupExprs.AllExpressions(), setsLastID)
			if !n.Ignore {
				editors = append(editors, i.updater)
			}
		}
	}
	values := valuesOf(n.Source)
	source := n.Source
	if source, i.auto, err = withAuto(ctx, source, table, values, n.IsReplace); err != nil {
		return nil, err
	}
	i.lenient = newLenient(ctx, n, values)
	i.lenient.begin(ctx, i.columns)
	if i.source, err = build(ctx, source, row); err != nil {
		return nil, err
	}
	rows := plan.NewTableEditorIter(i, editors...)
	if n.Ignore {
		rows = plan.NewCheckpointingTableEditorIter(i, editors[0])
	}
	return &answering{rows, i.answer}, nil
}

// generates tells whether e assigns to a generated column.
//
// go-mysql-server: calculates it from the row of the query in INSERT ... SELECT. MySQL: from the row that is changed.
func (i *insert) generates(e sql.Expression) bool {
	_, column := executor.Assignment(e)
	if column == nil {
		return false
	}
	at := i.columns.IndexOfColName(column.Name())
	return at >= 0 && i.columns[at].Generated != nil
}

// setsLastID tells whether e is LAST_INSERT_ID with a value.
func setsLastID(e sql.Expression) bool {
	l, ok := e.(*function.LastInsertId)
	return ok && len(l.Children()) > 0
}

// isSubquery tells whether e is a subquery.
//
// go-mysql-server: does not plan the subqueries of ON DUPLICATE KEY UPDATE, and reads the columns of another row. MySQL: plans them.
func isSubquery(e sql.Expression) bool {
	_, is := e.(sql.ExpressionWithNodes)
	return is
}

// contain tells whether one of the expressions, or one within them, is what is says.
func contain(ctx *sql.Context, all []sql.Expression, is func(sql.Expression) bool) bool {
	return slices.ContainsFunc(all, func(e sql.Expression) bool {
		return transform.InspectExpr(ctx, e, func(_ *sql.Context, e sql.Expression) bool { return is(e) })
	})
}

// valuesOf returns the rows of the statement, nil for those of a query.
func valuesOf(source sql.Node) *plan.Values {
	for {
		switch n := source.(type) {
		case *plan.Values:
			return n
		case *plan.TriggerExecutor:
			source = n.Left()
		default:
			if c := n.Children(); len(c) == 1 {
				source = c[0]
				continue
			}
			return nil
		}
	}
}

// Next implements sql.RowIter: it writes a row.
func (i *insert) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := i.source.Next(ctx)
	if err == io.EOF {
		return nil, err
	}
	if err != nil {
		return nil, i.refuse(ctx, row, err)
	}
	i.number++
	i.tally.records++
	if len(row) > len(i.columns) { // those of statements around this one come first
		row = row[len(row)-len(i.columns):]
	}
	if err := i.lenient.fill(ctx, i.columns, row, i.number, i.generated); err != nil {
		return nil, i.refuse(ctx, row, err)
	}
	given := row
	if row, err = i.converted(ctx, row); err != nil {
		return nil, sql.NewWrappedInsertError(given, err)
	}
	if err := check(ctx, i.checks, row); err != nil {
		return nil, i.refuse(ctx, row, err)
	}
	if i.auto != nil {
		if row[i.auto.place], err = i.auto.value(ctx, i.columns[i.auto.place].Type, row[i.auto.place]); err != nil {
			return nil, err
		}
	}
	var changed bool
	if i.replacer != nil {
		err = i.replace(ctx, row)
	} else if err = i.put(ctx, row); err != nil && i.updater != nil {
		if existing := existing(err); existing != nil {
			i.auto.giveBack()
			row, err = i.update(ctx, existing, row)
			changed = true
		}
	}
	if err != nil {
		i.auto.giveBack()
		return nil, i.refuse(ctx, row, err)
	}
	if changed {
		return row, nil
	}
	i.tally.copied++
	if i.auto != nil {
		if err := i.auto.inserted(ctx, row); err != nil {
			return nil, err
		}
	}
	return row, i.triggers.after(ctx, plan.InsertTrigger, row)
}

// put inserts a row into the table.
//
// go-mysql-server: looks for the parents of the row before it finds a row with its key, so ON DUPLICATE KEY UPDATE and REPLACE fail for the
// parents of a row that they do not insert. MySQL: finds the key first.
func (i *insert) put(ctx *sql.Context, row sql.Row) error {
	keys, ok := i.into.(*plan.ForeignKeyHandler)
	if !ok {
		return i.into.Insert(ctx, row)
	}
	table := keys.Editor.Editor
	if err := table.Insert(ctx, row); err != nil {
		return err
	}
	for _, reference := range keys.Editor.References {
		err := reference.CheckReference(ctx, row)
		if sql.ErrForeignKeyChildViolation.Is(err) { // which IGNORE forgives
			if failed := table.Delete(ctx, row); failed != nil {
				return failed
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// existing returns the row that has the key of another one, of which err is about.
func existing(err error) sql.Row {
	if !sql.ErrPrimaryKeyViolation.Is(err) && !sql.ErrUniqueKeyViolation.Is(err) {
		return nil
	}
	if e, ok := err.(interface{ Cause() error }); ok {
		if u, ok := e.Cause().(sql.UniqueKeyError); ok {
			return u.Existing
		}
	}
	return nil
}

// converted returns a row with values of the columns' types. Most are already: what is left are types of which the source leaves the error to
// the column.
func (i *insert) converted(ctx *sql.Context, row sql.Row) (sql.Row, error) {
	for at, c := range i.columns {
		v := row[at]
		if v == nil {
			continue
		}
		kept, in, err := convertTo(ctx, c.Type, v)
		if err != nil { // which may name the column and the row
			named := context.WithValue(context.WithValue(ctx.Context, types.ColumnNameKey, c.Name), types.RowNumberKey, i.number)
			kept, in, err = convertTo(ctx.WithContext(named), c.Type, v)
		}
		switch {
		case err == nil && in != sql.InRange:
			err = sql.ErrValueOutOfRange.New(v, c.Type)
		case sql.ErrTruncatedIncorrect.Is(err):
			err = sql.ErrInvalidValue.New(v, c.Type)
		case types.ErrLengthBeyondLimit.Is(err):
			err = types.ErrLengthBeyondLimit.New(v, c.Name)
		case sql.ErrNotMatchingSRID.Is(err):
			err = sql.ErrNotMatchingSRIDWithColName.New(c.Name, err)
		case types.ErrConvertingToEnum.Is(err), sql.ErrInvalidSetValue.Is(err), sql.ErrConvertingToSet.Is(err):
			err = types.ErrDataTruncatedForColumnAtRow.New(c.Name, i.number)
		}
		if err != nil {
			if !i.node.Ignore || types.IsJSON(c.Type) || types.IsGeometry(c.Type) {
				return nil, err
			}
			warn(ctx, mysqlerr.Of(ctx, sql.NewWrappedInsertError(row, err)))
			kept = c.Type.Zero()
		}
		row[at] = kept
	}
	return row, nil
}

// convertTo converts a value to a type; what is between two numbers is rounded.
func convertTo(ctx *sql.Context, t sql.Type, v any) (any, sql.ConvertInRange, error) {
	if r, ok := t.(sql.RoundingNumberType); ok {
		return r.ConvertRound(ctx, v)
	}
	return t.Convert(ctx, v)
}

// replace inserts a row of REPLACE, and deletes the rows that have its keys.
func (i *insert) replace(ctx *sql.Context, row sql.Row) error {
	for first := true; ; first = false {
		err := i.put(ctx, row)
		old := existing(err)
		if old == nil {
			return err
		}
		if err := i.generated.Fill(ctx, old, i.number, true); err != nil {
			return err
		}
		if first && i.triggers == nil {
			if same, err := old.Equals(ctx, row, i.bytes); err != nil || same && onlyKey(ctx, i.node.Destination) {
				return err // MySQL updates a row that has the only key, and then there is nothing to update
			}
		}
		if _, err := i.triggers.before(ctx, plan.DeleteTrigger, old); err != nil {
			return err
		}
		if err := i.replacer.Delete(ctx, old); err != nil {
			return err
		}
		i.tally.deleted++
		if err := i.triggers.after(ctx, plan.DeleteTrigger, old); err != nil {
			return err
		}
	}
}

// onlyKey tells whether a table has one unique key, and no other table refers to it.
func onlyKey(ctx *sql.Context, n sql.Node) bool {
	rt := mysqlerr.WrittenTable(n)
	if rt == nil {
		return false
	}
	t := sql.GetUnderlyingTable(rt.Table)
	indexed, ok := t.(sql.IndexAddressable)
	if !ok {
		return false
	}
	all, err := indexed.GetIndexes(ctx)
	if err != nil {
		return false
	}
	unique := 0
	for _, x := range all {
		if x.IsUnique() {
			unique++
		}
	}
	if f, ok := t.(sql.ForeignKeyTable); ok {
		if referring, err := f.GetReferencedForeignKeys(ctx); err != nil || len(referring) > 0 {
			return false
		}
	}
	return unique == 1
}

// update changes the row old, which has a key of row, as ON DUPLICATE KEY UPDATE says.
func (i *insert) update(ctx *sql.Context, old, row sql.Row) (sql.Row, error) {
	if err := i.generated.Fill(ctx, old, i.number, true); err != nil {
		return row, err
	}
	width := len(old)
	both := append(append(make(sql.Row, 0, 2*width), old...), row...)
	both, err := i.apply(ctx, i.node.OnDupExprs.ExplicitUpdateExprs(), both)
	if err != nil {
		return row, err
	}
	now := both[:width:width]
	same, err := old.Equals(ctx, now, i.bytes)
	if err != nil {
		return row, err
	}
	if !same {
		if both, err = i.apply(ctx, i.derived, both); err != nil {
			return row, err
		}
		now = both[:width:width]
		if err := i.generated.Fill(ctx, now, i.number, false); err != nil {
			return row, err
		}
	}
	if i.triggers != nil {
		pair, err := i.triggers.before(ctx, plan.UpdateTrigger, append(append(make(sql.Row, 0, 2*width), old...), now...))
		if err != nil {
			return row, err
		}
		now = pair[width:]
		if err := i.generated.Fill(ctx, now, i.number, false); err != nil {
			return row, err
		}
		if same, err = old.Equals(ctx, now, i.bytes); err != nil {
			return row, err
		}
	}
	if err := i.lenient.updated(ctx, i.columns, now); err != nil {
		return row, err
	}
	if err := check(ctx, i.checks, now); err != nil {
		return row, err
	}
	if err := i.updater.Update(ctx, old, now); err != nil {
		return row, err
	}
	i.tally.touched++
	if !same {
		i.tally.updated++
		if i.auto != nil {
			i.auto.changed(now)
			i.auto.goOnAfter(i.auto.last)
		}
	}
	pair := old.Append(now)
	return pair, i.triggers.after(ctx, plan.UpdateTrigger, pair)
}

// apply returns row with what the expressions, each of which sets a column, make of it.
func (i *insert) apply(ctx *sql.Context, set []sql.Expression, row sql.Row) (sql.Row, error) {
	for _, e := range set {
		v, err := e.Eval(ctx, row)
		if err != nil {
			return row, err
		}
		row = v.(sql.Row)
	}
	return row, nil
}

// refuse returns the error of a row that cannot be written, or a warning with IGNORE.
func (i *insert) refuse(ctx *sql.Context, row sql.Row, err error) error {
	if i.node.Ignore {
		for _, kind := range plan.IgnorableErrors {
			if kind.Is(err) {
				warn(ctx, mysqlerr.Of(ctx, sql.NewWrappedInsertError(row, err)))
				return sql.NewIgnorableError(row)
			}
		}
		return err
	}
	return sql.NewWrappedInsertError(row, err)
}

// warn adds a warning.
func warn(ctx *sql.Context, e *mysql.SQLError) {
	ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: e.Num, Message: e.Message})
}

// answer is the answer OK.
func (i *insert) answer(ctx *sql.Context) types.OkResult {
	t := &i.tally
	changed := t.updated
	if ctx.Client().Capabilities&mysql.CapabilityClientFoundRows != 0 {
		changed = t.touched
	}
	ok := types.OkResult{RowsAffected: t.copied + t.deleted + t.updated + changed}
	last := ctx.GetLastQueryInfo()
	switch {
	case i.auto != nil && i.auto.first != 0:
		ok.InsertID = i.auto.first
	case i.lastID:
		ok.InsertID = uint64(last.LastInsertId.Load())
	case i.auto != nil && t.copied+t.updated > 0:
		ok.InsertID = i.auto.last
	}
	info := Info{Records: t.records, Duplicates: t.deleted + changed}
	if i.node.Ignore {
		info.Duplicates = t.records - t.copied
	}
	if i.lenient.told(ctx) {
		info.Load, info.Warnings = i.lenient.loads, uint64(ctx.Session.WarningCount())
		ok.Info = info
	}
	return ok
}

// Close implements sql.RowIter.
func (i *insert) Close(ctx *sql.Context) error {
	if i.closed {
		return nil
	}
	i.closed = true
	err := i.source.Close(ctx)
	closing := []interface{ Close(*sql.Context) error }{i.into}
	if i.updater != nil {
		closing = append(closing, i.updater)
	}
	for _, c := range closing {
		if e := c.Close(ctx); err == nil {
			err = e
		}
	}
	if e := i.triggers.close(ctx); err == nil {
		err = e
	}
	return err
}
