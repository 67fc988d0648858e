package planning

import (
	"testing"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
)

// ReplaceRule returns an error for a rule that go-mysql-server does not have.
func TestReplaceRule(t *testing.T) {
	a := analyzer.NewBuilder(memory.NewDBProvider()).Build()
	if err := ReplaceRule(a, "noSuchRule", func(r analyzer.Rule) []analyzer.Rule { return []analyzer.Rule{r} }); err == nil {
		t.Error("no error for a rule that does not exist")
	}
	if err := ReplaceRule(a, "replaceCountStar", func(r analyzer.Rule) []analyzer.Rule { return nil }); err != nil {
		t.Error(err)
	}
	if err := ReplaceRule(a, "replaceCountStar", func(r analyzer.Rule) []analyzer.Rule { return []analyzer.Rule{r} }); err == nil {
		t.Error("no error for a rule that has already been replaced by none")
	}
}
