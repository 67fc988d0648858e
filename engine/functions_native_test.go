package engine

import (
	"strconv"
	"strings"
	"testing"

	"pfsd/engine/vtable"
	"pfsd/tables"
)

// TestNativeFunctions: MySQL's functions about threads, and its numbers in words.
func TestNativeFunctions(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.want(t, "SELECT PS_CURRENT_THREAD_ID() = THREAD_ID, ps_thread_id(CONNECTION_ID()) = Ps_Current_Thread_Id() FROM threads WHERE PROCESSLIST_ID = CONNECTION_ID()", "1|1")
	r.want(t, "SELECT PS_THREAD_ID(999999), PS_THREAD_ID(NULL), PS_THREAD_ID('x')", "NULL|NULL|NULL")
	r.want(t, "SELECT FORMAT_BYTES(512), FORMAT_BYTES(18446744073709551615), FORMAT_BYTES(NULL), FORMAT_BYTES(-2048), FORMAT_BYTES('x'), format_bytes(1024)",
		" 512 bytes|16.00 EiB|NULL|-2.00 KiB|   0 bytes|1.00 KiB")
	r.want(t, "SELECT FORMAT_PICO_TIME(3501), FORMAT_PICO_TIME(188732396662000), format_pico_time(1), FORMAT_PICO_TIME(NULL), FORMAT_PICO_TIME(86400e12 * 200000)",
		"3.50 ns|3.15 min|  1 ps|NULL|2.00e+05 d")
	r.want(t, "SELECT THREAD_ID = PS_THREAD_ID(PROCESSLIST_ID) FROM threads WHERE PROCESSLIST_ID IS NOT NULL", "1")
	c, _ := r.conn(t)
	f := mysqlMessages(t)
	for name, calls := range map[string][]string{
		"ps_current_thread_id": {"(1)", "(NULL)"}, "ps_thread_id": {"()", "(1, 2)"}, "FORMAT_BYTES": {"()", "(1, 2)"}, "format_pico_time": {"()", "(1, 2)"},
	} {
		for _, call := range calls {
			if got, want := answerTo(t.Context(), c, "SELECT "+name+call), f.text(1582, name); got != want {
				t.Errorf("%s%s: got %s, want %s", name, call, got, want)
			}
		}
	}
}

// TestShowEngineStatus: SHOW ENGINE PERFORMANCE_SCHEMA STATUS has the sizes of all buffers, and their
// sum at the end.
func TestShowEngineStatus(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	rows := r.query(t, "SHOW ENGINE PERFORMANCE_SCHEMA STATUS")
	if want := 3*len(r.reg.Reader().Buffers()) + 1; len(rows) != want {
		t.Fatalf("%d rows, want %d", len(rows), want)
	}
	sum, total := 0, 0
	for i, row := range rows {
		cells := strings.Split(row, "|")
		n, err := strconv.Atoi(cells[2])
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case cells[0] != vtable.Database || n < 0:
			t.Errorf("row %d is %s", i, row)
		case i == len(rows)-1:
			total = n
		case strings.HasSuffix(cells[1], ".memory"):
			sum += n
		}
	}
	if last := rows[len(rows)-1]; !strings.HasPrefix(last, "performance_schema|performance_schema.memory|") || sum != total || total == 0 {
		t.Errorf("the last row is %s, and the sum %d", last, sum)
	}
	r.want(t, "SHOW ENGINE performance_schema MUTEX")
	r.want(t, "SHOW ENGINE MEMORY STATUS")
}
