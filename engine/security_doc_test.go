package engine

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What docs/security.md promises has a test: each of its promises names one, and all that are named
// exist.
func TestSecurityDoc(t *testing.T) {
	text, err := os.ReadFile("../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	if err := filepath.WalkDir("..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(source, -1) {
			tests[string(m[1])] = true
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test\\w+)`")
	promises := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "- ") {
			continue
		}
		names := named.FindAllStringSubmatch(line, -1)
		for _, m := range names {
			if !tests[m[1]] {
				t.Errorf("there is no %s, which is to hold: %s", m[1], line)
			}
		}
		// What is told as a danger, and not promised, has none.
		if danger := strings.Contains(line, "grant it to") || strings.Contains(line, "put no passwords there"); len(names) == 0 && !danger {
			t.Errorf("no test holds: %s", line)
		}
		promises += len(names)
	}
	if promises < 40 {
		t.Errorf("%d promises", promises)
	}
}
