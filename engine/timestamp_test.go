package engine

import (
	"slices"
	"testing"
	"time"

	"pfsd/tables"
)

func momentsTable() *valueTable {
	columns := []tables.ColumnInfo{
		{Name: "ID", Kind: tables.Kind{Type: tables.TypeBigIntUnsigned}},
		{Name: "SEEN", Kind: tables.Kind{Type: tables.TypeTimestamp, Nullable: true}},
		{Name: "SEEN_EXACTLY", Kind: tables.Kind{Type: tables.TypeTimestamp, Len: 6, Nullable: true}},
	}
	rows := [][]tables.Value{{tables.Uint(0), tables.Null, tables.Null}}
	for i := range 400 {
		at := tables.Time(time.Date(2024, 2, 29, 23, 59, 58, 999_990_000+1000*(i%10), time.Local).AddDate(0, 0, i/10))
		rows = append(rows, []tables.Value{tables.Uint(uint64(i + 1)), at, at})
	}
	return &valueTable{readOnlyTable: readOnlyTable{name: "moments", columns: columns}, rows: rows}
}

func TestTimestamps(t *testing.T) {
	r := serve(t, Options{}, momentsTable())
	r.want(t, "SELECT * FROM moments LIMIT 3",
		"0|NULL|NULL", "1|2024-02-29 23:59:58|2024-02-29 23:59:58.999990", "2|2024-02-29 23:59:58|2024-02-29 23:59:58.999991")
	r.want(t, "SELECT COUNT(*), COUNT(SEEN), MIN(SEEN), MAX(SEEN_EXACTLY) FROM moments",
		"401|400|2024-02-29 23:59:58|2024-04-08 23:59:58.999999")
	r.want(t, "SELECT ID FROM moments WHERE SEEN_EXACTLY = '2024-03-01 23:59:58.999993'", "14")
	r.want(t, "SELECT COUNT(*) FROM moments WHERE SEEN = '2024-02-29 23:59:58'", "10")
	r.want(t, "SELECT COUNT(*) FROM moments WHERE SEEN_EXACTLY < '2024-03-01'", "10")
	r.want(t, "SELECT SEEN_EXACTLY FROM moments ORDER BY SEEN_EXACTLY DESC LIMIT 1", "2024-04-08 23:59:58.999999")
	r.want(t, "SELECT COLUMN_TYPE FROM information_schema.columns WHERE TABLE_NAME = 'moments' ORDER BY ORDINAL_POSITION",
		"bigint unsigned", "timestamp", "timestamp(6)")

	// The same through each of the ways that rows go: batches, past the protocol layer, the
	// executor, and the binary protocol.
	past := r.query(t, "SELECT ID, SEEN, SEEN_EXACTLY FROM moments")
	executed := r.query(t, "SELECT ID, SEEN, SEEN_EXACTLY FROM moments WHERE ID + 0 >= 0")
	binary := r.query(t, "SELECT ID, SEEN, SEEN_EXACTLY FROM moments WHERE ID >= ?", 0)
	if len(past) != 401 || !slices.Equal(past, executed) || !slices.Equal(past, binary) {
		t.Errorf("rows differ: %d, %d, %d\n%q\n%q\n%q", len(past), len(executed), len(binary), past[:2], executed[:2], binary[:2])
	}
}

func TestMomentsSurviveTheExecutor(t *testing.T) {
	at := tables.Time(time.Now())
	k := &tables.Kind{Type: tables.TypeTimestamp, Len: 6}
	if got := unbox(box(k, at)); got != at {
		t.Errorf("got %v, want %v", got.Time(), at.Time())
	}
}
