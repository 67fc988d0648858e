package main

import (
	"slices"
	"strings"
)

// way is another way to ask for the same rows.
type way struct {
	name  string
	peers []string // statements before
	text  string
	args  []any
	on    func(s *servers) *session
	prep  bool
	times int
}

func full(s *servers) *session { return s.full }
func bare(s *servers) *session { return s.bare }

// waysOf returns the ways to ask for the rows of a query.
func waysOf(t *trial) []way {
	q := t.q
	text := q.String()
	var params []any
	marked := q.text(style{params: &params})
	all := []way{
		{name: "again", text: text, on: full, times: 2},
		{name: "prepared", text: text, on: full, prep: true, times: 3},
		{name: "bare", text: text, on: bare, times: 1},
		{name: "derived", text: "SELECT * FROM (" + text + ") AS z", on: full, times: 1},
		{name: "derived bare", text: "SELECT * FROM (" + text + ") AS z", on: bare, times: 1},
	}
	if !strings.HasPrefix(text, "WITH") {
		all = append(all, way{name: "cte", text: "WITH z AS (" + text + ") SELECT * FROM z", on: full, times: 1})
	}
	if !t.world.frozen {
		all = append(all, way{name: "view", peers: []string{"CREATE OR REPLACE VIEW zv AS " + text}, text: "SELECT * FROM zv", on: full, times: 2})
		all = append(all, way{name: "table", peers: []string{"DROP TABLE IF EXISTS zt", "CREATE TABLE zt AS " + text}, text: "SELECT * FROM zt", on: full, times: 1})
	}
	if len(params) > 0 && len(params) < 100 {
		all = append(all, way{name: "parameters", text: marked, args: params, on: full, prep: true, times: 3})
	}
	if q.plain && q.where != nil && !q.clause.gone {
		all = append(all, way{name: "condition outside", on: full, times: 1,
			text: "SELECT " + q.names() + " FROM (SELECT " + q.items.String() + ", (" + q.where.String() + ") AS keep FROM " + q.source.String() + ") AS z WHERE keep"})
	}
	all = append(all, q.indexWays(t.world)...)
	all = append(all, q.joinWays()...)
	return all
}

// names lists the columns of a query.
func (q *query) names() string {
	var names []string
	for _, p := range q.items.parts {
		s := p.(*node).String()
		at := strings.LastIndex(s, " AS ")
		if at < 0 {
			return "*"
		}
		names = append(names, s[at+4:])
	}
	return strings.Join(names, ", ")
}

// indexWays are those with hints about indexes.
func (q *query) indexWays(w *world) (all []way) {
	for i, owner := range q.source.owners {
		at := slices.IndexFunc(w.tables, func(t *table) bool { return t.name == owner })
		if at < 0 {
			continue
		}
		var names []string
		for _, k := range w.tables[at].keys {
			name := k.name
			if name == "" {
				name = "PRIMARY"
			}
			names = append(names, name)
		}
		alias := q.source.tables[i]
		for _, name := range names {
			all = append(all, way{name: "force index", on: full, times: 1, text: q.text(style{slots: map[string]string{"index:" + alias: " FORCE INDEX (" + name + ")"}})})
		}
		if len(names) > 0 {
			all = append(all, way{name: "ignore index", on: full, times: 1, text: q.text(style{slots: map[string]string{"index:" + alias: " IGNORE INDEX (" + strings.Join(names, ", ") + ")"}})})
		}
	}
	return all
}

// joinWays are those with hints about joins, and with the tables in another order.
func (q *query) joinWays() (all []way) {
	names := q.source.tables
	if len(names) < 2 || q.source.node == nil {
		return nil
	}
	hint := func(text string) {
		s := q.text(style{slots: map[string]string{"hint:" + names[0]: "/*+ " + text + " */ "}})
		if s != q.String() {
			all = append(all, way{name: strings.ToLower(strings.SplitN(text, "(", 2)[0]), on: full, times: 1, text: s})
		}
	}
	back := slices.Clone(names)
	slices.Reverse(back)
	hint("JOIN_ORDER(" + strings.Join(names, ",") + ")")
	hint("JOIN_ORDER(" + strings.Join(back, ",") + ")")
	for _, how := range []string{"LOOKUP_JOIN", "HASH_JOIN", "MERGE_JOIN", "INNER_JOIN"} {
		var each []string
		for i := range names[1:] {
			each = append(each, how+"("+names[i]+","+names[i+1]+")")
		}
		hint(strings.Join(each, " "))
	}
	hint("LEFT_DEEP")
	hint("NO_MERGE_JOIN")
	if len(q.source.joins) == 1 && len(q.source.parts) == 2 && q.plain {
		join, _ := q.source.parts[1].(*node)
		if join == nil || len(join.parts) < 2 {
			return all
		}
		other := map[string]string{" JOIN ": " JOIN ", " LEFT JOIN ": " RIGHT JOIN ", " RIGHT JOIN ": " LEFT JOIN ", " CROSS JOIN ": " CROSS JOIN ", " STRAIGHT_JOIN ": " STRAIGHT_JOIN "}[q.source.joins[0]]
		if join.parts[0] != any(q.source.joins[0]) {
			return all
		}
		turned := n("", join.parts[1], other, q.source.parts[0])
		turned.parts = append(turned.parts, join.parts[2:]...)
		all = append(all, way{name: "turned", on: full, times: 1, text: "SELECT " + q.items.String() + " FROM " + turned.String() + q.clause.String()})
	}
	return all
}

// ways asks for the rows of a query in several ways; all answers must be alike.
func ways(s *servers, t *trial, only string) *difference {
	if t.q == nil {
		return nil
	}
	text := t.q.String()
	first := s.run(s.full, text)
	if first.err != nil {
		s.counts.refuse(reason(first.err), text)
		if first.err.number == lostConnection {
			return nil
		}
	} else {
		s.counts.answered++
	}
	for _, w := range waysOf(t) {
		if only != "" && !strings.HasPrefix(only, "ways: "+w.name+" ") {
			continue
		}
		on := w.on(s)
		refused := false
		for _, p := range w.peers {
			if o := s.run(on, p); o.err != nil {
				s.counts.refuse(w.name+": "+reason(o.err), p)
				refused = true
			}
		}
		if refused {
			continue
		}
		var outs []*outcome
		if w.prep {
			sets := make([][]any, w.times)
			for i := range sets {
				sets[i] = w.args
			}
			s.counts.statements += w.times
			outs = on.prepared(w.text, sets...)
		} else {
			for range w.times {
				outs = append(outs, s.run(on, w.text))
			}
		}
		like := likeness{ordered: t.q.ordered && !strings.HasPrefix(w.name, "derived") && w.name != "cte" && w.name != "view" && w.name != "table", loose: t.q.loose}
		for _, o := range outs {
			if d := differ("ways: "+w.name, o, first, like, w.text, text); d != nil {
				if len(w.peers) > 0 {
					d.text = strings.Join(w.peers, ";\n") + ";\n" + d.text
				}
				return d
			}
		}
	}
	return nil
}
