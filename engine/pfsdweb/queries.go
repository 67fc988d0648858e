package pfsdweb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A window is a period of time, both ends in UTC; the end is not part of it.
type window struct{ from, to time.Time }

const (
	defaultWindow = 5 * time.Minute
	longestWindow = 31 * 24 * time.Hour
	loadPoints    = 150 // of the chart, at most, besides those that are cut by its ends
)

var errWindow = errors.New("the period of time is not valid: from and to are milliseconds since 1970, and at most 31 days apart")

// parseWindow reads a window from the parameters from and to, in milliseconds since 1970. Without both, it is the
// five minutes before now.
func parseWindow(q url.Values, now time.Time) (window, error) {
	if !q.Has("from") && !q.Has("to") {
		return window{now.Add(-defaultWindow).UTC(), now.UTC()}, nil
	}
	from, err := strconv.ParseInt(q.Get("from"), 10, 64)
	if err != nil {
		return window{}, errWindow
	}
	to, err := strconv.ParseInt(q.Get("to"), 10, 64)
	if err != nil || from <= 0 || to <= from || to > 1<<31*1000-1000 || to-from > longestWindow.Milliseconds() {
		return window{}, errWindow
	}
	return window{time.UnixMilli(from).UTC(), time.UnixMilli(to).UTC()}, nil
}

// args are the two ends, as the queries compare them with SAMPLE_TIME.
func (w window) args() []any {
	const layout = "2006-01-02 15:04:05.000000"
	return []any{w.from.Format(layout), w.to.Format(layout)}
}

const samples = ` FROM performance_schema.active_session_history h WHERE h.SAMPLE_TIME >= ? AND h.SAMPLE_TIME < ? `

// queries are what the browser can ask for by name. Those that are windowed have the ends of a window as arguments.
var queries = map[string]struct {
	windowed bool
	text     string
}{
	"waits": {true, `SELECT h.WAIT_CLASS AS wait_class, h.EVENT_NAME AS event, h.OBJECT_NAME AS object, h.SOURCE AS source, SUM(h.WEIGHT) AS seconds, COUNT(DISTINCT h.THREAD_ID) AS threads` +
		samples + `GROUP BY wait_class, event, object, source ORDER BY seconds DESC LIMIT 100`},
	// A request has the time of the statements inside of it, too.
	"statements": {true, `SELECT MAX(s.query) AS query, s.db AS db, SUM(s.seconds) AS seconds, SUM(s.waiting) AS waiting, MAX(s.threads) AS threads, MAX(s.digest) AS digest FROM (` +
		`SELECT IFNULL(h.DIGEST, h.STATEMENT_EVENT_NAME) AS id, MAX(IFNULL(h.DIGEST_TEXT, h.STATEMENT_EVENT_NAME)) AS query, h.CURRENT_SCHEMA AS db, SUM(h.WEIGHT) AS seconds, SUM(IF(h.STATE = 'WAIT', h.WEIGHT, 0)) AS waiting, COUNT(DISTINCT h.THREAD_ID) AS threads, MAX(h.DIGEST) AS digest` +
		samples + `AND h.STATEMENT_EVENT_ID IS NOT NULL GROUP BY h.DIGEST, h.STATEMENT_EVENT_NAME, db UNION ALL ` +
		`SELECT IFNULL(h.REQUEST_DIGEST, h.REQUEST_EVENT_NAME), MAX(IFNULL(h.REQUEST_DIGEST_TEXT, h.REQUEST_EVENT_NAME)), h.REQUEST_SCHEMA AS db, SUM(h.WEIGHT), SUM(IF(h.STATE = 'WAIT', h.WEIGHT, 0)), COUNT(DISTINCT h.THREAD_ID), MAX(h.REQUEST_DIGEST)` +
		samples + `AND h.NESTED = 'YES' GROUP BY h.REQUEST_DIGEST, h.REQUEST_EVENT_NAME, db) s WHERE s.id IS NOT NULL GROUP BY s.id, s.db ORDER BY seconds DESC LIMIT 100`},
	"blockers": {true, `SELECT h.BLOCKING_THREAD_ID AS blocking_thread_id, IF(h.BLOCKING_USER IS NULL, h.BLOCKING_THREAD_NAME, CONCAT(h.BLOCKING_USER, '@', h.BLOCKING_HOST)) AS user, h.BLOCKING_DIGEST_TEXT AS query, h.BLOCKING_SOURCE AS locked_at, h.BLOCKING_EVENT_NAME AS waits_for, h.EVENT_NAME AS event, h.OBJECT_NAME AS object, COUNT(DISTINCT h.THREAD_ID) AS blocked, SUM(h.WEIGHT) AS seconds` +
		samples + `AND h.BLOCKING_THREAD_ID IS NOT NULL GROUP BY blocking_thread_id, user, query, locked_at, waits_for, event, object ORDER BY seconds DESC LIMIT 100`},
	"waiting":     {false, `SELECT waiting, waits_for, object, waits_at, started_at, thread, statement, blocking_thread, blocking_locked_at, blocking_held, blocking_waits_at, certain FROM sys.what_waits LIMIT 6`},
	"locks":       {false, `SELECT waiting, thread_id, thread, waits_at, event, object, blocking_thread_id, blocking_thread, blocking_locked_at, blocking_held, blocking_waits_for, certain FROM sys.lock_waits LIMIT 201`},
	"deadlocks":   {false, `SELECT deadlock, thread_id, thread, event, object, waits_at, waiting, blocking_thread_id, blocking_locked_at FROM sys.deadlocks LIMIT 200`},
	"instruments": {false, `SELECT NAME AS name, ENABLED AS enabled, TIMED AS timed FROM performance_schema.setup_instruments ORDER BY NAME LIMIT 5000`},
	"consumers":   {false, `SELECT NAME AS name, ENABLED AS enabled FROM performance_schema.setup_consumers ORDER BY NAME LIMIT 200`},
}

// A result is what a query returned. A value is nil for NULL.
type result struct {
	Columns []string    `json:"columns"`
	Rows    [][]*string `json:"rows"`
}

// ask executes a query.
func ask(ctx context.Context, c *sql.Conn, text string, args ...any) (*result, error) {
	all, err := askAll(ctx, c, text, args...)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// askAll executes a statement that has one result or more.
func askAll(ctx context.Context, c *sql.Conn, text string, args ...any) (all []*result, err error) {
	rows, err := c.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for {
		r, err := readResult(rows)
		if err != nil {
			return nil, err
		}
		if len(r.Columns) > 0 || len(all) == 0 { // the end of a CALL has no columns
			all = append(all, r)
		}
		if !rows.NextResultSet() {
			return all, rows.Err()
		}
	}
}

// readResult reads the rows of one result.
func readResult(rows *sql.Rows) (*result, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	r := &result{Columns: columns, Rows: [][]*string{}}
	for rows.Next() {
		row := make([]*string, len(columns))
		into := make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		r.Rows = append(r.Rows, row)
	}
	return r, rows.Err()
}

func (p *Page) query(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	q, ok := queries[name]
	if !ok && name != "load" {
		fail(w, http.StatusNotFound, 0, "there is no such query")
		return
	}
	win, err := parseWindow(r.URL.Query(), time.Now())
	if err != nil {
		fail(w, http.StatusBadRequest, 0, err.Error())
		return
	}
	p.with(w, r, func(ctx context.Context, c *sql.Conn) (any, error) {
		switch {
		case name == "load":
			return askLoad(ctx, c, win)
		case q.windowed:
			return ask(ctx, c, q.text, slices.Repeat(win.args(), strings.Count(q.text, samples))...)
		}
		return ask(ctx, c, q.text)
	})
}

// setSetting switches an instrument or a consumer, if the page may do so.
func (p *Page) setSetting(w http.ResponseWriter, r *http.Request) {
	if !p.options.Write {
		fail(w, http.StatusForbidden, 0, "the page is read only")
		return
	}
	var s struct {
		Kind, Name string
		On         bool
	}
	text := map[string]string{
		"instruments": "UPDATE performance_schema.setup_instruments SET ENABLED = ?, TIMED = ? WHERE NAME = ?",
		"consumers":   "UPDATE performance_schema.setup_consumers SET ENABLED = ? WHERE NAME = ?",
	}
	if err := json.NewDecoder(r.Body).Decode(&s); err != nil || text[s.Kind] == "" {
		fail(w, http.StatusBadRequest, 0, "the setting is not valid")
		return
	}
	value := "NO"
	if s.On {
		value = "YES"
	}
	args := []any{value, s.Name}
	if s.Kind == "instruments" {
		args = []any{value, value, s.Name}
	}
	p.with(w, r, func(ctx context.Context, c *sql.Conn) (any, error) {
		_, err := c.ExecContext(ctx, text[s.Kind], args...)
		return map[string]any{}, err
	})
}
