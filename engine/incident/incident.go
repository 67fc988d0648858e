package incident

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // the server is asked as clients ask it

	"pfsd/engine"
	"pfsd/instr"
)

// User and Password sign in to the server.
const User, Password = "dba", "right"

// What happened.
const (
	Lock      = "wait/synch/mutex/incident/lock" // what the threads waited for, in the incident alone
	WaitsFor  = "wait/synch/cond/incident/reply" // what the thread that had locked it waited for
	Statement = "UPDATE `shop` . `stock`"        // the beginning of the statement that became slower
	RowLock   = "wait/lock/row/sql/handler"      // what it waited for
	Object    = "shop.stock"                     // the table of the row
)

// waiters is how many threads wait for the lock.
const waiters = 4

// An Incident is what a test has to find.
type Incident struct {
	// Server is the server after the restart, with the samples of the one before.
	Server *engine.Server
	// Begin and End are when the incident began and ended. The time before it was quiet.
	Begin, End time.Time
	// LockedAt is where the lock was locked, as the column BLOCKING_SOURCE shows it.
	LockedAt string
}

// Plant returns when the incident is over and the server has restarted. The server stops at the end of the test.
func Plant(t testing.TB) *Incident {
	t.Helper()
	i, dir := &Incident{}, t.TempDir()
	reg := instr.NewRegistry()
	server, stop := serve(t, dir, reg)
	db, err := sql.Open("mysql", fmt.Sprintf("%s:%s@tcp(%s)/performance_schema", User, Password, server.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	p := &planting{t: t, reg: reg, asking: conn(t, db), holding: conn(t, db), waiting: conn(t, db)}
	p.exec(p.asking, "UPDATE threads SET INSTRUMENTED = 'NO' WHERE PROCESSLIST_ID = CONNECTION_ID()") // it is no part of what happened
	p.exec(p.asking, "SET GLOBAL active_session_history_interval = 100")
	p.exec(p.asking, "SET GLOBAL history_buckets_interval = 1")
	p.exec(p.asking, "CREATE DATABASE shop")
	p.exec(p.asking, "CREATE TABLE shop.stock (id INT PRIMARY KEY, n INT)")
	p.exec(p.asking, "INSERT INTO shop.stock VALUES (1, 1)")
	p.blockStatement(2)
	p.counted(2)
	i.Begin = time.Now()
	i.LockedAt = p.blockThreads(10)
	p.blockStatement(10)
	p.counted(4)
	i.End = time.Now()
	for _, c := range []*sql.Conn{p.asking, p.holding, p.waiting} {
		_ = c.Close()
	}
	_ = db.Close()
	stop()
	i.Server, stop = serve(t, dir, instr.NewRegistry())
	t.Cleanup(stop)
	return i
}

// serve starts a server of a directory.
func serve(t testing.TB, dir string, reg *instr.Registry) (server *engine.Server, stop func()) {
	t.Helper()
	server, err := engine.New(engine.Options{Addr: "127.0.0.1:0", DataDir: dir, Registry: reg, Instruments: []string{"wait/%=ON"}, Consumers: map[string]bool{"events_waits_current": true},
		InitOnce: []string{"CREATE USER " + User + " IDENTIFIED BY '" + Password + "'", "GRANT ALL ON *.* TO " + User}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx) }()
	return server, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func conn(t testing.TB, db *sql.DB) *sql.Conn {
	t.Helper()
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// planting is what makes the incident: three sessions.
type planting struct {
	t                        testing.TB
	reg                      *instr.Registry
	asking, holding, waiting *sql.Conn
}

func (p *planting) exec(c *sql.Conn, statement string) {
	p.t.Helper()
	if _, err := c.ExecContext(p.t.Context(), statement); err != nil {
		p.t.Fatalf("%s: %v", statement, err)
	}
}

// until waits until a query returns 1.
func (p *planting) until(otherwise, query string, args ...any) {
	p.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var is bool
		if err := p.asking.QueryRowContext(p.t.Context(), query, args...).Scan(&is); err != nil {
			p.t.Fatalf("%s: %v", query, err)
		}
		if is {
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatal(otherwise)
		}
	}
}

// sampled waits until there are some samples more with a wait.
func (p *planting) sampled(wait string, samples int) {
	p.t.Helper()
	const count = "SELECT COUNT(DISTINCT SAMPLE_ID) FROM active_session_history WHERE EVENT_NAME = ?"
	var there int
	if err := p.asking.QueryRowContext(p.t.Context(), count, wait).Scan(&there); err != nil {
		p.t.Fatal(err)
	}
	p.until(fmt.Sprintf("there are not %d samples more of %s", samples, wait), "SELECT ("+count+") >= ?", wait, there+samples)
}

// counted waits until the buckets of time have so many of the statements, and until the next bucket is over, too: who chooses the times by eye
// then finds them on the right side.
func (p *planting) counted(statements int) {
	p.t.Helper()
	const later = "(SELECT MAX(BUCKET_START) FROM history.memory_by_event_name WHERE FINEST = 'YES')"
	p.until(fmt.Sprintf("the buckets of time do not have %d statements", statements),
		"SELECT COALESCE(SUM(COUNT_STAR) >= ? AND MAX(BUCKET_START) < "+later+", 0) FROM history.statements_by_digest WHERE FINEST = 'YES' AND DIGEST_TEXT LIKE ?", statements, Statement+"%")
}

// blockThreads lets threads wait for a lock, and returns where it was locked.
func (p *planting) blockThreads(samples int) (lockedAt string) {
	lock, replies := p.reg.NewMutex("incident/lock"), p.reg.NewMutex("incident/replies")
	reply := p.reg.NewCond("incident/reply", replies)
	locked, done, replied := make(chan string), make(chan struct{}, waiters+1), false
	p.reg.Go("incident/holder", func() {
		_, file, line, _ := runtime.Caller(0)
		lock.Lock() // in the line after
		locked <- fmt.Sprintf("%s:%d", filepath.Base(file), line+1)
		replies.Lock()
		for !replied {
			reply.Wait()
		}
		replies.Unlock()
		lock.Unlock()
		done <- struct{}{}
	})
	lockedAt = <-locked
	for range waiters {
		p.reg.Go("incident/waiter", func() {
			lock.Lock()
			lock.Unlock() //nolint:staticcheck // it only waits
			done <- struct{}{}
		})
	}
	p.sampled(Lock, samples)
	replies.Lock()
	replied = true
	replies.Unlock()
	reply.Signal()
	for range waiters + 1 {
		<-done
	}
	return lockedAt
}

// blockStatement lets a statement wait for a row that an idle transaction has locked.
func (p *planting) blockStatement(samples int) {
	p.exec(p.holding, "BEGIN")
	p.exec(p.holding, "UPDATE shop.stock SET n = n + 1 WHERE id = 1")
	ended := make(chan error, 1)
	go func() {
		_, err := p.waiting.ExecContext(p.t.Context(), "UPDATE shop.stock SET n = n + 1 WHERE id = 1")
		ended <- err
	}()
	p.sampled(RowLock, samples)
	p.exec(p.holding, "ROLLBACK")
	if err := <-ended; err != nil {
		p.t.Fatal(err)
	}
}
