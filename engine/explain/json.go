package explain

import (
	"encoding/json"
	"fmt"
	"strings"
)

// member is a member of a JSON object, whose members are ordered.
type member struct {
	name  string
	value any // text, number, bool, object, or []any of these
}

type object []member

// JSON returns the plan as EXPLAIN FORMAT=JSON shows it, in version 1 of the format.
func (q *Query) JSON() string {
	var b strings.Builder
	write(&b, object{{"query_block", q.object()}}, "")
	return b.String()
}

// object is the query block.
func (q *Query) object() object {
	if q.Union != nil {
		return q.union()
	}
	o := object{{"select_id", q.ID}}
	if q.Message != "" && len(q.Tables) == 0 {
		o = append(o, member{"message", q.Message})
	} else {
		o = append(o, member{"cost_info", object{{"query_cost", decimal(q.Cost())}}})
		o = append(o, q.operations()...)
	}
	for _, place := range []string{InColumns, InHaving} {
		if list := q.nestedIn(place); list != nil {
			o = append(o, member{place, list})
		}
	}
	return o
}

// union is the query block of a set operation.
func (q *Query) union() object {
	first := *q
	first.Union = nil
	parts := []any{nestedObject(&first)}
	for _, o := range q.Union.Others {
		parts = append(parts, nestedObject(o))
	}
	u := object{{"using_temporary_table", q.Union.Materialized}}
	if q.Union.Materialized {
		u = append(u, member{"select_id", q.Union.ID}, member{"table_name", q.Union.name(q)}, member{"access_type", "ALL"})
	}
	if q.Union.Sorted {
		u = append(u, member{"using_filesort", true})
	}
	return object{{strings.ToLower(q.Union.Kind) + "_result", append(u, member{"query_specifications", parts})}}
}

// nestedObject returns the object of a block inside another one.
func nestedObject(q *Query) object {
	return object{{"dependent", q.Dependent}, {"cacheable", !q.Dependent}, {"query_block", q.object()}}
}

// nestedIn returns the blocks in a place of the block.
func (q *Query) nestedIn(place string) (list []any) {
	for _, in := range q.Nested {
		if in.Place == place {
			list = append(list, nestedObject(in.Query))
		}
	}
	return list
}

// operations returns the operations on the rows of the tables, the last one outermost.
func (q *Query) operations() object {
	inner := q.tables()
	sorted := q.Sorted
	if q.Grouped {
		inner = object{{"grouping_operation", append(object{{"using_temporary_table", q.Temporary}, {"using_filesort", false}}, inner...)}}
	}
	if q.Windows {
		inner = object{{"windowing", append(object{{"windows", []any{object{{"name", "<unnamed window>"}, {"using_filesort", true}}}}}, inner...)}}
	}
	if q.Distinct {
		inner = object{{"duplicates_removal", append(object{{"using_temporary_table", true}, {"using_filesort", false}}, inner...)}}
	}
	if sorted && !q.Windows {
		inner = object{{"ordering_operation", append(object{{"using_filesort", true}}, inner...)}}
	}
	return inner
}

// tables are the tables of the block.
func (q *Query) tables() object {
	var written object
	var read []any
	prefix := 0.0
	for _, t := range q.Tables {
		if t.Kind == "INSERT" || t.Kind == "REPLACE" {
			written = object{{"table", object{{strings.ToLower(t.Kind), true}, {"table_name", t.Name}, {"access_type", "ALL"}}}}
			continue
		}
		prefix += t.Cost
		read = append(read, object{{"table", q.table(t, prefix)}})
	}
	switch {
	case len(read) == 1 && written == nil:
		return read[0].(object)
	case len(read) == 0:
		return written
	case written != nil:
		from := object{{"nested_loop", read}}
		if len(read) == 1 {
			from = read[0].(object)
		}
		return append(written, member{"insert_from", from})
	}
	return object{{"nested_loop", read}}
}

// table returns the object of a table; prefix is the cost up to and including it.
func (q *Query) table(t *Table, prefix float64) (o object) {
	if t.Kind == "UPDATE" || t.Kind == "DELETE" {
		o = append(o, member{strings.ToLower(t.Kind), true})
	}
	o = append(o, member{"table_name", t.Name}, member{"access_type", t.Access})
	if len(t.Possible) > 0 {
		o = append(o, member{"possible_keys", texts(t.Possible)})
	}
	if t.Key != "" {
		o = append(o, member{"key", t.Key}, member{"used_key_parts", texts(t.KeyParts)}, member{"key_length", fmt.Sprint(t.KeyLen)})
	}
	if len(t.Ref) > 0 {
		o = append(o, member{"ref", texts(t.Ref)})
	}
	if !t.Unknown {
		o = append(o, member{"rows_examined_per_scan", uint64(t.Rows + .5)}, member{"rows_produced_per_join", uint64(t.Produced + .5)},
			member{"filtered", decimal(t.Filtered)})
	}
	for _, e := range t.Extra {
		switch name, more, _ := strings.Cut(e, "("); name {
		case "Using index":
			o = append(o, member{"using_index", true})
		case "FirstMatch":
			o = append(o, member{"first_match", strings.TrimSuffix(more, ")")})
		case "Not exists":
			o = append(o, member{"not_exists", true})
		case "Recursive":
			o = append(o, member{"recursive", true})
		}
	}
	if t.Joins != "" {
		o = append(o, member{"using_join_buffer", t.Joins})
	}
	if !t.Unknown {
		eval := t.Produced * evalCost
		o = append(o, member{"cost_info", object{{"read_cost", decimal(max(0, t.Cost-eval))}, {"eval_cost", decimal(eval)}, {"prefix_cost", decimal(prefix)},
			{"data_read_per_join", bytes(t.Produced * float64(rowBytes*max(1, len(t.Columns))))}}})
	}
	if len(t.Columns) > 0 {
		o = append(o, member{"used_columns", texts(t.Columns)})
	}
	if t.Condition != "" {
		o = append(o, member{"attached_condition", t.Condition})
		if list := q.nestedIn(InCondition); list != nil && t == q.lastWithCondition() {
			o = append(o, member{InCondition, list})
		}
	}
	if t.From != nil {
		o = append(o, member{InTable, append(object{{"using_temporary_table", true}}, nestedObject(t.From)...)})
	}
	return o
}

// lastWithCondition returns the last table with a condition, which is shown with the subqueries of the conditions.
func (q *Query) lastWithCondition() (last *Table) {
	for _, t := range q.Tables {
		if strings.Contains(t.Condition, "(select #") {
			last = t
		}
	}
	return last
}

const (
	// evalCost is the cost of evaluating a row.
	evalCost = 0.1
	// rowBytes is an estimate of the bytes of a column.
	rowBytes = 16
)

// decimal formats a number that MySQL shows as a JSON string.
func decimal(n float64) string { return fmt.Sprintf("%.2f", n) }

// bytes formats a number of bytes.
func bytes(n float64) string {
	for _, unit := range []string{"", "K", "M", "G", "T"} {
		if n < 1024 {
			return fmt.Sprintf("%d%s", uint64(n), unit)
		}
		n /= 1024
	}
	return fmt.Sprintf("%dP", uint64(n))
}

func texts(all []string) (list []any) {
	for _, s := range all {
		list = append(list, s)
	}
	return list
}

// write writes a value, indented by two spaces for each level.
func write(b *strings.Builder, value any, indent string) {
	deeper := indent + "  "
	switch v := value.(type) {
	case object:
		b.WriteString("{\n")
		for i, m := range v {
			b.WriteString(deeper + quoted(m.name) + ": ")
			write(b, m.value, deeper)
			if i+1 < len(v) {
				b.WriteString(",")
			}
			b.WriteString("\n")
		}
		b.WriteString(indent + "}")
	case []any:
		b.WriteString("[\n")
		for i, e := range v {
			b.WriteString(deeper)
			write(b, e, deeper)
			if i+1 < len(v) {
				b.WriteString(",")
			}
			b.WriteString("\n")
		}
		b.WriteString(indent + "]")
	case string:
		b.WriteString(quoted(v))
	default:
		fmt.Fprint(b, v)
	}
}

// quoted returns a JSON string without the escapes that MySQL does not use.
func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
