package planning

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql/analyzer"
)

// ReplaceRule replaces the analyzer rule called name by the rules that with returns. It returns an
// error if the analyzer has no such rule. The name is all that identifies a rule, because
// go-mysql-server does not export the numbers of rules, and another version can use another name.
func ReplaceRule(a *analyzer.Analyzer, name string, with func(analyzer.Rule) []analyzer.Rule) error {
	found := false
	for _, b := range a.Batches {
		var rules []analyzer.Rule // a new slice: other analyzers can have b.Rules too
		for i, r := range b.Rules {
			if r.Id.String() != name {
				continue
			}
			rules = append(append(append(rules, b.Rules[:i]...), with(r)...), b.Rules[i+1:]...)
			found = true
			break
		}
		if rules != nil {
			b.Rules = rules
		}
	}
	if !found {
		return errNoRule(name)
	}
	return nil
}

// errNoRule is the error for a rule that go-mysql-server does not have.
func errNoRule(name string) error {
	return fmt.Errorf("this version of go-mysql-server has no rule %q in its analyzer: what stands in its place mends nothing", name)
}
