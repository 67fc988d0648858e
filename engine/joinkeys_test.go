package engine

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pfsd/engine/sys"
	"pfsd/instr"
	"pfsd/tables"
)

// manyThreads is a model with many threads, by its own estimate.
type manyThreads struct{ tables.Model }

func (manyThreads) ThreadCount() int { return 131_000 }

// planStep is a line of a plan, with the steps that it reads.
type planStep struct {
	text  string
	reads []*planStep
}

// planOf is the plan that EXPLAIN FORMAT=TREE has shown.
func planOf(shown string) *planStep {
	root := &planStep{}
	path := []*planStep{root}
	for line := range strings.Lines(shown) {
		text, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "-> ")
		if !ok {
			continue
		}
		depth := (len(line)-len(strings.TrimLeft(line, " ")))/4 + 1
		s := &planStep{text: strings.TrimSpace(text)}
		path = append(path[:depth], s)
		path[depth-1].reads = append(path[depth-1].reads, s)
	}
	return root
}

// hashKey is an equality in the condition of a join.
var hashKey = regexp.MustCompile(` = `)

// pairs returns the joins in s that test each row of one side with each row of the other.
func (s *planStep) pairs() (all []string) {
	for _, r := range s.reads {
		all = append(all, r.pairs()...)
	}
	if len(s.reads) != 2 || !strings.Contains(s.text, "join") || !s.reads[0].many() {
		return all
	}
	switch right := s.reads[1]; {
	case strings.Contains(s.text, "hash join"):
		if !hashKey.MatchString(s.text) && right.many() {
			all = append(all, s.text)
		}
	case right.many():
		all = append(all, s.text+", which reads "+right.text)
	}
	return all
}

// many reports whether s may have several rows each time it is read: it is no look-up, and no single row.
func (s *planStep) many() bool {
	switch {
	case strings.Contains(s.text, "lookup on "), strings.HasPrefix(s.text, "Aggregate:"), strings.HasPrefix(s.text, "Rows fetched before execution"):
		return false
	case len(s.reads) == 1:
		return s.reads[0].many()
	case len(s.reads) == 2 && strings.Contains(s.text, "join"):
		return s.reads[0].many() || s.reads[1].many()
	}
	return true
}

// No view of sys and no statement of the documents tests each row of one table with each row of another, however many threads there are.
func TestJoinsHaveKeys(t *testing.T) {
	reg := instr.NewRegistry()
	r := serve(t, Options{Registry: reg, Model: manyThreads{tables.Of(reg)}}, tables.All()...)
	asked := map[string]string{}
	for _, v := range sys.Views {
		asked["sys."+v.Name] = "SELECT * FROM sys.`" + v.Name + "`"
	}
	for path, text := range docs(t) {
		for _, s := range docStatements(text) {
			if strings.Contains(strings.ToUpper(s.text), "JOIN") && strings.HasPrefix(s.text, "SELECT") {
				asked[fmt.Sprintf("%s:%d", path, s.line)] = s.text
			}
		}
	}
	for name, q := range asked {
		for _, found := range planOf(r.query(t, "EXPLAIN FORMAT=TREE "+q)[0]).pairs() {
			t.Errorf("%s: %s", name, found)
		}
	}
	if len(asked) < len(sys.Views)+5 {
		t.Errorf("%d statements", len(asked))
	}
}
