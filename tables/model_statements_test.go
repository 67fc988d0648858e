package tables

import (
	"fmt"
	"slices"
	"strings"

	"pfsd/instr"
)

// modelStatement is a row of events_statements_current and its histories.
type modelStatement struct {
	modelHead
	text, schema   string
	digest         *modelText
	object         [3]string // type, schema, name
	errno          int
	state, message string
	counters       [instr.StatementCounterCount]uint64
	level          int
	over           bool           // it has ended, or vanished
	program        *modelProgram  // that it counts in
	prepared       *modelPrepared // that it prepares or executes
	preparing      bool
}

// statementCounterNames are the counters, without SUM_ where they are added up.
var statementCounterNames = [instr.CountSecondary]string{
	"LOCK_TIME", "ERRORS", "WARNINGS", "ROWS_AFFECTED", "ROWS_SENT", "ROWS_EXAMINED", "CREATED_TMP_DISK_TABLES", "CREATED_TMP_TABLES",
	"SELECT_FULL_JOIN", "SELECT_FULL_RANGE_JOIN", "SELECT_RANGE", "SELECT_RANGE_CHECK", "SELECT_SCAN", "SORT_MERGE_PASSES", "SORT_RANGE",
	"SORT_ROWS", "SORT_SCAN", "NO_INDEX_USED", "NO_GOOD_INDEX_USED", "CPU_TIME", "MAX_CONTROLLED_MEMORY", "MAX_TOTAL_MEMORY",
}

var (
	statementNames = slices.Concat([]string{
		"SQL_TEXT", "DIGEST", "DIGEST_TEXT", "CURRENT_SCHEMA", "OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME", "OBJECT_INSTANCE_BEGIN",
		"MYSQL_ERRNO", "RETURNED_SQLSTATE", "MESSAGE_TEXT", "NESTING_EVENT_LEVEL", "EXECUTION_ENGINE",
	}, statementCounterNames[:])
	statementSums = func() (all []string) {
		for _, name := range statementCounterNames {
			if !strings.HasPrefix(name, "MAX_") {
				name = "SUM_" + name
			}
			all = append(all, name)
		}
		return append(all, "COUNT_SECONDARY")
	}()
)

func (s *modelStatement) cells() []string {
	hash, text := "NULL", "NULL"
	if s.digest != nil {
		hash, text = s.digest.hash, s.digest.normal
	}
	engine := "PRIMARY"
	if s.counters[instr.CountSecondary] > 0 {
		engine = "SECONDARY"
	}
	return append([]string{
		orNull(s.text), hash, text, orNull(s.schema), orNull(s.object[0]), orNull(s.object[1]), orNull(s.object[2]), "NULL",
		num(s.errno), orNull(s.state), orNull(s.message), num(s.level), engine,
	}, nums(s.counters[:instr.CountSecondary])...)
}

func nums(all []uint64) (cells []string) {
	for _, n := range all {
		cells = append(cells, num(n))
	}
	return cells
}

func (m *model) statementRows(w modelWork, _ int) (rows [][]string) {
	for _, c := range m.of(instr.KindStatement) {
		s := w.of(modelKey{modelStatements, c, 0})
		rows = append(rows, slices.Concat([]string{c.name}, s.cells(), nums(s.counters[:])))
	}
	return rows
}

// nest is the statement as the event that others are part of.
func (s *modelStatement) nest() modelNesting {
	if s.id == 0 {
		return modelNesting{}
	}
	return modelNesting{s.id, "STATEMENT"}
}

// innermost is the innermost running statement that has a row.
func (t *modelThread) innermost() modelNesting {
	for _, s := range slices.Backward(t.statements) {
		if s.id != 0 {
			return s.nest()
		}
	}
	return modelNesting{}
}

// recorded is how many running statements have rows.
func (t *modelThread) recorded() (n int) {
	for _, s := range t.statements {
		if s.id != 0 {
			n++
		}
	}
	return n
}

// startStatement starts a statement; nil if there is none.
func (m *model) startStatement(t *modelThread, c *modelClass) *modelStatement {
	sw, ok := m.starts(t, c, modelStatements)
	if !ok {
		return nil
	}
	depth := t.recorded()
	if sw.current && depth >= m.stackSize {
		t.nextEvent++
		m.nestedLost++
		return nil
	}
	s := &modelStatement{modelHead: m.newHead(t, c, modelStatements, sw)}
	if s.id != 0 {
		s.level = depth
		s.nesting = t.innermost()
		if x := t.active(); x != nil && x.id > s.nesting.id {
			s.nesting = modelNesting{x.id, "TRANSACTION"}
		}
		t.lastStatement = s.id
		t.waitsIn = s.nest()
	}
	if len(t.statements) == 0 {
		t.last = nil
	}
	t.statements = append(t.statements, s)
	return s
}

// refine changes the class of the statement. If that is off, the statement vanishes; it also does
// if global_instrumentation is off, about which semantics.md says nothing.
func (m *model) refine(t *modelThread, s *modelStatement, c *modelClass) {
	switch {
	case s == nil || s.over:
	case c == nil || !c.enabled || !m.consumers[instr.ConsumerGlobalInstrumentation]:
		m.pop(t, s)
	default:
		s.class = c
		s.timed = s.timed && c.timed
	}
}

// endStatement ends a statement, which took some picoseconds.
func (w *modelWorld) endStatement(t *modelThread, s *modelStatement, ps uint64) {
	m := w.model
	if s.errno != 0 {
		s.counters[instr.RowsAffected] = 0
	}
	one := m.finish(t, s, modelStatements, modelKey{modelStatements, s.class, 0}, ps, modelSum{counters: s.counters})
	top := t.statements[0] == s
	m.pop(t, s)
	if top {
		t.last = s
	}
	if s.timed {
		m.histogram[modelStatementBucket(ps)]++
	}
	if s.sw.threads && s.digest != nil {
		m.countDigest(s.schema, s.digest, one, s.text, w.now)
	}
	if s.program != nil {
		s.program.statements.add(one)
	}
	if s.prepared != nil {
		s.prepared.counts(s.preparing, one)
	}
}

// pop takes a statement off the stack, and those inside it that have not ended: a panic has left
// them, and they do not count. From then on, waits are part of what is still running. semantics.md
// does not say what waits are part of when a statement has ended, nor that a stage is only part of
// the last statement while a statement runs.
func (m *model) pop(t *modelThread, s *modelStatement) {
	at := slices.Index(t.statements, s)
	for _, inner := range t.statements[at:] {
		inner.over = true
	}
	t.statements = t.statements[:at]
	if at == 0 {
		t.lastStatement = 0
	}
	t.waitsIn = t.innermost()
	if t.stage != nil && t.stage.id != 0 {
		t.waitsIn = modelNesting{t.stage.id, "STAGE"}
	}
}

// openStatement is a statement that was started and not ended.
type openStatement struct {
	handle instr.Statement
	model  *modelStatement // nil: there is none
}

// running is the statement, if it is still running.
func (o *openStatement) running() *modelStatement {
	if o.model == nil || o.model.over {
		return nil
	}
	return o.model
}

// modelStatementNames are the instruments of statements.
var modelStatementNames = []string{"sql/select", "sql/update", "abstract/Query", "com/Ping"}

// cut is a text of at most so many bytes.
func (m *model) cut(text string) string {
	if len(text) <= m.textLength {
		return text
	}
	return text[:m.textLength-3] + "..."
}

// set sets an attribute of a statement.
func (w *modelWorld) set(r *modelRoutine, o *openStatement, b, c uint32) (what string) {
	s := o.running()
	if s == nil {
		s = new(modelStatement)
	}
	switch b % 10 {
	case 0, 1, 2:
		text := pick(modelTexts, c)
		d := w.reg.DigestOf(text.sql)
		what = text.sql
		switch {
		case b%10 == 0 && c/64%4 == 0:
			w.in(r, func() { o.handle.SetDigest(d) })
			what = "the digest of " + what
		case b%10 == 0:
			s.text = w.cut(text.sql)
			w.in(r, func() { o.handle.SetText(text.sql); o.handle.SetDigest(d) })
		default:
			// All attributes at once, and the class if it is known.
			schema := pick([]string{"db1", ""}, c/8)
			var product *instr.StatementClass
			if c/16%4 == 0 {
				name := pick(modelStatementNames, c/64)
				product = w.reg.NewStatementClass(name)
				w.refine(r.thread, o.running(), w.class(instr.KindStatement, name))
				what = name + " " + what
			}
			w.in(r, func() { o.handle.Identify(product, schema, text.sql, d) })
			if o.running() == nil {
				return what
			}
			s.schema, s.text = schema, w.cut(text.sql)
		}
		s.digest = nil
		if w.consumers[instr.ConsumerStatementsDigest] && w.consumers[instr.ConsumerGlobalInstrumentation] {
			s.digest = text
		}
	case 3:
		s.schema = pick([]string{"db1", "db2", ""}, c)
		w.in(r, func() { o.handle.SetSchema(s.schema) })
		what = "in " + s.schema
	case 4, 5:
		if p := w.program(b/10, c); p != nil {
			s.object = [3]string{modelObjectTypes[p.kind], p.schema, p.name}
			s.program = nil
			if enabled, _ := w.watchedProgram(p); enabled {
				s.program = p
			}
			w.in(r, func() { o.handle.SetProgram(p.product) })
			return fmt.Sprint("part of ", p)
		}
		if s.program != nil {
			return "part of no other program"
		}
		s.object = [3]string{pick([]string{"PROCEDURE", "FUNCTION"}, c), "db1", pick([]string{"p", "q"}, c/2)}
		w.in(r, func() { o.handle.SetObject(s.object[0], s.object[1], s.object[2]) })
		what = fmt.Sprint(s.object)
	case 6:
		s.errno, s.state, s.message = 0, "", ""
		s.counters[instr.Errors] = 0
		switch c % 3 {
		case 0:
			s.errno, s.state, s.message = 1146, "42S02", "Table 'db1.t' doesn't exist"
			s.counters[instr.Errors] = 1
		case 1:
			s.message = "Rows matched: 1"
		}
		w.in(r, func() { o.handle.SetDiagnostics(s.errno, s.state, s.message) })
		what = fmt.Sprint("error ", s.errno)
		if s.errno == 0 {
			s.state = "00000"
		}
	default:
		counter, n := instr.StatementCounter(c%uint32(instr.StatementCounterCount)), uint64(c/32%100)
		if counter == instr.CountSecondary {
			n = 1 - s.counters[counter] // once
		}
		w.in(r, func() { o.handle.Add(counter, n) })
		s.counters[counter] += n
		what = fmt.Sprintf("counter %d + %d", counter, n)
	}
	return what
}

// result is how a statement ends, with all counters.
func (w *modelWorld) result(s *modelStatement, c uint32) *instr.StatementResult {
	r := new(instr.StatementResult)
	switch c / 2 % 3 {
	case 0:
		r.Errno, r.SQLState, r.Message = 1064, "42000", "You have an error"
	case 1:
		r.SQLState = "00000"
	}
	if r.SQLState != "" { // else there is neither an error nor an OK
		s.errno, s.state, s.message = r.Errno, r.SQLState, r.Message
		s.counters[instr.Errors] = 0
		if r.Errno != 0 {
			s.counters[instr.Errors] = 1
		}
	}
	for i, counter := range []instr.StatementCounter{instr.RowsSent, instr.RowsAffected, instr.Warnings, instr.SelectScan} {
		r.Counters[counter] = uint64(c>>(4*i)) % 16
		s.counters[counter] += r.Counters[counter]
	}
	return r
}

// beginStatement lets a goroutine begin a statement.
func (w *modelWorld) beginStatement(r *modelRoutine, name string) *openStatement {
	o := new(openStatement)
	product := w.reg.NewStatementClass(name)
	o.model = w.startStatement(r.thread, w.class(instr.KindStatement, name))
	w.in(r, func() { o.handle = r.handle.StartStatement(product) })
	return o
}

// finishStatement lets the goroutine end the statement.
func (w *modelWorld) finishStatement(r *modelRoutine, o *openStatement, c uint32) {
	s := o.running()
	if s == nil {
		w.in(r, o.handle.End)
		return
	}
	end := o.handle.End
	if c%2 == 0 {
		result := w.result(s, c)
		end = func() { o.handle.Finish(result) }
	}
	ps := w.learnWork(modelKey{modelStatements, s.class, 0}, &s.modelHead, func() { w.in(r, end) })
	w.endStatement(r.thread, s, ps)
}

var modelStatementOps = []modelOp{
	{"statement", 14, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		if !r.attached() || len(r.statements) > 14 {
			return ""
		}
		n := 1
		if c%8 == 0 {
			n = 2 + int(c/8)%(w.stackSize+1) // as deep as the stack, and deeper
		}
		var names []string
		for i := range n {
			name := pick(modelStatementNames, b+uint32(i))
			o := w.beginStatement(r, name)
			r.statements = append(r.statements, o)
			names = append(names, name, w.set(r, o, b/4, c/64), w.set(r, o, 0, b+c))
		}
		return fmt.Sprintf("%s: %s", r, strings.Join(names, ", "))
	}},
	{"whole statements", 4, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		if !r.attached() {
			return ""
		}
		n := 1 + c%16
		var texts []string
		for i := range n {
			o := w.beginStatement(r, pick(modelStatementNames, b))
			texts = append(texts, w.set(r, o, b/4%3, c+i*(b/64%2)))
			w.tick(b + i)
			w.finishStatement(r, o, c/16)
		}
		return fmt.Sprintf("%s: %s", r, strings.Join(texts, ", "))
	}},
	{"statement says", 6, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		if len(r.statements) == 0 {
			return ""
		}
		i := c / 7 % uint32(len(r.statements))
		return fmt.Sprintf("%s, of its statement %d: %s", r, i, w.set(r, r.statements[i], b, c))
	}},
	{"statement refine", 5, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		if len(r.statements) == 0 {
			return ""
		}
		i := len(r.statements) - 1
		if c%4 == 0 {
			i = int(c/4) % len(r.statements)
		}
		o, name := r.statements[i], pick(modelStatementNames, b)
		product, class := w.reg.NewStatementClass(name), w.class(instr.KindStatement, name)
		w.in(r, func() { o.handle.Refine(product) })
		w.refine(r.thread, o.running(), class)
		return fmt.Sprintf("%s: its statement %d of %d is %s", r, i, len(r.statements), name)
	}},
	{"statement end", 16, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		n := 0
		for ; len(r.statements) > 0 && (n == 0 || b%3 == 0); n++ {
			i := len(r.statements) - 1
			if c%6 == 0 {
				i = int(c/6) % len(r.statements) // those inside it have not ended
			}
			o := r.statements[i]
			r.statements = slices.Delete(r.statements, i, i+1)
			w.finishStatement(r, o, c)
		}
		if n == 0 {
			return ""
		}
		return fmt.Sprintf("%s ends %d", r, n)
	}},
}
