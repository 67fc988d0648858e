package pfsdweb

import (
	"context"
	"database/sql"
	"net/http"
	"time"
)

// compareQuery has two results: how many threads were active, by the samples of both periods, and how often statements and waits ran and how
// long they took, by the buckets of time. An account that may not read the schema history gets the first one only.
const compareQuery = `CALL sys.compare(?, ?, ?, ?)`

// A comparison is a period beside the one of the same length before it. Counted is nil if the account may not read it.
type comparison struct {
	Active  *result `json:"active"`
	Counted *result `json:"counted"`
}

// before is the window of the same length before w.
func (w window) before() window { return window{w.from.Add(-w.to.Sub(w.from)), w.from} }

// compare sends a comparison.
func (p *Page) compare(w http.ResponseWriter, r *http.Request) {
	win, err := parseWindow(r.URL.Query(), time.Now())
	if err != nil {
		fail(w, http.StatusBadRequest, 0, err.Error())
		return
	}
	p.with(w, r, func(ctx context.Context, c *sql.Conn) (any, error) {
		results, err := askAll(ctx, c, compareQuery, append(win.before().args(), win.args()...)...)
		if err != nil {
			return nil, err
		}
		both := comparison{Active: results[0]}
		if len(results) > 1 {
			both.Counted = results[1]
		}
		return both, nil
	})
}
