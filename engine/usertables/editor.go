package usertables

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/instr"
)

// observed returns an editor of the rows of table t that reports inserts, updates and deletes to
// the Observer of the session, if there is one.
func observed[E any](ctx *sql.Context, t StoredTable, e E) E {
	s := SessionOf(ctx)
	if s == nil {
		return e
	}
	return wrapEditor(e, func(inner sql.TableEditor) sql.TableEditor {
		own := editor{TableEditor: inner, session: s, table: t, temporary: IsTemporary(t)}
		if keys, ok := inner.(sql.ForeignKeyEditor); ok {
			return &keyedEditor{own, keys}
		}
		return &own
	})
}

// wrapEditor puts an editor around the editor e of a table. It returns e itself if that is not
// possible, because E has methods that the other editor lacks.
func wrapEditor[E any](e E, wrap func(sql.TableEditor) sql.TableEditor) E {
	inner, ok := any(e).(sql.TableEditor)
	if !ok {
		return e
	}
	if outer, ok := wrap(inner).(E); ok {
		return outer
	}
	return e
}

// editor is an editor that reports inserts, updates and deletes. Owned by one goroutine.
type editor struct {
	sql.TableEditor
	session   *Session
	table     StoredTable
	temporary bool
}

// charge charges a row that replaces old in a temporary table. Either may be nil.
func (e *editor) charge(old, row sql.Row) error {
	if !e.temporary {
		return nil
	}
	return e.session.chargeRow(e.table, row, old)
}

// wrote undoes the charge of a row that could not be written.
func (e *editor) wrote(old, row sql.Row, err error) error {
	if err != nil {
		_ = e.charge(row, old)
	}
	return err
}

// Find implements Finder.
func (e *editor) Find(ctx *sql.Context, row sql.Row) (sql.Row, error) {
	if f, ok := e.TableEditor.(Finder); ok {
		return f.Find(ctx, row)
	}
	return row, nil
}

// Insert implements sql.RowInserter.
func (e *editor) Insert(ctx *sql.Context, row sql.Row) error {
	w := e.session.observer.Writes(e.table, instr.TableInsert)
	err := e.charge(nil, row)
	if err == nil {
		err = e.wrote(nil, row, e.TableEditor.Insert(ctx, row))
	}
	w.End(1)
	return err
}

// Update implements sql.RowUpdater.
func (e *editor) Update(ctx *sql.Context, old, new sql.Row) error {
	w := e.session.observer.Writes(e.table, instr.TableUpdate)
	err := e.charge(old, new)
	if err == nil {
		err = e.wrote(old, new, e.TableEditor.Update(ctx, old, new))
	}
	w.End(1)
	return err
}

// Delete implements sql.RowDeleter.
func (e *editor) Delete(ctx *sql.Context, row sql.Row) error {
	w := e.session.observer.Writes(e.table, instr.TableDelete)
	err := e.charge(row, nil)
	if err == nil {
		err = e.wrote(row, nil, e.TableEditor.Delete(ctx, row))
	}
	w.End(1)
	return err
}

// keyedEditor is an editor that can also look rows up, as foreign keys and full text indexes need.
// Rows of other tables that change because of these are not reported, as in MySQL.
type keyedEditor struct {
	editor
	sql.IndexAddressable
}
