package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// writer writes statements about a world.
type writer struct {
	r      *rand.Rand
	w      *world
	names  int  // aliases and such that are in use
	mixed  int  // of 100 comparisons, those of values of different classes
	shared bool // MariaDB reads the statement, too
}

// field is a column that an expression can name.
type field struct {
	table, name string
	class       class
	kind        string // its type, if it is a table's own column
}

func (f field) String() string { return f.table + "." + f.name }

func (f field) numeric() bool { return f.class == ints || f.class == decs || f.class == dbls }

// scope is the columns in reach: those of a query, and further out those of the queries around it.
type scope struct {
	fields []field
	outer  *scope
}

// field chooses a column of a class; false if there is none.
func (g *writer) field(s *scope, c class) (field, bool) {
	if s == nil {
		return field{}, false
	}
	if s.outer != nil && chance(g.r, 25) {
		if f, ok := g.field(s.outer, c); ok {
			return f, true
		}
	}
	var fit []field
	for _, f := range s.fields {
		if f.class == c {
			fit = append(fit, f)
		}
	}
	if len(fit) == 0 {
		return field{}, false
	}
	return pick(g.r, fit...), true
}

// anyField chooses a column of any class.
func (g *writer) anyField(s *scope) field { return pick(g.r, s.fields...) }

// literal chooses a literal of a class.
func (g *writer) literal(c class) *node {
	e := n("e:" + string(c))
	if chance(g.r, 4) {
		e.parts = []any{"NULL"}
		return e
	}
	switch c {
	case ints:
		v := pick(g.r, 0, 1, 2, 3, 5, 7, 10, 100)
		e.parts, e.value = []any{fmt.Sprint(v)}, int64(v)
	case decs:
		e.parts = []any{pick(g.r, "0.0", "1.00", "1.5", "2.50", "3.33", "10.0", "0.01")}
	case dbls:
		e.parts = []any{pick(g.r, "0e0", "1e0", "1.5e0", "2.5e0", "1e10", "1e-1")}
	case strs, bins:
		v := pick(g.r, texts...)
		e.parts, e.value = []any{v}, strings.Trim(v, "'")
	case dates:
		e.parts = []any{"DATE" + pick(g.r, days...)}
	case stamp:
		e.parts = []any{"TIMESTAMP" + pick(g.r, finer...)}
	case times:
		e.parts = []any{"TIME" + pick(g.r, hours...)}
	}
	return e
}

var allClasses = []class{ints, ints, ints, decs, decs, dbls, strs, strs, strs, bins, dates, stamp, times}

// expr writes an expression of a class.
func (g *writer) expr(s *scope, c class, depth int) *node {
	e := g.plainExpr(s, c, depth)
	if e.kind == "" {
		e.kind = "e:" + string(c)
	}
	return e
}

func (g *writer) plainExpr(s *scope, c class, depth int) *node {
	if depth <= 0 || chance(g.r, 30) {
		if f, ok := g.field(s, c); ok && chance(g.r, 80) {
			return n("", f.String())
		}
		return g.literal(c)
	}
	x := func() *node { return g.expr(s, c, depth-1) }
	of := func(c class) *node { return g.expr(s, c, depth-1) }
	switch g.r.IntN(10) {
	case 6:
		if c != bins {
			return n("", "CASE ", of(pick(g.r, ints, strs)), " WHEN ", of(ints), " THEN ", x(), " WHEN ", of(ints), " THEN ", x(), " ELSE ", x(), " END")
		}
	case 0:
		return n("", "COALESCE(", x(), ", ", x(), ")")
	case 1:
		return n("", "CASE WHEN ", g.pred(s, depth-1), " THEN ", x(), opt(" ELSE ", x()), " END")
	case 2:
		return n("", pick(g.r, "NULLIF(", "IFNULL("), x(), ", ", x(), ")")
	case 3:
		return n("", "IF(", g.pred(s, depth-1), ", ", x(), ", ", x(), ")")
	case 4:
		if depth > 1 {
			return g.scalar(s, c, depth-1)
		}
	case 5:
		if c == ints || c == decs || c == dbls || c == strs {
			return n("", pick(g.r, "GREATEST(", "LEAST("), x(), ", ", x(), ")")
		}
	}
	switch c {
	case ints:
		return g.intExpr(s, depth)
	case decs:
		return g.decExpr(s, depth)
	case dbls:
		return g.dblExpr(s, depth)
	case strs:
		return g.strExpr(s, depth)
	case dates:
		return pick(g.r, n("", "DATE(", of(stamp), ")"), n("", "LAST_DAY(", x(), ")"), n("", "DATE_ADD(", x(), ", INTERVAL ", of(ints), " DAY)"))
	case stamp:
		return pick(g.r, n("", "DATE_ADD(", x(), ", INTERVAL ", pick(g.r, "1", "-3", "90"), pick(g.r, " MINUTE)", " HOUR)", " MONTH)")), n("", "CAST(", of(dates), " AS DATETIME)"))
	case times:
		return pick(g.r, n("", "TIME(", of(stamp), ")"), n("", "ADDTIME(", x(), ", '01:00:00')"))
	}
	return g.literal(c)
}

// intExpr writes an operator or a function whose value is a BIGINT.
func (g *writer) intExpr(s *scope, depth int) *node {
	x := func() *node { return g.expr(s, ints, depth-1) }
	of := func(c class) *node { return g.expr(s, c, depth-1) }
	switch g.r.IntN(14) {
	case 10:
		return n("", pick(g.r, "DATEDIFF(", "TIMESTAMPDIFF(HOUR, ", "TIMESTAMPDIFF(MONTH, "), of(pick(g.r, dates, stamp)), ", ", of(pick(g.r, dates, stamp)), ")")
	case 11:
		return n("", pick(g.r, "LOCATE(", "INSTR(", "STRCMP(", "FIELD("), of(strs), ", ", of(strs), ")")
	case 12:
		return n("", pick(g.r, "CRC32(", "LENGTH("), of(pick(g.r, ints, strs, decs)), ")")
	case 13:
		return n("", "(", x(), pick(g.r, " & ", " | ", " ^ "), x(), ")")
	case 0, 1, 2:
		return n("", "(", x(), pick(g.r, " + ", " - ", " * "), x(), ")")
	case 3:
		return n("", "(", x(), pick(g.r, " DIV ", " % "), x(), ")")
	case 4:
		return n("", pick(g.r, "ABS(", "SIGN("), x(), ")")
	case 5:
		return n("", pick(g.r, "LENGTH(", "CHAR_LENGTH(", "ASCII("), of(strs), ")")
	case 6:
		return n("", pick(g.r, "YEAR(", "MONTH(", "DAYOFWEEK(", "TO_DAYS("), of(pick(g.r, dates, stamp)), ")")
	case 7:
		return n("", "(", g.pred(s, depth-1), ")")
	case 8:
		return n("", pick(g.r, "FLOOR(", "CEIL(", "SIGN("), of(decs), ")")
	default:
		return n("", "CAST(", of(pick(g.r, decs, dbls, ints)), " AS SIGNED)")
	}
}

// decExpr writes an operator or a function whose value is a DECIMAL.
func (g *writer) decExpr(s *scope, depth int) *node {
	x := func() *node { return g.expr(s, decs, depth-1) }
	of := func(c class) *node { return g.expr(s, c, depth-1) }
	switch g.r.IntN(6) {
	case 0, 1:
		return n("", "(", x(), pick(g.r, " + ", " - ", " * "), of(pick(g.r, ints, decs)), ")")
	case 2:
		return n("", "(", of(pick(g.r, ints, decs)), " / ", of(pick(g.r, ints, decs)), ")")
	case 3:
		return n("", pick(g.r, "ROUND(", "TRUNCATE("), x(), ", ", pick(g.r, "0", "1", "2", "-1"), ")")
	case 4:
		return n("", "CAST(", of(pick(g.r, ints, decs)), " AS DECIMAL(12,3))")
	default:
		return n("", "ABS(", x(), ")")
	}
}

// dblExpr writes an operator or a function whose value is a DOUBLE.
func (g *writer) dblExpr(s *scope, depth int) *node {
	x := func() *node { return g.expr(s, dbls, depth-1) }
	of := func(c class) *node { return g.expr(s, c, depth-1) }
	switch g.r.IntN(6) {
	case 5:
		return n("", pick(g.r, "POW(", "MOD("), x(), ", ", pick(g.r, "2", "3", "0.5"), ")")
	case 0, 1:
		return n("", "(", x(), pick(g.r, " + ", " - ", " * ", " / "), of(pick(g.r, ints, decs, dbls)), ")")
	case 2:
		return n("", "SQRT(ABS(", x(), "))")
	case 3:
		return n("", "CAST(", of(pick(g.r, ints, decs)), " AS DOUBLE)")
	default:
		return n("", pick(g.r, "ABS(", "ROUND(", "FLOOR(", "CEIL("), x(), ")")
	}
}

// strExpr writes an operator or a function whose value is a text.
func (g *writer) strExpr(s *scope, depth int) *node {
	x := func() *node { return g.expr(s, strs, depth-1) }
	of := func(c class) *node { return g.expr(s, c, depth-1) }
	switch g.r.IntN(12) {
	case 7:
		return n("", pick(g.r, "LPAD(", "RPAD("), x(), ", ", pick(g.r, "1", "4", "0"), ", ", pick(g.r, "'-'", "'ab'"), ")")
	case 8:
		return n("", "SUBSTRING_INDEX(", x(), ", ", pick(g.r, "' '", "'b'", "'.'"), ", ", pick(g.r, "1", "-1", "2"), ")")
	case 9:
		return n("", "HEX(", of(pick(g.r, ints, strs)), ")")
	case 10:
		return n("", "DATE_FORMAT(", of(pick(g.r, dates, stamp)), ", ", pick(g.r, "'%Y-%m'", "'%d.%m.%y'", "'%H:%i'", "'%W %j'"), ")")
	case 11:
		return n("", "ELT(", of(ints), ", ", x(), ", ", x(), ")")
	case 0, 1:
		return n("", "CONCAT(", x(), ", ", x(), ")")
	case 2:
		return n("", pick(g.r, "UPPER(", "LOWER(", "REVERSE(", "TRIM("), x(), ")")
	case 3:
		return n("", pick(g.r, "LEFT(", "RIGHT(", "SUBSTRING("), x(), ", ", pick(g.r, "1", "2", "-1"), ")")
	case 4:
		return n("", "REPLACE(", x(), ", CONCAT(", x(), ", 'b'), ", x(), ")") // for an empty text MariaDB does not look at the third one
	case 5:
		return n("", "CAST(", of(pick(g.r, ints, decs)), " AS CHAR)")
	default:
		return n("", "CONCAT_WS('-', ", x(), ", ", of(pick(g.r, ints, strs)), ")")
	}
}

// pair chooses the classes of two values that are compared.
func (g *writer) pair(s *scope) (class, class) {
	c := pick(g.r, allClasses...)
	if len(s.fields) > 0 && chance(g.r, 80) {
		c = g.anyField(s).class
	}
	if !chance(g.r, g.mixed) {
		return c, c
	}
	switch c {
	case ints, decs, dbls:
		return c, pick(g.r, ints, decs, dbls, ints, decs, dbls, strs)
	case dates, stamp:
		return c, pick(g.r, dates, stamp)
	case strs, bins:
		return c, pick(g.r, strs, bins)
	}
	return c, c
}

var comparisons = []string{"=", "=", "=", "<>", "<", "<=", ">", ">=", "<=>"}

// pred writes a condition.
func (g *writer) pred(s *scope, depth int) *node {
	p := g.plainPred(s, depth)
	p.kind, p.small = "pred", "TRUE"
	return p
}

func (g *writer) plainPred(s *scope, depth int) *node {
	a, b := g.pair(s)
	x := func(c class) *node { return g.expr(s, c, depth-1) }
	switch k := g.r.IntN(24); {
	case k < 3 && depth > 0:
		return n("", "(", g.pred(s, depth-1), pick(g.r, " AND ", " OR ", " OR ", " XOR "), g.pred(s, depth-1), ")")
	case k == 3 && depth > 0:
		return n("", "(NOT ", g.pred(s, depth-1), ")")
	case k == 4 && depth > 0:
		return n("", "(", g.pred(s, depth-1), pick(g.r, " IS TRUE", " IS FALSE", " IS NOT TRUE", " IS NULL"), ")")
	case k < 7:
		return n("", "(", x(a), pick(g.r, " IS NULL", " IS NOT NULL"), ")")
	case k < 9:
		return n("", "(", x(a), pick(g.r, " BETWEEN ", " NOT BETWEEN "), x(b), " AND ", x(b), ")")
	case k < 12:
		l := listOf(1, ", ")
		for range 1 + g.r.IntN(3) {
			l.add(x(b))
		}
		return n("", "(", x(a), pick(g.r, " IN (", " IN (", " NOT IN ("), l, "))")
	case k == 12:
		return n("", "(", x(strs), pick(g.r, " LIKE ", " NOT LIKE "), pick(g.r, "'a%'", "'%b'", "'_b%'", "'A_'", "'%'", "''"), ")")
	case k == 13:
		return n("", "(", x(ints), ")")
	case k < 18 && depth > 0:
		return g.subPred(s, a, b, depth)
	case k == 18 && depth > 0:
		return n("", "((", x(a), ", ", x(ints), ") = (", x(b), ", ", x(ints), "))")
	}
	return n("", "(", x(a), " ", pick(g.r, comparisons...), " ", x(b), ")")
}

// subPred writes a condition with a subquery.
func (g *writer) subPred(s *scope, a, b class, depth int) *node {
	switch g.r.IntN(7) {
	case 0, 1:
		return n("", pick(g.r, "EXISTS (", "NOT EXISTS ("), g.rows(s, []class{ints}, depth-1).node, ")")
	case 2:
		return n("", "(", g.expr(s, a, depth-1), " ", pick(g.r, "=", "<>", "<", ">=", ">"), pick(g.r, " ANY (", " ALL ("), g.rows(s, []class{b}, depth-1).node, "))")
	case 3:
		return n("", "((", g.expr(s, a, depth-1), ", ", g.expr(s, ints, depth-1), ")", pick(g.r, " IN (", " NOT IN ("), g.rows(s, []class{b, ints}, depth-1).node, "))")
	}
	return n("", "(", g.expr(s, a, depth-1), pick(g.r, " IN (", " IN (", " NOT IN ("), g.rows(s, []class{b}, depth-1).node, "))")
}

// scalar writes a subquery of one value.
func (g *writer) scalar(s *scope, c class, depth int) *node {
	f := g.from(depth-1, s, 1, false)
	inner, own := &scope{f.fields, s}, &scope{fields: f.fields} // an aggregate of columns from outside belongs to the query outside
	var item *node
	switch c {
	case ints:
		item = n("", pick(g.r, "COUNT(", "MAX(", "MIN("), g.expr(own, ints, 1), ")")
	case decs:
		item = n("", pick(g.r, "SUM(", "AVG(", "MAX("), g.expr(own, decs, 1), ")")
	case dbls:
		item = n("", pick(g.r, "SUM(", "MAX("), g.expr(own, dbls, 1), ")")
	case strs:
		item = n("", "LOWER(", pick(g.r, "MAX(", "MIN("), g.expr(own, strs, 1), "))")
	default:
		item = n("", pick(g.r, "MAX(", "MIN("), g.expr(own, c, 1), ")")
	}
	return n("", "(SELECT ", item, " FROM ", f.node, opt(" WHERE ", g.pred(inner, depth-1)), ")")
}
