package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pfsd/instr"
)

// values reads all columns of all rows that match key.
func values(tb Table, reg *instr.Registry, key Key) [][]Value {
	cols := make([]int, len(tb.Columns()))
	for i := range cols {
		cols[i] = i
	}
	var all [][]Value
	for c := tb.Scan(Of(reg), cols, key); ; {
		row := make([]Value, len(cols))
		if !c.Next(row) {
			return all
		}
		all = append(all, row)
	}
}

// printed is rows as sorted text, without values that change with time, and without times, which
// change a little when the cycle counter is calibrated again.
func printed(tb Table, rows [][]Value) []string {
	var lines []string
	for _, r := range rows {
		line := ""
		for i, c := range tb.Columns() {
			if tb.Name() == "memory_summary_global_by_event_name" && i > 0 && ownMemory(r[0].Str()) {
				continue // reading takes memory
			}
			if tb.Name() == "goroutines" && i > 1 {
				continue // they do this and that meanwhile
			}
			if c.Name != "PROCESSLIST_TIME" && c.Name != "TIME" && !strings.Contains(c.Name, "TIMER_") {
				line += text(r[i]) + "\t"
			}
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

// ownMemory reports whether an instrument is one of memory that reading itself changes.
func ownMemory(name string) bool {
	return strings.HasPrefix(name, "memory/performance_schema/") || strings.HasPrefix(name, "memory/go/")
}

// nothing is a value of the type of v that no row has.
func nothing(v Value) Value {
	if v.IsText() {
		return Text("no such thing")
	}
	return Uint(math.MaxUint64)
}

// onlyRow are the tables that never have more than one row: there is one instrument of
// transactions, and the names of all stages begin alike.
var onlyRow = map[string]bool{"events_transactions_summary_global_by_event_name": true, "events_stages_summary_global_by_class": true}

// alwaysNull are the columns of indexes that are NULL in every row: no table has partitions.
var alwaysNull = map[string]bool{"data_locks.PARTITION_NAME": true, "data_locks.SUBPARTITION_NAME": true}

// A scan with a key yields the same rows as a filtered full scan, and its source makes no others:
// for each index of each table, and each prefix of the index.
func TestIndexes(t *testing.T) {
	oneAtATime(t)
	reg := watched()
	// Some tables have rows only for a thread that reads.
	reader := reg.AttachConnection("sql/one_connection", 1<<20)
	defer reader.Detach()
	reader.SetAccount(accounts[0].User, accounts[0].Host)
	populate(t, reg, 1000)
	for _, tb := range All() {
		full := values(tb, reg, nil)
		if tb.Empty() != "" {
			if len(full) > 0 {
				t.Errorf("%s: %d rows, though %s", tb.Name(), len(full), tb.Empty())
			}
			continue
		}
		if len(tb.Indexes()) > 0 && len(full) < 2 && !onlyRow[tb.Name()] {
			t.Errorf("%s: %d rows are too few to tell", tb.Name(), len(full))
		}
		for _, ix := range tb.Indexes() {
			for n := range ix.Columns {
				testIndex(t, fmt.Sprintf("%s/%s/%d", tb.Name(), ix.Name, n+1), reg, tb, full, ix.Columns[:n+1])
			}
		}
	}
}

func testIndex(t *testing.T, name string, reg *instr.Registry, tb Table, full [][]Value, columns []string) {
	place := func(column string) int {
		return slices.IndexFunc(tb.Columns(), func(c ColumnInfo) bool { return c.Name == column })
	}
	tried := 0
	step := len(full)/10 | 1 // odd: not the same of several rows that repeat
	for i := 0; i < len(full) && tried < 5; i += step {
		var key Key
		for _, c := range columns {
			key = append(key, Eq{Column: c, Value: full[i][place(c)]})
		}
		if slices.ContainsFunc(key, func(e Eq) bool { return e.Value.IsNull() }) {
			i -= step - 1
			continue
		}
		tried++
		var want [][]Value
		for _, r := range full {
			if !slices.ContainsFunc(key, func(e Eq) bool {
				return !equal(r[place(e.Column)], e.Value, tb.Columns()[place(e.Column)].Kind.Binary)
			}) {
				want = append(want, r)
			}
		}
		if got := values(tb, reg, key); !slices.Equal(printed(tb, got), printed(tb, want)) {
			t.Errorf("%s: %v: %d rows, want %d", name, key, len(got), len(want))
		}
		if n := tb.(interface {
			visited(*instr.Registry, Key) int
		}).visited(reg, key); n != len(want) {
			t.Errorf("%s: %v: the source makes %d rows, of which %d match", name, key, n, len(want))
		}
		key[0].Value = nothing(key[0].Value)
		if n := tb.(interface {
			visited(*instr.Registry, Key) int
		}).visited(reg, key); n != 0 {
			t.Errorf("%s: %v: the source makes %d rows, of which none matches", name, key, n)
		}
	}
	null := func(column string) bool { return alwaysNull[tb.Name()+"."+column] }
	if tried == 0 && !slices.ContainsFunc(columns, null) {
		t.Errorf("%s: no row has a value to look for", name)
	}
}

// A key with Near yields the rows that a collation could treat as equal, whether there are such
// names or not.
func TestNearKeys(t *testing.T) {
	for _, foreign := range []string{"", "näme"} {
		reg, want := instr.NewRegistry(), []string{"Name", "name"}
		for _, name := range []string{"name", "Name", "other", foreign} {
			must(0, reg.Setup().AddObject(instr.SetupObject{Type: instr.ObjectTable, Schema: "test", Name: name}))
		}
		if foreign != "" {
			want = append(want, foreign)
		}
		var got []string
		key := Key{is("OBJECT_TYPE", "TABLE"), {Column: "OBJECT_SCHEMA", Value: Text("TEST"), Near: true}, {Column: "OBJECT_NAME", Value: Text("NAME"), Near: true}}
		for _, row := range values(tableNamed(t, "setup_objects"), reg, key) {
			got = append(got, row[2].Str())
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("with a name %q: %q, want %q", foreign, got, want)
		}
	}
}
