package engine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pfsd/tables"
)

// The list in docs/tables.md says of each table what it has, and it has all of MySQL 8.4's.
func TestTablesDocumented(t *testing.T) {
	const mark = "<!-- made by: go test ./engine -run TestTablesDocumented -rewrite-docs -->\n"
	file := filepath.Join("..", "docs", "tables.md")
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, list, _ := bytes.Cut(old, []byte(mark))

	mysql := map[string]string{} // what in_8.4 says of MySQL's tables
	for _, row := range mysqlFacts(t, "table_meta.tsv") {
		mysql[row["table"]] = row["in_8.4"]
	}
	count := map[string]int{}
	var lines []string
	for _, tb := range tables.AllOf(9) {
		state, what := "live", tb.Doc()
		switch {
		case tb.Empty() != "" && tb.Static() != "":
			t.Errorf("%s is both empty and static", tb.Name())
		case tb.Empty() != "":
			state, what = "empty", what+" "+sentence(tb.Empty())
		case tb.Static() != "":
			state, what = "static", what+" "+sentence(tb.Static())
		}
		from := "8.4"
		switch {
		case tb.Name() == "component_scheduler_tasks":
			from = "8.4, with a component"
		case mysql[tb.Name()] == "":
			from = "ours"
		case mysql[tb.Name()] == "NO":
			from = "9.6"
		default:
			count[state]++
		}
		delete(mysql, tb.Name())
		lines = append(lines, fmt.Sprintf("| `%s` | %s | %s | %s |\n", tb.Name(), from, state, what))
	}
	for name := range mysql {
		t.Errorf("MySQL has a table %s, we have none", name)
	}
	slices.Sort(lines)
	text := fmt.Sprintf("\nOf MySQL 8.4's %d tables, %d are live, %d static and %d empty.\n\n| table | MySQL | rows | what it shows |\n|---|---|---|---|\n",
		count["live"]+count["static"]+count["empty"], count["live"], count["static"], count["empty"]) + strings.Join(lines, "")
	if *rewrite {
		if err := os.WriteFile(file, []byte(string(head)+mark+text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(text, string(list)); d != "" {
		t.Errorf("docs/tables.md is out of date, run with -rewrite-docs:\n%s", d)
	}
}

// TestOurTablesAreDifferences: docs/differences.md names each table that no version of MySQL 8.4 or later has, and names no other table among
// them.
func TestOurTablesAreDifferences(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "differences.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(text), "- **Tables that MySQL does not have**")
	part, _, _ = strings.Cut(part, "\n- **")
	mysql := map[string]bool{}
	for _, row := range mysqlFacts(t, "table_meta.tsv") {
		mysql[row["table"]] = true
	}
	for _, tb := range tables.AllOf(9) {
		name := tb.Name()
		ours := !mysql[name] && name != "component_scheduler_tasks" // a component of MySQL has that one
		if named := strings.Contains(part, "`"+name+"`"); named != ours {
			t.Errorf("%s: named among the tables that MySQL does not have: %t, want %t", name, named, ours)
		}
	}
}

// sentence is text with a capital and a full stop.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }
