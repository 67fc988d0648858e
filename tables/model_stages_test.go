package tables

import (
	"fmt"
	"strings"

	"pfsd/instr"
)

// modelStage is a row of events_stages_current and its histories.
type modelStage struct {
	modelHead
	progress             bool
	completed, estimated uint64
}

var stageNames = []string{"WORK_COMPLETED", "WORK_ESTIMATED"}

func (s *modelStage) cells() []string {
	if !s.progress {
		return []string{"NULL", "NULL"}
	}
	return []string{num(s.completed), num(s.estimated)}
}

func (m *model) stageRows(w modelWork, parts int) (rows [][]string) {
	var names []string
	sums := map[string]modelSum{}
	for _, c := range m.of(instr.KindStage) {
		name := prefix(c.name, parts)
		sum, ok := sums[name]
		if !ok {
			names = append(names, name)
			sum = noSum
		}
		sum.add(w.of(modelKey{modelStages, c, 0}))
		sums[name] = sum
	}
	for _, name := range names {
		rows = append(rows, append([]string{name}, sums[name].cells()...))
	}
	return rows
}

// endStage ends the thread's stage, which took some picoseconds. Waits are part of the
// top-level statement then.
func (m *model) endStage(t *modelThread, ps uint64) {
	s := t.stage
	if s == nil {
		return
	}
	t.stage = nil
	m.finish(t, s, modelStages, modelKey{modelStages, s.class, 0}, ps, modelSum{})
	t.waitsIn = modelNesting{}
	if len(t.statements) > 0 {
		t.waitsIn = t.statements[0].nest()
	}
}

// startStage starts another stage, after the last one has ended at the same moment.
func (m *model) startStage(t *modelThread, c *modelClass, progress bool, last *modelStage) {
	sw, ok := m.starts(t, c, modelStages)
	if !ok {
		return
	}
	s := &modelStage{modelHead: m.newHead(t, c, modelStages, sw), progress: progress}
	t.stage = s
	if last != nil && last.timed && s.timed && last.timer == s.timer {
		s.after = &last.modelHead
	}
	if s.id == 0 {
		return
	}
	if t.lastStatement != 0 {
		s.nesting = modelNesting{t.lastStatement, "STATEMENT"}
	}
	t.waitsIn = modelNesting{s.id, "STAGE"}
}

// modelStageNames are the stages, those with progress last.
var modelStageNames = []string{"sql/executing", "sql/Opening tables", "innodb/alter table (flush)", "sql/copy to tmp table"}

// changeStage starts a stage, or ends the one that there is.
func (w *modelWorld) changeStage(r *modelRoutine, name string) string {
	t := r.thread
	var last *modelStage
	var head *modelHead
	var key modelKey
	if t != nil && t.stage != nil {
		last = t.stage
		head, key = &last.modelHead, modelKey{modelStages, last.class, 0}
	}
	if name == "" {
		ps := w.learnWork(key, head, func() { w.in(r, func() { r.handle.EndStage() }) })
		if t != nil {
			w.endStage(t, ps)
			t.state = ""
		}
		return fmt.Sprint(r, " ends its stage")
	}
	progress := name == modelStageNames[3]
	product, class := w.reg.NewStageClass(name, progress), w.class(instr.KindStage, name)
	ps := w.learnWork(key, head, func() { w.in(r, func() { r.handle.StartStage(product) }) })
	if t != nil {
		w.endStage(t, ps)
		w.startStage(t, class, progress, last)
		_, t.state, _ = strings.Cut(name, "/")
	}
	return fmt.Sprintf("%s: %s", r, name)
}

var modelStageOps = []modelOp{
	{"stage", 12, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		if !r.attached() {
			return ""
		}
		if c%4 == 0 {
			return w.changeStage(r, "")
		}
		return w.changeStage(r, pick(modelStageNames, b))
	}},
	{"progress", 3, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		if !r.attached() {
			return ""
		}
		n := uint64(c % 1000)
		set, what := r.handle.SetWorkCompleted, "completed"
		if b%2 == 0 {
			set, what = r.handle.SetWorkEstimated, "estimated"
		}
		w.in(r, func() { set(n) })
		if t := r.thread; t != nil && t.stage != nil {
			if b%2 == 0 {
				t.stage.estimated = n
			} else {
				t.stage.completed = n
			}
		}
		return fmt.Sprintf("%s has %s %d", r, what, n)
	}},
}
