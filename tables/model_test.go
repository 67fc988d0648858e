package tables

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"pfsd/instr"
)

// model is what the tables of events, statistics, actors and switches must show, computed in the
// simplest way from what has happened: lists instead of maps, nothing cached, nothing shared, one
// step at a time. It does not depend on how the product keeps its numbers. Durations, which cannot
// be foreseen, are passed to it.
//
// This file has actors, threads and switches; model_waits_test.go has waits; model_work_test.go has
// what statements, stages, transactions and errors have in common, and each of these has a file of
// its own. model_world_test.go has the goroutines that do the steps.
type model struct {
	limits      [instr.LimitCount]int
	lost        [instr.LimitCount]uint64
	lockerLost  uint64
	consumers   [instr.ConsumerCount]bool
	timers      [instr.TimerKindCount]string
	historySize int
	waitsLong   []*modelEvent

	workModel
	digestModel
	tableModel

	classes       []*modelClass // idle, those of tables, transaction and error are the first ones
	threadClasses []*modelThreadClass
	lostClasses   map[string]bool // full names
	ownMemory     []string        // the instruments of the registry's own memory
	memory        modelMemory     // of threads that neither an account nor a host has
	shared        modelMemory     // of no thread
	objects       []*modelObject  // those that exist
	threads       []*modelThread  // those that live
	accounts      []*modelActor
	users, hosts  []*modelActor
	actors        []instr.SetupActor
	schemaObjects []instr.SetupObject
	handles       int // open files
}

// modelThreadClass is a row of setup_threads.
type modelThreadClass struct {
	name             string
	enabled, history bool
}

// modelActor is an account, a user or a host.
type modelActor struct {
	level      instr.Limit // how many there can be of its kind
	user, host string
	ofUser     *modelActor // an account's; nil if there is none
	ofHost     *modelActor
	ended      int64
	waits      modelStats
	work       modelWork
	memory     modelMemory
	most       uint64 // memory of a thread that has ended
}

// modelThread is a thread that lives, or has lived.
type modelThread struct {
	id                    uint64
	class                 *modelThreadClass
	process               uint64
	user, host            string
	account               *modelActor // nil: ofUser and ofHost, as far as there are any
	ofUser, ofHost        *modelActor
	instrumented, history bool
	ended                 bool
	waits                 modelStats
	memory                modelMemory
	inUse                 int64  // of memory
	most                  uint64 // the most that ever was
	modelActivity

	nextEvent uint64
	depth     int
	stack     [5]*modelEvent // below depth running, the first one also when it has ended
	past      []*modelEvent
}

func newModel() *model {
	m := &model{historySize: 4, lostClasses: map[string]bool{}, memory: modelMemory{}, shared: modelMemory{}, workModel: newWorkModel(), digestModel: newDigestModel()}
	for l := range instr.LimitCount {
		m.limits[l] = l.Default()
	}
	for _, c := range []instr.Consumer{
		instr.ConsumerEventsStatementsCurrent, instr.ConsumerEventsStatementsHistory, instr.ConsumerEventsTransactionsCurrent,
		instr.ConsumerEventsTransactionsHistory, instr.ConsumerGlobalInstrumentation, instr.ConsumerThreadInstrumentation, instr.ConsumerStatementsDigest,
		instr.ConsumerActiveSessionHistory,
		instr.ConsumerEventsWaitsSnapshot,
		instr.ConsumerEventsWaitsHistoryMetric,
		instr.ConsumerEventsWaitsByThreadByTime,
	} {
		m.consumers[c] = true
	}
	m.actors = []instr.SetupActor{{Host: "%", User: "%", Role: "%", Enabled: true, History: true}}
	for t := range instr.ObjectTypeCount {
		for _, schema := range []string{"mysql", "performance_schema", "information_schema", "%"} {
			m.schemaObjects = append(m.schemaObjects, instr.SetupObject{Type: t, Schema: schema, Name: "%", Enabled: schema == "%", Timed: schema == "%"})
		}
	}
	m.classes = []*modelClass{
		{name: "idle", kind: instr.KindIdle, enabled: true, timed: true, own: instr.NoIOStat},
		{name: "wait/io/table/sql/handler", kind: instr.KindTableIO, enabled: true, timed: true, own: instr.NoIOStat},
		{name: "wait/lock/table/sql/handler", kind: instr.KindTableLock, enabled: true, timed: true, own: instr.NoIOStat},
		{name: "transaction", kind: instr.KindTransaction, enabled: true, timed: true},
		{name: "error", kind: instr.KindError, enabled: true},
	}
	return m
}

// full reports whether a limit is reached by n, and then counts one more as lost.
func (m *model) full(l instr.Limit, n int) bool {
	if m.limits[l] < 0 || n < m.limits[l] {
		return false
	}
	m.lost[l]++
	return true
}

var modelPrefixes = map[instr.Kind]string{
	instr.KindMutex: "wait/synch/mutex/", instr.KindRWMutex: "wait/synch/rwlock/", instr.KindCond: "wait/synch/cond/",
	instr.KindFile: "wait/io/file/", instr.KindSocket: "wait/io/socket/", instr.KindStage: "stage/", instr.KindStatement: "statement/", instr.KindMemory: "memory/",
}

var modelClassLimits = map[instr.Kind]instr.Limit{
	instr.KindMutex: instr.LimitMutexClasses, instr.KindRWMutex: instr.LimitRWMutexClasses, instr.KindCond: instr.LimitCondClasses,
	instr.KindFile: instr.LimitFileClasses, instr.KindSocket: instr.LimitSocketClasses, instr.KindStage: instr.LimitStageClasses,
	instr.KindStatement: instr.LimitStatementClasses, instr.KindMemory: instr.LimitMemoryClasses,
}

var modelInstanceLimits = map[instr.Kind]instr.Limit{
	instr.KindMutex: instr.LimitMutexInstances, instr.KindRWMutex: instr.LimitRWMutexInstances, instr.KindCond: instr.LimitCondInstances,
	instr.KindFile: instr.LimitFileInstances, instr.KindSocket: instr.LimitSocketInstances,
}

// class returns an instrument, made if need be; nil if it is lost.
func (m *model) class(k instr.Kind, short string) *modelClass {
	name := modelPrefixes[k] + short
	n := 0
	for _, c := range m.classes {
		if c.name == name {
			return c
		}
		if c.kind == k {
			n++
		}
	}
	if m.lostClasses[name] {
		return nil
	}
	if m.full(modelClassLimits[k], n) {
		m.lostClasses[name] = true
		return nil
	}
	c := &modelClass{name: name, kind: k, enabled: true, timed: true, own: instr.NoIOStat}
	m.classes = append(m.classes, c)
	if hold, ok := map[instr.Kind]instr.Kind{instr.KindMutex: instr.KindMutexHold, instr.KindRWMutex: instr.KindRWMutexHold}[k]; ok {
		m.classes = append(m.classes, &modelClass{name: "hold" + strings.TrimPrefix(name, "wait"), kind: hold, enabled: true, timed: true, own: instr.NoIOStat})
	}
	return c
}

func (m *model) idle() *modelClass        { return m.classes[0] }
func (m *model) tableIO() *modelClass     { return m.classes[1] }
func (m *model) tableLocks() *modelClass  { return m.classes[2] }
func (m *model) transaction() *modelClass { return m.classes[3] }
func (m *model) error() *modelClass       { return m.classes[4] }

// of returns the instruments of some kinds.
func (m *model) of(kinds ...instr.Kind) []*modelClass {
	return slices.DeleteFunc(slices.Clone(m.classes), func(c *modelClass) bool { return !slices.Contains(kinds, c.kind) })
}

// threadClass returns a row of setup_threads, made if need be; nil if it is lost.
func (m *model) threadClass(short string) *modelThreadClass {
	name := "thread/" + short
	for _, c := range m.threadClasses {
		if c.name == name {
			return c
		}
	}
	if m.lostClasses[name] {
		return nil
	}
	if m.full(instr.LimitThreadClasses, len(m.threadClasses)) {
		m.lostClasses[name] = true
		return nil
	}
	c := &modelThreadClass{name: name, enabled: true, history: true}
	m.threadClasses = append(m.threadClasses, c)
	return c
}

// attach starts a thread, after its goroutine's last one has ended; nil if it is lost.
func (m *model) attach(class string, process uint64) *modelThread {
	c := m.threadClass(class)
	if c == nil || m.full(instr.LimitThreadInstances, len(m.threads)) {
		return nil
	}
	t := &modelThread{class: c, process: process, instrumented: c.enabled, history: c.history, nextEvent: 1, waits: modelStats{}, memory: modelMemory{}, modelActivity: modelActivity{work: modelWork{}}}
	m.threads = append(m.threads, t)
	m.join(t, "", "")
	return t
}

// find returns the user or host of this name, made if need be; nil if it is lost.
func (m *model) find(list *[]*modelActor, l instr.Limit, user, host string) *modelActor {
	for _, a := range *list {
		if a.user == user && a.host == host {
			return a
		}
	}
	if m.full(l, len(*list)) {
		return nil
	}
	a := &modelActor{level: l, user: user, host: host, waits: modelStats{}, work: modelWork{}, memory: modelMemory{}}
	*list = append(*list, a)
	return a
}

// join makes a thread a member of an account, or else of a user and a host.
func (m *model) join(t *modelThread, user, host string) {
	t.user, t.host, t.ofUser, t.ofHost = user, host, nil, nil
	before := len(m.accounts)
	t.account = m.find(&m.accounts, instr.LimitAccounts, user, host)
	if len(m.accounts) > before {
		t.account.ofUser = m.find(&m.users, instr.LimitUsers, user, "")
		t.account.ofHost = m.find(&m.hosts, instr.LimitHosts, "", host)
	}
	if t.account != nil {
		return
	}
	if user != "" {
		t.ofUser = m.find(&m.users, instr.LimitUsers, user, "")
	}
	if host != "" {
		t.ofHost = m.find(&m.hosts, instr.LimitHosts, "", host)
	}
}

// above is the actors to which a thread's statistics are moved.
func (t *modelThread) above() []*modelActor {
	if t.account != nil {
		return []*modelActor{t.account}
	}
	return modelActors(t.ofUser, t.ofHost)
}

// modelActors returns the actors that are not nil.
func modelActors(all ...*modelActor) []*modelActor {
	return slices.DeleteFunc(all, func(a *modelActor) bool { return a == nil })
}

// fold moves a thread's waits upwards.
func (t *modelThread) fold() {
	for _, a := range t.above() {
		a.waits.addAll(t.waits)
	}
	t.waits = modelStats{}
}

// leave ends a thread, or its membership in an account.
func (m *model) leave(t *modelThread, ended bool) {
	t.fold()
	m.memoryUp(t.memory, t.above(), ended)
	m.up(t.work, t.above(), modelFamilies...)
	for _, a := range t.above() {
		a.ended++
		a.most = max(a.most, t.most)
	}
}

// setAccount is a login, or a change of user.
func (m *model) setAccount(t *modelThread, user, host string) {
	if t.user != "" {
		m.leave(t, false)
	}
	m.join(t, user, host)
	m.memoryJoins(t)
	t.instrumented, t.history = true, true
	if user != "" && host != "" {
		t.instrumented, t.history = m.watched(user, host)
	}
}

// watched is what setup_actors says of an account.
func (m *model) watched(user, host string) (enabled, history bool) {
	for _, try := range [][2]string{{user, host}, {user, "%"}, {"%", host}, {"%", "%"}} {
		for _, a := range m.actors {
			if a.User == try[0] && strings.EqualFold(a.Host, try[1]) && a.Role == "%" {
				return a.Enabled, a.History
			}
		}
	}
	return false, false
}

// watchedObject is what setup_objects says of an object.
func (m *model) watchedObject(t instr.ObjectType, schema, name string) (enabled, timed bool) {
	for _, try := range [][2]string{{schema, name}, {schema, "%"}, {"%", "%"}} {
		for _, o := range m.schemaObjects {
			if o.Type == t && o.Schema == try[0] && o.Name == try[1] {
				return o.Enabled, o.Timed
			}
		}
	}
	return false, false
}

// detach ends a thread.
func (m *model) detach(t *modelThread) {
	m.leave(t, true)
	t.stop()
	m.prepared = slices.DeleteFunc(m.prepared, func(p *modelPrepared) bool { return p.thread == t })
	t.ended = true
	m.threads = slices.DeleteFunc(m.threads, func(o *modelThread) bool { return o == t })
}

// truncate is TRUNCATE TABLE.
func (m *model) truncate(table string) {
	switch table {
	case "events_waits_current":
		for _, t := range m.threads {
			t.stack = [5]*modelEvent{}
		}
	case "events_waits_history":
		for _, t := range m.threads {
			t.past = nil
		}
	case "events_waits_history_long":
		m.waitsLong = nil
	case "events_waits_summary_by_instance":
		m.resetObjects(instr.KindMutex, instr.KindRWMutex, instr.KindCond, instr.KindFile, instr.KindSocket)
	case "file_summary_by_instance":
		m.resetObjects(instr.KindFile)
	case "socket_summary_by_instance":
		m.resetObjects(instr.KindSocket)
	case "events_waits_summary_global_by_event_name", "events_waits_summary_global_by_class", "events_waits_summary_global_by_order",
		"events_waits_summary_global_by_family", "events_waits_summary_global_by_genus":
		m.resetClasses(waitKinds...)
	case "file_summary_by_event_name":
		m.resetClasses(instr.KindFile)
	case "socket_summary_by_event_name":
		m.resetClasses(instr.KindSocket)
	case "table_io_waits_summary_by_table", "table_io_waits_summary_by_index_usage":
		m.resetTables(true, false)
	case "table_lock_waits_summary_by_table":
		m.resetTables(false, true)
	case "objects_summary_global_by_type":
		m.resetTables(true, true)
	case "events_waits_histogram_global", "events_waits_histogram_by_event_name":
		for _, c := range m.classes {
			c.histogram = [instr.HistogramBuckets]uint64{}
		}
	case "events_waits_summary_by_thread_by_event_name", "events_waits_summary_by_thread_by_class", "events_waits_summary_by_thread_by_order",
		"events_waits_summary_by_thread_by_family", "events_waits_summary_by_thread_by_genus":
		m.foldThreadWaits()
	case "events_waits_summary_by_account_by_event_name":
		m.foldAccountWaits()
	case "events_waits_summary_by_user_by_event_name":
		m.foldAccountWaits()
		clearWaits(m.users)
	case "events_waits_summary_by_host_by_event_name":
		m.foldAccountWaits()
		clearWaits(m.hosts)
	case "accounts":
		m.truncateAccounts()
	case "users":
		m.truncateAccounts()
		m.users = m.truncateActors(m.users)
	case "hosts":
		m.truncateAccounts()
		m.hosts = m.truncateActors(m.hosts)
	case "prepared_statements_instances":
		m.truncatePrepared()
	case "setup_actors":
		m.actors = nil
	case "setup_objects":
		m.schemaObjects = nil
	default:
		if !m.truncateMemory(table) && !m.truncateWork(table) {
			panic("the model knows no TRUNCATE of " + table)
		}
	}
}

func (m *model) truncateAccounts() {
	m.foldAccountWaits()
	m.foldAccountWork(modelTruncated...)
	m.foldAccountMemory()
	for _, a := range m.accounts {
		for _, up := range modelActors(a.ofUser, a.ofHost) {
			up.ended += a.ended
			up.most = max(up.most, a.most)
		}
		a.ended, a.most = 0, 0
	}
	m.accounts = slices.DeleteFunc(m.accounts, func(a *modelActor) bool {
		if m.live(a) > 0 {
			return false
		}
		m.up(a.work, modelActors(a.ofUser, a.ofHost), modelFamilies...)
		m.memoryUp(a.memory, modelActors(a.ofUser, a.ofHost), true)
		return true
	})
}

func (m *model) truncateActors(actors []*modelActor) []*modelActor {
	clearWaits(actors)
	for _, a := range actors {
		a.ended, a.most = 0, 0
		m.dropWork(a, modelTruncated...)
		m.dropMemory(a, false)
	}
	return slices.DeleteFunc(actors, func(a *modelActor) bool {
		if m.live(a) > 0 || slices.ContainsFunc(m.accounts, func(of *modelActor) bool { return of.ofUser == a || of.ofHost == a }) {
			return false
		}
		m.dropWork(a, modelFamilies...)
		m.dropMemory(a, true)
		return true
	})
}

// belongs reports whether a thread counts for an actor, directly or through its account.
func (t *modelThread) belongs(a *modelActor) bool {
	return t.account == a || t.ofUser == a || t.ofHost == a || t.account != nil && (t.account.ofUser == a || t.account.ofHost == a)
}

// live is how many threads an actor has.
func (m *model) live(a *modelActor) (n int64) {
	for _, t := range m.threads {
		if t.belongs(a) {
			n++
		}
	}
	return n
}

// connections is TOTAL_CONNECTIONS.
func (m *model) connections(a *modelActor) int64 {
	n := m.live(a) + a.ended
	for _, of := range m.accounts {
		if of.ofUser == a || of.ofHost == a {
			n += of.ended
		}
	}
	return n
}

// mostMemory is the most memory that a thread of an actor has had in use.
func (m *model) mostMemory(a *modelActor) uint64 {
	most := a.most
	for _, of := range m.accounts {
		if of.ofUser == a || of.ofHost == a {
			most = max(most, of.most)
		}
	}
	for _, t := range m.threads {
		if slices.Contains(t.above(), a) || t.account != nil && (t.account.ofUser == a || t.account.ofHost == a) {
			most = max(most, t.most)
		}
	}
	return most
}

// expected is what some columns of a table must show; the first keys of them identify a row.
type expected struct {
	table   string
	keys    int
	columns []string
	rows    [][]string
	heads   []*modelHead // of the rows, if they are events
	where   Key
}

func (e *expected) row(cells ...string) { e.rows = append(e.rows, cells) }

// expectation is tables as they must be.
type expectation struct{ all []*expected }

func (x *expectation) table(name string, keys int, columns ...string) *expected {
	e := &expected{table: name, keys: keys, columns: columns}
	x.all = append(x.all, e)
	return e
}

// num is a number that is not negative.
func num[N int | int64 | uint64](n N) string { return strconv.FormatUint(uint64(n), 10) }

func orNull(s string) string {
	if s == "" {
		return "NULL"
	}
	return s
}

// prefix is the first parts of an instrument's name.
func prefix(name string, parts int) string {
	words := strings.Split(name, "/")
	return strings.Join(words[:min(parts, len(words))], "/")
}

func statNames(count, timer string) []string {
	return []string{"COUNT_" + count, "SUM_TIMER_" + timer, "MIN_TIMER_" + timer, "AVG_TIMER_" + timer, "MAX_TIMER_" + timer}
}

var waitStatNames = statNames("STAR", "WAIT")

var taxonomies = []string{"class", "order", "family", "genus"}

// wholeName is more parts than any name has.
const wholeName = 100

// expect is every table as it must be now, without the histograms.
func (m *model) expect() []*expected {
	x := new(expectation)
	table := x.table
	// Switches.
	e := table("setup_consumers", 1, "NAME", "ENABLED")
	for c, on := range m.consumers {
		e.row(instr.Consumer(c).String(), yesOrNo(on))
	}
	e = table("setup_timers", 1, "NAME", "TIMER_NAME")
	for k, timer := range m.timers {
		e.row(instr.TimerKind(k).String(), timer)
	}
	e = table("setup_instruments", 1, "NAME", "ENABLED", "TIMED")
	for _, c := range m.classes {
		timed := yesOrNo(c.timed)
		if c.kind == instr.KindError || c.kind == instr.KindMemory {
			timed = "NULL"
		}
		e.row(c.name, yesOrNo(c.enabled), timed)
	}
	for _, name := range m.ownMemory {
		e.row(name, "YES", "NULL")
	}
	e = table("setup_threads", 1, "NAME", "ENABLED", "HISTORY")
	for _, c := range m.threadClasses {
		e.row(c.name, yesOrNo(c.enabled), yesOrNo(c.history))
	}
	e = table("setup_actors", 3, "HOST", "USER", "ROLE", "ENABLED", "HISTORY")
	for _, a := range m.actors {
		e.row(a.Host, a.User, a.Role, yesOrNo(a.Enabled), yesOrNo(a.History))
	}
	e = table("setup_objects", 3, "OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME", "ENABLED", "TIMED")
	for _, o := range m.schemaObjects {
		e.row(modelObjectTypes[o.Type], o.Schema, o.Name, yesOrNo(o.Enabled), yesOrNo(o.Timed))
	}
	// Threads and what they belong to.
	e = table("threads", 1, "THREAD_ID", "NAME", "TYPE", "PROCESSLIST_ID", "PROCESSLIST_USER", "PROCESSLIST_HOST", "PROCESSLIST_STATE", "INSTRUMENTED", "HISTORY")
	list := table("processlist", 1, "ID", "USER")
	for _, t := range m.threads {
		kind, process := "BACKGROUND", "NULL"
		if t.process != 0 {
			kind, process = "FOREGROUND", num(t.process)
			user := t.user
			if user == "" {
				user = "unauthenticated user"
			}
			list.row(process, user)
		}
		e.row(num(t.id), t.class.name, kind, process, orNull(t.user), orNull(t.host), orNull(t.state), yesOrNo(t.instrumented), yesOrNo(t.history))
	}
	totals := []string{"CURRENT_CONNECTIONS", "TOTAL_CONNECTIONS", "MAX_SESSION_CONTROLLED_MEMORY", "MAX_SESSION_TOTAL_MEMORY"}
	for _, level := range []struct {
		name, key string
		actors    []*modelActor
	}{{"account", "", m.accounts}, {"user", "USER", m.users}, {"host", "HOST", m.hosts}} {
		key := []string{level.key}
		if level.key == "" {
			key = []string{"USER", "HOST"}
		}
		list := table(level.name+"s", len(key), slices.Concat(key, totals)...)
		waits := table("events_waits_summary_by_"+level.name+"_by_event_name", len(key)+1, slices.Concat(key, []string{"EVENT_NAME"}, waitStatNames)...)
		for _, a := range level.actors {
			cells := map[string]string{"USER": orNull(a.user), "HOST": orNull(a.host)}
			var values []string
			for _, k := range key {
				values = append(values, cells[k])
			}
			list.row(slices.Concat(values, []string{num(m.live(a)), num(m.connections(a)), "0", num(m.mostMemory(a))})...)
			waits.summed(m, wholeName, values, m.waitsOf(a).of)
		}
	}
	// Waits by instance, thread and instrument.
	e = table("events_waits_summary_by_instance", 2, slices.Concat([]string{"EVENT_NAME", "OBJECT_INSTANCE_BEGIN"}, waitStatNames)...)
	fileNames := table("file_instances", 1, "FILE_NAME", "EVENT_NAME", "OPEN_COUNT")
	files := table("file_summary_by_instance", 1, slices.Concat([]string{"OBJECT_INSTANCE_BEGIN", "FILE_NAME", "EVENT_NAME"}, ioStatNames)...)
	sockets := table("socket_summary_by_instance", 1, slices.Concat([]string{"OBJECT_INSTANCE_BEGIN", "EVENT_NAME"}, ioStatNames)...)
	for _, o := range m.objects {
		e.row(slices.Concat([]string{o.class.name, num(o.id)}, statCells(o.waits.All()))...)
		switch o.class.kind {
		case instr.KindFile:
			fileNames.row(o.name, o.class.name, num(o.opens))
			files.row(slices.Concat([]string{num(o.id), o.name, o.class.name}, ioCells(o.waits))...)
		case instr.KindSocket:
			sockets.row(slices.Concat([]string{num(o.id), o.class.name}, ioCells(o.waits))...)
		}
	}
	classFiles := table("file_summary_by_event_name", 1, slices.Concat([]string{"EVENT_NAME"}, ioStatNames)...)
	classSockets := table("socket_summary_by_event_name", 1, slices.Concat([]string{"EVENT_NAME"}, ioStatNames)...)
	for _, c := range m.classes {
		switch c.kind {
		case instr.KindFile:
			classFiles.row(slices.Concat([]string{c.name}, ioCells(m.total(c)))...)
		case instr.KindSocket:
			classSockets.row(slices.Concat([]string{c.name}, ioCells(m.total(c)))...)
		}
	}
	for parts := 1; parts <= len(taxonomies)+1; parts++ {
		by, depth := "event_name", wholeName
		if parts <= len(taxonomies) {
			by, depth = taxonomies[parts-1], parts
		}
		global := table("events_waits_summary_global_by_"+by, 1, slices.Concat([]string{"EVENT_NAME"}, waitStatNames)...)
		global.summed(m, depth, nil, func(c *modelClass) instr.Stat { return m.total(c).All() })
		threads := table("events_waits_summary_by_thread_by_"+by, 2, slices.Concat([]string{"THREAD_ID", "EVENT_NAME"}, waitStatNames)...)
		for _, t := range m.threads {
			threads.summed(m, depth, []string{num(t.id)}, t.waits.of)
		}
	}
	// Events.
	columns := slices.Concat(headNames, []string{"OBJECT_INSTANCE_BEGIN", "OPERATION", "NUMBER_OF_BYTES", "OBJECT_TYPE", "OBJECT_SCHEMA", "INDEX_NAME"})
	current, history := table("events_waits_current", 2, columns...), table("events_waits_history", 2, columns...)
	for _, t := range m.threads {
		for i := range max(1, t.depth) {
			if t.stack[i] != nil {
				current.event(t.stack[i])
			}
		}
		for _, e := range t.past {
			history.event(e)
		}
	}
	long := table("events_waits_history_long", 2, columns...)
	for _, e := range m.waitsLong {
		long.event(e)
	}
	m.expectWork(x)
	m.expectMemory(x)
	m.expectDigests(x)
	m.expectPrograms(x)
	m.expectTables(x)
	m.expectPrepared(x)
	return x.all
}

var modelObjectTypes = [instr.ObjectTypeCount]string{"EVENT", "FUNCTION", "PROCEDURE", "TABLE", "TRIGGER"}

var bucketNames = []string{"BUCKET_NUMBER", "BUCKET_TIMER_LOW", "BUCKET_TIMER_HIGH", "COUNT_BUCKET", "COUNT_BUCKET_AND_LOWER", "BUCKET_QUANTILE"}

// buckets adds the rows of a histogram.
func (e *expected) buckets(key []string, bounds [][2]uint64, counts []uint64) {
	total, lower := uint64(0), uint64(0)
	for _, n := range counts {
		total += n
	}
	for b, n := range counts {
		lower += n
		q := 0.0
		if total > 0 {
			q = math.RoundToEven(float64(lower)/float64(total)*1e6) / 1e6
		}
		e.row(slices.Concat(key, []string{num(b), num(bounds[b][0]), num(bounds[b][1]), num(n), num(lower), strconv.FormatFloat(q, 'f', 6, 64)})...)
	}
}
