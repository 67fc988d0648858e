package engine

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pfsd/instr"
)

// otherServers are the collectors that look for what MySQL 8.4 does not have, and fail there, with
// the number of the error: tables of MyRocks and the engine TokuDB, which are Percona Server's.
var otherServers = map[string]string{
	"collect.info_schema.rocksdb_perf_context": "1109",
	"collect.engine_tokudb_status":             "1286",
}

// TestExporter: each collector of prometheus/mysqld_exporter succeeds, but those of otherServers,
// and its metrics are what the tables say.
func TestExporter(t *testing.T) {
	needClient(t, "mysqld_exporter")
	program := buildClient(t, "mysqld_exporter", "github.com/prometheus/mysqld_exporter")
	r := serveClients(t)
	r.exec(t, "CREATE DATABASE heartbeat")
	r.exec(t, "CREATE TABLE heartbeat.heartbeat (ts VARCHAR(26) NOT NULL, server_id INT UNSIGNED PRIMARY KEY)")
	r.exec(t, "INSERT INTO heartbeat.heartbeat VALUES (NOW(6), 1)")
	expected := []string{
		"ROCKSDB_PERF_CONTEXT", "replica_host_status", "SHOW ENGINE TOKUDB STATUS", "@@query_response_time_stats",
		"SHOW SLAVE HOSTS", "SHOW ALL SLAVES STATUS", "SHOW SLAVE STATUS", // which are tried before what MySQL 8.4 has
	}
	r.visit(t, "exporter", monitoring, expected, func() {
		e := startExporter(t, program, r.port())
		defer e.stop()
		b := r.bracket(t, exporterFigures)
		metrics := e.scrape(t)
		b.check(t, metrics.figures)
		ok := metrics.figures("mysql_exporter_collector_success{collector}")
		if len(ok) < len(e.collectors) {
			t.Errorf("%d collectors, %d tell of their success", len(e.collectors), len(ok))
		}
		for name, success := range ok {
			if _, other := otherServers[name]; other != (success == 0) {
				t.Errorf("%s: success is %v", name, success)
			}
		}
	})
}

// exporterFigures are figures that the exporter takes from tables, by its name for them and the
// labels in braces; they grow, or stay as they are.
var exporterFigures = map[string]string{
	"mysql_perf_schema_events_waits_total{event_name}":         "SELECT EVENT_NAME, COUNT_STAR FROM events_waits_summary_global_by_event_name",
	"mysql_perf_schema_events_waits_seconds_total{event_name}": "SELECT EVENT_NAME, SUM_TIMER_WAIT/1e12 FROM events_waits_summary_global_by_event_name",
	"mysql_perf_schema_file_events_total{event_name,mode}": "SELECT EVENT_NAME, 'read', COUNT_READ FROM file_summary_by_event_name " +
		"UNION ALL SELECT EVENT_NAME, 'write', COUNT_WRITE FROM file_summary_by_event_name UNION ALL SELECT EVENT_NAME, 'misc', COUNT_MISC FROM file_summary_by_event_name",
	"mysql_perf_schema_file_events_seconds_total{event_name,mode}":      "SELECT EVENT_NAME, 'write', SUM_TIMER_WRITE/1e12 FROM file_summary_by_event_name",
	"mysql_perf_schema_file_events_bytes_total{event_name,mode}":        "SELECT EVENT_NAME, 'write', SUM_NUMBER_OF_BYTES_WRITE FROM file_summary_by_event_name",
	"mysql_perf_schema_file_instances_bytes{file_name,event_name,mode}": "SELECT FILE_NAME, EVENT_NAME, 'write', SUM_NUMBER_OF_BYTES_WRITE FROM file_summary_by_instance",
	"mysql_perf_schema_file_instances_total{file_name,event_name,mode}": "SELECT FILE_NAME, EVENT_NAME, 'write', COUNT_WRITE FROM file_summary_by_instance",
	"mysql_perf_schema_table_io_waits_total{schema,name,operation}": "SELECT OBJECT_SCHEMA, OBJECT_NAME, 'insert', COUNT_INSERT FROM table_io_waits_summary_by_table WHERE OBJECT_SCHEMA IN ('workload', 'test') " +
		"UNION ALL SELECT OBJECT_SCHEMA, OBJECT_NAME, 'fetch', COUNT_FETCH FROM table_io_waits_summary_by_table WHERE OBJECT_SCHEMA IN ('workload', 'test')",
	"mysql_perf_schema_table_io_waits_seconds_total{schema,name,operation}": "SELECT OBJECT_SCHEMA, OBJECT_NAME, 'delete', SUM_TIMER_DELETE/1e12 FROM table_io_waits_summary_by_table WHERE OBJECT_SCHEMA = 'workload'",
	"mysql_perf_schema_index_io_waits_total{schema,name,index,operation}":   "SELECT OBJECT_SCHEMA, OBJECT_NAME, INDEX_NAME, 'fetch', COUNT_FETCH FROM table_io_waits_summary_by_index_usage WHERE OBJECT_SCHEMA = 'workload' AND INDEX_NAME IS NOT NULL",
	"mysql_perf_schema_external_lock_waits_total{schema,name,operation}":    "SELECT OBJECT_SCHEMA, OBJECT_NAME, 'write', COUNT_WRITE_EXTERNAL FROM table_lock_waits_summary_by_table WHERE OBJECT_SCHEMA = 'workload'",
	"mysql_perf_schema_memory_events_alloc_bytes_total{event_name}":         "SELECT SUBSTR(EVENT_NAME, 8), SUM_NUMBER_OF_BYTES_ALLOC FROM memory_summary_global_by_event_name WHERE COUNT_ALLOC > 0",
	"mysql_perf_schema_events_statements_total{schema,digest}":              "SELECT SCHEMA_NAME, DIGEST, COUNT_STAR FROM events_statements_summary_by_digest WHERE SCHEMA_NAME = 'test'",
	"mysql_perf_schema_events_statements_seconds_total{schema,digest}":      "SELECT SCHEMA_NAME, DIGEST, SUM_TIMER_WAIT/1e12 FROM events_statements_summary_by_digest WHERE SCHEMA_NAME = 'test'",
	"mysql_perf_schema_events_statements_rows_sent_total{schema,digest}":    "SELECT SCHEMA_NAME, DIGEST, SUM_ROWS_SENT FROM events_statements_summary_by_digest WHERE SCHEMA_NAME = 'test'",
	"mysql_perf_schema_events_statements_sum_total":                         "SELECT SUM(COUNT_STAR) FROM events_statements_summary_by_digest",
	"mysql_perf_schema_events_statements_sum_rows_examined":                 "SELECT SUM(SUM_ROWS_EXAMINED) FROM events_statements_summary_by_digest",
	"mysql_global_status_commands_total{command}":                           "SHOW GLOBAL STATUS LIKE 'Com\\_%'",
	"mysql_global_status_handlers_total{handler}":                           "SELECT SUBSTR(LOWER(VARIABLE_NAME), 9), VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME LIKE 'Handler\\_%'",
	"mysql_global_status_questions":                                         "SELECT VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME = 'Questions'",
	"mysql_global_status_bytes_sent":                                        "SELECT VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME = 'Bytes_sent'",
	"mysql_sys_statements_total{user}":                                      "SELECT user, statements FROM sys.x$user_summary",
	"mysql_sys_file_ios_total{user}":                                        "SELECT user, file_ios FROM sys.x$user_summary",
	"mysql_heartbeat_stored_timestamp_seconds":                              "SELECT UNIX_TIMESTAMP(ts) FROM heartbeat.heartbeat",
	"mysql_global_variables_max_connections":                                "SELECT @@max_connections",
	"mysql_global_variables_performance_schema":                             "SELECT @@performance_schema",
	"mysql_global_variables_long_query_time":                                "SELECT @@long_query_time",
	"mysql_info_schema_auto_increment_column{schema,table,column}":          "SELECT TABLE_SCHEMA, TABLE_NAME, 'id', AUTO_INCREMENT FROM information_schema.TABLES WHERE TABLE_NAME = 'numbered'",
	"mysql_info_schema_auto_increment_column_max{schema,table,column}":      "SELECT 'test', 'numbered', 'id', 2147483647",
	"mysql_info_schema_table_rows{schema,table}":                            "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_ROWS FROM information_schema.TABLES WHERE TABLE_NAME = 'numbered'",
	"mysql_up": "SELECT 1",
}

// exporter is an exporter that runs.
type exporter struct {
	cmd        *exec.Cmd
	collectors []string
	url        string
	log        chan []string // what it has logged that is not mere information, at its end
}

var (
	exporterFlag   = regexp.MustCompile(`--\[no-\](collect\.[a-z_.]+)`)
	exporterListen = regexp.MustCompile(`msg="Listening on" address=(\S+)`)
	exporterOther  = regexp.MustCompile(`scraper=(\S+) .*err="Error (\d+)`)
)

// startExporter starts the exporter with all collectors on.
func startExporter(t testing.TB, program, port string) *exporter {
	t.Helper()
	help, err := exec.Command(program, "--help-long").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	e := &exporter{log: make(chan []string, 1)}
	config := filepath.Join(t.TempDir(), "my.cnf")
	if err := os.WriteFile(config, fmt.Appendf(nil, "[client]\nuser=exporter\npassword=%s\nhost=127.0.0.1\nport=%s\n", clientPassword, port), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"--config.my-cnf=" + config, "--web.listen-address=127.0.0.1:0"}
	for _, f := range exporterFlag.FindAllStringSubmatch(string(help), -1) {
		if !strings.HasPrefix(f[1], "collect.heartbeat.") && !strings.HasPrefix(f[1], "collect.info_schema.processlist.") && f[1] != "collect.mysql.user.privileges" {
			e.collectors = append(e.collectors, f[1])
		}
		args = append(args, "--"+f[1])
	}
	e.cmd = exec.Command(program, args...)
	stderr, err := e.cmd.StderrPipe()
	if err == nil {
		err = e.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	go func() {
		var log []string
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			line := lines.Text()
			if m := exporterListen.FindStringSubmatch(line); m != nil {
				address <- m[1]
			}
			if !strings.Contains(line, "level=INFO") {
				log = append(log, line)
			}
		}
		close(address)
		e.log <- log
	}()
	t.Cleanup(func() {
		e.stop()
		for _, line := range <-e.log {
			if m := exporterOther.FindStringSubmatch(line); m == nil || otherServers["collect."+m[1]] != m[2] {
				t.Errorf("the exporter logs: %s", line)
			}
		}
		_ = e.cmd.Wait()
	})
	e.url = "http://" + <-address + "/metrics"
	return e
}

func (e *exporter) stop() { _ = e.cmd.Process.Kill() }

// scrape asks for the metrics once.
func (e *exporter) scrape(t testing.TB) metrics {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: clientTime}
	resp, err := client.Get(e.url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v\n%.2000s", e.url, resp.Status, err, body)
	}
	return metrics(body)
}

// metrics are lines of the text format of Prometheus.
type metrics string

var metricLabel = regexp.MustCompile(`([a-z_]+)="((?:[^"\\]|\\.)*)"`)

// figures are the values of a metric, by the labels in the braces behind its name.
func (m metrics) figures(name string) figures {
	name, labels, _ := strings.Cut(strings.TrimSuffix(name, "}"), "{")
	all := figures{}
	for line := range strings.Lines(string(m)) {
		rest, ok := strings.CutPrefix(line, name)
		if !ok || rest[0] != '{' && rest[0] != ' ' {
			continue
		}
		of := make([]string, strings.Count(labels, ",")+1)
		for _, l := range metricLabel.FindAllStringSubmatch(rest, -1) {
			if i := slices.Index(strings.Split(labels, ","), l[1]); i >= 0 {
				of[i] = unescaped.Replace(l[2])
			}
		}
		words := strings.Fields(rest)
		n, _ := strconv.ParseFloat(words[len(words)-1], 64)
		all[strings.Join(of, "|")] = n
	}
	return all
}

var unescaped = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n")

// BenchmarkScrape measures a whole scrape of prometheus/mysqld_exporter with all collectors, the exporter's own
// part included, with 100 connections, 1,000 digests, 1,000 files and the 10,000 rows of each history_long.
func BenchmarkScrape(b *testing.B) {
	needClient(b, "mysqld_exporter")
	program := buildClient(b, "mysqld_exporter", "github.com/prometheus/mysqld_exporter")
	r, dir := instr.NewRegistry(), b.TempDir()
	addr := serveBench(b, Options{Registry: r, DataDir: dir, Instruments: []string{"%=ON"}})
	crowded(b, r, addr, dir, 100, 1000, 1000)
	db := openBench(b, addr)
	for _, q := range []string{
		"CREATE USER exporter IDENTIFIED BY '" + clientPassword + "'", "GRANT ALL ON *.* TO exporter",
		"CREATE DATABASE heartbeat", "CREATE TABLE heartbeat.heartbeat (ts VARCHAR(26) NOT NULL, server_id INT UNSIGNED PRIMARY KEY)",
	} {
		if _, err := db.Exec(q); err != nil {
			b.Fatal(err)
		}
	}
	_, port, _ := strings.Cut(addr, ":")
	e := startExporter(b, program, port)
	for b.Loop() {
		e.scrape(b)
	}
	e.stop()
}
