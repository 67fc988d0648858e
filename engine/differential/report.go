package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// golden is a difference as a test in the form of testdata/sql: the tables, the statement, and the answer of the reference.
func golden(t *trial, d *difference) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", d.kind)
	b.WriteString("server\n----\n\nexec\n" + t.world.database("m") + "\nUSE m\n")
	setup := t.world.statements(true)
	if t.world.frozen {
		b.Reset()
		fmt.Fprintf(&b, "# %s\nserver\n----\n\nexec\nUSE performance_schema\n", d.kind)
	}
	if t.world.modes != standardModes {
		setup = slices.Insert(setup, 0, "SET sql_mode = '"+t.world.modes+"'")
	}
	steps := strings.Split(d.text, ";\n")
	setup = append(setup, steps[:len(steps)-1]...)
	for _, s := range setup {
		b.WriteString(s + "\n")
	}
	b.WriteString("----\n" + strings.Repeat("ok\n", len(setup)+2))
	fmt.Fprintf(&b, "\nquery\n%s\n----\n%s", steps[len(steps)-1], d.want)
	b.WriteString("\n# instead of\n" + comment(d.got))
	if d.peer != "" && d.peer != d.text {
		b.WriteString("# which is the answer to\n" + comment(d.peer))
	}
	return b.String()
}

func comment(s string) string {
	return "# " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n# ") + "\n"
}

// print prints what was done.
func (c *counts) print(w io.Writer) {
	checks := 0
	for _, n := range c.checks {
		checks += n
	}
	fmt.Fprintf(w, "%d statements about %d worlds, %d checks (%s), %d answered with rows\n", c.statements, c.worlds, checks, list(c.checks), c.answered)
	for _, x := range []struct {
		what string
		of   map[string]int
	}{{"differences", c.found}, {"differences that are known", c.open}, {"refused", c.refused}} {
		fmt.Fprintf(w, "%s:\n", x.what)
		keys := slices.SortedFunc(maps.Keys(x.of), func(a, b string) int { return x.of[b] - x.of[a] })
		for _, k := range keys {
			fmt.Fprintf(w, "%8d  %s\n", x.of[k], k)
			if sample := c.samples[k]; sample != "" {
				fmt.Fprintf(w, "          such as %s\n", sample)
			}
		}
	}
}

func list(of map[string]int) string {
	var s []string
	for _, k := range slices.Sorted(maps.Keys(of)) {
		s = append(s, fmt.Sprintf("%s %d", k, of[k]))
	}
	return strings.Join(s, ", ")
}
