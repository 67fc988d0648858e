package tables

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pfsd/instr"
)

func tableNamed(t testing.TB, name string) Table {
	t.Helper()
	i := slices.IndexFunc(AllOf(9), func(tb Table) bool { return tb.Name() == name })
	if i < 0 {
		t.Fatalf("no table %s", name)
	}
	return AllOf(9)[i]
}

// text is a value as a client prints it.
func text(v Value) string {
	switch {
	case v.IsNull():
		return "NULL"
	case v.IsText():
		return v.Str()
	case v.IsSigned():
		return fmt.Sprint(int64(v.Bits()))
	case v.IsDouble():
		return fmt.Sprintf("%.6f", v.Float())
	case v.IsTime():
		return v.Time().Format(time.DateTime + ".000000")
	}
	return fmt.Sprint(v.Bits())
}

type row = map[string]string

// rows reads all columns of the rows of a table that match key.
func rows(t testing.TB, reg *instr.Registry, name string, key ...Eq) []row {
	t.Helper()
	tb := tableNamed(t, name)
	cols := make([]int, len(tb.Columns()))
	for i := range cols {
		cols[i] = i
	}
	values := make([]Value, len(cols))
	var all []row
	for c := tb.Scan(Of(reg), cols, key); c.Next(values); {
		r := row{}
		for i, v := range values {
			r[tb.Columns()[i].Name] = text(v)
		}
		all = append(all, r)
	}
	return all
}

// one reads the only row that matches key.
func one(t testing.TB, reg *instr.Registry, name string, key ...Eq) row {
	t.Helper()
	all := rows(t, reg, name, key...)
	if len(all) != 1 {
		t.Fatalf("%s where %v: %d rows", name, key, len(all))
	}
	return all[0]
}

func is(column, v string) Eq            { return Eq{Column: column, Value: Text(v)} }
func number(column string, n uint64) Eq { return Eq{Column: column, Value: Uint(n)} }

// expect compares some columns of a row.
func expect(t testing.TB, got row, want row) {
	t.Helper()
	for c, v := range want {
		if got[c] != v {
			t.Errorf("%s = %q, want %q", c, got[c], v)
		}
	}
}

// visited is how many rows a table's source makes for a key.
func (t *table[R]) visited(reg *instr.Registry, key Key) (n int) {
	src := t.def.Rows(Of(reg), t.resolved(key))
	buf := make([]R, 10)
	for {
		got := src(buf)
		if got == 0 {
			return n
		}
		n += got
	}
}
