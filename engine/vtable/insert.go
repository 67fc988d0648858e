package vtable

import (
	"errors"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/access"
	"pfsd/engine/mysqlerr"
	"pfsd/tables"
)

// Inserter implements sql.InsertableTable. Access has been checked.
func (t *Table) Inserter(ctx *sql.Context) sql.RowInserter { return &inserter{editor: t.editor(ctx)} }

// Replacer implements sql.ReplaceableTable: REPLACE inserts; if a row with the same key
// exists, go-mysql-server deletes it and inserts again. Access has been checked.
func (t *Table) Replacer(ctx *sql.Context) sql.RowReplacer { return &inserter{editor: t.editor(ctx)} }

// inserter applies an INSERT or a REPLACE. Owned by one goroutine.
type inserter struct {
	editor
	// refused are the errors that INSERT IGNORE turns into warnings, by go-mysql-server's texts.
	refused map[string]*mysql.SQLError
}

// Insert implements sql.RowInserter.
func (in *inserter) Insert(ctx *sql.Context, row sql.Row) error {
	if !in.t.Def.Insertable() {
		return mysqlerr.TableDenied(ctx, "INSERT", in.t.Name())
	}
	countsOf(ctx).Add(HandlerWrite, 1)
	values := make([]tables.Value, len(row))
	for i, v := range row {
		values[i] = unbox(v, in.zone)
	}
	err := in.t.Def.Insert(tables.As(in.t.Model, access.Account(ctx).String()), values)
	if err == nil {
		return nil
	}
	if errors.Is(err, tables.ErrDuplicate) {
		why := mysqlerr.Duplicate(in.t.Name())
		return in.refuse(why, sql.NewUniqueKeyErr(why.Message, true, in.rowWithKey(ctx, row)))
	}
	var def tables.ColumnInfo
	var column *tables.ColumnError
	if errors.As(err, &column) {
		i := in.t.Position(column.Column)
		if def = in.t.Def.Columns()[i]; errors.Is(err, tables.ErrBadValue) {
			if def.Kind.Values == nil {
				return mysqlerr.IncorrectText(values[i].Str(), def.Name)
			}
			// go-mysql-server accepts it if the mode is not strict or IGNORE is given.
			why := mysqlerr.NoReference()
			return in.refuse(why, sql.ErrForeignKeyChildViolation.Wrap(why, "", in.t.Name(), "", ""))
		}
	}
	return mysqlerr.OfTable(err, in.t.Name(), def.Name)
}

// refuse returns err, an error of go-mysql-server, which IGNORE, REPLACE and ON DUPLICATE KEY UPDATE need;
// why is MySQL's error for it.
func (in *inserter) refuse(why *mysql.SQLError, err error) error {
	if in.refused == nil {
		in.refused = map[string]*mysql.SQLError{}
	}
	in.refused[err.Error()] = why
	return err
}

// Close implements sql.Closer. It gives the warnings of INSERT IGNORE the numbers and texts of
// MySQL.
func (in *inserter) Close(ctx *sql.Context) error {
	for _, w := range ctx.Session.Warnings() {
		if why, ok := in.refused[w.Message]; ok {
			w.Level, w.Code, w.Message = "Warning", why.Num, why.Message
		}
		if text, _, ok := strings.Cut(w.Message, " (errno "); ok { // an error with MySQL's number
			w.Level, w.Message = "Warning", text
		}
	}
	return nil
}

// rowWithKey returns the row with the unique key of row.
func (in *inserter) rowWithKey(ctx *sql.Context, row sql.Row) (found sql.Row) {
	unique := in.t.uniqueColumns()
	s := NewScan(in.t, nil)
	s.Requests = Requests{ReadKey, 1, ReadNext, true}
	s.Cols = make([]int, len(row))
	for i := range s.Cols {
		s.Cols[i] = i
		if name := in.t.Fields[i].Name; row[i] != nil && slices.Contains(unique, name) {
			s.key = append(s.key, tables.Eq{Column: name, Value: unbox(row[i], in.zone)})
		}
	}
	for r, err := s.Next(ctx); err == nil; r, err = s.Next(ctx) {
		// The scan may find rows whose key is not equal to the key of row.
		same := func(column string) bool { i := in.t.Position(column); return r[i] == row[i] }
		if found == nil || !slices.ContainsFunc(unique, func(c string) bool { return !same(c) }) {
			found = r
		}
	}
	return found
}
