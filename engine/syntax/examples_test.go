package syntax

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// example matches an example in the comment of a rule: a statement, and the rewritten statement.
var example = regexp.MustCompile(`(?m)^//\t(.*\S)\s+becomes  (.*\S)$`)

// withoutSpaces returns s without white space, because rules can change that.
func withoutSpaces(s string) string { return strings.Join(strings.Fields(s), "") }

// examples returns the examples in the comments of the rules. The keys are the names of the files.
func examples(t *testing.T) map[string][][]string {
	t.Helper()
	files, err := filepath.Glob("rule_*.go")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][][]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = example.FindAllStringSubmatch(string(text), -1)
	}
	return all
}

// TestExamplesOfRules checks that each rule has an example in its comment, that go-mysql-server
// does not parse it, and that the rule rewrites it as the comment says.
func TestExamplesOfRules(t *testing.T) {
	for name, list := range examples(t) {
		if len(list) == 0 {
			t.Errorf("%s: no example", name)
		}
		for _, e := range list {
			if !misread(e[1]) {
				needed(t, e[1])
			}
			if got := rewritten(t, e[1]); withoutSpaces(got) != withoutSpaces(e[2]) {
				t.Errorf("%s: %s becomes\n%s, not\n%s", name, e[1], got, e[2])
			}
		}
	}
}
