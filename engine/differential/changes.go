package main

import (
	"fmt"
	"strings"
)

// script writes statements that change tables.
func (g *writer) script() (all []*node) {
	for range 3 + g.r.IntN(6) {
		all = append(all, g.changing())
	}
	return all
}

// target chooses a table that a statement changes.
func (g *writer) target() *table {
	for {
		if t := pick(g.r, g.w.tables...); t.name != "lg" {
			return t
		}
	}
}

func (g *writer) changing() *node {
	t := g.target()
	switch k := g.r.IntN(20); {
	case k < 8:
		return g.insert(t)
	case k < 10:
		return g.insertSelect(t)
	case k < 14:
		return g.update(t)
	case k < 15:
		return g.updateJoin()
	case k < 18:
		return g.delete(t)
	case k < 19:
		return g.deleteJoin()
	default:
		if chance(g.r, 40) {
			return n("", "SET sql_mode = '", pick(g.r, "", standardModes, "STRICT_ALL_TABLES", "NO_AUTO_VALUE_ON_ZERO"), "'")
		}
		return pick(g.r, n("", "TRUNCATE TABLE "+t.name), n("", "DELETE FROM "+t.name), n("", "ALTER TABLE "+t.name+" FORCE"))
	}
}

// written chooses the columns that a statement gives values for; each column is one in four left out.
func (g *writer) written(t *table) (columns []*tableColumn) {
	for _, c := range t.columns[:t.fields] {
		if c.automatic && chance(g.r, 60) || c.fallback != "" && chance(g.r, 60) || c.null && chance(g.r, 20) {
			continue
		}
		columns = append(columns, c)
	}
	if len(columns) == 0 {
		columns = t.columns[1:2]
	}
	return columns
}

func names(columns []*tableColumn) string {
	var s []string
	for _, c := range columns {
		s = append(s, c.name)
	}
	return strings.Join(s, ", ")
}

// value writes a value for a column.
func (g *writer) value(c *tableColumn) *node {
	if c.name == identity {
		if c.automatic && chance(g.r, 25) {
			return n("", pick(g.r, "NULL", "0", "DEFAULT"))
		}
		return n("", fmt.Sprint(1+g.r.IntN(14)))
	}
	if c.name == "p" {
		return n("", pick(g.r, "NULL", "1", "2", "3", "50"))
	}
	if c.fallback != "" && chance(g.r, 15) {
		return n("", "DEFAULT")
	}
	if chance(g.r, 5) {
		return n("", "NULL")
	}
	if chance(g.r, 8) { // too large, too long, or no such value
		switch c.kind.class {
		case ints:
			return n("", pick(g.r, "99999999999", "-1", "'x'", "1.5"))
		case decs:
			return n("", pick(g.r, "1.005", "99999999999.9", "-1.555"))
		case strs, bins:
			return n("", pick(g.r, "'abcdefghijklmnopqrstuvwxyz'", "5", "1.50"))
		case dates, stamp:
			return n("", pick(g.r, "'2024-02-30'", "'x'", "'0000-00-00'"))
		}
	}
	return n("", pick(g.r, c.kind.values...))
}

func (g *writer) tuples(columns []*tableColumn) *node {
	rows := listOf(1, ", ")
	for range 1 + g.r.IntN(3) {
		row := n("", "(")
		for i, c := range columns {
			if i > 0 {
				row.add(n("", ", "))
			}
			row.add(g.value(c))
		}
		row.add(n("", ")"))
		rows.add(row)
	}
	return rows
}

func (g *writer) insert(t *table) *node {
	columns := g.written(t)
	verb := pick(g.r, "INSERT INTO ", "INSERT INTO ", "INSERT IGNORE INTO ", "REPLACE INTO ")
	s := n("", verb, t.name, " (", names(columns), ") VALUES ", g.tuples(columns))
	if verb == "INSERT INTO " && chance(g.r, 35) {
		c := pick(g.r, t.columns[1:t.fields]...)
		s.add(n("", " ON DUPLICATE KEY UPDATE ", c.name, " = ", pick(g.r, n("", "VALUES("+c.name+")"), g.value(c), n("", c.name))))
	}
	return s
}

func (g *writer) insertSelect(t *table) *node {
	from := g.target()
	var columns []*tableColumn
	var items []string
	for _, c := range t.columns[:t.fields] {
		for _, d := range from.columns {
			if c.kind.class == d.kind.class && c.name != identity && c.name != "p" && c.kind.sql == d.kind.sql {
				columns, items = append(columns, c), append(items, from.name+"."+d.name)
				break
			}
		}
	}
	if !t.columns[0].automatic {
		columns, items = append(columns, t.columns[0]), append(items, from.name+".id + "+pick(g.r, "1", "3", "20"))
	}
	if len(columns) == 0 {
		return g.insert(t)
	}
	s := &scope{fields: fieldsOf(from, from.name)}
	verb := pick(g.r, "INSERT INTO ", "INSERT INTO ", "INSERT IGNORE INTO ", "REPLACE INTO ")
	duplicates := g.duplicates(t)
	if verb != "INSERT INTO " {
		duplicates = n("")
	}
	return n("", verb, t.name, " (", names(columns), ") SELECT ", strings.Join(items, ", "), " FROM ", from.name, opt(" WHERE ", g.safePred(s)), " ORDER BY "+from.name+".id", duplicates)
}

// duplicates writes, for one in four statements, what is done with rows that exist.
func (g *writer) duplicates(t *table) *node {
	c := pick(g.r, t.columns[1:t.fields]...)
	d := opt(" ON DUPLICATE KEY UPDATE ", c.name, " = ", pick(g.r, n("", "VALUES("+c.name+")"), g.value(c), n("", t.name+"."+c.name)))
	d.gone = !chance(g.r, 25)
	return d
}

func fieldsOf(t *table, alias string) (all []field) {
	for _, c := range t.columns {
		all = append(all, field{alias, c.name, c.kind.class, c.kind.sql})
	}
	return all
}

// safePred writes a condition that is no error in strict mode: it compares values of one class.
func (g *writer) safePred(s *scope) *node {
	mixed := g.mixed
	g.mixed = 0
	defer func() { g.mixed = mixed }()
	f := g.anyField(s)
	p := n("pred", "(", f.String(), " ", pick(g.r, comparisons...), " ", g.literal(f.class), ")").or("TRUE")
	if chance(g.r, 30) {
		p = n("pred", "(", p, pick(g.r, " AND ", " OR "), g.pred(s, 0), ")").or("TRUE")
	}
	return p
}

func (g *writer) update(t *table) *node {
	s := &scope{fields: fieldsOf(t, t.name)}
	sets := listOf(1, ", ")
	for range 1 + g.r.IntN(2) {
		c := pick(g.r, t.columns[:t.fields]...)
		v := g.value(c)
		if c.kind.class == ints && chance(g.r, 40) {
			v = n("", c.name, pick(g.r, " + 1", " - 1", " * 2"))
		}
		sets.add(n("", c.name, " = ", v))
	}
	order := opt(" ORDER BY id", pick(g.r, "", " DESC"), opt(" LIMIT ", pick(g.r, "1", "2", "3")))
	order.gone = chance(g.r, 50)
	return n("", pick(g.r, "UPDATE ", "UPDATE ", "UPDATE IGNORE "), t.name, " SET ", sets, opt(" WHERE ", g.safePred(s)), order)
}

func (g *writer) updateJoin() *node {
	a, b := g.target(), g.target()
	s := &scope{fields: append(fieldsOf(a, "x"), fieldsOf(b, "y")...)}
	sets := listOf(1, ", ")
	for range 1 + g.r.IntN(3) {
		t, alias := a, "x."
		if chance(g.r, 40) {
			t, alias = b, "y."
		}
		c := pick(g.r, t.columns[:t.fields]...)
		v := g.value(c)
		if c.name == identity {
			v = n("", alias, identity, pick(g.r, " + 10", " + 20", " * 2"))
		}
		sets.add(n("", alias, c.name, " = ", v))
	}
	return n("", "UPDATE ", a.name, " AS x", pick(g.r, " JOIN ", " LEFT JOIN ", " RIGHT JOIN "), b.name, " AS y ON ", g.joinedBy(b), " SET ", sets, opt(" WHERE ", g.safePred(s)))
}

// joinedBy writes the condition of a join of x with y, which is table b.
func (g *writer) joinedBy(b *table) *node {
	return n("", "x.id = y.", g.number(b), opt(pick(g.r, " OR x.id = ", " OR y.id = ", " AND y.id < "), fmt.Sprint(1+g.r.IntN(9))))
}

func (g *writer) delete(t *table) *node {
	s := &scope{fields: fieldsOf(t, t.name)}
	where := g.safePred(s)
	if u := g.target(); u != t && chance(g.r, 40) {
		c := pick(g.r, u.columns...)
		where = n("pred", "(", t.name, ".id", pick(g.r, " IN ", " NOT IN "), "(SELECT ", c.name, " FROM ", u.name, opt(" WHERE ", g.safePred(&scope{fields: fieldsOf(u, u.name)})), "))").or("TRUE")
		if c.kind.class != ints {
			where = n("pred", pick(g.r, "EXISTS ", "NOT EXISTS "), "(SELECT 1 FROM ", u.name, " WHERE ", u.name, ".id = ", t.name, ".id)").or("TRUE")
		}
	}
	order := opt(" ORDER BY id", pick(g.r, "", " DESC"), opt(" LIMIT ", pick(g.r, "1", "2", "3")))
	order.gone = chance(g.r, 60)
	return n("", "DELETE FROM ", t.name, opt(" WHERE ", where), order)
}

func (g *writer) deleteJoin() *node {
	a, b := g.target(), g.target()
	s := &scope{fields: append(fieldsOf(a, "x"), fieldsOf(b, "y")...)}
	return n("", "DELETE ", pick(g.r, "x", "y", "x, y", "y, x"), " FROM ", a.name, " AS x", pick(g.r, " JOIN ", " LEFT JOIN ", " RIGHT JOIN "), b.name, " AS y ON ", g.joinedBy(b), opt(" WHERE ", g.safePred(s)))
}

// number chooses a column of numbers.
func (g *writer) number(t *table) string {
	for {
		if c := pick(g.r, t.columns...); (c.kind.class == ints || c.kind.class == decs) && c.kind.sql != "YEAR" {
			return c.name
		}
	}
}
