package recorded

import (
	"cmp"
	"database/sql"
	"math"
	"slices"
	"strings"
	"time"

	"pfsd/instr"
	"pfsd/instr/record"
)

// workKinds are the kinds of what goroutines do: how the tables call them, the consumers of their
// events, and where Model.hidden has what a TRUNCATE hides.
var workKinds = map[record.Kind]struct {
	class                         instr.Kind
	work                          instr.WorkKind
	family                        instr.Family
	current, history, historyLong instr.Consumer
	hidden                        int // of the current events; the two histories follow
}{
	record.StatementWork: {
		instr.KindStatement, instr.WorkStatements, instr.FamilyStatements,
		instr.ConsumerEventsStatementsCurrent, instr.ConsumerEventsStatementsHistory, instr.ConsumerEventsStatementsHistoryLong, historyLong + 1,
	},
	record.StageWork: {
		instr.KindStage, instr.WorkStages, instr.FamilyStages,
		instr.ConsumerEventsStagesCurrent, instr.ConsumerEventsStagesHistory, instr.ConsumerEventsStagesHistoryLong, historyLong + 4,
	},
	record.TransactionWork: {
		instr.KindTransaction, instr.WorkTransactions, instr.FamilyTransactions,
		instr.ConsumerEventsTransactionsCurrent, instr.ConsumerEventsTransactionsHistory, instr.ConsumerEventsTransactionsHistoryLong, historyLong + 7,
	},
}

// hiddenTables is how many tables of events there are.
const hiddenTables = historyLong + 10

// work is a class of statements, stages or transactions as the tables show it. class is nil if it is
// not one.
type work struct {
	class  *instr.Class
	digest *instr.Digest // of statements
	record.WorkClass
}

// works is what the model keeps of statements, stages and transactions. Guarded by Model.mu.
type works struct {
	classes     []work // by the number of the recording's class
	instruments map[*instr.Class][]uint32
	undigested  bool                       // some classes have no digest, because digests were switched off
	taken       map[uint32]record.WorkStat // what TRUNCATE has subtracted from a class
	digestTaken map[uint32]record.WorkStat // the same in the summary by digest
	timesTaken  map[uint32]statementTimes  // the same in the histograms by digest
	allTaken    map[uint32]statementTimes  // the same in the histogram of all statements
	threads     map[record.Kind]map[uint64][]record.InstrumentStat
}

func newWorks() works {
	return works{
		classes: make([]work, 1), instruments: map[*instr.Class][]uint32{}, taken: map[uint32]record.WorkStat{},
		digestTaken: map[uint32]record.WorkStat{}, timesTaken: map[uint32]statementTimes{}, allTaken: map[uint32]statementTimes{}, threads: map[record.Kind]map[uint64][]record.InstrumentStat{},
	}
}

// refreshWorkLocked is refreshLocked for statements, stages and transactions.
func (m *Model) refreshWorkLocked() {
	all := m.rec.WorkClasses()
	for i := len(m.works.classes); i < len(all); i++ {
		w := m.newWork(uint32(i), all[i])
		m.works.classes = append(m.works.classes, w)
		if w.class != nil && w.Instrument == uint32(i) {
			m.works.instruments[w.class] = append(m.works.instruments[w.class], uint32(i))
		}
	}
	if m.works.undigested && m.consumer(instr.ConsumerStatementsDigest) {
		m.works.undigested = false
		for i := range m.works.classes {
			m.digest(&m.works.classes[i])
		}
	}
}

func (m *Model) newWork(number uint32, c record.WorkClass) work {
	w := work{WorkClass: c}
	kind, ok := workKinds[c.Kind]
	if !ok {
		return w
	}
	s := m.reg.Setup()
	if kind.class == instr.KindTransaction {
		w.class = s.RecordedTransactions()
	} else {
		w.class = s.RecordedClass(kind.class, instrumentName(kind.class, c.Name))
	}
	if w.class.ID() == 0 {
		w.class = nil
		return w
	}
	switch {
	case c.Instrument == number:
		if switches := m.rec.WorkSwitches(number) | m.rec.KindSwitches(c.Kind); switches != 0 {
			w.class.SetEnabled(switches&record.Off == 0)
			w.class.SetTimed(switches&record.Untimed == 0)
		}
	default:
		m.digest(&w)
	}
	return w
}

// digest sets the digest of statements, unless digests are switched off.
func (m *Model) digest(w *work) {
	switch {
	case w.Text == "" || w.digest != nil || w.Kind != record.StatementWork:
	case !m.consumer(instr.ConsumerStatementsDigest):
		m.works.undigested = true
	case w.SQL && w.Name == "db.client/prepare": // what is executed counts alone in the digest of the query
		w.digest = m.reg.DigestOf("PREPARE " + w.Text)
	case w.SQL:
		w.digest = m.reg.DigestOf(w.Text)
	default:
		w.digest = m.reg.NewDigest(w.Text)
	}
}

// instrumentName makes a valid name of an instrument, which a damaged recording may not have.
func instrumentName(k instr.Kind, name string) string {
	const most = 128 - len("statement/")
	also := " "
	if k == instr.KindStatement {
		also = "/ (),;'{}$*"
	}
	name = strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("/_:.-"+also, c) {
			return c
		}
		return '_'
	}, name)
	for strings.Contains(name, "//") {
		name = strings.ReplaceAll(name, "//", "/_/")
	}
	name = strings.TrimLeft(name[:min(len(name), most)], "/")
	if k != instr.KindStatement {
		name = strings.TrimRight(name, "/")
	}
	if !strings.Contains(strings.Trim(name, "/"), "/") {
		return "other/other"
	}
	return name
}

// workOf is a class of the recording as the tables show it.
func (m *Model) workOf(class uint32) work {
	m.mu.Lock()
	defer m.mu.Unlock()
	if int(class) >= len(m.works.classes) {
		m.refreshLocked()
	}
	if int(class) >= len(m.works.classes) {
		return work{}
	}
	return m.works.classes[class]
}

// writeWorkLocked writes the switches of an instrument of statements, stages or transactions, and of
// all these kinds; all is what is off everywhere.
func (m *Model) writeWorkLocked(c *instr.Class, all record.Switches) {
	for _, number := range m.works.instruments[c] {
		_ = m.rec.SetWorkSwitches(number, switchesOf(c))
	}
	s := m.reg.Setup()
	for k, kind := range workKinds {
		of := all &^ record.NoHistory
		if !s.Consumer(kind.history) && !s.Consumer(kind.historyLong) {
			of |= record.NoHistory
		}
		known, on := false, false
		for _, w := range m.works.classes {
			if w.class != nil && w.Kind == k {
				known, on = true, on || w.class.Enabled()
			}
		}
		if known && !on {
			of |= record.Off
		}
		_ = m.rec.SetKindSwitches(k, of)
	}
}

// head converts what all events have in common.
func (m *Model) head(s *record.Step, c *instr.Class) instr.EventHead {
	if !s.Ended {
		s.End = m.rec.Now()
	}
	return instr.RecordedHead{
		Thread: s.Thread, ID: s.ID, EndID: s.EndID, Class: c, NestingID: s.NestingID, Nesting: nesting(s.Nesting),
		Start: s.Start, End: s.End, Timed: s.Timed, Ended: s.Ended,
	}.Head()
}

func nesting(n record.Nesting) instr.NestingType {
	switch n {
	case record.InStatement:
		return instr.NestingStatement
	case record.InStage:
		return instr.NestingStage
	case record.InTransaction:
		return instr.NestingTransaction
	}
	return instr.NestingNone
}

// statement converts a statement; false if its class is not one of statements.
func (m *Model) statement(s *record.Statement) (e instr.StatementEvent, ok bool) {
	w := m.workOf(s.Class)
	if w.class == nil || w.Kind != record.StatementWork {
		return e, false
	}
	e = instr.StatementEvent{
		EventHead: m.head(&s.Step, w.class), SQLText: s.Text, Schema: w.Schema, Errno: int(s.Errno), SQLState: s.State, Message: s.Message,
		Counters: counters(s.Counts), Level: s.Level, StatementID: s.Thread<<32 | s.ID&math.MaxUint32,
	}
	m.instrumentOf(s.Place) // it makes the places of new classes known
	e.Caller = uintptr(s.Place)
	const most = instr.DefaultSQLTextLength
	if s.Cut || len(e.SQLText) > most {
		e.SQLText = strings.ToValidUTF8(e.SQLText[:min(len(e.SQLText), most-3)], "") + "..."
	}
	if m.consumer(instr.ConsumerStatementsDigest) {
		e.Digest = w.digest
	}
	return e, true
}

func counters(c record.Counts) (all [instr.StatementCounterCount]uint64) {
	all[instr.Errors], all[instr.Warnings] = c.Errors, c.Warnings
	all[instr.RowsAffected], all[instr.RowsSent], all[instr.RowsExamined] = c.Affected, c.Sent, c.Examined
	return all
}

func (m *Model) stage(s *record.Step) (e instr.StageEvent, ok bool) {
	w := m.workOf(s.Class)
	if w.class == nil || w.Kind != record.StageWork {
		return e, false
	}
	return instr.StageEvent{EventHead: m.head(s, w.class)}, true
}

func (m *Model) transaction(s *record.Step) (e instr.TransactionEvent, ok bool) {
	w := m.workOf(s.Class)
	if w.class == nil || w.Kind != record.TransactionWork {
		return e, false
	}
	e = instr.TransactionEvent{EventHead: m.head(s, w.class), TransactionOptions: instr.TransactionOptions{ReadOnly: s.ReadOnly}}
	if level := sql.IsolationLevel(s.Isolation); level != sql.LevelDefault && level <= sql.LevelLinearizable {
		e.Isolation = strings.ToUpper(level.String())
	}
	switch {
	case s.Committed:
		e.State = instr.TransactionCommitted
	case s.Ended:
		e.State = instr.TransactionRolledBack
	}
	return e, true
}

// The tables of events of a kind: what is added to workKinds' hidden.
const (
	ofCurrent = iota
	ofHistory
	ofHistoryLong
)

// shows reports whether a table shows events of a kind at all.
func (m *Model) shows(k record.Kind, of int) bool {
	w := workKinds[k]
	return m.consumer([]instr.Consumer{w.current, w.history, w.historyLong}[of])
}

// events converts events for a table: those that TRUNCATE has not hidden.
func events[R, E any](m *Model, to []E, k record.Kind, of int, list []R, step func(*R) *record.Step, convert func(*R) (E, bool)) []E {
	if !m.shows(k, of) {
		return to
	}
	for i := range list {
		s := step(&list[i])
		m.mu.Lock()
		hidden := m.hidden[workKinds[k].hidden+of][s.Thread]
		m.mu.Unlock()
		if e, ok := convert(&list[i]); ok && s.ID > hidden {
			to = append(to, e)
		}
	}
	return to
}

func stepOf(s *record.Statement) *record.Step { return &s.Step }
func itself(s *record.Step) *record.Step      { return s }

func (t *thread) CurrentStatements(to []instr.StatementEvent) []instr.StatementEvent {
	w, _ := t.model.rec.Work(t.Thread)
	return events(t.model, to, record.StatementWork, ofCurrent, w.Statements, stepOf, t.model.statement)
}

func (t *thread) CurrentStage(to []instr.StageEvent) []instr.StageEvent {
	w, _ := t.model.rec.Work(t.Thread)
	return events(t.model, to, record.StageWork, ofCurrent, w.Stages, itself, t.model.stage)
}

func (t *thread) CurrentTransaction(to []instr.TransactionEvent) []instr.TransactionEvent {
	w, _ := t.model.rec.Work(t.Thread)
	if w.Transaction.ID == 0 {
		return to
	}
	return events(t.model, to, record.TransactionWork, ofCurrent, []record.Step{w.Transaction}, itself, t.model.transaction)
}

func (t *thread) StatementsHistory(to []instr.StatementEvent) []instr.StatementEvent {
	return events(t.model, to, record.StatementWork, ofHistory, t.model.rec.Statements(t.Thread), stepOf, t.model.statement)
}

func (t *thread) StagesHistory(to []instr.StageEvent) []instr.StageEvent {
	return events(t.model, to, record.StageWork, ofHistory, t.model.rec.Steps(t.Thread, record.StageWork), itself, t.model.stage)
}

func (t *thread) TransactionsHistory(to []instr.TransactionEvent) []instr.TransactionEvent {
	return events(t.model, to, record.TransactionWork, ofHistory, t.model.rec.Steps(t.Thread, record.TransactionWork), itself, t.model.transaction)
}

// StatementsHistoryLong is the last statements of all goroutines.
func (m *Model) StatementsHistoryLong() []instr.StatementEvent {
	return events(m, nil, record.StatementWork, ofHistoryLong, m.rec.StatementsLong(), stepOf, m.statement)
}

// StagesHistoryLong is the last stages of all goroutines.
func (m *Model) StagesHistoryLong() []instr.StageEvent {
	return events(m, nil, record.StageWork, ofHistoryLong, m.rec.StepsLong(record.StageWork), itself, m.stage)
}

// TransactionsHistoryLong is the last transactions of all goroutines.
func (m *Model) TransactionsHistoryLong() []instr.TransactionEvent {
	return events(m, nil, record.TransactionWork, ofHistoryLong, m.rec.StepsLong(record.TransactionWork), itself, m.transaction)
}

// hideWork hides the events of a goroutine that have begun so far.
func (t *thread) hideWork(k record.Kind, of int) {
	table := workKinds[k].hidden + of
	t.model.hide(table, t.Thread.ID, t.Events)
	t.model.forget(table)
}

func (t *thread) TruncateCurrentStatements()   { t.hideWork(record.StatementWork, ofCurrent) }
func (t *thread) TruncateCurrentStage()        { t.hideWork(record.StageWork, ofCurrent) }
func (t *thread) TruncateCurrentTransaction()  { t.hideWork(record.TransactionWork, ofCurrent) }
func (t *thread) TruncateStatementsHistory()   { t.hideWork(record.StatementWork, ofHistory) }
func (t *thread) TruncateStagesHistory()       { t.hideWork(record.StageWork, ofHistory) }
func (t *thread) TruncateTransactionsHistory() { t.hideWork(record.TransactionWork, ofHistory) }

// hideLong hides the events that a long history has.
func hideLong[R any](m *Model, k record.Kind, list []R, step func(*R) *record.Step) {
	table := workKinds[k].hidden + ofHistoryLong
	m.mu.Lock()
	m.hidden[table] = nil // drop entries of goroutines that have ended
	m.mu.Unlock()
	for i := range list {
		s := step(&list[i])
		m.hide(table, s.Thread, s.ID)
	}
}

// TruncateStatementsHistoryLong hides the statements so far.
func (m *Model) TruncateStatementsHistoryLong() {
	hideLong(m, record.StatementWork, m.rec.StatementsLong(), stepOf)
}

// TruncateStagesHistoryLong hides the stages so far.
func (m *Model) TruncateStagesHistoryLong() {
	hideLong(m, record.StageWork, m.rec.StepsLong(record.StageWork), itself)
}

// TruncateTransactionsHistoryLong hides the transactions so far.
func (m *Model) TruncateTransactionsHistoryLong() {
	hideLong(m, record.TransactionWork, m.rec.StepsLong(record.TransactionWork), itself)
}

// kindsOf are the kinds of statistics of a recording that a reader names; it names all if it names
// none.
func kindsOf(kinds []instr.WorkKind) (list []record.Kind) {
	for k, w := range workKinds {
		if len(kinds) == 0 || slices.Contains(kinds, w.work) {
			list = append(list, k)
		}
	}
	return list
}

// add adds statistics of a class to those of a goroutine or of all.
func add(w *instr.Work, c *work, s record.Stat, n record.Counts) {
	stat := instr.RecordedWorkStat(s.Count, s.Untimed, s.Sum, s.Min, s.Max)
	switch c.Kind {
	case record.StatementWork:
		w.AddStatements(c.class, instr.StatementStat{WorkStat: stat, Counters: counters(n)})
	case record.StageWork:
		w.AddStages(c.class, stat)
	case record.TransactionWork:
		w.AddTransactions(c.Name == "read only", stat)
	}
}

// GlobalWork is the statistics of all goroutines.
func (m *Model) GlobalWork(kinds ...instr.WorkKind) instr.Work {
	of := kindsOf(kinds)
	sum := m.Model.GlobalWork(kinds...)
	if len(of) == 0 {
		return sum
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refreshLocked()
	for i := range m.works.classes {
		if c := &m.works.classes[i]; c.class != nil && slices.Contains(of, c.Kind) {
			s := subtractWork(m.rec.WorkStat(uint32(i)), m.works.taken[uint32(i)])
			add(&sum, c, s.Stat, s.Counts)
		}
	}
	return sum
}

// subtractWork is subtract.
func subtractWork(s, taken record.WorkStat) record.WorkStat {
	s.Stat = subtract(s.Stat, taken.Stat)
	s.Counts = subtractCounts(s.Counts, taken.Counts)
	if taken.Count > 0 {
		s.First = max(s.First, taken.Last)
	}
	return s
}

func subtractCounts(s, taken record.Counts) record.Counts {
	less := func(a, b uint64) uint64 { return a - min(a, b) }
	return record.Counts{
		Errors: less(s.Errors, taken.Errors), Warnings: less(s.Warnings, taken.Warnings), Affected: less(s.Affected, taken.Affected),
		Sent: less(s.Sent, taken.Sent), Examined: less(s.Examined, taken.Examined),
	}
}

// ResetGlobalWork empties the statistics of all goroutines together, for this reader.
func (m *Model) ResetGlobalWork(k instr.WorkKind) {
	m.Model.ResetGlobalWork(k)
	of := kindsOf([]instr.WorkKind{k})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refreshLocked()
	for i := range m.works.classes {
		if c := &m.works.classes[i]; c.class != nil && slices.Contains(of, c.Kind) {
			m.works.taken[uint32(i)] = m.rec.WorkStat(uint32(i))
		}
	}
	for _, k := range of {
		m.resetThreadsLocked(k)
	}
}

// Work is the statistics of a goroutine.
func (t *thread) Work(kinds ...instr.WorkKind) instr.Work {
	m := t.model
	sum := m.Model.GlobalWork(kinds...)
	sum.ThreadID = t.Thread.ID
	w, ok := m.rec.Work(t.Thread)
	if !ok {
		return sum
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refreshLocked()
	for _, k := range kindsOf(kinds) {
		taken := m.works.threads[k][t.Thread.ID]
		for _, s := range w.Statistics(k) {
			if int(s.Class) >= len(m.works.classes) {
				continue
			}
			c := &m.works.classes[s.Class]
			if c.class == nil || c.Kind != k {
				continue
			}
			for _, before := range taken {
				if before.Class == s.Class {
					s.Stat, s.Counts = subtract(s.Stat, before.Stat), subtractCounts(s.Counts, before.Counts)
				}
			}
			add(&sum, c, s.Stat, s.Counts)
		}
	}
	return sum
}

// ThreadWork is the statistics of each goroutine.
func (m *Model) ThreadWork(kinds ...instr.WorkKind) []instr.Work {
	if len(kindsOf(kinds)) == 0 {
		return m.Model.ThreadWork(kinds...)
	}
	var list []instr.Work
	for _, t := range m.rec.Threads() {
		list = append(list, (&thread{m, t, 0}).Work(kinds...))
	}
	return list
}

// ResetThreadWork empties the statistics of each goroutine, for this reader.
func (m *Model) ResetThreadWork(k instr.WorkKind) {
	m.Model.ResetThreadWork(k)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, kind := range kindsOf([]instr.WorkKind{k}) {
		m.resetThreadsLocked(kind)
	}
}

func (m *Model) resetThreadsLocked(k record.Kind) {
	taken := map[uint64][]record.InstrumentStat{}
	for _, t := range m.rec.Threads() {
		if w, ok := m.rec.Work(t); ok {
			taken[t.ID] = w.Statistics(k)
		}
	}
	m.works.threads[k] = taken
}

type digestKey struct{ schema, hex string }

// Digests is the statements by database and digest.
func (m *Model) Digests(f instr.DigestFilter) []instr.DigestRow {
	list, _ := m.digests(f)
	return list
}

// digests is the statements by database and digest, and how long they took.
func (m *Model) digests(f instr.DigestFilter) ([]instr.DigestRow, map[digestKey]*instr.StatementHistogram) {
	if !m.consumer(instr.ConsumerStatementsDigest) {
		return nil, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refreshLocked()
	rows, times := map[digestKey]*instr.DigestRow{}, map[digestKey]*instr.StatementHistogram{}
	numbers := map[digestKey]uint64{} // the first class that counts in a row names it
	middles := m.rec.WorkBucketMiddles()
	started := m.rec.Info().Started
	at := func(ns uint64) time.Time { return started.Add(time.Duration(min(ns, 1<<62))) }
	for i := range m.works.classes {
		c := &m.works.classes[i]
		if c.class == nil || c.digest == nil || f.Hex != "" && f.Hex != c.digest.Hex() || f.Only != nil && !f.Only(c.Schema, c.digest) {
			continue
		}
		key := digestKey{c.Schema, c.digest.Hex()}
		if numbers[key] == 0 {
			numbers[key] = uint64(i) + 1
		}
		s := subtractWork(m.rec.WorkStat(uint32(i)), m.works.digestTaken[uint32(i)])
		if s.Count == 0 {
			continue
		}
		stat := instr.StatementStat{WorkStat: instr.RecordedWorkStat(s.Count, s.Untimed, s.Sum, s.Min, s.Max), Counters: counters(s.Counts)}
		row := rows[key]
		if row == nil {
			row = &instr.DigestRow{Number: numbers[key], Schema: c.Schema, Digest: c.digest, First: at(s.First), Last: at(s.Last), Stat: instr.StatementStat{WorkStat: instr.NoWorkStat}}
			if c.SQL {
				row.SampleText, row.SampleSeen = c.Text, at(s.First)
			}
			rows[key], times[key] = row, new(instr.StatementHistogram)
		}
		row.Stat.Add(stat)
		m.addTimesLocked(times[key], uint32(i), &middles, m.works.timesTaken)
		if first := at(s.First); first.Before(row.First) {
			row.First = first
		}
		if last := at(s.Last); last.After(row.Last) {
			row.Last = last
		}
	}
	list := make([]instr.DigestRow, 0, len(rows))
	for key, row := range rows {
		if f.Grown != nil && !f.Grown(row.Number, row.Stat.Count) {
			continue
		}
		t := times[key]
		if f.Times {
			row.Times = t
		}
		row.Quantile95, row.Quantile99, row.Quantile999 = t.Quantile(950), t.Quantile(990), t.Quantile(999)
		list = append(list, *row)
	}
	slices.SortFunc(list, func(a, b instr.DigestRow) int {
		return cmp.Or(a.First.Compare(b.First), strings.Compare(a.Schema, b.Schema), strings.Compare(a.Digest.Hex(), b.Digest.Hex()))
	})
	return list, times
}

// TruncateDigests empties the statistics and the histograms by digest, for this reader.
func (m *Model) TruncateDigests() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refreshLocked()
	for i, c := range m.works.classes {
		if c.digest != nil {
			m.works.digestTaken[uint32(i)] = m.rec.WorkStat(uint32(i))
		}
	}
	m.takeTimesLocked(m.works.timesTaken)
}

// doing says what a goroutine does: its innermost stage and the text of its innermost statement.
func (t *thread) doing() (stage, text string) {
	w, ok := t.model.rec.Work(t.Thread)
	if !ok {
		return "", ""
	}
	if n := len(w.Statements); n > 0 && !w.Statements[n-1].Ended {
		text = w.Statements[n-1].Text
	}
	if n := len(w.Stages); n > 0 {
		if c := t.model.workOf(w.Stages[n-1].Class); c.class != nil {
			_, stage, _ = strings.Cut(strings.TrimPrefix(c.class.Name(), "stage/"), "/")
		}
	}
	return stage, text
}

// lostWork is what of statements was lost because of a limit: instruments and texts count as classes of statements, and statements of
// goroutines without a row as threads.
func lostWork(all, flushed record.LostWork, l instr.Limit) uint64 {
	switch l {
	case instr.LimitStatementClasses:
		return all.Texts
	case instr.LimitThreadInstances:
		return all.Rows - min(all.Rows, flushed.Rows)
	}
	return 0
}
