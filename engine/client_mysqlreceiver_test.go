package engine

import (
	"strings"
	"testing"
)

// TestMysqlreceiver: OpenTelemetry's receiver makes all of its metrics, samples and top queries, with
// plans of these, without a complaint, and gets what the tables say.
func TestMysqlreceiver(t *testing.T) {
	needClient(t, "mysqlreceiver")
	program := buildClient(t, "mysqlreceiver", "")
	r := serveClients(t)
	// Statements with a plan, and one that takes long enough to be sampled.
	const slow = "SELECT word, SLEEP(0.02) FROM test.numbered WHERE id < 3"
	r.exec(t, slow) // the receiver tells of statements that it has seen twice
	busy := r.open(t, "")
	stop := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		var err error
		for err == nil {
			select {
			case <-stop:
				ended <- nil
				return
			default:
				_, err = busy.Exec(slow)
			}
		}
		ended <- err
	}()
	// To explain a statement takes the rights that it takes itself.
	r.visit(t, "otel", monitoring+"; ALL ON workload.*", nil, func() {
		b := r.bracket(t, mysqlreceiverFigures)
		points := readPoints(t, runClient(t, "", program, r.addr, "otel", clientPassword))
		close(stop)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		b.check(t, points.figures)
		plan, text, sample := false, false, false
		for _, p := range points {
			attribute := func(name string) string { s, _ := p.Attributes[name].(string); return s }
			switch p.Name {
			case "db.server.top_query":
				text = text || strings.Contains(attribute("db.query.text"), "FROM test . numbered WHERE id <")
				plan = plan || strings.Contains(attribute("mysql.query_plan"), "query_block")
			case "db.server.query_sample":
				sample = sample || attribute("db.query.text") != ""
			}
		}
		if !text || !plan || !sample {
			t.Errorf("the top queries have the test's: %v, with a plan: %v; there is a sample: %v", text, plan, sample)
		}
	})
}

// mysqlreceiverFigures are figures that the receiver takes from tables, by its name for them and
// the attributes in braces. It takes the four counts of an index for one another: what it says are deletes are fetches.
var mysqlreceiverFigures = map[string]string{
	"mysql.query.client.count":      "SELECT VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME = 'Questions'",
	"mysql.client.network.io{kind}": "SELECT 'sent', VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME = 'Bytes_sent'",
	"mysql.handlers{kind}":          "SELECT SUBSTR(LOWER(VARIABLE_NAME), 9), VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME LIKE 'Handler\\_%'",
	"mysql.commands{command}":       "SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_select', 'Com_insert', 'Com_update', 'Com_delete')",
	"mysql.sorts{kind}":             "SELECT SUBSTR(LOWER(VARIABLE_NAME), 6), VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME LIKE 'Sort\\_%'",
	"mysql.buffer_pool.limit":       "SELECT @@innodb_buffer_pool_size",
	"mysql.buffer_pool.pages{kind}": "SELECT SUBSTR(VARIABLE_NAME, 26), VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME IN ('Innodb_buffer_pool_pages_total', 'Innodb_buffer_pool_pages_free')",
	"mysql.page_size":               "SELECT VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME = 'Innodb_page_size'",
	"mysql.table.io.wait.count{schema,table,operation}": "SELECT OBJECT_SCHEMA, OBJECT_NAME, 'insert', COUNT_INSERT FROM table_io_waits_summary_by_table WHERE OBJECT_SCHEMA = 'workload' " +
		"UNION ALL SELECT OBJECT_SCHEMA, OBJECT_NAME, 'fetch', COUNT_FETCH FROM table_io_waits_summary_by_table WHERE OBJECT_SCHEMA = 'workload'",
	"mysql.table.io.wait.time{schema,table,operation}":        "SELECT OBJECT_SCHEMA, OBJECT_NAME, 'delete', FLOOR(SUM_TIMER_DELETE/1000) FROM table_io_waits_summary_by_table WHERE OBJECT_SCHEMA = 'workload'",
	"mysql.index.io.wait.count{schema,table,index,operation}": "SELECT OBJECT_SCHEMA, OBJECT_NAME, INDEX_NAME, 'delete', COUNT_FETCH FROM table_io_waits_summary_by_index_usage WHERE OBJECT_SCHEMA = 'workload' AND INDEX_NAME IS NOT NULL",
	"mysql.table.lock_wait.write.count{schema,table,kind}":    "SELECT OBJECT_SCHEMA, OBJECT_NAME, 'external', COUNT_WRITE_EXTERNAL FROM table_lock_waits_summary_by_table WHERE OBJECT_SCHEMA = 'workload'",
	"mysql.table.rows{schema,table}":                          "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_ROWS FROM information_schema.TABLES WHERE TABLE_NAME = 'numbered'",
	"mysql.table.size{schema,table,kind}":                     "SELECT TABLE_SCHEMA, TABLE_NAME, 'data', DATA_LENGTH FROM information_schema.TABLES WHERE TABLE_NAME = 'numbered'",
	"mysql.statement_event.wait.time{schema,digest}":          "SELECT SCHEMA_NAME, DIGEST, FLOOR(SUM_TIMER_WAIT/1000) FROM events_statements_summary_by_digest WHERE SCHEMA_NAME = 'test'",
	"mysql.statement_event.count{schema,digest,kind}":         "SELECT SCHEMA_NAME, DIGEST, 'rows_sent', SUM_ROWS_SENT FROM events_statements_summary_by_digest WHERE SCHEMA_NAME = 'test'",
}
