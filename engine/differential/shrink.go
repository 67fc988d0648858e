package main

import (
	"slices"
	"strings"
	"time"
)

// shrink makes a trial smaller as long as the same oracle finds the same kind of difference. It returns the difference of the smallest.
func shrink(s *servers, o oracle, t *trial, found *difference, until time.Time) *difference {
	fails := func() *difference {
		if t.q == nil || !t.world.frozen {
			for _, on := range []*session{s.full, s.bare, s.mirror} {
				if on == nil || on == s.mirror && !t.shared {
					continue
				}
				if _, err := on.load(t.world); err != nil {
					return nil
				}
			}
		}
		d := o.check(s, t, found.kind)
		if d == nil || d.kind != found.kind {
			return nil
		}
		return d
	}
	for again := true; again; {
		again = false
		for at := 0; time.Now().Before(until); at++ {
			all := t.cuts()
			if at >= len(all) {
				break
			}
			before := t.size()
			all[at].do()
			if t.size() < before {
				if d := fails(); d != nil {
					found, again = d, true
					at-- // the list is another one now
					continue
				}
			}
			all[at].undo()
		}
	}
	return found
}

// cuts returns the ways to make a trial smaller.
func (t *trial) cuts() (all []cut) {
	if t.q != nil {
		all = append(all, t.q.cuts()...)
	}
	if len(t.script) > 1 {
		all = append(all, without(&t.script)...)
	}
	for _, x := range t.script {
		all = append(all, x.cuts()...)
	}
	return slices.Concat(all, t.unused(), t.world.cuts())
}

// unused returns the cuts that take out, at once, all keys of a table, and all columns that no statement names.
func (t *trial) unused() (all []cut) {
	if t.world.frozen {
		return nil
	}
	text := ""
	if t.q != nil {
		text = t.q.String()
	}
	for _, x := range t.script {
		text += x.String()
	}
	for _, table := range t.world.tables {
		old := *table
		if len(old.keys) > 1 {
			all = append(all, cut{func() { table.keys = nil }, func() { table.keys = old.keys }})
		}
		less := old
		less.columns, less.rows, less.keys = nil, make([][]string, len(old.rows)), nil
		for i, c := range old.columns {
			if i > 0 && !strings.Contains(text, c.name) && !strings.Contains(strings.Join(old.rest, " ")+strings.Join(old.after, " "), c.name) && !old.generates(c.name) {
				if i < old.fields {
					less.fields--
				}
				continue
			}
			less.columns = append(less.columns, c)
			for r := range old.rows {
				if i < old.fields {
					less.rows[r] = append(less.rows[r], old.rows[r][i])
				}
			}
		}
		if len(less.columns) == len(old.columns) {
			continue
		}
		for _, k := range old.keys {
			if !slices.ContainsFunc(k.parts, func(p keyPart) bool {
				return !slices.ContainsFunc(less.columns, func(c *tableColumn) bool { return c.name == p.column })
			}) {
				less.keys = append(less.keys, k)
			}
		}
		all = append(all, cut{func() { *table = less }, func() { *table = old }})
	}
	return all
}

// generates tells whether a generated column is computed from a column.
func (t *table) generates(name string) bool {
	return slices.ContainsFunc(t.columns, func(c *tableColumn) bool { return strings.Contains(c.generated, name) })
}

// size is what a cut must lessen.
func (t *trial) size() (size int) {
	if t.q != nil {
		size += 2 * len(t.q.String())
	}
	for _, x := range t.script {
		size += 2*len(x.String()) + 10
	}
	for _, text := range t.world.statements(true) {
		size += len(text)
	}
	if t.world.collation != collations[0] {
		size++
	}
	return size + len(t.world.modes)
}

// copy returns a trial whose world can be made smaller without the tables of the other. The statements are shared: nobody needs them afterwards.
func (t *trial) copy() *trial {
	c := *t
	if t.world.frozen {
		return &c
	}
	w := *t.world
	w.tables = nil
	for _, old := range t.world.tables {
		table := *old
		table.keys = nil
		for _, k := range old.keys {
			k := *k
			k.parts = append([]keyPart{}, k.parts...)
			table.keys = append(table.keys, &k)
		}
		w.tables = append(w.tables, &table)
	}
	c.world = &w
	return &c
}
