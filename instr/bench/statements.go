package main

import (
	"strings"
	"time"

	"pfsd/instr"
)

// statements measures a statement with three stages, of a text that has been seen before, as a
// server runs it. The plain operation does nothing.
func statements(runs int, length time.Duration) ([]row, error) {
	all := setting{name: "everything on, digest included", value: instr.PatternOn}
	for c := range instr.ConsumerCount {
		if !strings.Contains(c.String(), "histogram") {
			all.consumers = append(all.consumers, c)
		}
	}
	ops := []operation{operation{run: func(n int) {
		for range n {
			nothing()
		}
	}}.asThread(off.registry())}
	for _, c := range []struct {
		setting
		budget float64
	}{{off, noBudget}, {setting{name: "counted and timed, no events", value: instr.PatternOn}, noBudget}, {all, 1000}} {
		ops = append(ops, statement(c.setting.registry(), operation{name: "statement with 3 stages, " + c.name, unit: "ns", budget: c.budget}))
	}
	return measure(runs, length, ops), nil
}

// statement makes an operation a statement of a registry's.
func statement(r *instr.Registry, o operation) operation {
	const text = "SELECT c FROM sbtest1 WHERE id = 501"
	packet, kind := r.NewStatementClass("abstract/Query"), r.NewStatementClass("sql/select")
	stages := [3]*instr.StageClass{r.NewStageClass("sql/starting", false), r.NewStageClass("sql/executing", false), r.NewStageClass("sql/end", false)}
	var t *instr.Thread
	o.before = func() { t = r.Attach("bench/worker") }
	o.after = func() { t.Detach() }
	o.run = func(n int) {
		for range n {
			s := t.StartStatement(packet)
			s.Identify(kind, "test", text, r.DigestOf(text))
			for _, stage := range stages {
				t.StartStage(stage)
			}
			t.EndStage()
			var result instr.StatementResult
			result.Counters[instr.RowsSent], result.Counters[instr.RowsExamined] = 1, 1
			s.Finish(&result)
		}
	}
	return o
}
