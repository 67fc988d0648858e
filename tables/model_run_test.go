package tables

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pfsd/instr"
)

// modelVariants are the worlds that are tested.
var modelVariants = []modelVariant{
	{name: "unlimited"},
	{name: "accounts=0", limits: map[instr.Limit]int{instr.LimitAccounts: 0}},
	{name: "accounts=1", limits: map[instr.Limit]int{instr.LimitAccounts: 1}},
	{name: "accounts=2", limits: map[instr.Limit]int{instr.LimitAccounts: 2}},
	{name: "users=0", limits: map[instr.Limit]int{instr.LimitUsers: 0}},
	{name: "users=1", limits: map[instr.Limit]int{instr.LimitUsers: 1}},
	{name: "hosts=0", limits: map[instr.Limit]int{instr.LimitHosts: 0}},
	{name: "hosts=1", limits: map[instr.Limit]int{instr.LimitHosts: 1}},
	{name: "actors=0", limits: map[instr.Limit]int{instr.LimitAccounts: 0, instr.LimitUsers: 0, instr.LimitHosts: 0}},
	{name: "accounts=1,users=1,hosts=1", limits: map[instr.Limit]int{instr.LimitAccounts: 1, instr.LimitUsers: 1, instr.LimitHosts: 1}},
	{name: "threads=2", limits: map[instr.Limit]int{instr.LimitThreadInstances: 2}},
	{name: "thread_classes=1", limits: map[instr.Limit]int{instr.LimitThreadClasses: 1}},
	{name: "locks", limits: map[instr.Limit]int{
		instr.LimitMutexInstances: 2, instr.LimitRWMutexInstances: 1, instr.LimitCondInstances: 1,
		instr.LimitMutexClasses: 2, instr.LimitRWMutexClasses: 1,
	}},
	{name: "handles", limits: map[instr.Limit]int{instr.LimitFileHandles: 2, instr.LimitSocketInstances: 2, instr.LimitSetupActors: 3, instr.LimitSetupObjects: 21}},
	{name: "file_classes=1", limits: map[instr.Limit]int{instr.LimitFileClasses: 1}},
	{name: "files", limits: map[instr.Limit]int{instr.LimitFileInstances: 1, instr.LimitSocketInstances: 1, instr.LimitSocketClasses: 1}},
	{name: "work_classes", limits: map[instr.Limit]int{instr.LimitStageClasses: 2, instr.LimitStatementClasses: 2, instr.LimitPrograms: 2, instr.LimitPreparedStatements: 2, instr.LimitMemoryClasses: 2}},
	{name: "tables", limits: map[instr.Limit]int{instr.LimitTableInstances: 2, instr.LimitTableHandles: 3, instr.LimitTableLockStat: 1, instr.LimitIndexStat: 4}},
	{name: "stack=1,history=0,digests=0,errors=0", sizes: modelSizes{stack: 1, history: -1, digests: -1, errors: -1}},
	{name: "stack=2,history=1,digests=1,errors=2", sizes: modelSizes{stack: 2, history: 1, digests: 1, errors: 2}},
	{name: "stack=10,history=10,digests=2,text=8", sizes: modelSizes{stack: 10, history: 10, digests: 2, text: 8}},
	{name: "digests=1,eviction", sizes: modelSizes{digests: 1, evict: true}},
	{name: "digests=3,eviction", sizes: modelSizes{digests: 3, evict: true}},
	{name: "resized", sizes: modelSizes{digests: 2, resizes: true}},
}

// modelSteps returns n random steps, which differ from variant to variant.
func modelSteps(seed uint64, variant string, n int) []modelStep {
	h := fnv.New64a()
	h.Write([]byte(variant))
	random := rand.New(rand.NewPCG(seed, h.Sum64()))
	total := 0
	for _, op := range modelOps {
		total += op.weight
	}
	steps := make([]modelStep, n)
	for i := range steps {
		op := 0
		for at := random.IntN(total); at >= modelOps[op].weight; op++ {
			at -= modelOps[op].weight
		}
		steps[i] = modelStep{op, random.Uint32(), random.Uint32(), random.Uint32()}
	}
	return steps
}

// runModel does the steps in a new world, and compares after each. It returns what was done, and
// what is wrong after the last step.
func runModel(dir string, v modelVariant, steps []modelStep, until time.Time) (log []string, done int, err error) {
	w := newModelWorld(dir, v)
	defer w.close()
	if err := w.check(); err != nil {
		return nil, 0, fmt.Errorf("at the beginning: %w", err)
	}
	w.consumeAll()
	for i, s := range steps {
		if time.Now().After(until) {
			return log, i, nil
		}
		op := modelOps[s.op]
		w.tick(s.a / 16)
		what := op.do(w, s.a, s.b, s.c)
		if what == "" && w.err == nil {
			continue
		}
		log = append(log, fmt.Sprintf("%d %s: %s", i, op.name, what))
		if err := w.check(); err != nil {
			return log, i + 1, err
		}
	}
	return log, len(steps), sumsUp(w.reg)
}

// shrinkModel leaves out steps as long as something is still wrong, for a while.
func shrinkModel(dir string, v modelVariant, steps []modelStep) []modelStep {
	deadline := time.Now().Add(20 * time.Second)
	for size := len(steps) / 2; size > 0; {
		shorter := false
		for at := 0; at < len(steps) && time.Now().Before(deadline); {
			try := slices.Delete(slices.Clone(steps), at, min(at+size, len(steps)))
			if _, done, err := runModel(dir, v, try, deadline); err != nil {
				steps, shorter = try[:done], true
			} else {
				at += size
			}
		}
		if time.Now().After(deadline) {
			break
		}
		if !shorter || size > 1 {
			size /= 2
		}
	}
	return steps
}

// testModel does random steps, and reports the shortest list that it finds if one goes
// wrong.
func testModel(t *testing.T, v modelVariant, seed uint64, n int, until time.Time) {
	steps := modelSteps(seed, v.name, n)
	log, done, err := runModel(t.TempDir(), v, steps, until)
	if err == nil {
		t.Logf("%d of %d steps, seed %d", done, n, seed)
		return
	}
	t.Errorf("PFSD_SEED=%d go test -run 'TestModel/%s$': after step %d of %d:\n%v", seed, v.name, done, n, err)
	first := log
	steps = shrinkModel(t.TempDir(), v, steps[:done])
	for range 3 {
		if log, _, err = runModel(t.TempDir(), v, steps, time.Now().Add(time.Minute)); err != nil {
			t.Fatalf("These steps are enough:\n%s\nfor: %v", strings.Join(log, "\n"), err)
		}
	}
	t.Fatalf("It did not happen again. The steps were:\n%s", strings.Join(first, "\n"))
}

// Random work, logins, switches, limits and TRUNCATEs: after every step each table shows
// exactly what a simple model says. PFSD_SOAK is how long it goes on, with random seeds;
// PFSD_SEED is the only seed then.
func TestModel(t *testing.T) {
	soak := time.Duration(0)
	if s := os.Getenv("PFSD_SOAK"); s != "" {
		var err error
		if soak, err = time.ParseDuration(s); err != nil {
			t.Fatalf("PFSD_SOAK: %v", err)
		}
	}
	seeds, steps, length := []uint64{1}, 400, 35*time.Second
	if testing.Short() || raceEnabled { // the steps are taken one after the other
		length = 3 * time.Second
	}
	if soak > 0 {
		seeds, length = []uint64{rand.Uint64()}, soak
	}
	if s := os.Getenv("PFSD_SEED"); s != "" {
		seed, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("PFSD_SEED: %v", err)
		}
		seeds, length = []uint64{seed}, time.Hour
	}
	for _, v := range modelVariants {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			until := time.Now().Add(length * time.Duration(runtime.GOMAXPROCS(0)) / time.Duration(len(modelVariants)))
			for i := 0; i < len(seeds) || soak > 0 && time.Now().Before(until); i++ {
				testModel(t, v, seeds[0]+uint64(i), steps, until)
			}
		})
	}
}

// The comparison finds a wrong cell in any row, an additional row and a missing one.
func TestModelSeesWhatIsWrong(t *testing.T) {
	oneAtATime(t)
	w := newModelWorld(t.TempDir(), modelVariant{})
	defer w.close()
	w.consumeAll()
	full := func() bool {
		return !slices.ContainsFunc(w.expectAll(), func(e *expected) bool { return len(e.rows) == 0 })
	}
	for i, s := range modelSteps(3, "", 3000) {
		w.tick(s.a / 16)
		if op := modelOps[s.op]; !slices.Contains([]string{"truncate", "consumer", "instrument", "threads", "setup_threads", "setup_actors"}, op.name) {
			op.do(w, s.a, s.b, s.c)
		}
		if w.err != nil {
			t.Fatalf("step %d: %v", i, w.err)
		}
		if i > 300 && full() {
			break
		}
	}
	if err := w.check(); err != nil {
		t.Fatal(err)
	}
	for _, e := range w.expectAll() {
		if len(e.rows) == 0 {
			t.Errorf("%s has no rows to be wrong in", e.table)
			continue
		}
		tb := w.table(e.table)
		wrong := func(what string, rows [][]string) {
			t.Helper()
			bad := *e
			bad.rows = rows
			if err := bad.compare(w.reg, tb); err == nil {
				t.Errorf("%s: %s is not seen", e.table, what)
			} else if !strings.HasPrefix(err.Error(), e.table+": ") {
				t.Errorf("%s: %s is said to be %v", e.table, what, err)
			}
		}
		last := len(e.rows) - 1
		for i, column := range e.columns {
			rows := slices.Clone(e.rows)
			rows[last] = slices.Clone(rows[last])
			rows[last][i] += "1"
			wrong("a wrong "+column, rows)
		}
		wrong("a missing row", e.rows[:last])
		extra := slices.Clone(e.rows[last])
		extra[0] = "another"
		wrong("an unexpected row", append(slices.Clone(e.rows), extra))
		wrong("a row twice", append(slices.Clone(e.rows), e.rows[last]))
	}
}

// step does a step of a kind.
func (w *modelWorld) step(name string, a, b, c uint32) {
	for _, op := range modelOps {
		if op.name == name {
			op.do(w, a, b, c)
		}
	}
}

// If something is done that the model does not know of, the next comparison finds it.
func TestModelSeesUnknownSteps(t *testing.T) {
	handle := func(do func(w *modelWorld, t *instr.Thread)) func(w *modelWorld) {
		return func(w *modelWorld) { w.in(w.routines[0], func() { do(w, w.routines[0].handle) }) }
	}
	for name, do := range map[string]func(w *modelWorld){
		"a statement": handle(func(w *modelWorld, t *instr.Thread) {
			s := t.StartStatement(w.reg.NewStatementClass("sql/select"))
			s.End()
		}),
		"a statement's counter":   handle(func(w *modelWorld, t *instr.Thread) { w.routines[0].statements[0].handle.Add(instr.SortRows, 1) }),
		"a stage":                 handle(func(w *modelWorld, t *instr.Thread) { t.StartStage(w.reg.NewStageClass(modelStageNames[0], false)) }),
		"progress":                handle(func(w *modelWorld, t *instr.Thread) { t.SetWorkCompleted(1) }),
		"a transaction":           handle(func(w *modelWorld, t *instr.Thread) { t.EndTransaction(false) }),
		"a savepoint":             handle(func(w *modelWorld, t *instr.Thread) { t.Savepoint() }),
		"an error":                handle(func(w *modelWorld, t *instr.Thread) { t.RaiseError(1064, true) }),
		"an error of nobody":      func(w *modelWorld) { w.reg.RaiseError(1064, true) },
		"a reset of statements":   func(w *modelWorld) { w.reg.Reader().ResetThreadWork(instr.WorkStatements) },
		"a reset of digests":      func(w *modelWorld) { w.reg.Reader().TruncateDigests() },
		"a reset of a histogram":  func(w *modelWorld) { w.reg.Reader().ResetGlobalStatementHistogram() },
		"a reset of a history":    func(w *modelWorld) { w.reg.Reader().TruncateStatementsHistoryLong() },
		"a prepared statement":    handle(func(w *modelWorld, t *instr.Thread) { t.Prepare(instr.PreparedOptions{}) }),
		"a program":               func(w *modelWorld) { w.reg.NewProgram(instr.ObjectProcedure, "db1", "p") },
		"another size of a stack": func(w *modelWorld) { w.reg.Setup().SetStatementStackSize(1) },
		"a wait":                  func(w *modelWorld) { w.in(w.routines[0], w.locks[0].mutex.Lock) },
		"a reset":                 func(w *modelWorld) { w.reg.Reader().ResetThreadWaits() },
		"a login":                 func(w *modelWorld) { w.in(w.routines[0], func() { w.routines[0].handle.SetAccount("alice", "h2") }) },
		"the end of a thread":     func(w *modelWorld) { w.in(w.routines[0], w.routines[0].handle.Detach) },
		"a switch":                func(w *modelWorld) { w.reg.Setup().SetConsumer(instr.ConsumerEventsWaitsHistogram, false) },
		"an object":               func(w *modelWorld) { w.locks = append(w.locks, &modelLock{mutex: w.reg.NewMutex("sql/LOCK_a")}) },
		"a row of the setup":      func(w *modelWorld) { w.reg.Setup().RemoveActor("%", "%", "%") },
		"a truncated accounts":    func(w *modelWorld) { w.reg.Reader().TruncateActors(instr.LevelAccount) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newModelWorld(t.TempDir(), modelVariant{})
			defer w.close()
			w.locks = append(w.locks, w.newMutex("sql/LOCK_a"))
			r := w.routines[0]
			w.in(r, func() { r.handle = w.reg.AttachConnection("sql/one_connection", 1) })
			r.thread = w.attach("sql/one_connection", 1)
			r.thread.id = r.handle.ID()
			w.lock(r, w.locks[0], 3)
			for range 2 {
				w.in(r, func() { r.handle.SetAccount("alice", "h1") })
				w.setAccount(r.thread, "alice", "h1")
			}
			w.lock(r, w.locks[0], 3)
			w.consumeAll()
			w.step("statement", 0, 0, 1)
			w.step("statement end", 0, 1, 1)
			w.step("statement", 0, 0, 1)
			w.step("stage", 0, 3, 1)
			w.step("transaction", 0, 0, 0)
			if err := w.check(); err != nil {
				t.Fatal(err)
			}
			do(w)
			w.step("statement", 0, 0, 1)
			if err := w.check(); err == nil {
				t.Error("nothing is wrong")
			}
		})
	}
}
