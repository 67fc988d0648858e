package pfsdweb

import (
	"context"
	"database/sql"

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
	pieces, err := load.Read(samples, w.from, w.to, loadPoints, func(text string, _ int, args ...any) ([][]string, error) { return askTexts(ctx, c, text, args...) })
	if err != nil {
		return nil, err
	}
	all := &stretches{Stretches: []stretch{}}
	for _, p := range pieces {
		all.Stretches = append(all.Stretches, stretch{p.From * 1000, p.To * 1000, p.Active})
	}
	return all, nil
}

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
