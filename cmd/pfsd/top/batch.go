package top

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Run draws on the terminal of the process until the person quits or the context ends.
func Run(ctx context.Context, source *Source, o Options, in *os.File, out *os.File) error {
	_, err := tea.NewProgram(newModel(ctx, source, o), tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out)).Run()
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// units are the ends of the names of columns in batch mode.
var units = map[Kind]string{Time: "_ps", Bytes: "_bytes", Seconds: "_seconds", Moment: "_utc"}

// Batch prints a view o.Count times, with o.Interval between: a line with the names of the columns, and a line for
// each row, with tabs between values as the server sends them. NULL is \N. An empty line is between two times. It
// returns the first error.
func Batch(ctx context.Context, source *Source, o Options, stdout io.Writer) error {
	v, ok := viewNamed(o.View)
	if !ok {
		return fmt.Errorf("there is no view %s", o.View)
	}
	w := bufio.NewWriter(stdout)
	next := time.NewTicker(o.Interval)
	defer next.Stop()
	for n := 1; ; n++ {
		f := collect(ctx, source, request{view: v, window: o.Window, length: liveWindow, columns: int(liveWindow / time.Second)})
		if ctx.Err() != nil {
			return nil
		}
		if f.err != nil {
			return f.err
		}
		if err := printView(w, v, f); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if n == o.Count {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-next.C:
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
}

// printView prints what was collected for a view.
func printView(w io.Writer, v View, f fresh) error {
	a := f.answer
	if v.Name == "load" {
		a = f.load.answer()
	} else if a == nil {
		return fmt.Errorf("view %s: this server does not have it", v.Name)
	}
	var names []string
	for _, c := range a.Columns {
		names = append(names, strings.ReplaceAll(c.Name, " ", "_")+units[c.Kind])
	}
	if _, err := fmt.Fprintln(w, strings.Join(names, "\t")); err != nil {
		return err
	}
	for _, row := range a.Rows {
		var cells []string
		for _, v := range row {
			if v.Null {
				v.Text = `\N`
			}
			cells = append(cells, v.Text)
		}
		if _, err := fmt.Fprintln(w, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	return nil
}
