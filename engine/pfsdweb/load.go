package pfsdweb

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"pfsd/engine/load"
)

// A stretch is time that samples cover, in milliseconds since 1970, and how many threads were active on average, by what they waited for.
type stretch struct {
	From   float64            `json:"from"`
	To     float64            `json:"to"`
	Active map[string]float64 `json:"active"`
}

// stretches are the load of a window. Nothing is known of the time between them.
type stretches struct {
	Stretches []stretch `json:"stretches"`
}

// askLoad asks for the load of a window.
func askLoad(ctx context.Context, c *sql.Conn, w window) (*stretches, error) {
	extent, err := askTexts(ctx, c, load.Extent+samples, w.args()...)
	if err != nil {
		return nil, err
	}
	ahead, err := askTexts(ctx, c, load.Ahead, w.args()[1], w.args()[1])
	if err != nil {
		return nil, err
	}
	first, _ := strconv.ParseUint(extent[0][0], 10, 64) // there may be none
	last, _ := strconv.ParseUint(extent[0][1], 10, 64)
	size := load.PointSize(first, last, loadPoints)
	rows, err := askTexts(ctx, c, load.Summary(size, samples), w.args()...)
	if err != nil {
		return nil, err
	}
	if len(ahead) == 0 {
		ahead = [][]string{nil}
	}
	all := &stretches{Stretches: []stretch{}}
	for _, p := range load.Pieces(rows, size, ahead[0], seconds(w.from), seconds(w.to)) {
		all.Stretches = append(all.Stretches, stretch{p.From * 1000, p.To * 1000, p.Active})
	}
	return all, nil
}

// seconds is a time in seconds since 1970.
func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// askTexts executes a query; a NULL is "".
func askTexts(ctx context.Context, c *sql.Conn, text string, args ...any) ([][]string, error) {
	r, err := ask(ctx, c, text, args...)
	if err != nil {
		return nil, err
	}
	rows := make([][]string, len(r.Rows))
	for i, row := range r.Rows {
		for _, v := range row {
			if v == nil {
				v = new(string)
			}
			rows[i] = append(rows[i], *v)
		}
	}
	return rows, nil
}
