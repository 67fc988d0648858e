package pfsdweb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// A window is a period of time, both ends in UTC; the end is not part of it.
type window struct{ from, to time.Time }

const (
	defaultWindow = 5 * time.Minute
	longestWindow = 31 * 24 * time.Hour
	loadSteps     = 150 // points of the chart, at most
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

// step is the number of seconds of a point of the chart.
func (w window) step() int64 {
	return max(1, int64(w.to.Sub(w.from)/time.Second+loadSteps-1)/loadSteps)
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
	"statements": {true, `SELECT MAX(h.DIGEST_TEXT) AS query, h.CURRENT_SCHEMA AS db, SUM(h.WEIGHT) AS seconds, SUM(IF(h.STATE = 'WAIT', h.WEIGHT, 0)) AS waiting, COUNT(DISTINCT h.THREAD_ID) AS threads, h.DIGEST AS digest` +
		samples + `AND h.DIGEST IS NOT NULL GROUP BY digest, db ORDER BY seconds DESC LIMIT 100`},
	"blockers": {true, `SELECT h.BLOCKING_THREAD_ID AS blocking_thread_id, h.BLOCKING_SOURCE AS locked_at, h.BLOCKING_EVENT_NAME AS waits_for, h.EVENT_NAME AS event, h.OBJECT_NAME AS object, COUNT(DISTINCT h.THREAD_ID) AS blocked, SUM(h.WEIGHT) AS seconds` +
		samples + `AND h.BLOCKING_THREAD_ID IS NOT NULL GROUP BY blocking_thread_id, locked_at, waits_for, event, object ORDER BY seconds DESC LIMIT 100`},
	"locks":       {false, `SELECT waiting, thread_id, thread, waits_at, event, object, blocking_thread_id, blocking_thread, blocking_locked_at, blocking_held, blocking_waits_for, certain FROM sys.lock_waits LIMIT 201`},
	"deadlocks":   {false, `SELECT deadlock, thread_id, thread, event, object, waits_at, waiting, blocking_thread_id, blocking_locked_at FROM sys.deadlocks LIMIT 200`},
	"instruments": {false, `SELECT NAME AS name, ENABLED AS enabled, TIMED AS timed FROM performance_schema.setup_instruments ORDER BY NAME LIMIT 5000`},
	"consumers":   {false, `SELECT NAME AS name, ENABLED AS enabled FROM performance_schema.setup_consumers ORDER BY NAME LIMIT 200`},
}

const loadQuery = `SELECT FLOOR(UNIX_TIMESTAMP(h.SAMPLE_TIME) / ?) AS point, h.WAIT_CLASS AS wait_class, SUM(h.WEIGHT) / ? AS active` +
	samples + `GROUP BY point, wait_class ORDER BY point LIMIT 10000`

// A result is what a query returned. A value is nil for NULL.
type result struct {
	Columns []string    `json:"columns"`
	Rows    [][]*string `json:"rows"`
	Step    int64       `json:"step,omitempty"` // seconds of a point of the chart
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
			res, err := ask(ctx, c, loadQuery, append([]any{win.step(), win.step()}, win.args()...)...)
			if err == nil {
				res.Step = win.step()
			}
			return res, err
		case q.windowed:
			return ask(ctx, c, q.text, win.args()...)
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
