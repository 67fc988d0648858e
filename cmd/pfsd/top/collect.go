package top

import (
	"context"
	"slices"
	"strings"
	"time"

	samples "pfsd/engine/load"
)

// An asker is a Source, or what tests put in its place.
type asker interface {
	Server(context.Context) (Server, string, error)
	Ask(context.Context, *Query, ...any) (*Answer, error)
	Kill(ctx context.Context, connection uint64, whole bool) error
}

// A Window is a period of time. The end is not part of it.
type Window struct{ From, To time.Time }

const windowLayout = "2006-01-02 15:04:05.000000"

// args are the ends as parameters of a query.
func (w Window) args() []any {
	return []any{w.From.UTC().Format(windowLayout), w.To.UTC().Format(windowLayout)}
}

// A request is what a refresh shall bring.
type request struct {
	number  int // of the refresh, so that one that comes too late is noticed
	view    View
	window  Window        // the zero Window is the time before now
	length  time.Duration // of a window before now
	columns int           // of the chart
}

// fresh is what a refresh brought. It is a message to the model.
type fresh struct {
	request
	window Window
	server Server
	note   string
	answer *Answer // nil if the server has no answer to the view
	load   load
	err    error
}

// collect asks for all that a request needs.
func collect(ctx context.Context, source asker, r request) fresh {
	f := fresh{request: r}
	if f.server, f.note, f.err = source.Server(ctx); f.err != nil {
		return f
	}
	f.window = r.window
	if f.window == (Window{}) {
		now := time.Now().Add(f.server.Skew)
		f.window = Window{now.Add(-r.length), now}
	}
	if f.server.Flavour == PFSD {
		f.load, f.err = askLoad(ctx, source, f.window, max(1, r.columns))
	} else {
		var a *Answer
		if a, f.err = source.Ask(ctx, &Query{loadNow, loadColumns}); f.err == nil {
			f.load = loadOf(a, 1)
		}
	}
	if f.err != nil {
		return f
	}
	if q := r.view.Queries.of(f.server.Flavour); q != nil {
		var args []any
		if r.view.Windowed {
			args = slices.Repeat(f.window.args(), strings.Count(q.SQL, window))
		}
		f.answer, f.err = source.Ask(ctx, q, args...)
	}
	return f
}

// askLoad asks for the load of a window, in at most so many points.
func askLoad(ctx context.Context, source asker, w Window, points int) (load, error) {
	step := max(1, (int64(w.To.Sub(w.From)/time.Second)+int64(points)-1)/int64(points))
	pieces, err := samples.Read(window, w.From, w.To, points, func(text string, columns int, args ...any) ([][]string, error) {
		a, err := source.Ask(ctx, &Query{text, make([]Column, columns)}, args...)
		if err != nil {
			return nil, err
		}
		return texts(a), nil
	})
	if err != nil {
		return load{}, err
	}
	return loadFrom(pieces, step, w), nil
}

// texts are the rows of an answer; a NULL is "".
func texts(a *Answer) [][]string {
	rows := make([][]string, len(a.Rows))
	for i, r := range a.Rows {
		for _, v := range r {
			rows[i] = append(rows[i], v.Text)
		}
	}
	return rows
}

var loadColumns = []Column{{"point", Count}, {"class", Text}, {"active", Count}}

// A part is a section of a detail, with its answer or what was wrong.
type part struct {
	title  string
	answer *Answer
	err    error
}

// detail is what is known about a row. It is a message to the model.
type detail struct {
	columns []Column
	row     []Value
	parts   []part
}

// drill asks the sections of a view about a row.
func drill(ctx context.Context, source asker, flavour Flavour, v View, columns []Column, row []Value) detail {
	d := detail{columns: columns, row: row}
	for _, s := range v.Drill {
		q, args, complete := s.Queries.of(flavour), []any(nil), true
		for _, name := range s.Row {
			i := columnNamed(columns, name)
			if i < 0 || row[i].Null {
				complete = false
				break
			}
			args = append(args, row[i].Text)
		}
		if q == nil || !complete {
			continue
		}
		a, err := source.Ask(ctx, q, args...)
		d.parts = append(d.parts, part{s.Title, a, err})
	}
	return d
}

// columnNamed returns the place of a column, -1 if there is none.
func columnNamed(columns []Column, name string) int {
	for i, c := range columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}
