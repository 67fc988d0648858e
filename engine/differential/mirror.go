package main

import (
	"fmt"
	"strings"
)

// mariadb compares the answers with those of MariaDB.
func mariadb(s *servers, t *trial, only string) *difference {
	if !t.shared || s.mirror == nil {
		return nil
	}
	if t.q != nil {
		return mirrorQuery(s, t.q)
	}
	return mirrorScript(s, t)
}

func mirrorQuery(s *servers, q *query) *difference {
	text := q.String()
	a, b := s.run(s.full, text), s.run(s.mirror, text)
	like := likeness{ordered: q.ordered, loose: q.loose, errors: true}
	d := differ("mariadb:", a, b, like, text, text)
	if d == nil || a.err != nil || b.err != nil {
		return d
	}
	defer s.run(s.mirror, "SET optimizer_switch = DEFAULT")
	for _, without := range optimisations {
		s.run(s.mirror, "SET optimizer_switch = '"+without+"'")
		if differ("", a, s.run(s.mirror, text), like, text, text) == nil {
			s.counts.refuse("MariaDB contradicts itself", text)
			return nil
		}
		s.run(s.mirror, "SET optimizer_switch = DEFAULT")
	}
	return d
}

// optimisations are settings of MariaDB that change no answer. Where one does, MariaDB is no witness.
var optimisations = []string{
	"derived_merge=off", "semijoin=off,materialization=off,exists_to_in=off,subquery_cache=off",
	"condition_pushdown_for_derived=off,condition_pushdown_for_subquery=off,condition_pushdown_from_having=off,split_materialized=off,table_elimination=off",
}

// types compares the types of columns with those of MariaDB, as far as the servers agree about the rows.
func types(s *servers, t *trial, _ string) *difference {
	if !t.shared || s.mirror == nil || t.q == nil {
		return nil
	}
	text := t.q.String()
	a, b := s.run(s.full, text), s.run(s.mirror, text)
	if a.err != nil || b.err != nil || len(a.columns) != len(b.columns) {
		return nil
	}
	for i, x := range a.columns {
		y, what := b.columns[i], ""
		switch {
		case x.family() != y.family():
			what = fmt.Sprintf("family %s instead of %s", x.family(), y.family())
		case x.decimals != y.decimals && (x.kind == typeNewDecimal || x.temporal()):
			what = fmt.Sprintf("digits of %s", x.family())
		case x.flags&flagUnsigned != y.flags&flagUnsigned && x.numeric():
			what = "sign of " + x.family()
		case x.kind != y.kind:
			what = fmt.Sprintf("exact %d instead of %d", x.kind, y.kind)
		case x.length != y.length:
			what = "length of " + x.family()
		default:
			continue
		}
		return &difference{kind: "types: " + what, got: a.typesOf() + "\n", want: b.typesOf() + "\n", text: text}
	}
	return nil
}

// family is the kind of values that a column has.
func (c column) family() string {
	switch c.kind {
	case typeTiny, typeShort, typeLong, typeLongLong, typeInt24, typeYear:
		return "integer"
	case typeFloat, typeDouble:
		return "double"
	case typeNewDecimal:
		return "decimal"
	case typeDate:
		return "date"
	case typeTime:
		return "time"
	case typeDatetime, typeTimestamp:
		return "datetime"
	case typeNull:
		return "null"
	}
	return "text"
}

// mirrorScript carries out changes on both servers, and compares the answers and what is in the tables after each.
func mirrorScript(s *servers, t *trial) *difference {
	s.full.loaded, s.mirror.loaded = "", ""
	if text, err := s.full.load(t.world); err != nil {
		return &difference{kind: "mariadb: setup error", got: err.Error() + "\n", want: "OK\n", text: text}
	}
	if _, err := s.mirror.load(t.world); err != nil {
		return nil
	}
	s.full.loaded, s.mirror.loaded = "", ""
	defer func() { s.full.modes, s.mirror.modes = "changed", "changed" }()
	var done []string
	for _, x := range t.script {
		text := x.String()
		done = append(done, text)
		a, b := s.run(s.full, text), s.run(s.mirror, text)
		if a.err != nil && a.err.number == lostConnection || b.err != nil && b.err.number == lostConnection {
			return nil
		}
		made := func(kind string) *difference {
			return &difference{kind: "mariadb: " + strings.SplitN(text, " ", 2)[0] + " " + kind, got: a.show(), want: b.show(), text: strings.Join(done, ";\n")}
		}
		switch {
		case a.err != nil && b.err != nil:
			if a.err.number != b.err.number {
				return made(fmt.Sprintf("errors %d %d", a.err.number, b.err.number))
			}
		case a.err != nil:
			return made(fmt.Sprintf("error %d OK", a.err.number))
		case b.err != nil:
			return made(fmt.Sprintf("error OK %d", b.err.number))
		case a.affected != b.affected:
			return made("affected")
		case a.insertID != b.insertID:
			return made("id")
		}
		codes := "SHOW WARNINGS"
		if wa, wb := notes(s.run(s.full, codes)), notes(s.run(s.mirror, codes)); a.err == nil && wa != wb {
			d := made("warnings")
			d.got, d.want = wa+"\n", wb+"\n"
			return d
		}
		for _, table := range t.world.tables {
			look := "SELECT * FROM " + table.name
			ra, rb := s.run(s.full, look), s.run(s.mirror, look)
			if d := compare(ra, rb, likeness{}); d != "" {
				return &difference{kind: "mariadb: " + strings.SplitN(text, " ", 2)[0] + " " + d, got: ra.show(), want: rb.show(), text: strings.Join(append(done, look), ";\n")}
			}
		}
	}
	return nil
}

// notes lists the numbers of warnings.
func notes(o *outcome) string {
	var s []string
	for _, row := range o.rows {
		if len(row) > 1 && row[1] != nil {
			s = append(s, *row[1])
		}
	}
	return strings.Join(s, " ")
}
