package explain

import (
	"fmt"
	"strings"
)

// Row is a row of the table that EXPLAIN shows; nil is NULL.
type Row struct {
	ID                                                                  any
	SelectType, Table, Partitions, Type, PossibleKeys, Key, KeyLen, Ref any
	Rows, Filtered, Extra                                               any
}

// Rows are the rows of the table.
func (q *Query) Rows() (rows []Row) {
	q.rows(&rows)
	return rows
}

func (q *Query) rows(to *[]Row) {
	kind := q.kind()
	if len(q.Tables) == 0 {
		*to = append(*to, Row{ID: q.ID, SelectType: kind, Extra: orNil(q.Message)})
	}
	for i, t := range q.Tables {
		r := Row{ID: q.ID, SelectType: kind, Table: t.Name, Type: orNil(t.Access)}
		if t.Kind != "" {
			r.SelectType = t.Kind
		}
		r.PossibleKeys, r.Key = orNil(strings.Join(t.Possible, ",")), orNil(t.Key)
		if t.Key != "" && t.KeyLen > 0 {
			r.KeyLen = fmt.Sprint(t.KeyLen)
		}
		r.Ref = orNil(strings.Join(t.Ref, ","))
		if !t.Unknown {
			r.Rows, r.Filtered = uint64(t.Rows+.5), t.Filtered
		}
		extra := t.Extra
		if i == q.first() {
			if q.Temporary {
				extra = append(extra[:len(extra):len(extra)], "Using temporary")
			}
			if q.Sorted {
				extra = append(extra[:len(extra):len(extra)], "Using filesort")
			}
		}
		if t.Joins != "" {
			extra = append(extra[:len(extra):len(extra)], "Using join buffer ("+t.Joins+")")
		}
		r.Extra = orNil(strings.Join(extra, "; "))
		*to = append(*to, r)
	}
	for _, in := range q.Nested {
		in.rows(to)
	}
	if u := q.Union; u != nil {
		for _, o := range u.Others {
			o.rows(to)
		}
		if u.Materialized {
			extra := "Using temporary"
			if u.Sorted {
				extra += "; Using filesort"
			}
			*to = append(*to, Row{ID: u.ID, SelectType: u.Kind + " RESULT", Table: u.name(q), Type: "ALL", Extra: extra})
		}
	}
}

// first returns the index of the first table that is read, which follows a written one.
func (q *Query) first() int {
	for i, t := range q.Tables {
		if t.Kind != "INSERT" && t.Kind != "REPLACE" {
			return i
		}
	}
	return -1
}

// kind is the select_type of a block.
func (q *Query) kind() string {
	if q.Dependent && (q.Kind == "SUBQUERY" || q.Kind == "UNION" || q.Kind == "DERIVED") {
		return "DEPENDENT " + q.Kind
	}
	return q.Kind
}

// name returns the table name of the result of a set operation; q is its first part.
func (u *Union) name(q *Query) string {
	ids := fmt.Sprint(q.ID)
	for _, o := range u.Others {
		ids += fmt.Sprintf(",%d", o.ID)
	}
	return "<" + strings.ToLower(u.Kind) + ids + ">"
}

// orNil returns s, or nil if it is empty.
func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}
