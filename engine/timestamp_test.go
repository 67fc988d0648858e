package engine

import (
	"slices"
	"strconv"
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

// Each session sees moments, and says them, in its own time zone.
func TestTimestampsInZones(t *testing.T) {
	winter, summer := time.Date(2024, 1, 1, 22, 30, 0, 123_456_000, time.UTC), time.Date(2024, 7, 1, 22, 30, 0, 0, time.UTC)
	columns := []tables.ColumnInfo{
		{Name: "ID", Kind: tables.Kind{Type: tables.TypeBigIntUnsigned}},
		{Name: "SEEN", Kind: tables.Kind{Type: tables.TypeTimestamp, Len: 6}},
	}
	rows := [][]tables.Value{{tables.Uint(1), tables.Time(winter)}, {tables.Uint(2), tables.Time(summer)}}
	for len(rows) < 300 { // more than go through the protocol layer
		rows = append(rows, []tables.Value{tables.Uint(3), tables.Time(winter)})
	}
	r := serve(t, Options{}, &valueTable{readOnlyTable: readOnlyTable{name: "moments", columns: columns}, rows: rows})
	r.db.SetMaxOpenConns(1)
	for _, c := range []struct{ zone, winter, summer string }{
		{"+00:00", "2024-01-01 22:30:00.123456", "2024-07-01 22:30:00.000000"},
		{"+02:00", "2024-01-02 00:30:00.123456", "2024-07-02 00:30:00.000000"},
		{"-9:30", "2024-01-01 13:00:00.123456", "2024-07-01 13:00:00.000000"},
		{"Europe/Berlin", "2024-01-01 23:30:00.123456", "2024-07-02 00:30:00.000000"},
		{"SYSTEM", winter.Local().Format("2006-01-02 15:04:05.000000"), summer.Local().Format("2006-01-02 15:04:05.000000")},
	} {
		r.exec(t, "SET time_zone = '"+c.zone+"'")
		r.want(t, "SELECT SEEN FROM moments LIMIT 2", c.winter, c.summer)
		r.want(t, "SELECT SEEN FROM moments WHERE ID = 2", c.summer)
		r.want(t, "SELECT ID FROM moments WHERE SEEN = '"+c.summer+"'", "2")
		r.want(t, "SELECT ID FROM moments WHERE SEEN > '"+c.winter+"'", "2")
		if got := r.query(t, "SELECT ID FROM moments WHERE SEEN = ?", c.summer); !slices.Equal(got, []string{"2"}) {
			t.Errorf("%s: %s is seen in %q", c.zone, c.summer, got)
		}
		r.want(t, "SELECT MIN(SEEN), MAX(SEEN), COUNT(DISTINCT SEEN) FROM moments", c.winter+"|"+c.summer+"|2")
		r.want(t, "SELECT a.SEEN FROM moments a JOIN moments b USING (SEEN) WHERE a.ID = 2", c.summer)
		if c.zone != "SYSTEM" { // the SQL engine does not know of its summer time
			r.want(t, "SELECT UNIX_TIMESTAMP(SEEN) = "+strconv.FormatInt(summer.Unix(), 10)+" FROM moments WHERE ID = 2", "1")
		}
		if all := r.query(t, "SELECT SEEN FROM moments"); len(all) != 300 || all[299] != c.winter {
			t.Errorf("%s: the last of %d rows is %s", c.zone, len(all), all[len(all)-1])
		}
	}
	// What one session sets is nothing to another.
	r.exec(t, "SET time_zone = '+14:00'")
	other := &running{Server: r.Server, db: r.open(t, "time_zone=%27-11%3A00%27")}
	other.want(t, "SELECT SEEN FROM moments WHERE ID = 2", "2024-07-01 11:30:00.000000")
	r.want(t, "SELECT SEEN FROM moments WHERE ID = 2", "2024-07-02 12:30:00.000000")
}

// What has been seen is not far from NOW(), whatever the zone.
func TestTimestampsAreAsNow(t *testing.T) {
	r := serveAll(t, Options{})
	r.db.SetMaxOpenConns(1)
	for _, zone := range []string{"+07:00", "-07:00", "SYSTEM", "system"} {
		r.exec(t, "SET time_zone = '"+zone+"'")
		r.exec(t, "TRUNCATE TABLE events_statements_summary_by_digest")
		r.want(t, "SELECT 1", "1")
		r.want(t, "SELECT LAST_SEEN BETWEEN NOW() - INTERVAL 1 HOUR AND NOW() + INTERVAL 1 HOUR AS near, FIRST_SEEN = LAST_SEEN AND QUERY_SAMPLE_SEEN = LAST_SEEN FROM events_statements_summary_by_digest WHERE DIGEST_TEXT = 'SELECT ?'", "1|1")
	}
}
