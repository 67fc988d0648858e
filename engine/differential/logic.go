package main

import (
	"fmt"
	"slices"
	"strings"
)

// partition is ternary logic partitioning: each row fulfils a condition, its opposite, or neither, so three queries have the rows of the one
// without a condition.
func partition(s *servers, t *trial, _ string) *difference {
	if t.q == nil || !t.q.plain || t.q.where == nil || t.q.clause.gone {
		return nil
	}
	q := t.q
	base := "SELECT " + q.items.String() + " FROM " + q.source.String()
	p := q.where.String()
	all := s.run(s.full, base)
	if all.err != nil {
		return nil
	}
	sum := &outcome{query: true, columns: all.columns}
	var texts []string
	for _, c := range []string{"(" + p + ") IS NULL", "NOT (" + p + ")", p} {
		text := base + " WHERE " + c
		texts = append(texts, text)
		o := s.run(s.full, text)
		if o.err != nil {
			s.counts.refuse("partition: "+reason(o.err), text)
			return nil
		}
		sum.rows = append(sum.rows, o.rows...)
	}
	return differ("partition:", sum, all, likeness{}, strings.Join(texts, " UNION ALL "), base)
}

// norec compares the number of rows of a condition in WHERE with the number of rows for which the condition, as a value, is true.
func norec(s *servers, t *trial, _ string) *difference {
	if t.q == nil || t.q.where == nil || t.q.clause.gone || len(t.q.source.tables) == 0 {
		return nil
	}
	from, p := t.q.source.String(), t.q.where.String()
	counted, summed := "SELECT COUNT(*) AS c FROM "+from+" WHERE "+p, "SELECT COUNT(IF("+p+", 1, NULL)) AS c FROM "+from
	if strings.HasPrefix(t.q.String(), "WITH") {
		at := strings.Index(t.q.String(), " SELECT "+t.q.items.String())
		if at < 0 {
			return nil
		}
		with := t.q.String()[:at]
		counted, summed = with+" "+counted, with+" "+summed
	}
	return differ("norec:", s.run(s.full, counted), s.run(s.full, summed), likeness{}, counted, summed)
}

// outerJoin compares a LEFT JOIN of two tables with the rows of the inner join and the rows of the first table that have none in the second.
func outerJoin(s *servers, t *trial, _ string) *difference {
	if t.q == nil || !t.q.plain || len(t.q.source.joins) != 1 || t.q.source.joins[0] != " LEFT JOIN " || len(t.q.source.parts) != 2 {
		return nil
	}
	join := t.q.source.parts[1].(*node)
	if len(join.parts) != 4 || t.q.source.owners[1] == "" {
		return nil
	}
	first, second, on := t.q.source.parts[0].(*node).String(), join.parts[1].(*node).String(), t.q.source.on.String()
	var left, right []string
	for _, f := range t.q.source.fields {
		if f.table == t.q.source.tables[0] {
			left = append(left, f.String())
		} else {
			right = append(right, f.String())
		}
	}
	right = right[:min(3, len(right))]
	left = left[:min(4, len(left))]
	nulls := strings.TrimSuffix(strings.Repeat("NULL, ", len(right)), ", ")
	l, r := strings.Join(left, ", "), strings.Join(right, ", ")
	joined := fmt.Sprintf("SELECT %s, %s FROM %s LEFT JOIN %s ON %s", l, r, first, second, on)
	inner := fmt.Sprintf("SELECT %s, %s FROM %s, %s WHERE %s", l, r, first, second, on)
	rest := fmt.Sprintf("SELECT %s, %s FROM %s WHERE NOT EXISTS (SELECT 1 FROM %s WHERE %s)", l, nulls, first, second, on)
	a, b, c := s.run(s.full, joined), s.run(s.full, inner), s.run(s.full, rest)
	if a.err != nil || b.err != nil || c.err != nil {
		return nil
	}
	sum := &outcome{query: true, columns: a.columns, rows: slices.Concat(b.rows, c.rows)}
	return differ("outer:", a, sum, likeness{}, joined, inner+" UNION ALL "+rest)
}

// change compares what DELETE and UPDATE change with what SELECT returns for the same tables and condition.
func change(s *servers, t *trial, only string) *difference {
	if t.q == nil || t.world.frozen || !t.q.plain || !t.q.source.keyed || t.q.where == nil || t.q.clause.gone || strings.Contains(t.q.source.String(), "STRAIGHT_JOIN") {
		return nil
	}
	target, owner := t.q.source.tables[0], t.q.source.owners[0]
	from, p := t.q.source.String(), t.q.where.String()
	s.run(s.full, "BEGIN")
	defer s.run(s.full, "ROLLBACK")
	chosen := fmt.Sprintf("SELECT DISTINCT %s.id FROM %s WHERE %s", target, from, p)
	a := s.run(s.full, chosen)
	every := s.run(s.full, "SELECT id FROM "+owner)
	if a.err != nil || every.err != nil {
		return nil
	}
	hit := map[string]bool{}
	for _, row := range a.rows {
		if row[0] != nil {
			hit[*row[0]] = true
		}
	}
	if !strings.HasPrefix(only, "change: UPDATE") {
		text := fmt.Sprintf("DELETE %s FROM %s WHERE %s", target, from, p)
		d := s.deleted(text, owner, hit, every)
		if d != nil || only != "" {
			return d
		}
		s.run(s.full, "ROLLBACK")
		s.run(s.full, "BEGIN")
	}
	return s.updated(t, target, owner, from, p, hit, every)
}

func (s *servers) deleted(text, owner string, hit map[string]bool, every *outcome) *difference {
	o := s.run(s.full, text)
	if o.err != nil {
		return s.failedChange("DELETE", o, text)
	}
	left := &outcome{query: true, columns: every.columns}
	for _, row := range every.rows {
		if !hit[*row[0]] {
			left.rows = append(left.rows, row)
		}
	}
	rest := "SELECT id FROM " + owner
	if d := differ("change: DELETE", s.run(s.full, rest), left, likeness{}, text+";\n"+rest, rest); d != nil {
		return d
	}
	if int(o.affected) != len(hit) {
		return &difference{kind: "change: DELETE affected", got: fmt.Sprintln(o.affected), want: fmt.Sprintln(len(hit)), text: text}
	}
	return nil
}

func (s *servers) updated(t *trial, target, owner, from, p string, hit map[string]bool, every *outcome) *difference {
	at := slices.IndexFunc(t.world.tables, func(t *table) bool { return t.name == owner })
	if at < 0 {
		return nil
	}
	for _, c := range t.world.tables[at].columns[1:] {
		if c.generated != "" || c.kind.class != ints || t.world.tables[at].unique(c.name) {
			continue
		}
		value := "99"
		if c.kind.sql == "YEAR" {
			value = "2099"
		}
		text := fmt.Sprintf("UPDATE %s SET %s.%s = %s WHERE %s", from, target, c.name, value, p)
		o := s.run(s.full, text)
		if o.err != nil {
			return s.failedChange("UPDATE", o, text)
		}
		want := &outcome{query: true, columns: every.columns}
		for _, row := range every.rows {
			if hit[*row[0]] {
				want.rows = append(want.rows, row)
			}
		}
		changed := fmt.Sprintf("SELECT id FROM %s WHERE %s = %s", owner, c.name, value)
		if d := differ("change: UPDATE", s.run(s.full, changed), want, likeness{}, text+";\n"+changed, changed); d != nil {
			return d
		}
		if int(o.affected) != len(hit) {
			return &difference{kind: "change: UPDATE affected", got: fmt.Sprintln(o.affected), want: fmt.Sprintln(len(hit)), text: text}
		}
		return nil
	}
	return nil
}

// failedChange is what is wrong with a change that fails though the SELECT works: nothing, if MySQL refuses such changes or may.
func (s *servers) failedChange(what string, o *outcome, text string) *difference {
	s.counts.refuse(what+": "+reason(o.err), text)
	if o.err.number == 1093 || slices.Contains(dependsOnWork, o.err.number) {
		return nil
	}
	return &difference{kind: fmt.Sprintf("change: %s error %d", what, o.err.number), got: o.show(), want: "OK\n", text: text}
}
