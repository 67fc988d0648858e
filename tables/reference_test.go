package tables

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// facts is factsOf for version 8.
func facts(t *testing.T, file string) map[string][]map[string]string {
	t.Helper()
	return factsOf(t, 8, file)
}

// factsOf reads those rows of a file of testdata/mysql84 that a major version of MySQL has, by
// their first column, which is usually the table. A row is its values by the names in the header.
// Columns have the numbers that they have in that version.
func factsOf(t *testing.T, version int, file string) map[string][]map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "testdata", "mysql84", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes = '\t', true
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	byTable := map[string][]map[string]string{}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, word := range lines[0] {
			row[word] = line[i]
		}
		if row["in_8.4"] == "NO" && version < 9 {
			continue
		}
		if row["ordinal"] != "" {
			row["ordinal"] = strconv.Itoa(len(byTable[line[0]]) + 1)
		}
		byTable[line[0]] = append(byTable[line[0]], row)
	}
	return byTable
}

// defaultText is the default of a column as the facts write it.
func defaultText(c ColumnInfo) string {
	switch {
	case c.Default == EmptyDefault:
		return ""
	case c.Default != "":
		return c.Default
	case c.Kind.Nullable:
		return "NULL"
	}
	return "(none)"
}

func collation(k Kind) string {
	switch {
	case !k.IsText() || k.Type == TypeLongBlob || k.Type == TypeJSON:
		return ""
	case k.UTF8MB3 && k.Binary:
		return "utf8mb3_bin"
	case k.UTF8MB3:
		return "utf8mb3_general_ci"
	case k.ASCII:
		return "ascii_general_ci"
	case k.Binary:
		return "utf8mb4_bin"
	}
	return "utf8mb4_0900_ai_ci"
}

func yesOrNo(b bool) string { return yes(b).Str() }

// described is a table in lines that can be compared.
func described(tb Table) []string {
	var lines, updatable []string
	for i, c := range tb.Columns() {
		null := yesOrNo(c.Kind.Nullable)
		lines = append(lines, fmt.Sprintf("column %s: number %d, %s, nullable %s, default %s, collation %q", c.Name, i+1, c.Kind, null, defaultText(c), collation(c.Kind)))
		if c.Updatable {
			updatable = append(updatable, c.Name)
		}
	}
	for _, ix := range tb.Indexes() {
		lines = append(lines, fmt.Sprintf("index %s: %s, unique %s", ix.Name, strings.Join(ix.Columns, ","), yesOrNo(ix.Unique)))
	}
	return append(lines, fmt.Sprintf("columns: %d", len(tb.Columns())), "collation: "+collation(Kind{Type: TypeVarChar, Binary: tb.Binary()}), "update: "+strings.Join(updatable, ","),
		"truncate: "+yesOrNo(tb.Truncatable()), "insert: "+yesOrNo(tb.Insertable()), "delete: "+yesOrNo(tb.Deletable()))
}

// describedByFacts is what described should be.
func describedByFacts(columns, indexes, privileges, meta []map[string]string) []string {
	var lines []string
	for _, c := range columns {
		lines = append(lines, fmt.Sprintf("column %s: number %s, %s, nullable %s, default %s, collation %q", c["column"], c["ordinal"], c["type"], c["nullable"], c["default"], c["collation"]))
	}
	for _, ix := range indexes {
		lines = append(lines, fmt.Sprintf("index %s: %s, unique %s", ix["index"], ix["columns"], yesOrNo(ix["kind"] != "KEY")))
	}
	for _, m := range meta {
		lines = append(lines, fmt.Sprintf("columns: %d", len(columns)), "collation: "+m["table_collation"])
	}
	for _, p := range privileges {
		update := p["update_columns"]
		if update == "NO" {
			update = ""
		}
		lines = append(lines, "update: "+update, "truncate: "+p["truncate"], "insert: "+p["insert"], "delete: "+p["delete"])
	}
	return lines
}

// Each table is as in MySQL 8.4, except for the differences in its comment.
func TestTablesAreAsInMySQL(t *testing.T) {
	oneAtATime(t)
	for _, version := range Versions {
		t.Run(strconv.Itoa(version), func(t *testing.T) { testTables(t, version) })
	}
}

func testTables(t *testing.T, version int) {
	columns, indexes := factsOf(t, version, "tables.tsv"), factsOf(t, version, "indexes.tsv")
	privileges, meta := factsOf(t, version, "privileges.tsv"), factsOf(t, version, "table_meta.tsv")
	comments := tableComments(t)
	for name := range columns {
		if facts(t, "tables.tsv")[name] == nil && !slices.ContainsFunc(AllOf(version), func(tb Table) bool { return tb.Name() == name }) {
			t.Errorf("%s is not here", name)
		}
	}
	for _, tb := range AllOf(version) {
		admitted := comments[tb.Name()].differs
		if columns[tb.Name()] == nil {
			if comments[tb.Name()].mysql != "none" && len(admitted) == 0 {
				t.Errorf("%s: MySQL 8.4 has no such table, and no Differs line says so", tb.Name())
			}
			continue
		}
		got, want := described(tb), describedByFacts(columns[tb.Name()], indexes[tb.Name()], privileges[tb.Name()], meta[tb.Name()])
		check := func(lines, others []string, what string) {
			for _, line := range lines {
				if slices.Contains(others, line) {
					continue
				}
				subject := strings.TrimPrefix(line[:strings.Index(line, ":")], "column ")
				if !slices.ContainsFunc(admitted, func(d string) bool { return strings.HasPrefix(d, subject+" ") }) {
					t.Errorf("%s: %s %s", tb.Name(), what, line)
				}
			}
		}
		check(got, want, "MySQL does not have")
		check(want, got, "lacks")
	}
}

// A Differs line about a column must name one.
func TestDifferencesNameTheirColumn(t *testing.T) {
	for name, c := range tableComments(t) {
		tb := tableNamed(t, name)
		for _, d := range c.differs {
			word, _, _ := strings.Cut(d, " ")
			known := slices.ContainsFunc(tb.Columns(), func(c ColumnInfo) bool { return c.Name == word })
			if word == strings.ToUpper(word) && word[0] >= 'A' && !known {
				t.Errorf("%s: %q is about no column of the table", name, d)
			}
		}
	}
}
