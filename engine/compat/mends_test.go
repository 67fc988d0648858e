package compat

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var rewritePage = flag.Bool("rewrite", false, "write docs/mends.md anew")

const mendsPage = "../../docs/mends.md"

// TestMendsDocumented: docs/mends.md is what the list of mends says.
func TestMendsDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Mends of go-mysql-server

What go-mysql-server does differently from MySQL is mended through its public extension points, in ` + "`engine/compat`" + `, where a
table, a view of ` + "`sys`" + ` or a recorded statement of a client ([clients.md](clients.md)) needs it. A function is mended for no other reason:
general compatibility is go-mysql-server's work. What was written of it before stands apart in ` + "`engine/mysqlfuncs`" + `, which the build
tag ` + "`nomysqlfuncs`" + ` leaves out.

` + "`make mends`" + ` makes this page of the list in ` + "`engine/compat/mends.go`" + `. Each mend there has a canary: the last of its statements is answered as by MySQL
with the mend, and otherwise without it. ` + "`TestMendsAreNeeded`" + ` switches each mend off alone, and fails where the answer without it is MySQL's:
then the mend can be dropped. To add a mend, write it in a file of ` + "`engine/compat`" + ` and put it on the list with its canary.

Some mends are not on the list, as they cannot be switched off in a running server: types, the information schema, the words of
statements that go-mysql-server cannot parse (` + "`engine/syntax`" + `, ` + "`grammar.go`" + `), the bodies of stored programs, the bounds on memory, and what is
attached once for the process. The comments of their files say what they mend, and tests of their own hold them.
`)
	way := Way("")
	for _, m := range Mends() {
		if m.Name == "" || m.GMS == "" || m.MySQL == "" || len(m.Canary.Statements) == 0 || m.Canary.Answer == "" {
			t.Errorf("%q says too little", m.Name)
		}
		if m.Way != way {
			way = m.Way
			fmt.Fprintf(&b, "\n## By way of: %s\n\n| mend | go-mysql-server | MySQL | canary | reported |\n| --- | --- | --- | --- | --- |\n", way)
		}
		cell := func(s string) string { return strings.ReplaceAll(s, "|", "\\|") }
		reported := m.Upstream
		if reported == "" {
			reported = "not reported"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | `%s` is `%s` | %s |\n", cell(m.Name), cell(m.GMS), cell(m.MySQL),
			cell(m.Canary.Statements[len(m.Canary.Statements)-1]), cell(m.Canary.Answer), reported)
	}
	if *rewritePage {
		if err := os.WriteFile(mendsPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(mendsPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != b.String() {
		t.Error("docs/mends.md is not what the list of mends says: make mends writes it")
	}
}

// TestMendsAreNamedOnce: no two mends have the same name.
func TestMendsAreNamedOnce(t *testing.T) {
	names := map[string]bool{}
	for _, m := range Mends() {
		if names[m.Name] {
			t.Errorf("%s stands twice in the list", m.Name)
		}
		names[m.Name] = true
	}
}
