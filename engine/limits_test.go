package engine

import (
	"database/sql"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pfsd/instr"
	"pfsd/tables"
)

// serveLimits starts a server with limits and with everything switched on, and opens one
// connection to it.
func serveLimits(t *testing.T, limits map[instr.Limit]int) *running {
	t.Helper()
	r := serveAll(t, Options{Limits: limits})
	r.db.SetMaxOpenConns(1)
	r.want(t, "SELECT 1", "1")
	return r
}

// count is the number that a query answers with.
func (r *running) count(t *testing.T, query string) int {
	t.Helper()
	rows := r.query(t, query)
	if len(rows) != 1 {
		t.Fatalf("%s: %q", query, rows)
	}
	n, err := strconv.Atoi(rows[0])
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// lost is what SHOW STATUS says is lost beyond a limit.
func (r *running) lost(t *testing.T, l instr.Limit) int {
	t.Helper()
	return r.allLost(t)["Performance_schema_"+l.LostName()]
}

// allLost is all the counters that are not 0, by name, but for samples that were not taken in time: a busy machine has those.
func (r *running) allLost(t *testing.T) map[string]int {
	t.Helper()
	all := map[string]int{}
	for _, row := range r.query(t, "SHOW GLOBAL STATUS LIKE '"+"Performance_schema_"+"%_lost'") {
		name, value, _ := strings.Cut(row, "|")
		n, err := strconv.Atoi(value)
		if err != nil {
			t.Fatal(err)
		}
		if n != 0 && name != "Performance_schema_active_session_samples_lost" && name != "Performance_schema_history_keys_lost" {
			all[name] = n
		}
	}
	return all
}

// checkLost compares all the counters of what is lost; those that want lacks must be 0.
func (r *running) checkLost(t *testing.T, want map[instr.Limit]int) {
	t.Helper()
	names := map[string]int{}
	for l, n := range want {
		if n != 0 {
			names["Performance_schema_"+l.LostName()] = n
		}
	}
	if d := cmp.Diff(names, r.allLost(t)); d != "" {
		t.Errorf("lost: -want +got\n%s", d)
	}
}

// limitTests are, for the limits of what a program has, how to see in SQL how many there
// are, and how the program makes the i-th thing of its own, works with it and keeps it.
var limitTests = []struct {
	limit instr.Limit
	count string
	use   func(t *testing.T, r *running, i int)
}{
	{instr.LimitMutexClasses, countInstruments("wait/synch/mutex/%"), twice(useMutex)},
	{instr.LimitRWMutexClasses, countInstruments("wait/synch/rwlock/%"), twice(useRWMutex)},
	{instr.LimitCondClasses, countInstruments("wait/synch/cond/%"), twice(useCond)},
	{instr.LimitFileClasses, countInstruments("wait/io/file/%"), twice(useFile)},
	{instr.LimitSocketClasses, countInstruments("wait/io/socket/%"), twice(useSocket)},
	{instr.LimitThreadClasses, "SELECT COUNT(*) FROM setup_threads", twice(useThread)},
	{instr.LimitMemoryClasses, countInstruments("memory/%' AND VOLATILITY = 0 AND NAME LIKE '%"), twice(useMemory)}, // but for the server's own
	{instr.LimitMutexInstances, "SELECT COUNT(*) FROM mutex_instances", useMutex},
	{instr.LimitRWMutexInstances, "SELECT COUNT(*) FROM rwlock_instances", useRWMutex},
	{instr.LimitCondInstances, "SELECT COUNT(*) FROM cond_instances", useCond},
	{instr.LimitFileInstances, "SELECT COUNT(*) FROM file_instances", useFile},
	{instr.LimitFileHandles, "SELECT IFNULL(SUM(OPEN_COUNT), 0) FROM file_instances", useFile},
	{instr.LimitSocketInstances, "SELECT COUNT(*) FROM socket_instances", useSocket},
	{instr.LimitThreadInstances, "SELECT COUNT(*) FROM threads", useThread},
}

func countInstruments(like string) string {
	return "SELECT COUNT(*) FROM setup_instruments WHERE NAME LIKE '" + like + "'"
}

// twice uses two things of the same name: a class counts once.
func twice(use func(*testing.T, *running, int)) func(*testing.T, *running, int) {
	return func(t *testing.T, r *running, i int) {
		use(t, r, i)
		use(t, r, i)
	}
}

// hold holds on to x until the test ends.
func hold(t *testing.T, x any) { t.Cleanup(func() { runtime.KeepAlive(x) }) }

func useMutex(t *testing.T, r *running, i int) {
	m := r.reg.NewMutex(fmt.Sprintf("test/LOCK_%d", i))
	hold(t, m)
	useLock(t, m, func(*int) {})
}

func useRWMutex(t *testing.T, r *running, i int) {
	m := r.reg.NewRWMutex(fmt.Sprintf("test/LOCK_%d", i))
	hold(t, m)
	useLock(t, m, func(n *int) {
		m.RLock()
		_ = *n
		m.RUnlock()
	})
}

// useLock wants a lock to let no addition under it be lost. Before each of them there is a
// look at what is guarded.
func useLock(t *testing.T, m sync.Locker, look func(n *int)) {
	n := 0
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				look(&n)
				m.Lock()
				n++
				m.Unlock()
			}
		})
	}
	all.Wait()
	if n != 400 {
		t.Errorf("a %T let %d of 400 additions be lost", m, 400-n)
	}
}

func useCond(t *testing.T, r *running, i int) {
	var mu sync.Mutex
	c := r.reg.NewCond(fmt.Sprintf("test/COND_%d", i), &mu)
	hold(t, c)
	ready := false
	var other sync.WaitGroup
	mu.Lock()
	defer mu.Unlock()
	other.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		ready = true
		c.Signal()
	})
	for !ready {
		c.Wait()
	}
}

func useFile(t *testing.T, r *running, i int) {
	f, err := r.reg.NewFileClass(fmt.Sprintf("test/data_%d", i)).OpenFile(
		filepath.Join(t.TempDir(), fmt.Sprintf("data_%d", i)), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	back := make([]byte, 5)
	if _, err := f.WriteAt([]byte("hello"), 3); err != nil {
		t.Error(err)
	}
	if _, err := f.ReadAt(back, 3); err != nil || string(back) != "hello" {
		t.Errorf("read %q, %v", back, err)
	}
}

func useSocket(t *testing.T, r *running, i int) {
	raw, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	c, err := r.reg.Dial("tcp", raw.Addr().String(), fmt.Sprintf("test/client_%d", i))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	peer, err := raw.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = peer.Close() }()
	back := make([]byte, 5)
	if _, err := peer.Write([]byte("hello")); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadFull(c, back); err != nil || string(back) != "hello" {
		t.Errorf("read %q, %v", back, err)
	}
}

func useMemory(t *testing.T, r *running, i int) {
	m := r.reg.NewMemoryClass(fmt.Sprintf("test/memory_%d", i))
	m.Alloc(10)
	m.Free(10)
}

func useThread(t *testing.T, r *running, i int) {
	started, end := make(chan struct{}), make(chan struct{})
	var worker sync.WaitGroup
	worker.Go(func() {
		th := r.reg.Attach(fmt.Sprintf("test/worker_%d", i))
		defer th.Detach()
		th.SetAccount("worker", "localhost")
		th.SetCommand("Sleep")
		w := th.StartIdle()
		w.End()
		m := r.reg.NewMutex("test/LOCK_worker")
		m.Lock()
		m.Unlock()
		close(started)
		<-end
	})
	<-started
	t.Cleanup(func() {
		close(end)
		worker.Wait()
	})
}

// Each limit reached, passed, and 0: so many are seen, exactly so many are counted as lost
// and nothing else is, and everything goes on working.
func TestLimits(t *testing.T) {
	const more = 5
	for _, test := range limitTests {
		t.Run(test.limit.String(), func(t *testing.T) {
			t.Parallel()
			unlimited := serveLimits(t, nil)
			base := 0
			eventually(t, "the server has what it uses itself", func() bool {
				old := base
				base = unlimited.count(t, test.count)
				return base == old && unlimited.count(t, "SELECT COUNT(*) FROM threads") == 7
			})
			for i := range more {
				test.use(t, unlimited, i)
			}
			if got := unlimited.count(t, test.count); got != base+more {
				t.Fatalf("without limit: %d and %d more make %d", base, more, got)
			}
			unlimited.checkLost(t, nil)

			for _, limit := range []int{base, 0, 1, base + 2}[:testSize(t, 4, 1)] {
				r := serveLimits(t, map[instr.Limit]int{test.limit: limit})
				eventually(t, "the server has what it uses itself", func() bool {
					return r.count(t, test.count)+r.lost(t, test.limit) == base
				})
				for i := range more {
					test.use(t, r, i)
				}
				seen := min(limit, base+more)
				if got := r.count(t, test.count); got != seen {
					t.Errorf("limit %d: %d are seen", limit, got)
				}
				r.checkLost(t, map[instr.Limit]int{test.limit: base + more - seen})
				if limit == 0 || limit == base {
					r.survives(t)
				}
			}
		})
	}
}

// survives uses the server from a connection of its own, all its tables included.
func (r *running) survives(t *testing.T) {
	t.Helper()
	db := r.login(t, "survivor")
	for _, table := range tables.All() {
		if _, err := db.Exec("SELECT * FROM " + table.Name()); err != nil {
			t.Errorf("%s: %v", table.Name(), err)
		}
		if table.Truncatable() {
			if _, err := db.Exec("TRUNCATE TABLE " + table.Name()); err != nil {
				t.Errorf("%s: %v", table.Name(), err)
			}
		}
	}
}

// login opens one connection of a user's.
func (r *running) login(t *testing.T, user string) *sql.DB {
	t.Helper()
	r.user(t, user)
	db, err := sql.Open("mysql", fmt.Sprintf("%s@tcp(%s)/performance_schema", user, r.addr))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	if err := db.Ping(); err != nil {
		t.Fatalf("login of %s: %v", user, err)
	}
	return db
}

// Nothing at all is instrumented, and all works.
func TestAllLimitsZero(t *testing.T) {
	limits := map[instr.Limit]int{}
	for l := range instr.LimitCount {
		limits[l] = 0
	}
	r := serveLimits(t, limits)
	for i, test := range limitTests {
		test.use(t, r, i)
	}
	for _, table := range []string{
		"threads", "accounts", "users", "hosts", "setup_threads", "mutex_instances", "rwlock_instances", "cond_instances",
		"file_instances", "socket_instances", "events_waits_current", "events_waits_history", "events_waits_history_long",
		"events_waits_summary_by_thread_by_event_name", "events_waits_summary_by_account_by_event_name",
	} {
		r.want(t, "SELECT * FROM "+table)
	}
	r.want(t, "SELECT NAME FROM setup_instruments WHERE NAME NOT LIKE 'memory/%'", "wait/io/table/sql/handler", "wait/lock/table/sql/handler", "idle", "wait/lock/metadata/sql/mdl", "wait/lock/row/sql/handler", "transaction", "error")
	r.survives(t)
}

// Connections beyond the limit of threads are no threads and work; when one that is a
// thread ends, the next has room.
func TestConnectionsBeyondThreadLimit(t *testing.T) {
	const others = 6 // of the server: main, acceptor, watcher, sampler, collector, scheduler of events
	r := serveLimits(t, map[instr.Limit]int{instr.LimitThreadInstances: others + 2})
	eventually(t, "the server's threads run", func() bool { return r.count(t, "SELECT COUNT(*) FROM threads") == others+1 })
	first := r.login(t, "first")
	for i := range 4 {
		db := r.login(t, "beyond")
		var n int
		if err := db.QueryRow("SELECT COUNT(*) FROM threads").Scan(&n); err != nil || n != others+2 {
			t.Errorf("%d threads, %v", n, err)
		}
		if got := r.lost(t, instr.LimitThreadInstances); got != i+1 {
			t.Errorf("%d threads are lost, want %d", got, i+1)
		}
	}
	r.want(t, "SELECT PROCESSLIST_USER FROM threads WHERE PROCESSLIST_ID > 0 ORDER BY 1", "first", "root")
	r.want(t, "SELECT USER, CURRENT_CONNECTIONS FROM users WHERE USER IS NOT NULL ORDER BY 1", "first|1", "root|1")
	_ = first.Close()
	eventually(t, "there is room", func() bool { return r.reg.Reader().ThreadCount() == others+1 }) // its row has gone before it
	r.login(t, "next")
	r.want(t, "SELECT PROCESSLIST_USER FROM threads WHERE PROCESSLIST_ID > 0 ORDER BY 1", "next", "root")
	r.checkLost(t, map[instr.Limit]int{instr.LimitThreadInstances: 4})
}

// The same of sockets.
func TestConnectionsBeyondSocketLimit(t *testing.T) {
	r := serveLimits(t, map[instr.Limit]int{instr.LimitSocketInstances: 3}) // the listener, root's, one more
	first := r.login(t, "first")
	for range 4 {
		r.login(t, "beyond")
	}
	r.want(t, "SELECT COUNT(*) FROM socket_instances", "3")
	_ = first.Close()
	eventually(t, "there is room", func() bool { return r.count(t, "SELECT COUNT(*) FROM socket_instances") == 2 })
	r.login(t, "next")
	r.want(t, "SELECT PROCESSLIST_USER FROM socket_instances s JOIN threads t ON t.THREAD_ID = s.THREAD_ID WHERE PROCESSLIST_ID > 0 ORDER BY 1", "next", "root")
	r.checkLost(t, map[instr.Limit]int{instr.LimitSocketInstances: 4})
}

// Files and locks that are gone make room.
func TestRoomAgain(t *testing.T) {
	r := serveLimits(t, map[instr.Limit]int{instr.LimitFileHandles: 2, instr.LimitFileInstances: 3})
	class := r.reg.NewFileClass("test/data")
	dir := t.TempDir()
	create := func(name string) *instr.File {
		f, err := class.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	// The server has its log open.
	files := "SELECT SUBSTRING_INDEX(FILE_NAME, '/', -1), OPEN_COUNT FROM file_instances WHERE EVENT_NAME LIKE '%/test/data' ORDER BY 1"
	a, b := create("a"), create("b")
	r.want(t, files, "a|1", "b|0")
	_ = b.Close()
	r.want(t, files, "a|1", "b|0")
	create("c") // beyond the instances: it has no handle to lose
	r.want(t, files, "a|1", "b|0")
	r.checkLost(t, map[instr.Limit]int{instr.LimitFileHandles: 1, instr.LimitFileInstances: 1})
	_ = a.Close()
	if err := class.Remove(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	create("d")
	r.want(t, files, "a|0", "d|1")
	r.checkLost(t, map[instr.Limit]int{instr.LimitFileHandles: 1, instr.LimitFileInstances: 1})

	locks := r.count(t, "SELECT COUNT(*) FROM mutex_instances")
	r.reg.Setup().SetLimit(instr.LimitMutexInstances, locks+1)
	const mine = "SELECT NAME FROM mutex_instances WHERE NAME LIKE '%/test/%'"
	old := r.reg.NewMutex("test/old")
	r.reg.NewMutex("test/lost")
	r.want(t, mine, "wait/synch/mutex/test/old")
	runtime.KeepAlive(old)
	eventually(t, "the old one is collected", func() bool {
		runtime.GC()
		return len(r.query(t, mine)) == 0
	})
	hold(t, r.reg.NewMutex("test/new"))
	r.want(t, mine, "wait/synch/mutex/test/new")
	r.checkLost(t, map[instr.Limit]int{instr.LimitFileHandles: 1, instr.LimitFileInstances: 1, instr.LimitMutexInstances: 1})
}

const (
	accountRows = "SELECT USER, HOST, CURRENT_CONNECTIONS, TOTAL_CONNECTIONS FROM accounts WHERE USER IS NOT NULL ORDER BY 1, 2"
	userRows    = "SELECT USER, CURRENT_CONNECTIONS, TOTAL_CONNECTIONS FROM users WHERE USER IS NOT NULL ORDER BY 1"
	hostRows    = "SELECT HOST, CURRENT_CONNECTIONS, TOTAL_CONNECTIONS FROM hosts WHERE HOST IS NOT NULL ORDER BY 1"
)

// Clients of more users than there is room for log in and work; those of no account count
// in their user and host.
func TestActorLimits(t *testing.T) {
	tests := []struct {
		name                   string
		limits                 map[instr.Limit]int
		accounts, users, hosts []string
		lost                   map[instr.Limit]int
	}{
		{"none", nil,
			[]string{"root|localhost|1|1", "u1|localhost|1|2", "u2|localhost|1|1"},
			[]string{"root|1|1", "u1|1|2", "u2|1|1"}, []string{"localhost|3|4"}, nil},
		// NULL and root have one. Each login of another looks in vain.
		{"accounts", map[instr.Limit]int{instr.LimitAccounts: 2},
			[]string{"root|localhost|1|1"},
			[]string{"root|1|1", "u1|1|2", "u2|1|1"}, []string{"localhost|3|4"},
			map[instr.Limit]int{instr.LimitAccounts: 3}},
		// An account that has been made looks for its user and host once.
		{"users", map[instr.Limit]int{instr.LimitUsers: 2},
			[]string{"root|localhost|1|1", "u1|localhost|1|2", "u2|localhost|1|1"},
			[]string{"root|1|1"}, []string{"localhost|3|4"},
			map[instr.Limit]int{instr.LimitUsers: 2}},
		{"hosts", map[instr.Limit]int{instr.LimitHosts: 1},
			[]string{"root|localhost|1|1", "u1|localhost|1|2", "u2|localhost|1|1"},
			[]string{"root|1|1", "u1|1|2", "u2|1|1"}, nil,
			map[instr.Limit]int{instr.LimitHosts: 3}},
		{"accounts and users", map[instr.Limit]int{instr.LimitAccounts: 2, instr.LimitUsers: 2},
			[]string{"root|localhost|1|1"},
			[]string{"root|1|1"}, []string{"localhost|3|4"},
			map[instr.Limit]int{instr.LimitAccounts: 3, instr.LimitUsers: 3}},
		// Six background threads and four connections look for the account without a
		// name, four logins for another.
		{"all", map[instr.Limit]int{instr.LimitAccounts: 0, instr.LimitUsers: 0, instr.LimitHosts: 0},
			nil, nil, nil,
			map[instr.Limit]int{instr.LimitAccounts: 6 + 4 + 4, instr.LimitUsers: 4, instr.LimitHosts: 4}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := serveLimits(t, test.limits)
			eventually(t, "the server's threads run", func() bool { return r.count(t, "SELECT COUNT(*) FROM threads") == 7 })
			gone := r.login(t, "u1")
			_ = gone.Close()
			eventually(t, "u1 is gone", func() bool { return r.reg.Reader().ThreadCount() == 7 })
			u1, u2 := r.login(t, "u1"), r.login(t, "u2")
			for _, db := range []*sql.DB{u1, u2} {
				var one int
				if err := db.QueryRow("SELECT 1").Scan(&one); err != nil {
					t.Error(err)
				}
			}
			r.want(t, accountRows, test.accounts...)
			r.want(t, userRows, test.users...)
			r.want(t, hostRows, test.hosts...)
			r.checkLost(t, test.lost)
			// What has a row has waits in it.
			for table, rows := range map[string][]string{"account": test.accounts, "user": test.users, "host": test.hosts} {
				column := map[string]string{"account": "CONCAT(USER, HOST)", "user": "USER", "host": "HOST"}[table]
				got := r.count(t, "SELECT COUNT(DISTINCT "+column+") FROM events_waits_summary_by_"+table+"_by_event_name WHERE COUNT_STAR > 0 AND "+column+" IS NOT NULL")
				if got != len(rows) {
					t.Errorf("waits of %d %ss, want %d", got, table, len(rows))
				}
			}
			r.survives(t)
		})
	}
}

// Accounts that TRUNCATE has removed make room.
func TestActorsMakeRoom(t *testing.T) {
	r := serveLimits(t, map[instr.Limit]int{instr.LimitAccounts: 3})
	one := r.login(t, "one")
	r.login(t, "two")
	r.want(t, accountRows, "one|localhost|1|1", "root|localhost|1|1")
	_ = one.Close()
	eventually(t, "one is gone", func() bool { return r.query(t, accountRows)[0] == "one|localhost|0|1" })
	r.login(t, "three")
	r.checkLost(t, map[instr.Limit]int{instr.LimitAccounts: 2})
	r.exec(t, "TRUNCATE TABLE accounts")
	r.login(t, "four")
	r.want(t, accountRows, "four|localhost|1|1", "root|localhost|1|1")
	r.checkLost(t, map[instr.Limit]int{instr.LimitAccounts: 2})
}

// A setup table that is full takes no more rows until one is deleted.
func TestSetupTablesFull(t *testing.T) {
	oneAtATime(t)
	r := serveLimits(t, nil)
	actors, objects := r.count(t, "SELECT COUNT(*) FROM setup_actors"), r.count(t, "SELECT COUNT(*) FROM setup_objects")
	r = serveLimits(t, map[instr.Limit]int{instr.LimitSetupActors: actors + 1, instr.LimitSetupObjects: objects + 1})
	for _, test := range []struct{ table, insert, remove string }{
		{"setup_actors", "INSERT INTO setup_actors (HOST, USER) VALUES ('h', 'u%d')", "DELETE FROM setup_actors WHERE USER = 'u%d'"},
		{"setup_objects", "INSERT INTO setup_objects (OBJECT_SCHEMA, OBJECT_NAME) VALUES ('db', 't%d')", "DELETE FROM setup_objects WHERE OBJECT_NAME = 't%d'"},
	} {
		full := "1114 HY000 The table '" + test.table + "' is full"
		r.exec(t, fmt.Sprintf(test.insert, 1))
		for i := 2; i < 5; i++ {
			r.fails(t, fmt.Sprintf(test.insert, i), full)
		}
		r.exec(t, fmt.Sprintf(test.remove, 1))
		r.exec(t, fmt.Sprintf(test.insert, 2))
		r.fails(t, fmt.Sprintf(test.insert, 3), full)
	}
	r.want(t, "SELECT COUNT(*) FROM setup_actors", strconv.Itoa(actors+1))
	r.want(t, "SELECT COUNT(*) FROM setup_objects", strconv.Itoa(objects+1))
	r.checkLost(t, nil)
}
