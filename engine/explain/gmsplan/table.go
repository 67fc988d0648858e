package gmsplan

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/explain"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/usertables"
	"pfsd/engine/vtable"
)

// Costs of reading, in MySQL's unit.
const (
	rowCost  = 0.1  // to evaluate a row
	pageCost = 0.25 // to find a row, or the first of a range
)

// diveRows bounds how many rows are counted for an estimate.
const diveRows = 10000

// table converts n, a table of block q, to a step; ok is false if n is not a table.
func (p *planner) table(q *explain.Query, n sql.Node) (s *explain.Step, ok bool) {
	alias := ""
	var inner sql.Node = n
	if a, ok := n.(*plan.TableAlias); ok {
		alias, inner = a.Name(), a.Child
	}
	switch t := inner.(type) {
	case *plan.ResolvedTable:
		if t.Name() == plan.DualTableName || t.Name() == "" {
			q.Message = "No tables used"
			return p.step(n, "Rows fetched before execution"), true
		}
		return p.tableScan(q, n, t.Table, aliasOrName(alias, t.Name())), true
	case *plan.IndexedTableAccess:
		return p.indexed(q, n, t, aliasOrName(alias, t.Name())), true
	case *plan.SubqueryAlias:
		return p.derived(q, n, t, aliasOrName(alias, t.Name())), true
	case *plan.RecursiveTable:
		q.Tables = append(q.Tables, &explain.Table{Name: aliasOrName(alias, t.Name()), Access: "ALL", Rows: 2, Filtered: 100, Extra: []string{"Recursive"}, Cost: pageCost})
		return p.step(n, "Scan new records on "+aliasOrName(alias, t.Name())), true
	case *plan.ValueDerivedTable:
		q.Tables = append(q.Tables, &explain.Table{Name: aliasOrName(alias, t.Name()), Access: "ALL", Rows: float64(len(t.ExpressionTuples)), Filtered: 100, Cost: pageCost})
		return p.step(n, "Table scan on "+aliasOrName(alias, t.Name())), true
	case *plan.JSONTable:
		q.Tables = append(q.Tables, &explain.Table{Name: aliasOrName(alias, t.Name()), Access: "ALL", Rows: 2, Filtered: 100, Extra: []string{"Table function: json_table", "Using temporary"}, Cost: pageCost})
		return p.step(n, "Materialize table function"), true
	}
	return nil, false
}

func aliasOrName(alias, name string) string {
	if alias != "" {
		return alias
	}
	return name
}

// tableScan returns the step that scans a whole table.
func (p *planner) tableScan(q *explain.Query, n sql.Node, t sql.Table, name string) *explain.Step {
	e := &explain.Table{Name: name, Access: "ALL", Filtered: 100, Columns: readColumns(p.ctx, n)}
	p.estimateRows(e, t)
	e.Possible = p.possible(t, name, "")
	q.Tables = append(q.Tables, e)
	return p.read(n, e, "Table scan on "+name)
}

// estimateRows sets the estimated rows of a table.
func (p *planner) estimateRows(e *explain.Table, t sql.Table) {
	if stats, ok := sql.GetUnderlyingTable(t).(sql.StatisticsTable); ok {
		if rows, _, err := stats.RowCount(p.ctx); err == nil {
			e.Rows = max(1, float64(rows))
			e.Cost = pageCost + e.Rows*rowCost
			return
		}
	}
	if m := usertables.Stored(t); m != nil {
		rows, _, _ := m.RowCount(p.ctx)
		e.Rows = max(1, float64(rows))
		e.Cost = pageCost + e.Rows*rowCost
		return
	}
	e.Unknown = true
}

// read returns the step that reads a table.
func (p *planner) read(n sql.Node, e *explain.Table, text string) *explain.Step {
	s := p.step(n, text)
	s.Cost, s.Rows, s.Estimated = e.Cost, e.Rows, !e.Unknown
	return s
}

// readColumns returns the columns that a node reads.
func readColumns(ctx *sql.Context, n sql.Node) (names []string) {
	for _, c := range n.Schema(ctx) {
		names = append(names, c.Name)
	}
	return names
}

// indexesOf are the indexes of a table.
func indexesOf(ctx *sql.Context, t sql.Table) []sql.Index {
	indexed, ok := sql.GetUnderlyingTable(t).(sql.IndexAddressable)
	if !ok {
		return nil
	}
	all, err := indexed.GetIndexes(ctx)
	if err != nil {
		return nil
	}
	return all
}

// keyColumns are the columns of an index.
func keyColumns(ix sql.Index) (names []string) {
	for _, e := range ix.Expressions() {
		names = append(names, e[strings.LastIndexByte(e, '.')+1:])
	}
	return names
}

// possible returns possible_keys: the indexes that begin with a column of a condition, and the used one.
func (p *planner) possible(t sql.Table, name, used string) (keys []string) {
	for _, ix := range indexesOf(p.ctx, t) {
		columns := keyColumns(ix)
		if ix.ID() == used || len(columns) > 0 && p.conditionColumns[strings.ToLower(name+"."+columns[0])] {
			keys = append(keys, ix.ID())
		}
	}
	return keys
}

// derived converts a derived table or a view.
func (p *planner) derived(q *explain.Query, n sql.Node, t *plan.SubqueryAlias, name string) *explain.Step {
	in := p.nestedBlock(q, t.Child, "DERIVED", explain.InTable)
	in.Dependent = !t.CanCacheResults()
	e := &explain.Table{Name: fmt.Sprintf("<derived%d>", in.ID), Access: "ALL", Rows: 2, Filtered: 100, From: in, Columns: readColumns(p.ctx, n)}
	if in.Root != nil && in.Root.Estimated {
		e.Rows = max(1, in.Root.Rows)
	}
	e.Cost = in.Cost() + pageCost + e.Rows*rowCost
	q.Tables = append(q.Tables, e)
	return withoutEstimate(p.step(n, "Table scan on "+name, p.step(t, "Materialize", in.Root)))
}

// indexed returns the step that reads a table through an index.
func (p *planner) indexed(q *explain.Query, n sql.Node, t *plan.IndexedTableAccess, name string) *explain.Step {
	ix := t.Index()
	columns := keyColumns(ix)
	e := &explain.Table{Name: name, Filtered: 100, Key: ix.ID(), Columns: readColumns(p.ctx, n)}
	p.estimateRows(e, t.Table)
	total := e.Rows
	schema := sql.GetUnderlyingTable(t.Table).Schema(p.ctx)
	if m := usertables.Stored(t.Table); m != nil {
		schema = m.Schema(p.ctx)
	}
	var text string
	if values := t.Expressions(); len(values) > 0 {
		text = p.lookUp(e, t, columns, values, total)
		e.KeyParts = columns[:min(len(values), len(columns))]
	} else if text = p.constantLookUp(e, t, columns, total); text == "" { // the index is not used
		e.Key, e.Access = "", "ALL"
		e.Possible = p.possible(t.Table, name, ix.ID())
		q.Tables = append(q.Tables, e)
		return p.read(n, e, "Table scan on "+name)
	}
	e.KeyLen = keyLength(schema, ix, e.KeyParts)
	if e.Access == "index" {
		e.Possible = p.possible(t.Table, name, "")
	} else {
		e.Possible = p.possible(t.Table, name, ix.ID())
	}
	if c, ok := usertables.Stored(t.Table).(usertables.Coverer); ok && ix.ID() != "PRIMARY" && c.Covers(ix.ID(), e.Columns) {
		e.Extra = append(e.Extra, "Using index")
		text = strings.Replace(strings.Replace(text, "Index ", "Covering index ", 1), "-row index", "-row covering index", 1)
	}
	q.Tables = append(q.Tables, e)
	return p.read(n, e, strings.ReplaceAll(text, "%t", name+" using "+ix.ID()))
}

// lookUp returns the text of a look-up of values of other tables. %t stands for the table.
func (p *planner) lookUp(e *explain.Table, t *plan.IndexedTableAccess, columns []string, values []sql.Expression, total float64) string {
	var conditions []string
	for i, v := range values {
		ref := "func"
		switch v := v.(type) {
		case *expression.GetField:
			ref = v.Table() + "." + v.Name()
			if v.Database() != "" {
				ref = v.Database() + "." + ref
			}
		case *expression.Literal:
			ref = "const"
		}
		e.Ref = append(e.Ref, ref)
		if i < len(columns) {
			conditions = append(conditions, columns[i]+" = "+p.text(v, false))
		}
	}
	text := "(" + strings.Join(conditions, ", ") + ")"
	if t.Index().IsUnique() && len(values) == len(columns) {
		e.Access, e.Rows = "eq_ref", 1
		e.Cost = pageCost + rowCost
		return "Single-row index lookup on %t " + text
	}
	e.Access = "ref"
	e.Rows = p.rowsPerKey(t, len(values), total)
	e.Cost = pageCost + e.Rows*rowCost
	return "Index lookup on %t " + text
}

// rowsPerKey estimates how many rows have the same values in the first columns of an index.
func (p *planner) rowsPerKey(t *plan.IndexedTableAccess, columns int, total float64) float64 {
	m := usertables.Stored(t.Table)
	if m == nil {
		return max(1, math.Sqrt(total))
	}
	var at []int
	for _, c := range keyColumns(t.Index())[:columns] {
		at = append(at, m.Schema(p.ctx).IndexOfColName(c))
	}
	values := map[string]bool{}
	seen := 0
	_ = eachRow(p.ctx, m, diveRows, func(row sql.Row) {
		seen++
		var key strings.Builder
		for _, i := range at {
			if i >= 0 && i < len(row) {
				fmt.Fprintf(&key, "%v\x00", row[i])
			}
		}
		values[key.String()] = true
	})
	if len(values) == 0 {
		return 1
	}
	return max(1, float64(seen)/float64(len(values)))
}

// eachRow calls f with at most limit rows of a table.
func eachRow(ctx *sql.Context, t sql.Table, limit int, f func(sql.Row)) (err error) {
	partitions, err := t.Partitions(ctx)
	if err != nil {
		return err
	}
	return readRows(ctx, sql.NewTableRowIter(ctx, t, partitions), limit, f)
}

// readRows calls f with at most limit rows, and closes the iterator.
func readRows(ctx *sql.Context, rows sql.RowIter, limit int, f func(sql.Row)) (err error) {
	defer func() {
		if e := rows.Close(ctx); err == nil {
			err = e
		}
	}()
	for range limit {
		row, err := rows.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		f(row)
	}
	return nil
}

// constantLookUp returns the text of a look-up of constants; "" if the whole table is read, as with a hash index
// some of whose columns have no value. %t stands for the table.
func (p *planner) constantLookUp(e *explain.Table, t *plan.IndexedTableAccess, columns []string, total float64) (text string) {
	l, inRange, err := t.GetLookup(p.ctx, nil)
	ranges, ok := l.Ranges.(sql.MySQLRangeCollection)
	if err != nil || !inRange || !ok {
		return ""
	}
	reading := AccessOf(p.ctx, t)
	virtual, _ := sql.GetUnderlyingTable(t.Table).(*vtable.Table)
	used := usedParts(ranges, virtual != nil)
	e.KeyParts = columns[:min(used, len(columns))]
	switch reading {
	case FullScan:
		if virtual != nil {
			return ""
		}
		e.Access, e.KeyParts = "index", columns
		text = "Index scan on %t"
		if l.IsReverse {
			text += " (reverse)"
		}
		return text
	case RangeScan:
		e.Access = "range"
		if virtual != nil {
			keys, _ := virtual.Keys(l)
			e.Rows = float64(max(1, len(keys)))
		}
		text = "Index range scan on %t over " + rangesText(p.ctx, ranges, columns)
	default:
		e.Access = "ref"
		for range e.KeyParts {
			e.Ref = append(e.Ref, "const")
		}
		text = "Index lookup on %t " + strings.ReplaceAll(rangesText(p.ctx, ranges, columns), " AND ", ", ")
		if t.Index().IsUnique() && used == len(columns) {
			e.Access, e.Rows, e.Cost = "const", 1, pageCost+rowCost
			return "Single-row index lookup on %t " + rangesText(p.ctx, ranges, columns)
		}
		if virtual != nil {
			e.Rows = max(1, math.Sqrt(total))
		}
	}
	if virtual == nil {
		rows := 0
		if parts, err := t.Table.LookupPartitions(p.ctx, l); err == nil {
			err = readRows(p.ctx, sql.NewTableRowIter(p.ctx, t.Table, parts), diveRows, func(sql.Row) { rows++ })
			if err == nil {
				e.Rows = float64(max(1, rows))
			}
		}
	}
	e.Rows = min(e.Rows, max(1, total))
	e.Cost = pageCost + e.Rows*(rowCost+pageCost)
	return text
}

// usedParts returns how many columns of an index a look-up uses.
func usedParts(ranges sql.MySQLRangeCollection, hash bool) (used int) {
	for _, r := range ranges {
		n := 0
		for i, c := range r {
			if !unbounded(c) {
				n = i + 1
			}
			if _, one := vtable.Point(c); !one && c.Type() != sql.RangeType_EqualNull && !hash {
				break // columns behind a range are not used
			}
		}
		used = max(used, n)
	}
	return used
}

// rangesText returns the text of ranges of an index.
func rangesText(ctx *sql.Context, ranges sql.MySQLRangeCollection, columns []string) string {
	var texts []string
	for _, r := range ranges {
		var parts []string
		for i, c := range r {
			if i < len(columns) && (!unbounded(c) || len(r) == 1) {
				parts = append(parts, rangeText(ctx, c, columns[i]))
			}
		}
		texts = append(texts, "("+strings.Join(parts, " AND ")+")")
	}
	return strings.Join(texts, " OR ")
}

// rangeText returns the text of a range of a column.
func rangeText(ctx *sql.Context, r sql.MySQLRangeColumnExpr, column string) string {
	value := func(c sql.MySQLRangeCut) string {
		v := sql.GetMySQLRangeCutKey(c)
		s := mysqlerr.ShownValue(ctx, r.Typ, v)
		if types.IsNumber(r.Typ) {
			return s
		}
		return "'" + s + "'"
	}
	if _, one := vtable.Point(r); one {
		return column + " = " + value(r.LowerBound)
	}
	text := column
	if r.Type() == sql.RangeType_EqualNull {
		return column + " IS NULL"
	}
	switch r.LowerBound.(type) {
	case sql.Above:
		text = value(r.LowerBound) + " < " + text
	case sql.Below:
		text = value(r.LowerBound) + " <= " + text
	case sql.AboveNull:
		text = "NULL < " + text
	}
	switch r.UpperBound.(type) {
	case sql.Above:
		text += " <= " + value(r.UpperBound)
	case sql.Below:
		text += " < " + value(r.UpperBound)
	}
	return text
}

// keyLength returns the bytes of columns in an index, as MySQL counts them.
func keyLength(schema sql.Schema, ix sql.Index, columns []string) (length int) {
	prefixes := ix.PrefixLengths()
	for i, name := range columns {
		at := schema.IndexOfColName(name)
		if at < 0 {
			continue
		}
		c := schema[at]
		prefix := 0
		if i < len(prefixes) {
			prefix = int(prefixes[i])
		}
		length += valueLength(c.Type, prefix)
		if c.Nullable {
			length++
		}
	}
	return length
}

// valueLength returns the bytes of a type in an index; prefix is the length of an index prefix, 0 for none.
func valueLength(t sql.Type, prefix int) int {
	switch t := t.(type) {
	case sql.StringType:
		n := int(t.MaxCharacterLength())
		if prefix > 0 {
			n = prefix
		}
		n *= int(t.CharacterSet().MaxLength())
		if !types.IsBlobType(t) && types.IsTextOnly(t) && strings.HasPrefix(t.String(), "char") {
			return n
		}
		return n + 2
	case sql.EnumType:
		if t.NumberOfElements() > 255 {
			return 2
		}
		return 1
	case sql.SetType:
		return int(t.NumberOfElements()+7) / 8
	case sql.DecimalType:
		whole, part := int(t.Precision())-int(t.Scale()), int(t.Scale())
		left := []int{0, 1, 1, 2, 2, 3, 3, 4, 4}
		return whole/9*4 + left[whole%9] + part/9*4 + left[part%9]
	}
	switch {
	case types.IsTimestampType(t):
		return 4
	case types.IsDatetimeType(t):
		return 5
	case types.IsDateType(t), types.IsTimespan(t):
		return 3
	case types.IsYear(t):
		return 1
	}
	word, _, _ := strings.Cut(t.String(), "(")
	switch strings.TrimSuffix(word, " unsigned") {
	case "tinyint":
		return 1
	case "smallint":
		return 2
	case "mediumint":
		return 3
	case "int", "float":
		return 4
	}
	return 8
}
