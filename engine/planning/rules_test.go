package planning

import (
	"testing"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
)

// A rule that go-mysql-server does not have is an error, not nothing.
func TestReplaceRule(t *testing.T) {
	a := analyzer.NewBuilder(memory.NewDBProvider()).Build()
	if err := ReplaceRule(a, "noSuchRule", func(r analyzer.Rule) []analyzer.Rule { return []analyzer.Rule{r} }); err == nil {
		t.Error("a rule that there is not has been replaced")
	}
	if err := ReplaceRule(a, "replaceCountStar", func(r analyzer.Rule) []analyzer.Rule { return nil }); err != nil {
		t.Error(err)
	}
	if err := ReplaceRule(a, "replaceCountStar", func(r analyzer.Rule) []analyzer.Rule { return []analyzer.Rule{r} }); err == nil {
		t.Error("a rule that is gone has been replaced")
	}
}
