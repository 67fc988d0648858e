package record

import (
	"math"
	"slices"
	"strings"
	"unsafe"
)

// Kinds of what goroutines do. Their classes are those of WorkClasses.
const (
	StatementWork   Kind = recStatementWork
	StageWork       Kind = recStageWork
	TransactionWork Kind = recTransactionWork
)

// WorkClass is an instrument of statements, stages or transactions, or statements of an instrument
// that have something in common: a route, or SQL that only differs in literals.
type WorkClass struct {
	Kind Kind
	// Name is that of the instrument, without statement/ or stage/; of transactions it is read write
	// or read only.
	Name       string
	Instrument uint32 // the class of the instrument
	// Text is what the statements have in common. If SQL is true, it is the first of them.
	Text   string
	SQL    bool
	Whole  bool   // Text was not cut
	Schema string // the name of the database
	hash   uint64
}

// Counts is what statements have counted besides their time.
type Counts struct{ Errors, Warnings, Affected, Sent, Examined uint64 }

// WorkStat is statistics. Of stages and transactions the Counts are 0. First and Last are when the
// first and the last one ended, nanoseconds since the recording began.
type WorkStat struct {
	Stat
	Counts
	First, Last uint64
}

// Nesting is what an event is part of.
type Nesting uint8

// What an event can be part of.
const (
	InNothing     Nesting = recInNothing
	InStatement   Nesting = recInStatement
	InStage       Nesting = recInStage
	InTransaction Nesting = recInTransaction
)

// Step is a stage, a transaction, or the part of a statement that these have as well. Times are as
// those of Event.
type Step struct {
	Thread, ID, EndID uint64
	Class             uint32
	NestingID         uint64
	Nesting           Nesting
	Start, End        uint64
	Timed, Ended      bool
	// Of a transaction. Isolation is a sql.IsolationLevel.
	ReadOnly, Committed bool
	Isolation           uint8
}

// Statement is a request, or a call of a database.
type Statement struct {
	Step
	Level int
	Place uint32 // the class of the code that began it, 0 if that is unknown
	// Text is the whole text if Cut is false.
	Text           string
	Cut            bool
	Errno          uint32
	State, Message string
	Counts         Counts
}

// InstrumentStat is a goroutine's statistics of an instrument.
type InstrumentStat struct {
	Class uint32
	Stat
	Counts
}

// Work is what a goroutine does and has done.
type Work struct {
	// Statements go on, the outermost first. If none does, it is the last one that has ended.
	Statements []Statement
	// Stages go on: those of the statements.
	Stages []Step
	// Transaction is the present one, or the last; its ID is 0 if there was none.
	Transaction Step
	// Statistics of the goroutine. Lost is how many events are in none, because it has used more instruments than there is room for.
	ofStatements, ofStages, ofTransactions []InstrumentStat
	Lost                                   uint64
	row                                    uint32
}

// Statistics returns the goroutine's statistics of statements, stages or transactions.
func (w *Work) Statistics(k Kind) []InstrumentStat {
	switch k {
	case StatementWork:
		return w.ofStatements
	case StageWork:
		return w.ofStages
	case TransactionWork:
		return w.ofTransactions
	}
	return nil
}

// LostWork is what of statements was not recorded because there was no room: instruments and texts,
// statements of goroutines without a row, and statements too deep inside others.
type LostWork struct{ Texts, Rows, Nested uint64 }

// LostWork is what was not recorded.
func (r *Recording) LostWork() LostWork {
	h := r.head().work
	return LostWork{h.lostTexts, h.lostRows, h.lostNested}
}

func (r *Recording) worked() bool { return r.head().work.ready == 1 }

// workText is a text of the classes, "" if it is not within its bounds.
func (r *Recording) workText(at, n uint32) string {
	if n == 0 || n > recMaxWorkText || uint64(at)+uint64(n) > recWorkTextSize {
		return ""
	}
	buf := make([]byte, n)
	r.read(recAtWorkText+uint64(at), buf)
	return clean(buf)
}

// clean is a text of a recording without what SQL clients cannot read.
func clean(b []byte) string {
	return strings.ToValidUTF8(strings.ReplaceAll(string(b), "\x00", ""), "?")
}

// WorkClasses returns the classes; the one with number 0 is not used. The list must not be changed.
func (r *Recording) WorkClasses() []WorkClass {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.head().work
	n := uint32(0)
	if h.ready == 1 {
		n = min(h.classes, recMaxWorkClasses)
	}
	if len(r.workClasses) == 0 {
		r.workClasses = make([]WorkClass, 1)
	}
	for i := uint32(len(r.workClasses)); i < n; i++ {
		r.workClasses = append(r.workClasses, r.workClass(i))
	}
	return r.workClasses
}

func workClassAt(i uint32) uint64 { return recAtWorkClasses + uint64(i)*recWorkClassSize }

// workClass reads a class. What it refers to comes before it. The caller holds mu.
func (r *Recording) workClass(i uint32) WorkClass {
	c := readRow[recWorkClass](r, workClassAt(i))
	text := r.workText(c.text, c.textLen)
	if k := Kind(c.kind); k != StatementWork && k != StageWork && k != TransactionWork {
		return WorkClass{Name: text}
	}
	out := WorkClass{Kind: Kind(c.kind), Instrument: c.name, hash: c.hash, SQL: c.sql != 0, Whole: c.whole == c.textLen}
	if c.name == i {
		out.Name = text
		return out
	}
	if c.name == 0 || c.name >= i || r.workClasses[c.name].Kind != out.Kind || r.workClasses[c.name].Instrument != c.name {
		return WorkClass{}
	}
	out.Name, out.Text = r.workClasses[c.name].Name, text
	if c.schema != 0 && c.schema < i && r.workClasses[c.schema].Kind == 0 {
		out.Schema = r.workClasses[c.schema].Name
	}
	return out
}

// WorkSwitches are the switches of an instrument of WorkClasses.
func (r *Recording) WorkSwitches(class uint32) Switches {
	if class == 0 || class >= recMaxWorkClasses {
		return 0
	}
	return Switches(readRow[recWorkClass](r, workClassAt(class)).switches)
}

// SetWorkSwitches changes them, as SetClassSwitches does.
func (r *Recording) SetWorkSwitches(class uint32, s Switches) error {
	if class == 0 || class >= recMaxWorkClasses {
		return nil
	}
	return r.set(workClassAt(class)+uint64(unsafe.Offsetof(recWorkClass{}.switches)), s)
}

// WorkStat is the statistics of a class.
func (r *Recording) WorkStat(class uint32) WorkStat {
	sum := WorkStat{Stat: Stat{Min: math.MaxUint64}}
	if class == 0 || class >= recMaxWorkClasses || !r.worked() {
		return sum
	}
	c := r.clock()
	for p := range min(r.head().procs, recMaxProcs) {
		at := recAtWorkStats + (uint64(p)*recMaxWorkClasses+uint64(class))*recWorkStatSize
		r.stable(at, recWorkStatSize, 1, true, func(_ int, b []byte) {
			row := decode[recWorkStat](b)
			if row.stat.count == 0 {
				return
			}
			first := c.since(row.first)
			if sum.Count == 0 || first < sum.First {
				sum.First = first
			}
			sum.Last = max(sum.Last, c.since(row.last))
			sum.Stat.Add(c.times(row.stat))
			sum.Counts.Add(counts(row.counts))
		})
	}
	return sum
}

// Add adds the counts of o.
func (c *Counts) Add(o Counts) {
	c.Errors += o.Errors
	c.Warnings += o.Warnings
	c.Affected += o.Affected
	c.Sent += o.Sent
	c.Examined += o.Examined
}

func counts(c recCounts) Counts {
	return Counts{c.errors, c.warnings, c.affected, c.sent, c.examined}
}

func (c clock) times(t recWorkTimes) Stat {
	return c.stat(recFileStat{count: t.count, untimed: t.untimed, ticks: t.ticks, least: t.least, longest: t.longest})
}

// step converts a row; false if it has none.
func (c clock) step(row *recStep) (Step, bool) {
	s := Step{
		Thread: row.goid, ID: row.id, Class: row.class, NestingID: row.nesting >> recNestBits, Nesting: Nesting(row.nesting & (1<<recNestBits - 1)),
		Timed: row.start != 0, Ended: row.ended != 0,
		ReadOnly: row.aux&recReadOnly != 0, Committed: row.aux&recCommitted != 0, Isolation: uint8(row.aux >> recIsolation),
	}
	if s.Timed {
		s.Start = c.since(row.start)
	}
	if s.Ended {
		s.EndID = s.ID + uint64(row.inner)
		s.End = s.Start + min(c.nanoseconds(row.ticks), math.MaxInt64)
	}
	return s, row.id != 0 && row.goid != 0 && row.class != 0 && row.class < recMaxWorkClasses
}

func (r *Recording) statement(c clock, row *recStatement, classes []WorkClass) (Statement, bool) {
	step, ok := c.step(&recStep{
		goid: row.goid, id: row.id, nesting: row.nesting, class: row.class, start: row.start, ticks: row.ticks, inner: row.inner, ended: row.ended,
	})
	s := Statement{
		Step: step, Level: int(min(row.level, recMaxNested)), Place: uint32(row.place), Errno: row.errno, Counts: counts(row.counts),
		State: strings.TrimRight(clean(row.state[:5]), " "), Message: clean(row.message[:min(row.messageLen, recEventMessage)]),
		Text: clean(row.text[:min(row.textLen, recEventText)]),
	}
	if row.textLen >= recEventText {
		s.Cut = true
		if ok && int(row.class) < len(classes) {
			if of := &classes[row.class]; of.Text != "" && of.hash == row.hash {
				s.Text, s.Cut = of.Text, !of.Whole
			}
		}
	}
	return s, ok
}

// Work is what a goroutine does, false if nothing of that was recorded.
func (r *Recording) Work(t Thread) (w Work, ok bool) {
	if t.work == 0 || t.work >= min(r.head().work.rows, recMaxWork) || !r.worked() {
		return Work{}, false
	}
	classes, c := r.WorkClasses(), r.clock()
	r.stable(recAtWorkRows+uint64(t.work)*recWorkSize, recWorkSize, 1, false, func(_ int, b []byte) {
		row := decode[recWork](b)
		if row.goid != t.ID || row.goid == 0 {
			return
		}
		w, ok = Work{Lost: row.lost, row: t.work}, true
		depth := min(row.depth, recMaxNested)
		for i := range max(1, depth) {
			if s, ok := r.statement(c, &row.statements[i], classes); ok && s.Ended == (depth == 0) {
				w.Statements = append(w.Statements, s)
			}
		}
		for i := range depth {
			if s, ok := c.step(&row.stages[i]); ok {
				w.Stages = append(w.Stages, s)
			}
		}
		if s, ok := c.step(&row.transaction); ok {
			w.Transaction = s
		}
		stat := func(x *recThreadStat, n recCounts) (InstrumentStat, bool) {
			s := c.times(recWorkTimes{x.count, uint64(x.untimed), x.ticks, x.least, x.longest})
			return InstrumentStat{x.class, s, counts(n)}, x.class != 0 && x.class < recMaxWorkClasses && x.count != 0
		}
		for i := range row.ofStatements {
			if s, ok := stat(&row.ofStatements[i].recThreadStat, row.ofStatements[i].counts); ok {
				w.ofStatements = append(w.ofStatements, s)
			}
		}
		for i := range row.ofStages {
			if s, ok := stat(&row.ofStages[i], recCounts{}); ok {
				w.ofStages = append(w.ofStages, s)
			}
		}
		for i := range row.ofTransactions {
			if s, ok := stat(&row.ofTransactions[i], recCounts{}); ok {
				w.ofTransactions = append(w.ofTransactions, s)
			}
		}
	})
	return w, ok
}

// ring is where a goroutine's history of a kind is, 0 if it has none.
func ring(t Thread, k Kind) uint64 {
	if t.work == 0 || t.work >= recMaxWorkRings {
		return 0
	}
	at := recAtWorkRings + uint64(t.work)*recWorkRingSize
	switch k {
	case StageWork:
		return at + recWorkHistory*recStatementSize
	case TransactionWork:
		return at + recWorkHistory*(recStatementSize+recStepSize)
	}
	return at
}

// Statements is the last ended statements of a goroutine, the oldest first.
func (r *Recording) Statements(t Thread) []Statement {
	var list []Statement
	if at := ring(t, StatementWork); at != 0 && r.worked() {
		list = r.statements(at, recWorkHistory, func(s *Statement) bool { return s.Thread == t.ID })
		slices.SortFunc(list, func(a, b Statement) int { return order(a.ID, b.ID) })
	}
	return list
}

func (r *Recording) statements(at uint64, n int, wanted func(s *Statement) bool) []Statement {
	var list []Statement
	classes, c := r.WorkClasses(), r.clock()
	r.stable(at, recStatementSize, n, false, func(_ int, b []byte) {
		row := decode[recStatement](b)
		if s, ok := r.statement(c, row, classes); ok && row.seq != 0 && s.Ended && wanted(&s) {
			list = append(list, s)
		}
	})
	return list
}

// Steps is the last ended stages or transactions of a goroutine, the oldest first.
func (r *Recording) Steps(t Thread, k Kind) []Step {
	var list []Step
	if at := ring(t, k); at != 0 && r.worked() {
		list = r.steps(at, recWorkHistory, func(s *Step) bool { return s.Thread == t.ID })
		slices.SortFunc(list, func(a, b Step) int { return order(a.ID, b.ID) })
	}
	return list
}

func (r *Recording) steps(at uint64, n int, wanted func(s *Step) bool) []Step {
	var list []Step
	c := r.clock()
	r.stable(at, recStepSize, n, false, func(_ int, b []byte) {
		row := decode[recStep](b)
		if s, ok := c.step(row); ok && row.seq != 0 && s.Ended && wanted(&s) {
			list = append(list, s)
		}
	})
	return list
}

// StatementsLong is the last ended statements of all goroutines, in the order of their ends.
func (r *Recording) StatementsLong() []Statement {
	if !r.worked() {
		return nil
	}
	list := r.statements(recAtStatementsLong, int(min(r.head().procs, recMaxProcs))*recStatementHistoryLong, func(*Statement) bool { return true })
	slices.SortStableFunc(list, func(a, b Statement) int { return order(a.End, b.End) })
	return list
}

// StepsLong is the last ended stages or transactions of all goroutines, in the order of their ends.
func (r *Recording) StepsLong(k Kind) []Step {
	if !r.worked() {
		return nil
	}
	at, n := uint64(recAtStagesLong), recStageHistoryLong
	if k == TransactionWork {
		at, n = recAtTransactionLong, recTransactHistoryLong
	}
	list := r.steps(at, int(min(r.head().procs, recMaxProcs))*n, func(*Step) bool { return true })
	slices.SortStableFunc(list, func(a, b Step) int { return order(a.End, b.End) })
	return list
}

// WorkHistorySize is how many events Statements and Steps have at most.
const WorkHistorySize = recWorkHistory

// WorkHistoryLongSize is how many events of a kind StatementsLong and StepsLong have at most.
func (r *Recording) WorkHistoryLongSize(k Kind) int {
	n := map[Kind]int{StatementWork: recStatementHistoryLong, StageWork: recStageHistoryLong, TransactionWork: recTransactHistoryLong}[k]
	return int(min(r.head().procs, recMaxProcs)) * n
}
