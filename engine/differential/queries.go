package main

import (
	"fmt"
	"slices"
	"strings"
)

// query is a SELECT with the parts that the oracles need.
type query struct {
	*node
	items   *node // the list of what is selected, without aliases of its own
	source  *source
	where   *node // the condition; nil if there is none
	clause  *node // WHERE with the condition, which can be left out
	fields  []field
	plain   bool // rows of FROM and WHERE, each as it is: no groups, windows, DISTINCT, ORDER BY or LIMIT
	ordered bool // ORDER BY decides about the order of all rows
	loose   bool // letter case of texts may be that of any row of a group
}

// source is what stands after FROM.
type source struct {
	*node
	tables []string // the aliases of its tables
	owners []string // and the tables, "" for a derived one
	fields []field
	large  bool // its table is
	keyed  bool // each table has its identity
	joins  []string
	on     *node // of a single join, its condition
}

func (g *writer) alias(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// from writes tables that are joined.
func (g *writer) from(depth int, outer *scope, most int, derived bool) *source {
	f := &source{keyed: true}
	list := listOf(1, "")
	for i := range 1 + g.r.IntN(most) {
		if f.large {
			break
		}
		ref := g.tableRef(f, depth, outer, derived)
		if i == 0 {
			list.add(ref)
			continue
		}
		how := pick(g.r, " JOIN ", " JOIN ", " LEFT JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " CROSS JOIN ", " STRAIGHT_JOIN ")
		f.joins = append(f.joins, how)
		if how == " CROSS JOIN " {
			list.add(n("", how, ref))
			continue
		}
		if c := f.shared(); i == 1 && c != "" && how != " STRAIGHT_JOIN " && chance(g.r, 12) {
			list.add(n("", how, ref, " USING ("+c+")"))
			continue
		}
		on := g.on(f, outer, depth)
		f.on = on
		list.add(n("", how, ref, " ON ", on))
	}
	f.node = list
	return f
}

// shared returns a column that the first two tables have, "" if there is none.
func (f *source) shared() string {
	for _, x := range f.fields {
		for _, y := range f.fields {
			if x.table == f.tables[0] && y.table == f.tables[1] && x.name == y.name && x.class == y.class && x.name != identity {
				return x.name
			}
		}
	}
	return ""
}

// on writes the condition of a join of the last table of f with those before.
func (g *writer) on(f *source, outer *scope, depth int) *node {
	last := f.tables[len(f.tables)-1]
	var left, right []field
	for _, x := range f.fields {
		if x.table == last {
			right = append(right, x)
		} else {
			left = append(left, x)
		}
	}
	s := &scope{f.fields, outer}
	for range 20 {
		a, b := pick(g.r, left...), pick(g.r, right...)
		if a.class != b.class && (!chance(g.r, g.mixed) || !a.numeric() || !b.numeric()) {
			continue
		}
		e := n("", "(", a.String(), " ", pick(g.r, "=", "=", "=", "=", "<=>", "<", ">="), " ", b.String(), ")")
		e.kind, e.small = "pred", "TRUE"
		if chance(g.r, 30) {
			e = n("pred", "(", e, pick(g.r, " AND ", " AND ", " OR "), g.pred(s, min(depth, 1)), ")").or("TRUE")
		}
		return e
	}
	return g.pred(s, min(depth, 1))
}

// tableRef writes a table of FROM, and adds its columns to f.
func (g *writer) tableRef(f *source, depth int, outer *scope, derived bool) *node {
	if derived && depth > 0 && chance(g.r, 25) {
		name := g.alias("d")
		q := g.rows(nil, nil, depth-1)
		for _, x := range q.fields {
			f.fields = append(f.fields, field{table: name, name: x.name, class: x.class})
		}
		f.tables, f.owners, f.keyed = append(f.tables, name), append(f.owners, ""), false
		return n("", "(", q.node, ") AS "+name)
	}
	t := pick(g.r, g.w.tables...)
	for t.large && (depth < 2 || outer != nil || len(f.tables) > 0) {
		t = pick(g.r, g.w.tables...)
	}
	f.large = t.large
	name := g.alias("a")
	for _, c := range t.columns {
		f.fields = append(f.fields, field{name, c.name, c.kind.class, c.kind.sql})
	}
	f.tables, f.owners, f.keyed = append(f.tables, name), append(f.owners, t.name), f.keyed && !g.w.frozen
	return n("", t.name+" AS "+name, slot("index:"+name))
}

// rows writes a query with columns of classes, or of any if those are nil.
func (g *writer) rows(outer *scope, classes []class, depth int) *query {
	switch k := g.r.IntN(20); {
	case k < 2 && depth > 0:
		return g.union(outer, classes, depth)
	case k < 5:
		return g.grouped(outer, classes, depth)
	case k < 7 && classes == nil:
		return g.windowed(outer, depth)
	}
	return g.simple(outer, classes, depth)
}

// items writes what is selected; each has a name of its own.
func (q *query) addItem(g *writer, e *node, c class) {
	name := fmt.Sprintf("x%d", len(q.fields))
	q.items.add(n("", e, " AS "+name))
	q.fields = append(q.fields, field{name: name, class: c})
}

func (g *writer) start(outer *scope, classes []class, depth, most int) (*query, *scope, []class) {
	q := &query{items: listOf(1, ", ")}
	q.source = g.from(depth, outer, most, outer == nil)
	if classes == nil {
		for range 1 + g.r.IntN(4) {
			classes = append(classes, g.anyField(&scope{fields: q.source.fields}).class)
		}
	}
	return q, &scope{q.source.fields, outer}, classes
}

func (q *query) filter(g *writer, s *scope, depth, p int) {
	q.clause = opt()
	q.clause.gone = true
	if chance(g.r, p) {
		q.where = g.pred(s, depth)
		q.clause = opt(" WHERE ", q.where)
	}
}

// simple writes a query without groups and windows.
func (g *writer) simple(outer *scope, classes []class, depth int) *query {
	q, s, classes := g.start(outer, classes, depth, 3)
	distinct := opt("DISTINCT ")
	distinct.gone = !chance(g.r, 12)
	for _, c := range classes {
		e := g.expr(s, c, min(depth, 2))
		if c == strs && !distinct.gone {
			e = n("e:str", "LOWER(", e, ")")
		}
		q.addItem(g, e, c)
	}
	q.filter(g, s, depth, 75)
	order := opt()
	order.gone = true
	if distinct.gone && q.source.keyed && chance(g.r, 25) {
		order = q.order(g, s, outer == nil || !g.shared)
	}
	q.plain = distinct.gone && order.gone
	q.node = n("query", "SELECT ", slot("hint:"+q.source.tables[0]), distinct, q.items, " FROM ", q.source.node, q.clause, order)
	return q
}

// order writes an ORDER BY that decides about all rows, perhaps with a LIMIT.
func (q *query) order(g *writer, s *scope, limit bool) *node {
	l := listOf(0, "")
	for range g.r.IntN(3) {
		f := g.anyField(&scope{fields: s.fields})
		l.add(n("", f.String(), pick(g.r, "", " DESC"), ", "))
	}
	var ids []string
	for _, t := range q.source.tables {
		ids = append(ids, t+"."+identity+pick(g.r, "", " DESC"))
	}
	all := n("", " ORDER BY ", l, strings.Join(ids, ", "))
	if limit && chance(g.r, 60) {
		all.add(opt(pick(g.r, " LIMIT 1", " LIMIT 2", " LIMIT 3", " LIMIT 2 OFFSET 1", " LIMIT 0", " LIMIT 5")))
	}
	q.ordered = true
	return opt(all)
}

// grouped writes a query with aggregates, perhaps with groups.
func (g *writer) grouped(outer *scope, classes []class, depth int) *query {
	q, s, classes := g.start(outer, classes, depth, 2)
	q.loose = true
	var keys []*node
	var kinds []class
	if chance(g.r, 75) {
		for range 1 + g.r.IntN(2) {
			c := g.anyField(&scope{fields: s.fields}).class
			keys, kinds = append(keys, g.groupKey(&scope{fields: s.fields}, c)), append(kinds, c)
		}
	}
	twice := len(keys) == 2 && keys[0].String() == keys[1].String() // which MariaDB takes for another column when it rolls up
	shown := map[int]bool{}
	for _, c := range classes {
		if at := slices.Index(kinds, c); at >= 0 && chance(g.r, 60) {
			e := keys[at]
			twice, shown[at] = twice || shown[at], true
			if c == strs {
				e = n("", "LOWER(", e, ")")
			}
			q.addItem(g, e, c)
			continue
		}
		q.addItem(g, g.aggregate(s, c), c)
	}
	q.filter(g, s, depth, 60)
	q.node = n("query", "SELECT ", q.items, " FROM ", q.source.node, q.clause)
	if len(keys) > 0 {
		l := listOf(1, ", ", keys...)
		rollup, having := opt(" WITH ROLLUP"), opt(" HAVING ", n("pred", "(", g.aggregate(s, ints), " ", pick(g.r, ">", "<=", "<>"), " ", pick(g.r, "0", "1", "2"), ")").or("TRUE"))
		rollup.gone, having.gone = outer != nil || !chance(g.r, 20) || twice, !chance(g.r, 25)
		q.node.add(opt(" GROUP BY ", l, rollup, having))
	}
	return q
}

// groupKey writes what is grouped by: a column, or a small expression.
func (g *writer) groupKey(s *scope, c class) *node {
	f, _ := g.field(s, c)
	if c == ints && chance(g.r, 25) {
		return n("", "(", f.String(), " % 2)")
	}
	return n("", f.String())
}

// aggregate writes an aggregate of a class.
func (g *writer) aggregate(s *scope, c class) *node {
	in := &scope{fields: s.fields}
	d := pick(g.r, "", "", "", "DISTINCT ")
	switch c {
	case ints:
		return pick(g.r, n("", "COUNT(*)"), n("", "COUNT(", d, g.expr(in, pick(g.r, allClasses...), 1), ")"), n("", pick(g.r, "MAX(", "MIN("), g.expr(in, ints, 1), ")"),
			n("", pick(g.r, "BIT_AND(", "BIT_OR(", "BIT_XOR("), g.expr(in, ints, 1), ")"))
	case decs:
		return n("", pick(g.r, "SUM("+d, "AVG("+d, "MAX(", "MIN("), g.expr(in, pick(g.r, ints, decs), 1), ")")
	case dbls:
		return n("", pick(g.r, "SUM(", "AVG(", "MAX(", "MIN("), g.expr(in, dbls, 1), ")")
	case strs:
		x := g.expr(in, strs, 1)
		return pick(g.r, n("", "LOWER(", pick(g.r, "MAX(", "MIN("), x, "))"), n("", "LOWER(GROUP_CONCAT(", x, " ORDER BY ", x, pick(g.r, " DESC", ""), pick(g.r, "", " SEPARATOR '-'"), "))"))
	}
	return n("", pick(g.r, "MAX(", "MIN("), g.expr(in, c, 1), ")")
}

// windowed writes a query with window functions.
func (g *writer) windowed(outer *scope, depth int) *query {
	q, s, classes := g.start(outer, nil, depth, 2)
	in := &scope{fields: s.fields}
	for _, c := range classes[:min(2, len(classes))] {
		q.addItem(g, g.expr(in, c, 1), c)
	}
	for range 1 + g.r.IntN(2) {
		e, c := g.window(q, in)
		q.addItem(g, e, c)
	}
	q.filter(g, s, depth, 50)
	q.node = n("query", "SELECT ", q.items, " FROM ", q.source.node, q.clause)
	return q
}

// window writes a window function.
func (g *writer) window(q *query, s *scope) (*node, class) {
	partition := opt("PARTITION BY ", g.groupKey(s, g.anyField(s).class), " ")
	partition.gone = chance(g.r, 40)
	order := g.anyField(s).String() + pick(g.r, "", " DESC")
	over := n("", " OVER (", partition, "ORDER BY ", order)
	c := g.anyField(s).class
	if q.source.keyed { // the order decides about all rows
		for _, t := range q.source.tables {
			over.add(", " + t + "." + identity)
		}
		switch g.r.IntN(5) {
		case 0:
			over.add(")")
			return n("", "ROW_NUMBER()", over), ints
		case 1:
			over.add(")")
			return n("", pick(g.r, "LAG(", "LEAD("), g.expr(s, c, 1), pick(g.r, "", ", 1", ", 2"), ")", over), c
		case 2:
			over.add(")")
			return n("", pick(g.r, "FIRST_VALUE(", "LAST_VALUE("), g.expr(s, c, 1), ")", over), c
		case 3:
			over.add(pick(g.r, " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)", " ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING)", " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)", " ROWS 2 PRECEDING)", " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
				" RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)"))
			return n("", pick(g.r, "SUM(", "MAX(", "COUNT(", "MIN("), g.expr(s, ints, 1), ")", over), ints
		}
		over.add(")")
		return n("", pick(g.r, "NTILE(2)", "NTILE(3)", "CUME_DIST()", "PERCENT_RANK()"), over), dbls
	}
	over.add(")")
	return n("", pick(g.r, "RANK()", "DENSE_RANK()", "COUNT(*)"), over), ints
}

// union writes a set operation.
func (g *writer) union(outer *scope, classes []class, depth int) *query {
	if classes == nil {
		for range 1 + g.r.IntN(3) {
			classes = append(classes, pick(g.r, allClasses...))
		}
	}
	q := &query{loose: true, source: &source{}}
	list := listOf(1, "")
	for i := range 2 + g.r.IntN(2) {
		part, s, _ := g.start(outer, classes, depth-1, 2)
		for _, c := range classes {
			if chance(g.r, g.mixed) && (c == ints || c == decs) {
				c = pick(g.r, ints, decs, dbls)
			}
			e := g.expr(s, c, 1)
			if c == strs {
				e = n("e:str", "LOWER(", e, ")")
			}
			part.addItem(g, e, c)
		}
		part.filter(g, s, depth-1, 60)
		text := n("", "SELECT ", part.items, " FROM ", part.source.node, part.clause)
		if i > 0 {
			text = n("", pick(g.r, " UNION ", " UNION ALL ", " UNION ALL ", " INTERSECT ", " EXCEPT "), text)
		} else {
			q.fields = part.fields
		}
		list.add(text)
	}
	q.node = n("query", list)
	return q
}

// statement writes a query as clients send it, perhaps with common table expressions.
func (g *writer) statement() *query {
	q := g.rows(nil, nil, 2)
	if !chance(g.r, 15) {
		q.kind = "" // its parts are known, so no other query can stand for it
		return q
	}
	name := g.alias("w")
	inner := g.rows(nil, nil, 1)
	text := n("", "WITH ", name, " AS (", inner.node, ")")
	if chance(g.r, 30) {
		name = g.alias("w")
		inner = &query{fields: []field{{name: "x0", class: ints}, {name: "x1", class: ints}}}
		text = n("", "WITH RECURSIVE ", name, " (x0, x1) AS (SELECT 1, ", pick(g.r, "1", "0", "2"), " UNION ALL SELECT x0 + 1, x1 * 2 FROM ", name, " WHERE x0 < ", pick(g.r, "1", "3", "6"), ")")
	}
	outer := &query{items: listOf(1, ", "), source: &source{}}
	alias := g.alias("a")
	for _, f := range inner.fields {
		outer.source.fields = append(outer.source.fields, field{table: alias, name: f.name, class: f.class})
	}
	list := listOf(1, "", n("", name+" AS "+alias))
	outer.source.tables, outer.source.owners = []string{alias}, []string{""}
	if chance(g.r, 60) {
		ref := g.tableRef(outer.source, 0, nil, false)
		list.add(n("", pick(g.r, " JOIN ", " LEFT JOIN "), ref, " ON ", g.on(outer.source, nil, 1)))
	}
	outer.source.node = list
	s := &scope{fields: outer.source.fields}
	for range 1 + g.r.IntN(3) {
		c := g.anyField(s).class
		outer.addItem(g, g.expr(s, c, 1), c)
	}
	outer.filter(g, s, 1, 60)
	outer.node = n("", text, " SELECT ", outer.items, " FROM ", outer.source.node, outer.clause)
	outer.plain, outer.loose = false, true
	return outer
}
