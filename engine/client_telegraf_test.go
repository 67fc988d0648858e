package engine

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestTelegraf: Telegraf's input gathers everything without an error, and gets what the tables say.
func TestTelegraf(t *testing.T) {
	needClient(t, "telegraf")
	program := buildClient(t, "telegraf", "")
	r := serveClients(t)
	r.visit(t, "telegraf", monitoring, nil, func() {
		b := r.bracket(t, telegrafFigures)
		points := readPoints(t, runClient(t, "", program, "telegraf:"+clientPassword+"@tcp("+r.addr+")/?timeout=300s"))
		b.check(t, points.figures)
	})
}

// telegrafFigures are figures that Telegraf takes from tables, by its name for them: measurement,
// field, and tags in braces.
var telegrafFigures = map[string]string{
	"mysql questions":                                                    "SELECT VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME = 'Questions'",
	"mysql handler_read_rnd_next":                                        "SELECT VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME = 'Handler_read_rnd_next'",
	"mysql_variables max_connections":                                    "SELECT @@max_connections",
	"mysql_innodb dml_reads":                                             "SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'dml_reads'",
	"mysql_users connections{user}":                                      "SELECT USER, COUNT(*) FROM information_schema.PROCESSLIST WHERE USER IN ('shop', 'billing') GROUP BY USER",
	"mysql_table_schema rows{schema,table}":                              "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_ROWS FROM information_schema.TABLES WHERE TABLE_NAME = 'numbered'",
	"mysql_table_schema auto_increment_column{schema,table,column}":      "SELECT 'test', 'numbered', 'id', AUTO_INCREMENT FROM information_schema.TABLES WHERE TABLE_NAME = 'numbered'",
	"mysql_table_schema auto_increment_column_max{schema,table,column}":  "SELECT 'test', 'numbered', 'id', 2147483647",
	"mysql_perf_schema events_waits_total{event_name}":                   "SELECT EVENT_NAME, COUNT_STAR FROM events_waits_summary_global_by_event_name",
	"mysql_perf_schema events_waits_seconds_total{event_name}":           "SELECT EVENT_NAME, SUM_TIMER_WAIT/1e12 FROM events_waits_summary_global_by_event_name",
	"mysql_perf_schema file_events_total{event_name,mode}":               "SELECT EVENT_NAME, 'read', COUNT_READ FROM file_summary_by_event_name UNION ALL SELECT EVENT_NAME, 'write', COUNT_WRITE FROM file_summary_by_event_name",
	"mysql_perf_schema file_events_bytes_totals{event_name,mode}":        "SELECT EVENT_NAME, 'write', SUM_NUMBER_OF_BYTES_WRITE FROM file_summary_by_event_name",
	"mysql_perf_schema table_io_waits_total_insert{schema,name}":         "SELECT OBJECT_SCHEMA, OBJECT_NAME, COUNT_INSERT FROM table_io_waits_summary_by_table WHERE OBJECT_SCHEMA IN ('workload', 'test')",
	"mysql_perf_schema table_io_waits_seconds_total_delete{schema,name}": "SELECT OBJECT_SCHEMA, OBJECT_NAME, SUM_TIMER_DELETE/1e12 FROM table_io_waits_summary_by_table WHERE OBJECT_SCHEMA = 'workload'",
	"mysql_perf_schema index_io_waits_total_fetch{schema,name,index}":    "SELECT OBJECT_SCHEMA, OBJECT_NAME, INDEX_NAME, COUNT_FETCH FROM table_io_waits_summary_by_index_usage WHERE OBJECT_SCHEMA = 'workload' AND INDEX_NAME IS NOT NULL",
	"mysql_perf_schema write{schema,table,perf_query}":                   "SELECT OBJECT_SCHEMA, OBJECT_NAME, 'external_lock_waits_total', COUNT_WRITE_EXTERNAL FROM table_lock_waits_summary_by_table WHERE OBJECT_SCHEMA = 'workload'",
	"mysql_perf_schema events_statements_total{schema,digest}":           "SELECT SCHEMA_NAME, DIGEST, COUNT_STAR FROM events_statements_summary_by_digest WHERE SCHEMA_NAME = 'test'",
	"mysql_perf_acc_event count_star{src_user,src_host,event}":           "SELECT USER, HOST, EVENT_NAME, COUNT_STAR FROM events_statements_summary_by_account_by_event_name WHERE USER IN ('shop', 'billing')",
	"mysql_perf_acc_event sum_rows_affected{src_user,src_host,event}":    "SELECT USER, HOST, EVENT_NAME, SUM_ROWS_AFFECTED FROM events_statements_summary_by_account_by_event_name WHERE USER IN ('shop', 'billing')",
}

// clientPoint is a line that the programs of testdata/clients/telegraf and testdata/clients/mysqlreceiver
// print. These call what it is of by different names.
type clientPoint struct {
	Name             string
	Tags, Attributes map[string]any
	Fields           map[string]any
	Value            float64
}

type clientPoints []clientPoint

func readPoints(t *testing.T, out string) (all clientPoints) {
	t.Helper()
	for line := range strings.Lines(out) {
		var p clientPoint
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, p)
	}
	return all
}

// figures are the values of "NAME{LABELS}", or of "NAME FIELD{LABELS}" where points have fields.
func (all clientPoints) figures(name string) figures {
	name, labels, _ := strings.Cut(strings.TrimSuffix(name, "}"), "{")
	name, field, _ := strings.Cut(name, " ")
	found := figures{}
	for _, p := range all {
		if p.Name != name {
			continue
		}
		n := p.Value
		if field != "" {
			v, ok := p.Fields[field].(float64)
			if !ok {
				continue
			}
			n = v
		}
		var of []string
		for _, l := range strings.Split(labels, ",") {
			v, ok := p.Tags[l].(string)
			if !ok {
				v, _ = p.Attributes[l].(string)
			}
			of = append(of, v)
		}
		found[strings.Join(of, "|")] = n
	}
	return found
}
