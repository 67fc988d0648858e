package engine

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// The model of joins: small tables of integers, and what SQL's rules make of a join of them, row by row, with three truth values.

// cell is an integer or NULL.
type cell struct {
	v    int
	null bool
}

func (c cell) String() string {
	if c.null {
		return "NULL"
	}
	return fmt.Sprint(c.v)
}

// truth is a truth value of SQL: 0 is false, 1 is unknown, 2 is true.
type truth int

const (
	isFalse truth = iota
	isUnknown
	isTrue
)

func truthOf(b bool) truth {
	if b {
		return isTrue
	}
	return isFalse
}

// joinColumns are the columns that each table, and each derived table, has.
var joinColumns = []string{"id", "x", "y", "z"}

// sides are the rows of the tables of a join, by the number of the table.
type sides [16][]cell

// condition is a condition in SQL and in Go.
type condition struct {
	sql  string
	eval func(s *sides) truth
}

// value is an operand of a comparison.
type value struct {
	sql  string
	eval func(s *sides) cell
}

// joined is what stands behind FROM.
type joined struct {
	sql    string
	tables []int
	comma  bool // has commas, or is a join that needs parentheses where it is the right side of another
	eval   func(s sides) []sides
}

// joinGenerator makes statements. Owned by one goroutine.
type joinGenerator struct {
	*rand.Rand
	tables  []string // the names of the stored tables
	rows    map[string][][]cell
	keys    map[string]string
	used    int // numbers that tables of the statement have
	nesting int
	plain   bool // stored tables alone, whose names are in stored
	stored  map[int]string
}

func (g *joinGenerator) oneIn(n int) bool { return g.IntN(n) == 0 }

// table makes one table of a join, and gives it a number.
func (g *joinGenerator) table() joined {
	n := g.used
	g.used++
	name := g.tables[g.IntN(len(g.tables))]
	rows, source := g.rows[name], name
	if !g.plain && g.oneIn(4) {
		rows, source = g.derived(name)
	} else {
		g.stored[n] = name
	}
	return joined{fmt.Sprintf("%s t%d", source, n), []int{n}, false, func(s sides) []sides {
		all := make([]sides, 0, len(rows))
		for _, r := range rows {
			s[n] = r
			all = append(all, s)
		}
		return all
	}}
}

// derived makes a derived table, whose rows are those of the table called name in some way.
func (g *joinGenerator) derived(name string) (rows [][]cell, sql string) {
	all := slices.Clone(g.rows[name]) // by id
	at, limit := g.IntN(len(joinColumns)), g.IntN(3)+1
	c := joinColumns[at]
	switch g.IntN(8) {
	case 0:
		return all[:min(limit, len(all))], fmt.Sprintf("(SELECT * FROM %s ORDER BY id LIMIT %d)", name, limit)
	case 1:
		lo := min(1, len(all))
		return all[lo:min(lo+limit, len(all))], fmt.Sprintf("(SELECT * FROM %s ORDER BY id LIMIT %d OFFSET 1)", name, limit)
	case 2:
		for i, r := range all {
			rows = append(rows, []cell{r[0], r[1], r[2], {v: i + 1}})
		}
		return rows, fmt.Sprintf("(SELECT id, x, y, ROW_NUMBER() OVER (ORDER BY id) z FROM %s)", name)
	case 3:
		for _, r := range all {
			n := 0
			for _, o := range all {
				if o[at] == r[at] {
					n++
				}
			}
			rows = append(rows, []cell{r[0], r[1], r[2], {v: n}})
		}
		return rows, fmt.Sprintf("(SELECT id, x, y, COUNT(*) OVER (PARTITION BY %s) z FROM %s)", c, name)
	case 4:
		groups := map[cell]int{}
		for _, r := range all {
			groups[r[1]]++
		}
		for x, n := range groups {
			rows = append(rows, []cell{x, x, {v: n}, {v: n + 1}})
		}
		return rows, fmt.Sprintf("(SELECT x id, x, COUNT(*) y, COUNT(*) + 1 z FROM %s GROUP BY x)", name)
	case 5:
		seen := map[[2]cell]bool{}
		for _, r := range all {
			if k := [2]cell{r[1], r[2]}; !seen[k] {
				seen[k] = true
				rows = append(rows, []cell{r[1], r[1], r[2], {v: 1}})
			}
		}
		return rows, fmt.Sprintf("(SELECT DISTINCT x id, x, y, 1 z FROM %s)", name)
	case 6:
		most := cell{null: true}
		for _, r := range all {
			if !r[at].null && (most.null || r[at].v > most.v) {
				most = r[at]
			}
		}
		return [][]cell{{{v: len(all)}, most, {null: true}, {v: len(all)}}}, fmt.Sprintf("(SELECT COUNT(*) id, MAX(%s) x, NULL y, COUNT(*) z FROM %s)", c, name)
	}
	return append(append(rows, all...), all...), fmt.Sprintf("(SELECT * FROM %s UNION ALL SELECT * FROM %s)", name, name)
}

// join makes a join of n tables. top says that commas are allowed.
func (g *joinGenerator) join(n int, top bool) joined {
	if n == 1 {
		return g.table()
	}
	k := 1 + g.IntN(n-1)
	if g.oneIn(2) {
		k = n - 1 // most people write joins from left to right
	}
	kind := g.IntN(8)
	comma := top && kind == 0
	left := g.join(k, comma)
	right := g.join(n-k, false)
	rightSQL := right.sql
	if len(right.tables) > 1 {
		rightSQL = "(" + rightSQL + ")"
	}
	all := slices.Concat(left.tables, right.tables)
	j := joined{tables: all}
	var on condition
	switch {
	case comma:
		j.sql = left.sql + ", " + rightSQL
	case kind <= 1:
		j.sql = left.sql + " CROSS JOIN " + rightSQL
	default:
		on = g.on(left.tables, right.tables)
		j.sql = left.sql + [...]string{2: " JOIN ", " JOIN ", " LEFT JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " LEFT JOIN "}[kind] + rightSQL + " ON " + on.sql
	}
	outer, inner := left, right
	isOuter := kind >= 4
	if kind == 6 {
		outer, inner = right, left
	}
	j.eval = func(s sides) (rows []sides) {
		others := inner.eval(s)
		for _, o := range outer.eval(s) {
			found := false
			for _, i := range others {
				both := o
				for _, t := range inner.tables {
					both[t] = i[t]
				}
				if on.eval == nil || on.eval(&both) == isTrue {
					found = true
					rows = append(rows, both)
				}
			}
			if !found && isOuter {
				for _, t := range inner.tables {
					o[t] = []cell{{null: true}, {null: true}, {null: true}, {null: true}}
				}
				rows = append(rows, o)
			}
		}
		return rows
	}
	return j
}

// on makes the condition of a join: most often an equality of two columns of its sides, sometimes with another.
func (g *joinGenerator) on(left, right []int) condition {
	all := slices.Concat(left, right)
	if g.oneIn(6) {
		return g.condition(all, 2)
	}
	operator := "="
	if g.oneIn(5) {
		operator = []string{"<=>", "<", ">=", "<>"}[g.IntN(4)]
	}
	c := compare(g.column(left), operator, g.column(right))
	if g.oneIn(3) {
		return both(c, "AND", g.condition(all, 1))
	}
	return c
}

// column makes an operand that is a column of one of the tables.
func (g *joinGenerator) column(tables []int) value {
	t, c := tables[g.IntN(len(tables))], g.IntN(len(joinColumns))
	return value{fmt.Sprintf("t%d.%s", t, joinColumns[c]), func(s *sides) cell { return s[t][c] }}
}

// operand makes an operand.
func (g *joinGenerator) operand(tables []int) value {
	switch {
	case g.oneIn(3):
		n := g.IntN(5)
		return value{fmt.Sprint(n), func(*sides) cell { return cell{v: n} }}
	case g.oneIn(12):
		return value{"NULL", func(*sides) cell { return cell{null: true} }}
	case g.oneIn(10):
		a, b := g.column(tables), g.column(tables)
		return value{fmt.Sprintf("IFNULL(%s, %s)", a.sql, b.sql), func(s *sides) cell {
			if v := a.eval(s); !v.null {
				return v
			}
			return b.eval(s)
		}}
	}
	return g.column(tables)
}

// compare makes a comparison.
func compare(a value, operator string, b value) condition {
	return condition{a.sql + " " + operator + " " + b.sql, func(s *sides) truth {
		l, r := a.eval(s), b.eval(s)
		if operator == "<=>" {
			return truthOf(l == r)
		}
		if l.null || r.null {
			return isUnknown
		}
		order := cmp.Compare(l.v, r.v)
		switch operator {
		case "=":
			return truthOf(order == 0)
		case "<>":
			return truthOf(order != 0)
		case "<":
			return truthOf(order < 0)
		case "<=":
			return truthOf(order <= 0)
		case ">":
			return truthOf(order > 0)
		}
		return truthOf(order >= 0)
	}}
}

// both makes an AND or an OR.
func both(a condition, operator string, b condition) condition {
	return condition{"(" + a.sql + " " + operator + " " + b.sql + ")", func(s *sides) truth {
		if operator == "AND" {
			return min(a.eval(s), b.eval(s))
		}
		return max(a.eval(s), b.eval(s))
	}}
}

// not makes a NOT.
func not(a condition) condition {
	return condition{"NOT (" + a.sql + ")", func(s *sides) truth { return isTrue - a.eval(s) }}
}

// condition makes a condition on the tables.
func (g *joinGenerator) condition(tables []int, depth int) condition {
	if depth > 0 && g.oneIn(2) {
		switch a := g.condition(tables, depth-1); g.IntN(4) {
		case 0:
			return not(a)
		case 1:
			return both(a, "OR", g.condition(tables, depth-1))
		default:
			return both(a, "AND", g.condition(tables, depth-1))
		}
	}
	switch g.IntN(9) {
	case 0:
		c := g.column(tables)
		return condition{c.sql + " IS NULL", func(s *sides) truth { return truthOf(c.eval(s).null) }}
	case 1:
		c := g.column(tables)
		return condition{c.sql + " IS NOT NULL", func(s *sides) truth { return truthOf(!c.eval(s).null) }}
	case 2:
		c, lo, hi := g.column(tables), g.operand(tables), g.operand(tables)
		between := both(compare(c, ">=", lo), "AND", compare(c, "<=", hi))
		return condition{fmt.Sprintf("%s BETWEEN %s AND %s", c.sql, lo.sql, hi.sql), between.eval}
	case 3:
		c, a, b := g.column(tables), g.operand(tables), g.operand(tables)
		in := both(compare(c, "=", a), "OR", compare(c, "=", b))
		return condition{fmt.Sprintf("%s IN (%s, %s)", c.sql, a.sql, b.sql), in.eval}
	case 4:
		if g.nesting < 2 && g.used < 8 {
			return g.subquery(tables)
		}
	}
	return compare(g.column(tables), []string{"=", "=", "=", "<", "<=", ">", ">=", "<>", "<=>"}[g.IntN(9)], g.operand(tables))
}

// subquery makes a condition with a subquery.
func (g *joinGenerator) subquery(tables []int) condition {
	plain := g.plain
	g.plain = g.plain && g.oneIn(2)
	g.nesting++
	defer func() { g.nesting--; g.plain = plain }()
	from := g.join(1+g.IntN(min(2, 9-g.used)), true)
	where := g.condition(from.tables, 1)
	if g.oneIn(2) {
		where = both(compare(g.column(from.tables), "=", g.column(tables)), "AND", where)
	}
	rows := func(s *sides) (found []*sides) {
		for _, r := range from.eval(*s) {
			if where.eval(&r) == isTrue {
				found = append(found, &r)
			}
		}
		return found
	}
	body := fmt.Sprintf("FROM %s WHERE %s", from.sql, where.sql)
	c := g.column(from.tables)
	negate := func(cond condition) condition {
		if g.oneIn(2) {
			return not(cond)
		}
		return cond
	}
	switch g.IntN(6) {
	case 0, 1:
		return negate(condition{fmt.Sprintf("EXISTS (SELECT %s %s)", c.sql, body), func(s *sides) truth { return truthOf(len(rows(s)) > 0) }})
	case 2:
		of := g.column(tables)
		operator := []string{"=", "<", ">="}[g.IntN(3)]
		most := value{fmt.Sprintf("(SELECT MAX(%s) %s)", c.sql, body), func(s *sides) cell {
			most := cell{null: true}
			for _, r := range rows(s) {
				if v := c.eval(r); !v.null && (most.null || v.v > most.v) {
					most = v
				}
			}
			return most
		}}
		return negate(compare(of, operator, most))
	case 3:
		a, b, d := g.operand(tables), g.column(tables), g.column(from.tables)
		in := func(s *sides) (is truth) {
			for _, r := range rows(s) {
				is = max(is, both(compare(a, "=", value{"", func(*sides) cell { return c.eval(r) }}), "AND", compare(b, "=", value{"", func(*sides) cell { return d.eval(r) }})).eval(s))
			}
			return is
		}
		return negate(condition{fmt.Sprintf("(%s, %s) IN (SELECT %s, %s %s)", a.sql, b.sql, c.sql, d.sql, body), in})
	}
	a := g.operand(tables)
	return negate(condition{fmt.Sprintf("%s IN (SELECT %s %s)", a.sql, c.sql, body), func(s *sides) (is truth) {
		for _, r := range rows(s) {
			is = max(is, compare(a, "=", value{"", func(*sides) cell { return c.eval(r) }}).eval(s))
		}
		return is
	}})
}

// statement is a join with a WHERE, the rows that it has, and the tables of the join.
type joinStatement struct {
	from, where string
	tables      []int
	rows        []sides
	stored      map[int]string
}

// statement makes a statement. plain says that the tables of the join are stored tables.
func (g *joinGenerator) statement(plain bool) joinStatement {
	g.used, g.nesting, g.plain, g.stored = 0, 0, plain, map[int]string{}
	from := g.join(1+g.IntN(4), !plain)
	g.plain = false
	where := condition{"1 = 1", func(*sides) truth { return isTrue }}
	if !g.oneIn(8) {
		where = g.condition(from.tables, 2)
	}
	st := joinStatement{from.sql, where.sql, from.tables, nil, g.stored}
	for _, r := range from.eval(sides{}) {
		if where.eval(&r) == isTrue {
			st.rows = append(st.rows, r)
		}
	}
	return st
}

// columns are the columns that the statement selects: two of each table.
func (st joinStatement) columns() string {
	var b strings.Builder
	for i, t := range st.tables {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "t%d.id i%d, t%d.x x%d", t, t, t, t)
	}
	return b.String()
}

// want are the rows that the statement selects, in order.
func (st joinStatement) want() []string {
	rows := []string{}
	for _, s := range st.rows {
		var b []string
		for _, t := range st.tables {
			b = append(b, s[t][0].String(), s[t][1].String())
		}
		rows = append(rows, strings.Join(b, "|"))
	}
	slices.Sort(rows)
	return rows
}
