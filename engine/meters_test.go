package engine

import (
	"strings"
	"testing"

	"pfsd/instr"
)

// Each metric reads what its status variable is, and they go when the server does.
func TestMeters(t *testing.T) {
	r := serveAll(t, Options{})
	r.exec(t, "CREATE TABLE test.metered (a INT PRIMARY KEY)")
	r.exec(t, "INSERT INTO test.metered VALUES (1), (2)")
	want := map[string]string{"com_create_table": "1", "com_insert": "1", "handler_write": "2", "performance_schema_metric_lost": "0"}
	all := map[string]*instr.Metric{}
	for _, m := range r.reg.Reader().Metrics() {
		all[m.Name()] = m
	}
	for _, row := range r.query(t, "SHOW GLOBAL STATUS") {
		name, value, _ := strings.Cut(row, "|")
		if w, ok := want[strings.ToLower(name)]; ok && value != w {
			t.Errorf("%s is %s, want %s", name, value, w)
		}
		m := all[strings.ToLower(name)]
		if m == nil || name != "Com_insert" && name != "Com_create_table" && name != "Handler_write" && !strings.HasSuffix(name, "_lost") {
			continue
		}
		if got := m.ReadInteger(); got < 0 || (got != 0) != (value != "0") {
			t.Errorf("%s is %s, its metric reads %d", name, value, got)
		}
	}
	for name, w := range want {
		if m := all[name]; m == nil || m.Type() != instr.MetricCounter {
			t.Errorf("there is no counter %s, which is %s", name, w)
		}
	}
	r.want(t, "SELECT METER, METRIC_TYPE, NUM_TYPE, UNIT FROM setup_metrics WHERE NAME IN ('bytes_sent', 'threads_running') ORDER BY NAME",
		"mysql.stats|ASYNC COUNTER|INTEGER|By", "mysql.stats|ASYNC GAUGE COUNTER|INTEGER|NULL")
	r.want(t, "SELECT NAME, FREQUENCY, ENABLED FROM setup_meters ORDER BY NAME",
		"mysql.inno|10|YES", "mysql.inno.data|10|YES", "mysql.perf_schema|10|YES", "mysql.stats|10|YES", "mysql.stats.com|10|YES", "mysql.stats.connection|10|YES",
		"mysql.stats.handler|10|YES", "mysql.stats.ssl|10|YES", "pfsd.metrics|10|YES")
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	if left := r.reg.Reader().Metrics(); len(left) != 0 {
		t.Errorf("%d metrics are left of a server that has stopped", len(left))
	}
}
