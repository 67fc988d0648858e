package engine

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestGeneratedJoins: joins of all kinds, with conditions, subqueries and derived tables, have the rows that SQL's rules give them,
// whatever order and way of the joins the server takes, as SELECT, in a derived table, prepared, and as DELETE and UPDATE.
// PFSD_SOAK has it make many more.
func TestGeneratedJoins(t *testing.T) {
	r := serve(t, Options{})
	c, _ := r.conn(t)
	schemas, statements := 6, 60
	if os.Getenv("PFSD_SOAK") != "" {
		schemas, statements = 2000, 200
	}
	failed := 0
	for seed := range uint64(schemas) {
		g := &joinGenerator{Rand: rand.New(rand.NewPCG(seed, 4))}
		g.schema(t, c)
		for range statements {
			if failed += g.try(t, c); failed > 20 {
				t.Fatal("too many failures")
			}
		}
	}
}

// schema makes tables with random rows and keys.
func (g *joinGenerator) schema(t *testing.T, c *sql.Conn) {
	t.Helper()
	exec := func(q string) {
		t.Helper()
		if _, err := c.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	exec("DROP DATABASE IF EXISTS gen")
	exec("CREATE DATABASE gen")
	exec("USE gen")
	g.tables, g.rows, g.keys = nil, map[string][][]cell{}, map[string]string{}
	for _, name := range []string{"p", "q", "r"} {
		keys := []string{"", ", KEY (x)", ", KEY (x), KEY (y)", ", KEY (x, y)", ", KEY (y, x), KEY (z)"}[g.IntN(5)]
		exec(fmt.Sprintf("CREATE TABLE %s (id INT PRIMARY KEY, x INT, y INT, z INT NOT NULL%s)", name, keys))
		rows := [][]cell{}
		for id := range g.IntN(7) {
			row := []cell{{v: id}, {v: g.IntN(4), null: g.oneIn(4)}, {v: g.IntN(3), null: g.oneIn(4)}, {v: g.IntN(4)}}
			for i := range row {
				if row[i].null {
					row[i].v = 0
				}
			}
			exec(fmt.Sprintf("INSERT INTO %s VALUES (%v, %v, %v, %v)", name, row[0], row[1], row[2], row[3]))
			rows = append(rows, row)
		}
		g.tables, g.rows[name], g.keys[name] = append(g.tables, name), rows, keys
	}
}

// try makes a statement and compares what the server says with the model. It returns how many differences there are.
func (g *joinGenerator) try(t *testing.T, c *sql.Conn) int {
	t.Helper()
	st := g.statement(false)
	want := st.want()
	selects := fmt.Sprintf("%s FROM %s WHERE %s", st.columns(), st.from, st.where)
	queries := []string{"SELECT " + selects}
	if len(st.tables) > 1 {
		queries = append(queries, "SELECT "+g.hint(st.tables)+" "+selects, "SELECT "+g.hint(st.tables)+" "+selects)
	}
	switch g.IntN(4) {
	case 0:
		queries = append(queries, "SELECT * FROM (SELECT "+selects+") d")
	case 1:
		queries = append(queries, "SELECT COUNT(*) FROM (SELECT "+selects+") d")
	case 2:
		queries = append(queries, "WITH d AS (SELECT "+selects+") SELECT * FROM d")
	}
	for _, q := range queries {
		expected := want
		if strings.HasPrefix(q, "SELECT COUNT(*)") {
			expected = []string{fmt.Sprint(len(want))}
		}
		got, err := sortedRows(t.Context(), c, q)
		if err != nil || !slices.Equal(got, expected) {
			t.Errorf("%s\n  %v\n  has %q, error %v\n  want %q", q, g.shown(), got, err, expected)
			return 1
		}
	}
	return g.write(t, c)
}

// write makes a DELETE or an UPDATE of one table of a join, and takes it back.
func (g *joinGenerator) write(t *testing.T, c *sql.Conn) int {
	t.Helper()
	st := g.statement(true)
	target := st.tables[g.IntN(len(st.tables))]
	name := st.stored[target]
	hit := map[int]bool{}
	for _, s := range st.rows {
		if id := s[target][0]; !id.null {
			hit[id.v] = true
		}
	}
	write := fmt.Sprintf("DELETE t%d FROM %s WHERE %s", target, st.from, st.where)
	if g.oneIn(2) {
		write = fmt.Sprintf("UPDATE %s SET t%d.id = t%d.id + 100 WHERE %s", st.from, target, target, st.where)
	}
	want := []string{}
	for _, r := range g.rows[name] {
		if !hit[r[0].v] {
			want = append(want, r[0].String())
		}
	}
	slices.Sort(want)
	var got []string
	_, err := c.ExecContext(t.Context(), "BEGIN")
	if err == nil {
		_, err = c.ExecContext(t.Context(), write)
	}
	if err == nil {
		got, err = sortedRows(t.Context(), c, "SELECT id FROM "+name+" WHERE id < 100")
	}
	if _, back := c.ExecContext(t.Context(), "ROLLBACK"); back != nil {
		t.Fatal(back)
	}
	if err == nil && slices.Equal(got, want) {
		return 0
	}
	if err != nil && strings.Contains(err.Error(), "1093") || err != nil && strings.Contains(err.Error(), "1235") {
		return 0 // the subquery reads the table
	}
	t.Errorf("%s\n  %v\n  leaves %q, error %v\n  want %q", write, g.shown(), got, err, want)
	return 1
}

// hint makes hints that force an order and a way of joins.
func (g *joinGenerator) hint(tables []int) string {
	tables = slices.Clone(tables)
	g.Shuffle(len(tables), func(i, j int) { tables[i], tables[j] = tables[j], tables[i] })
	var names []string
	for _, n := range tables {
		names = append(names, fmt.Sprintf("t%d", n))
	}
	way := []string{"LOOKUP_JOIN", "HASH_JOIN", "MERGE_JOIN", "INNER_JOIN"}[g.IntN(4)]
	var hints []string
	if g.oneIn(2) {
		hints = append(hints, "JOIN_ORDER("+strings.Join(names, ",")+")")
	}
	for i := range names[1:] {
		hints = append(hints, fmt.Sprintf("%s(%s,%s)", way, names[i], names[i+1]))
	}
	return "/*+ " + strings.Join(hints, " ") + " */"
}

// shown shows the tables.
func (g *joinGenerator) shown() string {
	var b strings.Builder
	for _, name := range g.tables {
		fmt.Fprintf(&b, "%s%v%s ", name, g.rows[name], g.keys[name])
	}
	return b.String()
}

// sortedRows returns the rows of a query, in order.
func sortedRows(ctx context.Context, c *sql.Conn, q string) ([]string, error) {
	rows, err := c.QueryContext(ctx, q)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	all := []string{}
	for rows.Next() {
		values, pointers := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			pointers[i] = &values[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			return nil, err
		}
		var texts []string
		for _, v := range values {
			if v.Valid {
				texts = append(texts, v.String)
			} else {
				texts = append(texts, "NULL")
			}
		}
		all = append(all, strings.Join(texts, "|"))
	}
	slices.Sort(all)
	return all, rows.Err()
}
