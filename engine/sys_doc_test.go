package engine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pfsd/engine/sys"
)

// The list in docs/sys.md says of each view what its rows are.
func TestSysDocumented(t *testing.T) {
	const mark = "<!-- made by: go test ./engine -run TestSysDocumented -rewrite-docs -->\n"
	file := filepath.Join("..", "docs", "sys.md")
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, list, _ := bytes.Cut(old, []byte(mark))
	text := "\n## The views\n\n| view | x$ | what it shows |\n|---|---|---|\n"
	for _, v := range sys.Views {
		twin := "no"
		switch {
		case strings.HasPrefix(v.Name, "x$") && sys.ViewNamed(v.Name[2:]) != nil:
			continue
		case strings.HasPrefix(v.Name, "x$"):
			twin = "alone"
		case sys.ViewNamed("x$"+v.Name) != nil:
			twin = "yes"
		}
		text += fmt.Sprintf("| `%s` | %s | %s |\n", v.Name, twin, v.Doc)
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(string(head)+mark+text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(text, string(list)); d != "" {
		t.Errorf("docs/sys.md is out of date, run with -rewrite-docs:\n%s", d)
	}
}
