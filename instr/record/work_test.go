package record

import (
	"strings"
	"testing"
)

// workTexts is the region of texts of statements in the recordings of tests.
const workTexts = "http/requestdb.client/selecthttp/running handlerorderdbread onlySELECT name FROM users WHERE id = 1"

// working is filled, and goroutine 7 serves a request, in a transaction of which it makes a query; it has ended another query before.
func working(t testing.TB) *image {
	t.Helper()
	im := newImage(t)
	im.fillWork()
	return im
}

func (im *image) fillWork() {
	im.t.Helper()
	im.fill()
	h := header()
	h.work = recWorkHeader{ready: 1, classes: 7, rows: 2, text: uint32(len(workTexts)), lostTexts: 1, lostRows: 2, lostNested: 3}
	put(im, 0, h)
	if _, err := im.file.WriteAt([]byte(workTexts), recAtWorkText); err != nil {
		im.t.Fatal(err)
	}
	for i, c := range []recWorkClass{
		{kind: recStatementWork, name: 1}, {kind: recStatementWork, name: 2}, {kind: recStageWork, name: 3}, {kind: recDatabaseName, name: 4},
		{kind: recTransactionWork, name: 5}, {kind: recStatementWork, name: 2, schema: 4, sql: 1, hash: 77, times: 3},
	} {
		text := []string{"http/request", "db.client/select", "http/running handler", "orderdb", "read only", "SELECT name FROM users WHERE id = 1"}[i]
		c.text, c.textLen, c.whole = uint32(strings.Index(workTexts, text)), uint32(len(text)), uint32(len(text))
		put(im, workClassAt(uint32(i+1)), c)
	}
	put(im, recAtThreads+1*recThreadSize, recThread{seq: 4, goid: 7, class: 1, created: 1100, events: 9, work: 1, running: 2, address: 0xc000, start: 1900, nesting: 1<<recNestBits | recInStatement})

	request := recStatement{goid: 7, id: 6, class: 1, start: 1500}
	request.textLen = uint16(copy(request.text[:], "GET /users"))
	query := recStatement{goid: 7, id: 9, class: 6, level: 1, nesting: 8<<recNestBits | recInTransaction, start: 1800}
	query.textLen = uint16(copy(query.text[:], "SELECT name FROM users WHERE id = 2"))
	w := recWork{seq: 8, goid: 7, depth: 2, lost: 5}
	w.statements[0], w.statements[1] = request, query
	w.stages[0] = recStep{goid: 7, id: 7, class: 3, nesting: 6<<recNestBits | recInStatement, start: 1600}
	w.transaction = recStep{goid: 7, id: 8, class: 5, nesting: 6<<recNestBits | recInStatement, aux: recReadOnly | 6<<recIsolation, start: 1700}
	w.ofStatements[0].recThreadStat = recThreadStat{class: 2, count: 1, ticks: 100, least: ^uint64(100), longest: 100}
	w.ofStatements[0].counts = recCounts{errors: 1, sent: 3}
	put(im, recAtWorkRows+1*recWorkSize, w)

	past := recStatement{seq: 2, goid: 7, id: 2, class: 6, start: 1200, ticks: 100, inner: 1, ended: 1, counts: recCounts{errors: 1, sent: 3}, errno: 1146, hash: 77}
	past.textLen = uint16(copy(past.text[:], strings.Repeat("x", recEventText)))
	past.messageLen = uint16(copy(past.message[:], "no such table"))
	copy(past.state[:], "42S02")
	put(im, recAtWorkRings+1*recWorkRingSize, past)
	put(im, recAtStatementsLong+recStatementHistoryLong*recStatementSize, past)
	stage := recStep{seq: 2, goid: 7, id: 3, class: 3, start: 1200, ticks: 50, ended: 1}
	put(im, recAtWorkRings+1*recWorkRingSize+recWorkHistory*recStatementSize, stage)
	put(im, recAtStagesLong, stage)
	times := recTimes{longest: 200}
	times.buckets[30] = 2
	put(im, recAtTimes+2*recMaxProcs*recTimesSize, times)
	put(im, recAtWorkStats+6*recWorkStatSize, recWorkStat{
		seq: 2, stat: recWorkTimes{count: 2, ticks: 300, least: ^uint64(100), longest: 200}, counts: recCounts{errors: 1, sent: 3}, first: 1300, last: 1400,
	})
}

func TestWork(t *testing.T) {
	r := working(t).open()
	classes := r.WorkClasses()
	if len(classes) != 7 || classes[6].Name != "db.client/select" || classes[6].Schema != "orderdb" || !classes[6].SQL || classes[6].Instrument != 2 || classes[4].Kind != 0 {
		t.Fatalf("classes %+v", classes)
	}
	th, ok := r.Thread(7)
	if !ok || th.Running.NestingID != 9 || th.Running.Nesting != InStatement {
		t.Fatalf("thread %+v", th)
	}
	w, ok := r.Work(th)
	if !ok || len(w.Statements) != 2 || len(w.Stages) != 1 || w.Lost != 5 {
		t.Fatalf("work %+v", w)
	}
	if s := w.Statements[1]; s.Text != "SELECT name FROM users WHERE id = 2" || s.Cut || s.NestingID != 8 || s.Nesting != InTransaction || s.Level != 1 || s.Start != 1600 || s.Ended {
		t.Errorf("query %+v", s)
	}
	if s := w.Stages[0]; s.Class != 3 || s.NestingID != 6 || s.Nesting != InStatement {
		t.Errorf("stage %+v", s)
	}
	if x := w.Transaction; x.ID != 8 || !x.ReadOnly || x.Committed || x.Isolation != 6 || x.Ended {
		t.Errorf("transaction %+v", x)
	}
	if s := w.Statistics(StatementWork); len(s) != 1 || s[0].Class != 2 || s[0].Sum != 200 || s[0].Counts.Sent != 3 {
		t.Errorf("statistics of the goroutine %+v", s)
	}
	// The text of an event that is too long for it is that of its class, if that has the same text.
	for name, list := range map[string][]Statement{"history": r.Statements(th), "long history": r.StatementsLong()} {
		if len(list) != 1 {
			t.Fatalf("%s %+v", name, list)
		}
		if s := list[0]; s.Text != "SELECT name FROM users WHERE id = 1" || s.Cut || s.Errno != 1146 || s.State != "42S02" || s.Message != "no such table" || s.EndID != 3 || s.End-s.Start != 200 {
			t.Errorf("%s %+v", name, s)
		}
	}
	if s := r.Steps(th, StageWork); len(s) != 1 || s[0].End-s[0].Start != 100 {
		t.Errorf("stages %+v", s)
	}
	if s := r.StepsLong(StageWork); len(s) != 1 || s[0].ID != 3 {
		t.Errorf("stages %+v", s)
	}
	if s := r.StepsLong(TransactionWork); len(s) != 0 {
		t.Errorf("transactions %+v", s)
	}
	want := WorkStat{Stat{Count: 2, Sum: 600, Min: 200, Max: 400}, Counts{Errors: 1, Sent: 3}, 600, 800}
	if s := r.WorkStat(6); s != want {
		t.Errorf("statistics %+v, not %+v", s, want)
	}
	if times := r.WorkTimes(6); times.Counts[30] != 2 || times.Max != 400_000 || r.WorkTimes(2) != (Times{}) {
		t.Errorf("histogram %+v", times)
	}
	if lost := r.LostWork(); lost != (LostWork{1, 2, 3}) {
		t.Errorf("lost %+v", lost)
	}
	if err := r.SetWorkSwitches(2, Untimed); err != nil || r.WorkSwitches(2) != Untimed || r.WorkSwitches(1) != 0 {
		t.Errorf("switches %v", err)
	}
}

// A row of what a goroutine did that has ended is not taken for that of another one.
func TestWorkOfAnotherGoroutine(t *testing.T) {
	im := working(t)
	put(im, recAtThreads+2*recThreadSize, recThread{seq: 4, goid: 8, class: 1, work: 1})
	r := im.open()
	th, _ := r.Thread(8)
	if w, ok := r.Work(th); ok {
		t.Errorf("work %+v", w)
	}
	if s := r.Statements(th); len(s) != 0 {
		t.Errorf("statements %+v", s)
	}
}
