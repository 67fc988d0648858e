package engine

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"pfsd/instr"
	"pfsd/instr/instrhttp"
	"pfsd/instr/instrsql"
	"pfsd/tables"
)

// A service of net/http and database/sql is seen by SQL: the request, the query that it asks, and who has the connection.
func TestOrdinaryService(t *testing.T) {
	database := serve(t, Options{}, tables.All()...)
	database.exec(t, "CREATE DATABASE shop")
	database.exec(t, "CREATE TABLE shop.users (id INT PRIMARY KEY, name VARCHAR(20))")
	database.exec(t, "INSERT INTO shop.users VALUES (7, 'Ann')")
	reg := instr.NewRegistry()
	endpoint := serve(t, Options{Registry: reg}, tables.All()...)
	endpoint.exec(t, "UPDATE performance_schema.setup_consumers SET ENABLED = 'YES'")

	db, err := instrsql.Open("mysql", "root@tcp("+database.addr+")/shop?interpolateParams=true", instrsql.WithRegistry(reg), instrsql.WithName("shop"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	asked, goOn := make(chan struct{}), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) {
		tx, err := db.BeginTx(r.Context(), nil)
		if err != nil {
			t.Error(err)
			return
		}
		var name string
		if err := tx.QueryRowContext(r.Context(), "SELECT name FROM users WHERE id = ?", r.PathValue("id")).Scan(&name); err != nil {
			t.Error(err)
		}
		close(asked)
		<-goOn
		_ = tx.Commit()
		_, _ = io.WriteString(w, name)
	})
	handler := instrhttp.NewHandler(mux, instrhttp.WithRegistry(reg))
	endpoint.exec(t, "UPDATE performance_schema.setup_instruments SET ENABLED = 'YES', TIMED = 'YES' WHERE NAME LIKE 'stage/%' OR NAME LIKE 'wait/synch/%'")
	service := httptest.NewServer(handler)
	defer service.Close()
	answered := make(chan string)
	go func() {
		response, err := http.Get(service.URL + "/users/7?token=secret")
		if err != nil {
			answered <- err.Error()
			return
		}
		defer func() { _ = response.Body.Close() }()
		b, _ := io.ReadAll(response.Body)
		answered <- string(b)
	}()
	<-asked
	endpoint.want(t, "SELECT db, connection_id, taken, taken_for >= 0, taken_at LIKE 'ordinary\\_service\\_test.go:%', thread, state, statement, opened > NOW() - INTERVAL 1 HOUR FROM sys.db_connections",
		"shop|1|YES|1|1|thread/go/net/http.(*conn).serve|running handler|GET /users/7|1")
	endpoint.want(t, "SELECT COUNT(*), MIN(db) FROM sys.x$db_connections", "1|shop")
	close(goOn)
	if got := <-answered; got != "Ann" {
		t.Fatal(got)
	}
	statements := "SELECT COUNT(*) FROM performance_schema.events_statements_history_long WHERE EVENT_NAME LIKE 'statement/%GET /users/{id}'"
	eventually(t, "the request ends", func() bool { return slices.Equal(endpoint.query(t, statements), []string{"1"}) })
	endpoint.want(t, "SELECT taken, taken_for, taken_at, thread FROM sys.db_connections", "NO|NULL|NULL|NULL")
	endpoint.want(t, `SELECT s.EVENT_NAME, s.SQL_TEXT, s.CURRENT_SCHEMA, s.ROWS_SENT, s.ROWS_SENT > 0 AND s.TIMER_WAIT > 0, s.NESTING_EVENT_TYPE
		FROM performance_schema.events_statements_history_long s JOIN performance_schema.events_statements_history_long r ON r.THREAD_ID = s.THREAD_ID AND r.EVENT_NAME LIKE 'statement/http/GET%'
		WHERE s.EVENT_NAME LIKE 'statement/db.client/%' OR s.EVENT_NAME LIKE 'statement/http/GET%' ORDER BY s.EVENT_ID`,
		"statement/http/GET /users/{id}|GET /users/7|NULL|3|1|NULL",
		"statement/db.client/connect|NULL|shop|0|0|STATEMENT",
		"statement/db.client/begin|NULL|shop|0|0|STATEMENT",
		"statement/db.client/select|SELECT name FROM users WHERE id = ?|shop|1|1|TRANSACTION",
		"statement/db.client/commit|NULL|shop|0|0|TRANSACTION")
	endpoint.want(t, "SELECT DIGEST_TEXT, COUNT_STAR FROM performance_schema.events_statements_summary_by_digest WHERE SCHEMA_NAME = 'shop' OR DIGEST_TEXT LIKE 'GET %' ORDER BY 1",
		"GET /users/{id}|1", "SELECT NAME FROM `users` WHERE `id` = ?|1")
	endpoint.want(t, "SELECT DISTINCT g.EVENT_NAME FROM performance_schema.events_stages_history_long g WHERE g.EVENT_NAME LIKE 'stage/http/%' ORDER BY 1",
		"stage/http/running handler", "stage/http/writing response")
	endpoint.want(t, "SELECT STATE, COUNT(*) FROM performance_schema.events_transactions_history_long WHERE THREAD_ID = (SELECT THREAD_ID FROM performance_schema.events_statements_history_long WHERE EVENT_NAME LIKE 'statement/http/GET%') GROUP BY STATE", "COMMITTED|1")
}

// A program sees the same of the driver of this server's clients with instrsql and without.
func TestInstrsqlWithTheDriver(t *testing.T) {
	database := serve(t, Options{}, tables.All()...)
	reg := instr.NewRegistry()
	dsn := "root@tcp(" + database.addr + ")/"
	var want []string
	for _, way := range []string{"plain", "instrsql"} {
		for _, interpolate := range []bool{false, true} {
			open := func() (*sql.DB, error) {
				return sql.Open("mysql", fmt.Sprintf("%s?multiStatements=true&interpolateParams=%v", dsn, interpolate))
			}
			if way == "instrsql" {
				open = func() (*sql.DB, error) {
					return instrsql.Open("mysql", fmt.Sprintf("%s?multiStatements=true&interpolateParams=%v", dsn, interpolate), instrsql.WithRegistry(reg))
				}
			}
			db, err := open()
			if err != nil {
				t.Fatal(err)
			}
			got := driverScript(t, db)
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			switch {
			case way == "plain" && !interpolate:
				want = got
			case !slices.Equal(got, want):
				t.Errorf("%s, interpolated %v:\n%s\nwant:\n%s", way, interpolate, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
	var failed *instr.StatementEvent
	for _, s := range reg.Reader().StatementsHistoryLong() {
		if s.Errno == 1146 {
			failed = &s
		}
	}
	if reg.Setup().Consumer(instr.ConsumerEventsStatementsHistoryLong) && (failed == nil || failed.SQLState != "42S02") {
		t.Errorf("the error of the server: %+v", failed)
	}
}

// driverScript does what programs do with the driver, and returns what it sees.
func driverScript(t *testing.T, db *sql.DB) (seen []string) {
	t.Helper()
	ctx := context.Background()
	see := func(format string, args ...any) { seen = append(seen, fmt.Sprintf(format, args...)) }
	see("%v", db.PingContext(ctx))
	for _, q := range []string{"DROP DATABASE IF EXISTS scripted", "CREATE DATABASE scripted", "CREATE TABLE scripted.t (id INT PRIMARY KEY AUTO_INCREMENT, a DECIMAL(10,2), b DATETIME(3))"} {
		_, err := db.ExecContext(ctx, q)
		see("%v", err)
	}
	r, err := db.ExecContext(ctx, "INSERT INTO scripted.t (a, b) VALUES (?, ?), (?, NULL)", "1.5", "2026-01-02 03:04:05.678", 2)
	if err != nil {
		t.Fatal(err)
	}
	id, err := r.LastInsertId()
	n, err2 := r.RowsAffected()
	see("%d %v %d %v", id, err, n, err2)
	rows, err := db.QueryContext(ctx, "SELECT id, a, b FROM scripted.t WHERE id > ? ORDER BY id; SELECT 7", 0)
	if err != nil {
		rows, err = db.QueryContext(ctx, "SELECT id, a, b FROM scripted.t ORDER BY id; SELECT 7")
	}
	if err != nil {
		t.Fatal(err)
	}
	for more := true; more; more = rows.NextResultSet() {
		types, err := rows.ColumnTypes()
		see("%v", err)
		values := make([]any, len(types))
		for i, c := range types {
			precision, scale, ok := c.DecimalSize()
			see("%s %s %d %d %v %v", c.Name(), c.DatabaseTypeName(), precision, scale, ok, c.ScanType())
			values[i] = new(sql.NullString)
		}
		for rows.Next() {
			see("%v", rows.Scan(values...))
			for _, v := range values {
				see("%v", *v.(*sql.NullString))
			}
		}
	}
	see("%v %v", rows.Err(), rows.Close())
	_, err = db.ExecContext(ctx, "INSERT INTO scripted.missing VALUES (1)")
	var server *mysql.MySQLError
	if asServer, ok := err.(*mysql.MySQLError); ok {
		server = asServer
	}
	see("%v", server)
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted, ReadOnly: true})
	see("%v", err)
	_, err = tx.ExecContext(ctx, "INSERT INTO scripted.t (a) VALUES (1)")
	see("%v %v", err, tx.Rollback())
	s, err := db.PrepareContext(ctx, "SELECT a FROM scripted.t WHERE id = ?")
	if err != nil {
		t.Fatal(err)
	}
	for id := range 3 {
		var a string
		see("%v %s", s.QueryRowContext(ctx, id).Scan(&a), a)
	}
	see("%v", s.Close())
	c, err := db.Conn(ctx)
	see("%v", err)
	see("%v", instrsql.Raw(c, func(driverConn any) error { see("%T", driverConn); return nil }))
	see("%v", c.Close())
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err = db.ExecContext(gone, "SELECT 1")
	see("%v", err)
	return seen
}
