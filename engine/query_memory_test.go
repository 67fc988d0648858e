package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	runtimemetrics "runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"pfsd/engine/budget"
	"pfsd/engine/wire"
)

// crossJoin is 24 million rows of 24 columns.
const crossJoin = "information_schema.collations a CROSS JOIN information_schema.collations b CROSS JOIN information_schema.collations c"

// isRefused tells whether err is that of a charge beyond a limit.
func isRefused(err error, limit string) bool {
	var e *mysql.MySQLError
	return errors.As(err, &e) && e.Number == 1037 && string(e.SQLState[:]) == "HY001" && strings.Contains(e.Message, limit)
}

// What a statement keeps is refused beyond the limit, and what is charged then is what it keeps: no less than four fifths of the
// heap that is alive, and no more than two and a half times as much. The connection goes on.
func TestQueryMemory(t *testing.T) {
	oneAtATime(t)
	r := serveAll(t, Options{})
	c, _ := r.conn(t)
	// What earlier tests have left goes before this one measures.
	last := liveHeap()
	eventually(t, "the heap no longer shrinks", func() bool {
		now := liveHeap()
		shrinks := now+1<<20 < last
		last = now
		return !shrinks
	})
	for _, q := range []struct{ name, query string }{
		{"sort", "SELECT * FROM " + crossJoin + " ORDER BY a.ID, b.ID, c.ID"},
		{"sort of texts", "SELECT REPEAT('a', 1000 + a.ID) AS x FROM " + crossJoin + " ORDER BY x"},
		{"distinct", "SELECT DISTINCT * FROM " + crossJoin},
		{"groups", "SELECT a.ID, b.ID, c.ID, COUNT(*) FROM " + crossJoin + " GROUP BY a.ID, b.ID, c.ID"},
		{"window", "SELECT a.ID, ROW_NUMBER() OVER (ORDER BY a.ID, b.ID, c.ID) FROM " + crossJoin},
		{"union", "SELECT a.ID, b.ID, c.ID FROM " + crossJoin + " UNION SELECT 1, 2, 3"},
		{"hash join", "SELECT COUNT(*) FROM information_schema.collations x JOIN (SELECT a.ID, CONCAT(b.ID, c.ID) AS s FROM " + crossJoin + ") y ON x.ID = y.ID"},
	} {
		t.Run(strings.ReplaceAll(q.name, " ", "_"), func(t *testing.T) {
			factor, before := 0.0, liveHeap()
			r.budget.OnRefusal(func(e *budget.LimitError) {
				if now := liveHeap(); now > before {
					factor = float64(e.Used) / float64(now-before)
				}
			})
			defer r.budget.OnRefusal(nil)
			if err := readAll(c, q.query); !isRefused(err, "query_memory_limit of 67108864 bytes") {
				t.Fatal(err)
			}
			if t.Logf("charged %.2f of what is alive", factor); factor < 0.8 || factor > 2.5 {
				t.Errorf("charged %.2f of what is alive", factor)
			}
			if err := readAll(c, "SELECT 1"); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestNothingIsKeptOfAStatement: nothing that a refused statement has kept stays alive, in a connection and in a procedure.
func TestNothingIsKeptOfAStatement(t *testing.T) {
	oneAtATime(t)
	r := serveAll(t, Options{QueryMemoryLimit: 8 << 20})
	c, _ := r.conn(t)
	const join = "SELECT COUNT(*) FROM information_schema.collations x JOIN (SELECT a.ID, CONCAT(b.ID, c.ID) AS s FROM " + crossJoin + ") y ON x.ID = y.ID"
	r.exec(t, "CREATE PROCEDURE test.p() BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END; "+join+"; END")
	for _, q := range []string{join, "CALL test.p()"} {
		const most = 1 << 20 // of some 4 MiB
		refused := func() {
			t.Helper()
			if err := readAll(c, q); q == join && !isRefused(err, "query_memory_limit of 8388608 bytes") || q != join && err != nil {
				t.Fatal(err)
			}
		}
		refused()
		before := liveHeap()
		refused()
		// What other goroutines of the server hold for a moment goes.
		eventually(t, q+" leaves nothing alive", func() bool { return liveHeap() <= before+most })
	}
}

func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Ten connections at a time stay below the limit of all together, in a process whose heap stays small; another one goes on
// meanwhile. When all is over nothing is charged any more.
func TestMemoryOfAllConnections(t *testing.T) {
	all := int64(testSize(t, 256, 32)) << 20
	r := serveAll(t, Options{QueryMemoryLimit: all / 4, ConnectionMemoryLimit: all / 2, GlobalConnectionMemoryLimit: all})
	runtime.GC()
	before := heapBytes()
	var peak, most atomic.Int64
	done := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			select {
			case <-done:
				tick.Stop()
				return
			case <-tick.C:
				peak.Store(max(peak.Load(), heapBytes()-before))
				most.Store(max(most.Load(), r.budget.Used()))
			}
		}
	}()
	other, _ := r.conn(t)
	var group sync.WaitGroup
	for i := range 10 {
		c, _ := r.conn(t)
		group.Go(func() {
			q := []string{
				"SELECT * FROM " + crossJoin + " ORDER BY a.ID, b.ID, c.ID",
				"SELECT DISTINCT a.ID, b.ID, c.ID, a.COLLATION_NAME FROM " + crossJoin,
			}[i%2]
			if err := readAll(c, q); !isRefused(err, "_memory_limit of ") {
				t.Error(err)
			}
		})
	}
	for range 20 {
		if err := readAll(other, "SELECT COUNT(*) FROM performance_schema.threads"); err != nil {
			t.Error(err)
		}
	}
	group.Wait()
	close(done)
	<-watched
	t.Logf("heap %d MiB at most, charged %d MiB at most", peak.Load()>>20, most.Load()>>20)
	if most.Load() > all {
		t.Errorf("%d bytes charged, of %d", most.Load(), all)
	}
	if peak.Load() > 2*all {
		t.Errorf("the heap has grown by %d bytes", peak.Load())
	}
}

// heapBytes is what the objects on the heap took that the last collection has found to be in use: how much garbage there
// is besides depends on what ran before, and on the machine.
func heapBytes() int64 {
	s := []runtimemetrics.Sample{{Name: "/gc/heap/live:bytes"}}
	runtimemetrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// What a connection keeps between statements is refused beyond its limit: user variables, prepared statements and their long
// data. It can be given back.
func TestConnectionMemoryLimit(t *testing.T) {
	oneAtATime(t)
	r := serveAll(t, Options{ConnectionMemoryLimit: 8 << 20, MaxAllowedPacket: 4 << 20})
	c, _ := r.conn(t)
	refused := 0
	for i := range 100 {
		err := readAll(c, fmt.Sprintf("SET @v%d = REPEAT('a', 1000000)", i))
		if err != nil && !isRefused(err, "connection_memory_limit of 8388608 bytes") {
			t.Fatal(err)
		}
		if err != nil {
			refused++
		}
	}
	if refused < 92 || refused > 95 {
		t.Errorf("%d of 100 variables of 1 MB are refused", refused)
	}
	if err := readAll(c, "SELECT REPEAT('b', 1000000), REPEAT('c', 1000000) INTO @w, @x"); !isRefused(err, "connection_memory_limit") {
		t.Error(err)
	}
	if err := readAll(c, "SELECT @y := REPEAT('b', 1000000)"); !isRefused(err, "connection_memory_limit") {
		t.Error(err)
	}
	for i := range 100 {
		if err := readAll(c, fmt.Sprintf("SET @v%d = NULL", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := readAll(c, "SET @w = REPEAT('b', 1000000)"); err != nil {
		t.Error(err)
	}
	for i := 0; ; i++ {
		if err := readAll(c, fmt.Sprintf("PREPARE p%d FROM 'SELECT %s'", i, strings.TrimSuffix(strings.Repeat("1,", 2000), ","))); err != nil {
			if !isRefused(err, "connection_memory_limit") || i < 5 {
				t.Errorf("statement %d: %v", i, err)
			}
			break
		}
		if i > 200 {
			t.Fatal("200 prepared statements of 2000 columns are nothing")
		}
	}
	if err := readAll(c, "SELECT 1"); err != nil {
		t.Error(err)
	}
}

// Values that are sent ahead of an execution are refused when that comes, however large they are, and the connection goes on.
func TestLongDataIsBounded(t *testing.T) {
	oneAtATime(t)
	r := serveAll(t, Options{ConnectionMemoryLimit: 8 << 20, MaxAllowedPacket: 4 << 20})
	c := dialRaw(t, r.addr, helloOf(rawCapabilities, 45, "\x00", nil))
	c.write(commandOf(wire.ComStmtPrepare, []byte("SELECT LENGTH(?), LENGTH(?)")...))
	id := binary.LittleEndian.Uint32(c.read()[1:])
	for range 2 * (2 + 1) { // markers and columns
		c.read()
	}
	send := func(parameter byte, bytes int) {
		c.write(statementOf(wire.ComStmtSendLongData, id, append([]byte{parameter, 0}, make([]byte, bytes)...)...))
	}
	execute := func() int {
		c.write(statementOf(wire.ComStmtExec, id, 0, 1, 0, 0, 0, 0, 1, 0xfc, 0, 0xfc, 0))
		p := c.read()
		if p[0] == 0xff {
			return int(binary.LittleEndian.Uint16(p[1:]))
		}
		for range 2 + 1 + 1 + 1 { // columns and a row
			c.read()
		}
		return 0
	}
	runtime.GC()
	before := heapBytes()
	for range 64 { // 64 MiB of one value
		send(0, 1<<20)
	}
	send(1, 1)
	if got := execute(); got != 1105 {
		t.Errorf("a value longer than max_allowed_packet: %d", got)
	}
	for range 4 { // 8 MiB of two
		send(0, 1<<20-7)
		send(1, 1<<20-7)
	}
	if got := execute(); got != 1037 {
		t.Errorf("more than the connection may keep: %d", got)
	}
	runtime.GC()
	if grown := heapBytes() - before; grown > 64<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	send(0, 1000)
	send(1, 2000)
	if got := execute(); got != 0 {
		t.Errorf("short values: %d", got)
	}
}

// What statements keep is shown while and after they keep it, and limits that are set count for the sessions that come.
func TestMemoryIsShown(t *testing.T) {
	r := serveAll(t, Options{})
	c, _ := r.conn(t)
	if err := readAll(c, "SELECT DISTINCT a.ID, b.ID FROM "+pairs); err != nil {
		t.Fatal(err)
	}
	r.want(t, `SELECT SUM(MAX_CONTROLLED_MEMORY) > 5000000, MIN(MAX_TOTAL_MEMORY >= MAX_CONTROLLED_MEMORY) FROM events_statements_summary_by_digest WHERE DIGEST_TEXT LIKE 'SELECT DISTINCTROW%'
		OR DIGEST_TEXT LIKE 'SELECT DISTINCT%'`, "1|1")
	r.want(t, "SELECT COUNT_ALLOC > 0, COUNT_ALLOC = COUNT_FREE, HIGH_NUMBER_OF_BYTES_USED > 5000000, CURRENT_NUMBER_OF_BYTES_USED FROM memory_summary_global_by_event_name WHERE EVENT_NAME = 'memory/sql/Unique::sort_buffer'",
		"1|1|1|0")
	r.want(t, "SELECT MAX(MAX_CONTROLLED_MEMORY) > 5000000, MAX(CONTROLLED_MEMORY) < 1000000 FROM threads WHERE PROCESSLIST_ID IS NOT NULL", "1|1")
	r.want(t, "SELECT MAX_SESSION_CONTROLLED_MEMORY > 5000000, MAX_SESSION_TOTAL_MEMORY >= MAX_SESSION_CONTROLLED_MEMORY FROM users WHERE USER = 'root'", "1|1")
	if err := readAll(c, "SET @a = REPEAT('a', 500000)"); err != nil {
		t.Fatal(err)
	}
	r.want(t, "SELECT VARIABLE_VALUE > 500000 FROM global_status WHERE VARIABLE_NAME = 'Global_connection_memory'", "1")
	for _, q := range []string{"SET GLOBAL global_connection_memory_tracking = OFF", "SET GLOBAL query_memory_limit = 1048576", "SET GLOBAL global_connection_memory_limit = 16777216"} {
		if err := readAll(c, q); err != nil {
			t.Fatal(err)
		}
	}
	r.want(t, "SELECT VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME = 'Global_connection_memory'", "0")
	if err := readAll(c, "SELECT a.ID FROM "+crossJoin+" ORDER BY b.ID"); !isRefused(err, "global_connection_memory_limit of 16777216 bytes") {
		t.Error(err)
	}
	later, err := r.open(t, "").Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = later.Close() }()
	if err := readAll(later, "SELECT a.ID FROM "+crossJoin+" ORDER BY b.ID"); !isRefused(err, "query_memory_limit of 1048576 bytes") {
		t.Error(err)
	}
}

// The tree that the parser makes of a text is charged before it is made, in every statement that has one; of those that a program makes
// one after the other, the largest counts.
func TestTreeMemory(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{})
	s := r.session(t)
	list := func(n int) string { return "1 IN (1" + strings.Repeat(",1", n) + ")" } // some 60 bytes for each in the tree
	s.do("CREATE PROCEDURE test.again() BEGIN DECLARE i INT DEFAULT 0; WHILE i < 50 DO SET i = i + 1; PREPARE p FROM @q; EXECUTE p; DEALLOCATE PREPARE p; END WHILE; END")
	s.do("SET @long = CONCAT('DO 1 IN (1', REPEAT(',1', 60000), ')'), @q = CONCAT('DO 1 IN (1', REPEAT(',1', 6000), ')')")
	s.do("SET SESSION connection_memory_limit = 2097152")
	for _, q := range []string{
		"SELECT " + list(60000), "DO " + list(60000), "EXPLAIN SELECT " + list(60000), "PREPARE p FROM @long", "PREPARE p FROM 'SELECT " + list(60000) + "'",
		"CREATE VIEW test.v AS SELECT " + list(60000), "CREATE PROCEDURE test.p() SELECT " + list(60000), "CREATE TABLE test.t AS SELECT " + list(60000),
	} {
		if err := readAll(s.conn, q); !isRefused(err, "connection_memory_limit of 2097152 bytes") {
			t.Errorf("%.60s: %v", q, err)
		}
		s.do("DO " + list(6000)) // nothing of it is charged any more
	}
	s.do("CALL test.again()")
}
