package pfsdweb

import (
	"context"
	"database/sql"
	"net/http"
	"strconv"
	"time"
)

// A frame is a node of a flame graph. Value is seconds, of the node with all below it.
type frame struct {
	Name     string   `json:"name"`
	Value    float64  `json:"value"`
	Children []*frame `json:"children,omitempty"`
}

// add adds seconds to a path below f. Empty names are left out.
func (f *frame) add(path []string, seconds float64) {
	f.Value += seconds
	for _, name := range path {
		if name == "" {
			continue
		}
		var next *frame
		for _, c := range f.Children {
			if c.Name == name {
				next = c
				break
			}
		}
		if next == nil {
			next = &frame{Name: name}
			f.Children = append(f.Children, next)
		}
		next.Value += seconds
		f = next
	}
}

// flameQuery has at most 2000 rows, those that cost most. A stage of the request is between it and the statement inside of it.
const flameQuery = `SELECT h.NAME AS thread, IF(h.NESTED = 'YES', MAX(IFNULL(h.REQUEST_DIGEST_TEXT, h.REQUEST_EVENT_NAME)), NULL) AS request, IF(h.STAGE_OF = 'REQUEST', h.STAGE, NULL) AS outer_stage,
 MAX(IFNULL(h.DIGEST_TEXT, h.STATEMENT_EVENT_NAME)) AS query, IF(h.STAGE_OF = 'STATEMENT', h.STAGE, NULL) AS stage, IFNULL(h.EVENT_NAME, h.WAIT_CLASS) AS wait, h.SOURCE AS source, SUM(h.WEIGHT) AS seconds` +
	samples + `GROUP BY thread, h.REQUEST_DIGEST, h.REQUEST_EVENT_NAME, h.NESTED, h.DIGEST, h.STATEMENT_EVENT_NAME, h.STAGE, h.STAGE_OF, wait, source ORDER BY seconds DESC LIMIT 2000`

// flame sends the nested events of a window as a tree: thread, request, its stage, statement, its stage, wait, line.
func (p *Page) flame(w http.ResponseWriter, r *http.Request) {
	win, err := parseWindow(r.URL.Query(), time.Now())
	if err != nil {
		fail(w, http.StatusBadRequest, 0, err.Error())
		return
	}
	p.with(w, r, func(ctx context.Context, c *sql.Conn) (any, error) {
		rows, err := ask(ctx, c, flameQuery, win.args()...)
		if err != nil {
			return nil, err
		}
		return tree(rows), nil
	})
}

// tree makes a flame graph of the rows of flameQuery.
func tree(rows *result) *frame {
	root := &frame{Name: "all threads"}
	for _, row := range rows.Rows {
		path := make([]string, len(row)-1)
		for i := range path {
			if row[i] != nil {
				path[i] = *row[i]
			}
		}
		if seconds := row[len(row)-1]; seconds != nil {
			if v, err := strconv.ParseFloat(*seconds, 64); err == nil {
				root.add(path, v)
			}
		}
	}
	return root
}
