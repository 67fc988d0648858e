package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// world is the tables that statements are about.
type world struct {
	tables    []*table
	modes     string // sql_mode
	collation string // of the columns
	frozen    bool   // the tables are those of performance_schema: they exist, and nothing changes them
}

// table is a table with its rows.
type table struct {
	name    string
	columns []*tableColumn
	keys    []*key
	rest    []string   // what else stands in its definition: checks, foreign keys
	after   []string   // what is created after all tables, such as triggers
	rows    [][]string // literals, one for each column that is not generated
	fields  int        // columns of which rows have values
	large   bool       // joins with it take long
}

// tableColumn is a column of a table.
type tableColumn struct {
	name      string
	kind      *columnType
	null      bool
	automatic bool
	generated string // its expression with VIRTUAL or STORED
	fallback  string // its DEFAULT
}

// key is a key of a table.
type key struct {
	name, head string // the head is KEY, UNIQUE KEY or PRIMARY KEY
	parts      []keyPart
	kept       bool // without it other statements have another meaning, and so all have it
}

type keyPart struct {
	column string
	suffix string // a length, DESC
}

// identity is the column that tells the rows of a table apart.
const identity = "id"

// newWorld makes tables. For changes they have triggers, checks, foreign keys and columns that count.
func newWorld(r *rand.Rand, shared, changes bool) *world {
	w := &world{modes: standardModes}
	if changes && chance(r, 25) {
		w.modes = pick(r, "", "ONLY_FULL_GROUP_BY", "STRICT_ALL_TABLES", "NO_ENGINE_SUBSTITUTION", standardModes+",NO_AUTO_VALUE_ON_ZERO", standardModes+",NO_UNSIGNED_SUBTRACTION")
	}
	w.collation = pick(r, "utf8mb4_general_ci", pick(r, collations[:2]...), pick(r, collations...))
	if shared && w.collation == collations[2] {
		w.collation = collations[0]
	}
	for i := range 2 + r.IntN(3) {
		w.tables = append(w.tables, newTable(r, fmt.Sprintf("t%d", i), changes))
	}
	if changes {
		w.connect(r)
	}
	return w
}

const standardModes = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"

func newTable(r *rand.Rand, name string, changes bool) *table {
	t := &table{name: name, columns: []*tableColumn{{name: identity, kind: &columnTypes[0]}}}
	for i := range 2 + r.IntN(5) {
		t.columns = append(t.columns, &tableColumn{name: fmt.Sprintf("c%d", i), kind: pickType(r), null: chance(r, 75)})
	}
	t.fields = len(t.columns)
	t.addIdentity(r, changes)
	t.addGenerated(r)
	for range r.IntN(4) {
		t.addKey(r, changes)
	}
	seen := map[string]bool{}
	for i := range pick(r, 0, 1, 2, 4, 6, 8, 12) {
		row := []string{fmt.Sprint(i + 1)}
		for _, c := range t.columns[1:t.fields] {
			row = append(row, c.literal(r))
		}
		if t.fits(row, seen) {
			t.rows = append(t.rows, row)
		}
	}
	return t
}

// literal chooses a value for a column.
func (c *tableColumn) literal(r *rand.Rand) string {
	if c.null && chance(r, 20) {
		return "NULL"
	}
	return pick(r, c.kind.values...)
}

// addIdentity chooses how the identity is a key.
func (t *table) addIdentity(r *rand.Rand, changes bool) {
	id := t.columns[0]
	switch r.IntN(8) {
	case 0: // no key
		if !changes {
			return
		}
		fallthrough
	case 1:
		t.keys = append(t.keys, &key{name: "uid", head: "UNIQUE KEY", parts: []keyPart{{column: identity}}, kept: true})
	case 2:
		if c := t.columns[1]; c.keyable() == "" && !changes {
			c.null = false
			t.keys = append(t.keys, &key{head: "PRIMARY KEY", parts: []keyPart{{column: c.name}, {column: identity}}})
			return
		}
		fallthrough
	default:
		id.automatic = changes && chance(r, 50)
		t.keys = append(t.keys, &key{head: "PRIMARY KEY", parts: []keyPart{{column: identity}}, kept: true})
	}
}

// addGenerated adds a generated column.
func (t *table) addGenerated(r *rand.Rand) {
	if !chance(r, 30) {
		return
	}
	of := t.columns[r.IntN(t.fields)]
	c := &tableColumn{name: "g", kind: of.kind, null: true}
	switch of.kind.class {
	case ints:
		c.kind, c.generated = typeNamed("BIGINT"), pick(r, "%s % 3", "%s + 1", "-%s")
		if strings.Contains(of.kind.sql, "UNSIGNED") {
			c.generated = "%s % 3"
		}
	case decs:
		c.kind, c.generated = typeNamed("DECIMAL(20,6)"), pick(r, "%s * 2", "%s - 1")
	case strs:
		c.kind, c.generated = typeNamed("VARCHAR(20)"), pick(r, "UPPER(%s)", "LEFT(%s, 1)")
	case dates:
		c.kind, c.generated = typeNamed("INT"), "YEAR(%s)"
	default:
		return
	}
	c.generated = "(" + strings.Replace(c.generated, "%s", of.name, 1) + ") " + pick(r, "VIRTUAL", "STORED")
	t.columns = append(t.columns, c)
}

func typeNamed(sql string) *columnType {
	return &columnTypes[slices.IndexFunc(columnTypes, func(t columnType) bool { return t.sql == sql })]
}

// keyable returns the length that a column needs in a key.
func (c *tableColumn) keyable() string {
	switch c.kind.sql {
	case "TEXT", "BLOB":
		return "(3)"
	}
	return ""
}

// addKey adds a secondary key, of one or more columns.
func (t *table) addKey(r *rand.Rand, changes bool) {
	k := &key{name: fmt.Sprintf("k%d", len(t.keys)), head: "KEY"}
	for _, i := range r.Perm(len(t.columns))[:1+r.IntN(min(3, len(t.columns)))] {
		c := t.columns[i]
		suffix := c.keyable()
		if suffix == "" && (c.kind.class == strs || c.kind.class == bins) && strings.Contains(c.kind.sql, "VAR") && chance(r, 25) {
			suffix = "(2)"
		}
		if chance(r, 20) {
			suffix += " DESC"
		}
		k.parts = append(k.parts, keyPart{c.name, suffix})
	}
	if chance(r, 20) && !slices.ContainsFunc(k.parts, func(p keyPart) bool { return p.column == "g" }) {
		k.head, k.kept = "UNIQUE KEY", changes
	}
	t.keys = append(t.keys, k)
}

// fits tells whether no row has a value of a unique key already, where texts are the same in all letter cases, and numbers however they are written.
func (t *table) fits(row []string, seen map[string]bool) bool {
	var values []string
	for i, k := range t.keys {
		if k.head == "KEY" {
			continue
		}
		s, null := fmt.Sprint(i), false
		for _, p := range k.parts {
			at := slices.IndexFunc(t.columns, func(c *tableColumn) bool { return c.name == p.column })
			v := row[at]
			null = null || v == "NULL"
			if strings.HasPrefix(p.suffix, "(") {
				rs := []rune(strings.Trim(v, "'"))
				v = string(rs[:min(2, len(rs))])
			}
			if n, err := strconv.ParseFloat(v, 64); err == nil {
				v = strconv.FormatFloat(n, 'g', -1, 64)
			}
			s += "|" + strings.ToLower(strings.Trim(v, "'"))
		}
		if !null {
			values = append(values, s)
		}
	}
	for _, s := range values {
		if seen[s] {
			return false
		}
	}
	for _, s := range values {
		seen[s] = true
	}
	return true
}

// connect adds what makes tables depend on each other and on themselves: checks, triggers, foreign keys, defaults.
func (w *world) connect(r *rand.Rand) {
	for i, t := range w.tables {
		for _, c := range t.columns[1:t.fields] {
			if chance(r, 20) && c.keyable() == "" {
				c.fallback = pick(r, c.kind.values...)
			}
		}
		if c := t.columns[1+r.IntN(t.fields-1)]; chance(r, 30) && (c.kind.class == ints || c.kind.class == decs) {
			t.rest = append(t.rest, fmt.Sprintf("CHECK (%s > -3)", c.name))
			for _, row := range t.rows {
				if at := slices.Index(t.columns, c); strings.HasPrefix(row[at], "-") {
					row[at] = "0"
					if !t.unique(c.name) {
						continue
					}
					t.rows = t.rows[:0]
					break
				}
			}
		}
		if chance(r, 25) && i > 0 {
			w.refer(r, t, w.tables[r.IntN(i)])
		}
		if chance(r, 30) {
			t.addTrigger(r)
		}
	}
	if slices.ContainsFunc(w.tables, func(t *table) bool { return len(t.after) > 0 }) {
		w.tables = append(w.tables, &table{name: "lg", fields: 2, columns: []*tableColumn{{name: identity, kind: typeNamed("INT"), automatic: true}, {name: "c0", kind: typeNamed("TEXT"), null: true}},
			keys: []*key{{head: "PRIMARY KEY", parts: []keyPart{{column: identity}}, kept: true}}})
	}
}

// unique tells whether a column is in a unique key.
func (t *table) unique(column string) bool {
	return slices.ContainsFunc(t.keys, func(k *key) bool {
		return k.head != "KEY" && slices.ContainsFunc(k.parts, func(p keyPart) bool { return p.column == column })
	})
}

// refer adds a column with a foreign key to another table.
func (w *world) refer(r *rand.Rand, t, to *table) {
	c := &tableColumn{name: "p", kind: typeNamed("INT"), null: true}
	t.columns = slices.Insert(t.columns, t.fields, c)
	t.fields++
	for i := range t.rows {
		v := "NULL"
		if len(to.rows) > 0 && chance(r, 80) {
			v = to.rows[r.IntN(len(to.rows))][0]
		}
		t.rows[i] = append(t.rows[i], v)
	}
	t.rest = append(t.rest, fmt.Sprintf("CONSTRAINT f_%s FOREIGN KEY (p) REFERENCES %s (%s)%s%s", t.name, to.name, identity,
		pick(r, "", " ON DELETE CASCADE", " ON DELETE SET NULL", " ON DELETE RESTRICT"), pick(r, "", " ON UPDATE CASCADE", " ON UPDATE SET NULL")))
}

// addTrigger adds a trigger that writes down what happens, or changes what is written.
func (t *table) addTrigger(r *rand.Rand) {
	event := pick(r, "INSERT", "UPDATE", "DELETE")
	row := "NEW"
	if event == "DELETE" {
		row = "OLD"
	}
	c := t.columns[1+r.IntN(t.fields-1)]
	if event != "DELETE" && chance(r, 30) {
		t.after = append(t.after, fmt.Sprintf("CREATE TRIGGER b_%s BEFORE %s ON %s FOR EACH ROW SET NEW.%s = %s", t.name, event, t.name, c.name, pick(r, c.kind.values...)))
		return
	}
	t.after = append(t.after, fmt.Sprintf("CREATE TRIGGER a_%s %s %s ON %s FOR EACH ROW INSERT INTO lg (c0) VALUES (CONCAT('%s ', %s.id))", t.name, pick(r, "BEFORE", "AFTER"), event, t.name, strings.ToLower(event), row))
}

// ddl is the statement that creates a table; without keys only those that all have are made.
func (t *table) ddl(keys bool) string {
	var parts []string
	for _, c := range t.columns {
		s := c.name + " " + c.kind.sql
		if c.generated != "" {
			s += " AS " + c.generated
		} else {
			if !c.null {
				s += " NOT NULL"
			} else if c.kind.sql == "TIMESTAMP" {
				s += " NULL"
			}
			if c.automatic {
				s += " AUTO_INCREMENT"
			}
			if c.fallback != "" {
				s += " DEFAULT " + c.fallback
			}
		}
		parts = append(parts, s)
	}
	for _, k := range t.keys {
		if !keys && !k.kept {
			continue
		}
		var columns []string
		for _, p := range k.parts {
			columns = append(columns, p.column+p.suffix)
		}
		parts = append(parts, strings.TrimSpace(k.head+" "+k.name)+" ("+strings.Join(columns, ", ")+")")
	}
	parts = append(parts, t.rest...)
	return "CREATE TABLE " + t.name + " (" + strings.Join(parts, ", ") + ")"
}

// database creates the database.
func (w *world) database(name string) string {
	return "CREATE DATABASE " + name + " DEFAULT CHARACTER SET utf8mb4 COLLATE " + w.collation
}

// statements create the tables and fill them.
func (w *world) statements(keys bool) (all []string) {
	if w.frozen {
		return nil
	}
	for _, t := range w.tables {
		all = append(all, t.ddl(keys))
	}
	for _, t := range w.tables {
		if len(t.rows) == 0 {
			continue
		}
		var names, rows []string
		for _, c := range t.columns[:t.fields] {
			names = append(names, c.name)
		}
		for _, row := range t.rows {
			rows = append(rows, "("+strings.Join(row, ", ")+")")
		}
		all = append(all, "INSERT INTO "+t.name+" ("+strings.Join(names, ", ")+") VALUES "+strings.Join(rows, ", "))
	}
	for _, t := range w.tables {
		all = append(all, t.after...)
	}
	return all
}

// cuts returns the ways to make a world smaller.
func (w *world) cuts() (all []cut) {
	if w.frozen {
		return nil
	}
	if w.modes != standardModes {
		old := w.modes
		all = append(all, cut{func() { w.modes = standardModes }, func() { w.modes = old }})
	}
	if w.collation != collations[0] {
		old := w.collation
		all = append(all, cut{func() { w.collation = collations[0] }, func() { w.collation = old }})
	}
	all = append(all, without(&w.tables)...)
	for _, t := range w.tables {
		for n := len(t.rows) / 2; n > 1; n /= 2 {
			old := t.rows
			all = append(all, cut{func() { t.rows = old[n:] }, func() { t.rows = old }}, cut{func() { t.rows = old[:n] }, func() { t.rows = old }})
		}
		all = append(all, without(&t.rows)...)
		all = append(all, without(&t.after)...)
		all = append(all, without(&t.rest)...)
		all = append(all, without(&t.keys)...)
		for _, k := range t.keys {
			if len(k.parts) > 1 {
				all = append(all, without(&k.parts)...)
			}
			for i := range k.parts {
				if p := &k.parts[i]; strings.Contains(p.suffix, "DESC") {
					old := p.suffix
					all = append(all, cut{func() { p.suffix = strings.TrimSuffix(old, " DESC") }, func() { p.suffix = old }})
				}
			}
		}
		for i, c := range t.columns {
			if len(t.columns) == 1 || i == 0 && t.fields == 1 {
				continue
			}
			columns, rows, fields := t.columns, t.rows, t.fields
			all = append(all, cut{func() {
				t.columns = slices.Delete(slices.Clone(columns), i, i+1)
				if c.generated != "" {
					return
				}
				t.fields--
				t.rows = nil
				for _, row := range rows {
					t.rows = append(t.rows, slices.Delete(slices.Clone(row), i, i+1))
				}
			}, func() { t.columns, t.rows, t.fields = columns, rows, fields }})
		}
	}
	return all
}

// without returns the cuts that take one element out of a list.
func without[T any](list *[]T) (all []cut) {
	old := *list
	for i := range old {
		all = append(all, cut{func() { *list = slices.Delete(slices.Clone(old), i, i+1) }, func() { *list = old }})
	}
	return all
}
