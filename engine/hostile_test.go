package engine

import (
	"bufio"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"golang.org/x/sys/unix"

	"pfsd/instr"
)

// Whoever may sign in may send any statement. Whatever it is, the server lives, its memory stays
// bounded, the statement ends soon after KILL QUERY, and no panic (1815) is its answer.

const (
	// hostileDir has this test binary be a server that works in the directory, for hostile clients.
	hostileDir = "PFSD_TEST_HOSTILE_DIR"
	// hostileStackLimit is another hostileStack for that server.
	hostileStackLimit = "PFSD_TEST_HOSTILE_STACK"
	// hostilePacket is the server's max_allowed_packet, bytes.
	hostilePacket = "PFSD_TEST_HOSTILE_PACKET"
	// hostileTrace has the tests log each statement.
	hostileTrace = "PFSD_TEST_HOSTILE_TRACE"
	// hostileMemory is how much memory the server may take, bytes: what is beyond it ends the process.
	hostileMemory = 3 << 30
	// hostileStack is how large a stack may get in the server, bytes: one that is larger ends the process. It is less
	// than in production, so that what comes near to that is found.
	hostileStack = 128 << 20
	// hostileKept is how much more memory the server may have in use between two rounds of statements than
	// at its start, bytes.
	hostileKept = 128 << 20
	// hostileLimit is what all connections of a guest may have in memory, bytes; while Go's collector runs, it is there hostileCollected times.
	hostileLimit, hostileCollected = 256 << 20, 2
	// hostileTime is how long a statement may run until it is killed, hostileStop how long it may go on then.
	hostileTime = time.Second
	hostileStop = 30 * time.Second
)

// hostileOptions are those of a server with accounts of several sorts.
func hostileOptions(dir string) Options {
	return Options{
		Addr: "127.0.0.1:0", Registry: instr.NewRegistry(), LogError: filepath.Join(dir, "error.log"), SecureFilePriv: dir,
		EventScheduler: Off, ProcessorShare: -1, MaxRunningStatements: -1, // memory has the limits of a guest
		Init: []string{
			"ALTER USER root@localhost IDENTIFIED BY 'r'", "CREATE DATABASE scratch",
			"CREATE USER nobody IDENTIFIED BY 'n', reader IDENTIFIED BY 'r', owner IDENTIFIED BY 'o'",
			"CREATE USER open", "GRANT ALL ON scratch.* TO open", "GRANT SELECT ON *.* TO reader", "GRANT ALL ON scratch.* TO owner", "GRANT ALL ON scratch2.* TO owner",
		},
	}
}

// hostileAccounts are who sends the statements.
var hostileAccounts = []string{"nobody:n@%s/", "reader:r@%s/scratch", "owner:o@%s/scratch", "root:r@%s/scratch"}

// hostileTables are what a round of statements finds.
var hostileTables = []string{
	"DROP DATABASE IF EXISTS scratch", "DROP DATABASE IF EXISTS scratch2", "CREATE DATABASE scratch", "USE scratch",
	"CREATE TABLE t1 (a INT AUTO_INCREMENT PRIMARY KEY, s VARCHAR(200), b DECIMAL(20,5), j JSON, d DATETIME(6), KEY (s))",
	"CREATE TABLE t2 (a INT PRIMARY KEY, s VARCHAR(200), x BIGINT)",
	`INSERT INTO t1 (s, b, j, d) VALUES ('a', 1, '{"a":1}', NOW()), ('b', -2.5, '[1,[2]]', '2020-02-29'), (NULL, NULL, NULL, NULL), ('z', 99999, '"x"', '1000-01-01')`,
	"CREATE TABLE g1 (a INT AUTO_INCREMENT PRIMARY KEY, g GEOMETRY, s LONGTEXT)",
	"INSERT INTO t2 VALUES (1, 'a', 1), (2, 'b', 9223372036854775807), (3, NULL, NULL)",
	"CREATE VIEW v1 AS SELECT a, s FROM t1",
	"CREATE PROCEDURE p1(IN p INT) SELECT p",
}

// TestHostileServer is a server that a test starts as a process of its own.
func TestHostileServer(t *testing.T) {
	dir := os.Getenv(hostileDir)
	if dir == "" {
		return
	}
	if !raceEnabled { // which takes terabytes of addresses
		stack, _ := strconv.Atoi(os.Getenv(hostileStackLimit))
		debug.SetMaxStack(cmp.Or(stack, hostileStack))
		if err := unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: hostileMemory, Max: hostileMemory}); err != nil {
			t.Fatal(err)
		}
	}
	o := hostileOptions(dir)
	o.MaxAllowedPacket, _ = strconv.ParseInt(os.Getenv(hostilePacket), 10, 64)
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			switch in.Text() {
			case "memory":
				debug.FreeOSMemory()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				fmt.Printf("pfsd: %d\n", m.HeapAlloc)
			case "goroutines":
				if f, err := os.Create(filepath.Join(dir, "goroutines")); err == nil {
					_ = pprof.Lookup("goroutine").WriteTo(f, 2)
					_ = f.Close()
				}
				fmt.Println("pfsd: 0")
			}
		}
		os.Exit(0) // whoever has started it is gone
	}()
	fmt.Printf("pfsd: %s\n", s.Addr())
	t.Error(s.Serve(context.Background()))
}

// hostile is a server under attack: a process of its own, or one in this process.
type hostile struct {
	t       testing.TB
	dir     string
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	died    chan error
	addr    string
	root    *sql.DB
	memory  int64 // in use at the start, bytes
	tally   hostileTally
}

// A hostileTally is what has been sent, and what has come of it.
type hostileTally struct {
	accounts map[string]int // statements of each
	outcomes map[uint16]int // statements by the number of their error, 0 of none
	killed   int            // statements that took too long
	used     int64          // the most that was in use between rounds, bytes
	peak     int64          // the most memory that a server has had, bytes
	most     int64          // that it may have, bytes
}

func (y *hostileTally) count(s *hostileSession, killed bool) {
	if y.accounts == nil {
		y.accounts, y.outcomes = map[string]int{}, map[uint16]int{}
	}
	y.accounts[s.account]++
	if killed {
		y.killed++
	}
	var e *mysql.MySQLError
	if errors.As(s.outcome, &e) {
		y.outcomes[e.Number]++
	} else if s.outcome == nil {
		y.outcomes[0]++
	}
}

// String says it in one line.
func (y *hostileTally) String() string {
	all := 0
	for _, n := range y.accounts {
		all += n
	}
	return fmt.Sprintf("%d statements, by account %v, by error %v; %d killed; %d MiB in use between rounds, %d MiB resident at the most, of %d allowed",
		all, y.accounts, y.outcomes, y.killed, y.used>>20, y.peak>>20, y.most>>20)
}

// resident is the most memory that the process has had, bytes; 0 if that is not known.
func (h *hostile) resident() int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.process.Process.Pid))
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	n := int64(0)
	_, _ = fmt.Sscan(rest, &n)
	return n << 10
}

// residentTooMuch tells of memory that is more than the limits of a guest allow, once for each time that it becomes more.
func (h *hostile) residentTooMuch() *finding {
	n := h.resident()
	if h.tally.peak = max(h.tally.peak, n); n <= h.tally.most {
		return nil
	}
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", h.process.Process.Pid), []byte("5"), 0) // the most is what is resident now
	return &finding{fmt.Sprintf("%d MiB have been resident, of %d", n>>20, h.tally.most>>20), "", "", "resident memory"}
}

// attack starts a server for hostile clients as a process of its own, with these variables of the environment besides.
func attack(t testing.TB, env ...string) *hostile {
	t.Helper()
	h := &hostile{t: t, dir: t.TempDir()}
	h.process = exec.Command(os.Args[0], "-test.run=^TestHostileServer$", "-test.timeout=0")
	h.process.Env = append(append(os.Environ(), hostileDir+"="+h.dir), env...)
	stderr, err := os.Create(filepath.Join(h.dir, "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	h.process.Stderr = stderr
	out, err := h.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if h.in, err = h.process.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := h.process.Start(); err != nil {
		t.Fatal(err)
	}
	h.out, h.died = bufio.NewReader(out), make(chan error, 1)
	if h.addr = h.said(); h.addr == "" {
		t.Fatalf("the server does not start: %s", h.last("stderr"))
	}
	go func() {
		h.died <- h.process.Wait()
		close(h.died)
		_ = stderr.Close()
	}()
	t.Cleanup(h.stop)
	h.prepare()
	h.tally.most = h.resident() + hostileCollected*hostileLimit
	return h
}

// attackHere starts a server for hostile clients in this process.
func attackHere(t testing.TB) *hostile {
	t.Helper()
	h := &hostile{t: t, dir: t.TempDir(), died: make(chan error)}
	s, err := New(hostileOptions(h.dir))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		_ = h.root.Close()
		<-served
	})
	h.addr = s.Addr().String()
	h.prepare()
	return h
}

func (h *hostile) prepare() {
	h.t.Helper()
	var err error
	if h.root, err = sql.Open("mysql", "root:r@tcp("+h.addr+")/"); err != nil {
		h.t.Fatal(err)
	}
	h.fresh()
	h.memory = h.inUse()
}

// stop ends the process.
func (h *hostile) stop() {
	_ = h.root.Close()
	_ = h.in.Close()
	select {
	case <-h.died:
	case <-time.After(hostileStop):
		_ = h.process.Process.Kill()
		<-h.died
	}
}

// said is what the process answers, "" if it is gone.
func (h *hostile) said() string {
	for {
		line, err := h.out.ReadString('\n')
		if err != nil {
			return ""
		}
		if _, what, ok := strings.Cut(line, "pfsd: "); ok {
			return strings.TrimSpace(what)
		}
	}
}

// inUse is the memory in use after a garbage collection, bytes.
func (h *hostile) inUse() int64 {
	if h.process == nil {
		return heap()
	}
	_, _ = fmt.Fprintln(h.in, "memory")
	n, _ := strconv.ParseInt(h.said(), 10, 64)
	return n
}

// file is a file of the server's.
func (h *hostile) file(name string) string {
	text, _ := os.ReadFile(filepath.Join(h.dir, name))
	return string(text)
}

// last is the end of a file of the server's.
func (h *hostile) last(name string) string {
	text := h.file(name)
	return text[max(0, len(text)-8000):]
}

// exec has root carry out a statement.
func (h *hostile) exec(statement string) {
	h.t.Helper()
	if _, err := h.root.Exec(statement); err != nil {
		h.t.Fatal(err)
	}
}

// fresh makes the tables as they are before a round.
func (h *hostile) fresh() {
	c, err := h.root.Conn(context.Background())
	if err == nil {
		for _, q := range hostileTables {
			if _, err = c.ExecContext(context.Background(), q); err != nil {
				err = fmt.Errorf("%s: %w", q, err)
				break
			}
		}
		err = errors.Join(err, c.Close())
	}
	if err == nil {
		err = h.endEvents()
	}
	if err != nil && h.alive() {
		h.t.Fatal(err)
	}
}

// endEvents kills the events that run: an event goes on when it is dropped, and has what it keeps.
func (h *hostile) endEvents() error {
	killed := map[string]time.Time{} // by the number of the event's connection, when it was killed first
	for ; ; time.Sleep(time.Millisecond) {
		var ids []string
		rows, err := h.root.Query("SELECT PROCESSLIST_ID FROM performance_schema.threads WHERE NAME = 'thread/sql/event_worker' AND PROCESSLIST_COMMAND = 'Connect'")
		if err == nil {
			ids, err = firstColumn(rows)
		}
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if killed[id].IsZero() {
				killed[id] = time.Now()
			} else if time.Since(killed[id]) > hostileStop {
				return fmt.Errorf("event %s of %s goes on after KILL\n%s", id, ids, h.stacks())
			}
			_, _ = h.root.Exec("KILL " + id) // it may have ended
		}
	}
}

// stacks are those of the server's goroutines.
func (h *hostile) stacks() string {
	if h.process == nil {
		var text strings.Builder
		_ = pprof.Lookup("goroutine").WriteTo(&text, 2)
		return text.String()
	}
	_, _ = fmt.Fprintln(h.in, "goroutines")
	_ = h.said()
	return h.file("goroutines")
}

// firstColumn reads rows of one column.
func firstColumn(rows *sql.Rows) (all []string, err error) {
	for rows.Next() {
		var s string
		err = errors.Join(err, rows.Scan(&s))
		all = append(all, s)
	}
	return all, errors.Join(err, rows.Err(), rows.Close())
}

// alive tells whether the process is.
func (h *hostile) alive() bool {
	select {
	case <-h.died:
		return false
	default:
		return true
	}
}

// A finding is what a statement has done that none may.
type finding struct {
	what, account, statement string
	where                    string // the place in the sources, if it is known
}

func (f *finding) String() string {
	s := f.statement
	if len(s) > 2000 {
		s = fmt.Sprintf("%s ... %s (%d bytes)", s[:1500], s[len(s)-400:], len(s))
	}
	return fmt.Sprintf("%s\n  at %s\n  as %s: %s", f.what, f.where, f.account, s)
}

// hostileSession is a connection of a hostile client's.
type hostileSession struct {
	*hostile
	account string
	db      *sql.DB
	conn    *sql.Conn
	id      uint32
	outcome error
	killed  bool // the last statement took too long
}

// session signs in as one of the accounts. The options are the driver's.
func (h *hostile) session(account int, options ...string) (*hostileSession, error) {
	dsn := fmt.Sprintf(hostileAccounts[account], "tcp("+h.addr+")") + "?" + strings.Join(append(options, "maxAllowedPacket=0"), "&")
	s := &hostileSession{hostile: h, account: strings.SplitN(dsn, ":", 2)[0]}
	var err error
	if s.db, err = sql.Open("mysql", dsn); err != nil {
		return nil, err
	}
	s.conn, err = s.db.Conn(context.Background())
	if err == nil {
		err = s.conn.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&s.id)
	}
	return s, err
}

func (s *hostileSession) close() {
	if s.conn != nil {
		_ = s.conn.Close()
	}
	_ = s.db.Close()
}

// run sends a statement, and kills it if it takes long. It returns what is wrong, nil if nothing is.
func (s *hostileSession) run(statement string) *finding {
	return s.watch(statement, hostileTime, func() error { return readAll(s.conn, statement) })
}

// watch sends a statement as send does, and kills it if it takes longer than it may.
func (s *hostileSession) watch(statement string, longest time.Duration, send func() error) *finding {
	ended := make(chan error, 1)
	go func() { ended <- send() }()
	bad := func(what, where string) *finding { return &finding{what, s.account, statement, where} }
	kill := time.NewTimer(longest)
	defer kill.Stop()
	for s.killed = false; ; {
		select {
		case err := <-ended:
			var e *mysql.MySQLError
			s.outcome = err
			if errors.As(err, &e) && e.Number == 1815 {
				return bad(e.Error(), placeOf(s.file("error.log")))
			}
			if err == nil || e != nil {
				return nil
			}
			select {
			case <-s.died:
				where := s.file("stderr")
				return bad("the server has died: "+lineOne(where), placeOf(where))
			case <-time.After(time.Second): // the connection alone
				return nil
			}
		case <-kill.C:
			if s.killed {
				where := ""
				if s.process != nil {
					where = busyPlace(s.stacks())
					_ = s.process.Process.Kill() // what goes on would keep the connection from being closed
				}
				return bad("KILL QUERY does not end it", where)
			}
			s.killed = true
			_, _ = s.root.Exec(fmt.Sprintf("KILL QUERY %d", s.id))
			kill.Reset(hostileStop)
		}
	}
}

// readAll carries out a statement and reads all of its answer.
func readAll(c *sql.Conn, statement string) error {
	rows, err := c.QueryContext(context.Background(), statement)
	if err != nil {
		return err
	}
	for more := true; more; more = rows.NextResultSet() {
		for rows.Next() {
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

func lineOne(s string) string { line, _, _ := strings.Cut(s, "\n"); return line }

var sourceLine = regexp.MustCompile(`\t(\S*/(?:pfsd|engine|go-mysql-server|vitess)\S*\.go:\d+)`)

// placeOf is where the last stack in a text comes from: the first two lines of ours or the SQL engine's.
func placeOf(text string) string {
	for _, mark := range []string{"panic.go", "runtime stack:", "goroutine "} {
		if i := strings.LastIndex(text, mark); i >= 0 && mark == "panic.go" {
			text = text[i:]
		} else if i := strings.Index(text, mark); i >= 0 {
			text = text[i:]
		} else {
			continue
		}
		break
	}
	var at []string
	for _, m := range sourceLine.FindAllStringSubmatch(text, 3) {
		parts := strings.Split(m[1], "/")
		at = append(at, strings.Join(parts[max(0, len(parts)-3):], "/"))
	}
	return strings.Join(at, " < ")
}

// busyPlace is where a goroutine of a connection that does not wait is, by the stacks of all.
func busyPlace(stacks string) string {
	for g := range strings.SplitSeq(stacks, "\n\n") {
		if strings.Contains(g, "(*Handler).command(") && !strings.Contains(lineOne(g), "IO wait") {
			return lineOne(g) + " " + placeOf(g)
		}
	}
	return ""
}

// round has an account send the statements that choices make.
func (h *hostile) round(account int, choices []byte, statements int) *finding {
	g := &hostileText{choices: choices}
	var options []string
	if g.choose(3) == 1 {
		options = append(options, "multiStatements=true")
	}
	s, err := h.session(account, options...)
	defer s.close()
	if err != nil {
		return &finding{"signing in: " + err.Error(), s.account, "", ""}
	}
	for i := 0; i < statements && (len(g.choices) > 0 || i == 0); i++ {
		var q string
		began, send := time.Now(), func() error { return readAll(s.conn, q) }
		if g.choose(12) == 1 {
			p := g.parameterized()
			q, send = p.String(), func() error { return s.send(&p) }
		} else {
			q = g.statement()
		}
		f := s.watch(q, hostileTime, send)
		h.tally.count(s, time.Since(began) >= hostileTime)
		if os.Getenv(hostileTrace) != "" {
			h.t.Logf("%v as %s: %v: %.300q", time.Since(began), s.account, s.outcome, q)
		}
		if f == nil && h.alive() {
			if f = h.residentTooMuch(); f != nil {
				f.account, f.statement = s.account, q
			}
		}
		if f != nil {
			return f
		}
	}
	return nil
}

// TestHostileStatements has accounts of all sorts send statements of all kinds: some, or as long as PFSD_SOAK says.
func TestHostileStatements(t *testing.T) {
	if raceEnabled {
		t.Skip("runs without the race detector: with it the server's memory has no limit")
	}
	soak, _ := time.ParseDuration(os.Getenv("PFSD_SOAK"))
	rounds, seed := 40, uint64(1)
	if soak > 0 {
		seed = uint64(time.Now().UnixNano())
	}
	r := rand.New(rand.NewPCG(seed, 0))
	h := attack(t)
	h.exec("SET GLOBAL event_scheduler = ON")
	findings := map[string]int{}
	start := time.Now()
	n := 0
	for ; n < rounds || time.Since(start) < soak; n++ {
		choices := make([]byte, 50+r.IntN(2000))
		for i := range choices {
			choices[i] = byte(r.Uint32())
		}
		f := h.round(n%len(hostileAccounts), choices, 20)
		if f == nil && n%20 == 19 {
			h.fresh()
			used := h.inUse()
			h.tally.used = max(h.tally.used, used)
			if used > h.memory+hostileKept {
				f = &finding{fmt.Sprintf("%d MiB are in use after round %d, %d at the start", used>>20, n, h.memory>>20), "", "", "memory"}
			}
			if n%1000 == 999 {
				t.Logf("%v: %v", time.Since(start).Round(time.Second), &h.tally)
			}
		}
		if f == nil {
			continue
		}
		if f.isFirst(findings) {
			t.Error(f)
		}
		if !h.alive() || strings.HasPrefix(f.what, "signing in") || f.where == "memory" || strings.HasPrefix(f.what, "KILL") {
			h.stop()
			tally := h.tally
			h = attack(t)
			h.exec("SET GLOBAL event_scheduler = ON")
			h.tally = tally
		}
	}
	t.Logf("seed %d, %v, %d rounds: %v; findings and how often: %v", seed, time.Since(start).Round(time.Second), n, &h.tally, findings)
}

// isFirst counts a finding among those of the same place, or of the same words where there is none, and tells whether it is the first.
func (f *finding) isFirst(findings map[string]int) bool {
	key := f.where
	if key == "" {
		key = f.what
	}
	findings[key]++
	return findings[key] == 1
}

// hostileSeeds are attacks that have succeeded once.
var hostileSeeds = []string{
	"SELECT 1" + strings.Repeat("+1", 400000), "SELECT " + strings.Repeat("NOT ", 300000) + "1", "SELECT 1" + strings.Repeat(" OR 1", 300000),
	"SELECT 1" + strings.Repeat(" AND 1", 300000), "SELECT " + strings.Repeat("~", 500000) + "1",
	"SELECT NOW()" + strings.Repeat(" + INTERVAL 1 DAY", 25), "SELECT " + strings.Repeat("UNIX_TIMESTAMP(", 16) + "NOW()" + strings.Repeat(")", 16),
	"SELECT " + strings.Repeat("(1 BETWEEN ", 30) + "1" + strings.Repeat(" AND 2)", 30), "SELECT " + strings.Repeat("NULLIF(", 40) + "1" + strings.Repeat(",2)", 40),
	"SELECT " + strings.Repeat("1 IN (SELECT ", 30) + "1" + strings.Repeat(")", 30), "SELECT " + strings.Repeat("FIELD(1,", 30) + "1" + strings.Repeat(")", 30),
	"SELECT LENGTH(REPLACE(REPEAT('a',60000000),'a',REPEAT('b',1000000)))", "SELECT LENGTH(CONCAT(" + strings.Repeat("REPEAT('a',60000000),", 100) + "'a'))",
	"SELECT LENGTH(REGEXP_REPLACE(REPEAT('a', 1000000), 'a', REPEAT('b', 100000)))", "SELECT LENGTH(EXPORT_SET(-1, REPEAT('a', 60000000), 'b'))",
	"SELECT * FROM information_schema.collations a, information_schema.collations b, information_schema.collations c ORDER BY 1",
	"SELECT ROW_NUMBER() OVER (ORDER BY a.ID) FROM information_schema.collations a, information_schema.collations b, information_schema.collations c",
	"SELECT DISTINCT * FROM information_schema.collations a, information_schema.collations b, information_schema.collations c",
	"SELECT a.ID, b.ID, c.ID, COUNT(*) FROM information_schema.collations a, information_schema.collations b, information_schema.collations c GROUP BY 1, 2, 3",
	"SELECT '1e999999999' > 1.5", "SELECT CAST('1e999999999' AS DECIMAL(65,30))", "SELECT -'1e-999999999'",
	"SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 20000), "SELECT " + strings.Repeat("CASE WHEN 1 THEN ", 5000) + "1" + strings.Repeat(" END", 5000),
	"SELECT 1 FROM (SELECT 1 AS x) a0" + func() (s string) {
		for i := range 13 {
			s += fmt.Sprintf(" JOIN (SELECT 1 AS x) a%d ON a%d.x = a%d.x", i+1, i, i+1)
		}
		return s
	}(),
	"WITH c0 AS (SELECT 1 AS a)" + func() (s string) {
		for i := range 20 {
			s += fmt.Sprintf(", c%d AS (SELECT x.a FROM c%d x JOIN c%d y)", i+1, i, i)
		}
		return s
	}() + " SELECT * FROM c20",
	"SELECT 1 FROM t1" + strings.Repeat(", t1", 400000), "SELECT 'a' REGEXP '" + strings.Repeat("(", 400000) + "'",
	"SELECT REGEXP_REPLACE(REPEAT('a', 100000), REPEAT('a?', 10000), 'b')", "DO EXTRACT(YEAR FROM REPEAT('1 ', 100000))",
	"SELECT BENCHMARK(1000000000, MD5('a'))", "SELECT SLEEP(1000)", "SELECT GET_LOCK('a', 1000)", "SELECT LOAD_FILE('/etc/passwd')", "SELECT LOAD_FILE('error.log')",
	"CREATE TABLE x1 (id INT AUTO_INCREMENT, PRIMARY KEY(id)) AS SELECT 1 AS a", "CALL p()", "WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT a+1 FROM r) SELECT COUNT(*) FROM r",
	"SELECT LENGTH(*)", "SELECT ``", "SELECT GROUP_CONCAT()", "SELECT @@sql_mode COLLATE utf8mb4_bin",
	"SELECT 1 FROM JSON_TABLE('[]', '$.*' COLUMNS (b JSON PATH '$[0]')) j", "SELECT 1 FROM performance_schema.setup_consumers WHERE EXISTS (SELECT COUNT(*) FROM t1)",
	"SELECT NTILE(99999999999999999999999.9) OVER (ORDER BY NAME) FROM performance_schema.setup_consumers",
	"SELECT (" + strings.Repeat("NULLIF(", 64) + "1" + strings.Repeat(",2)", 64) + " COLLATE utf8mb4_general_ci)",
	"CREATE PROCEDURE p9() BEGIN l: LOOP SET @a = 1; END LOOP; END", "CALL p9()", "SELECT JSON_VALID(CONCAT(REPEAT('[', 1000000), REPEAT(']', 1000000)))",
}

// TestHostileSeeds has every account send each of the attacks.
func TestHostileSeeds(t *testing.T) {
	if os.Getenv("PFSD_SOAK") == "" {
		t.Skip("PFSD_SOAK=10m has the server attacked")
	}
	h := attack(t)
	for account := range hostileAccounts {
		for _, q := range hostileSeeds {
			s, err := h.session(account)
			if err != nil {
				t.Fatal(err)
			}
			f := s.run(q)
			s.close()
			if f == nil {
				continue
			}
			t.Error(f)
			if !h.alive() || strings.HasPrefix(f.what, "KILL") {
				h.stop()
				h = attack(t)
			}
		}
	}
}

// FuzzStatements has an account send a text, and then the statements that choices make. A worker of the
// fuzzer has the server within it, so that it finds texts which reach what no text did.
func FuzzStatements(f *testing.F) {
	if fuzzing := flag.Lookup("test.fuzz"); fuzzing == nil || fuzzing.Value.String() == "" {
		f.Skip("TestHostileSeeds sends the seeds")
	}
	for i, q := range hostileSeeds {
		f.Add(byte(i), q, []byte{byte(i), byte(3 * i), 7, 9, 200, byte(50 * i)})
	}
	var h *hostile
	if worker := flag.Lookup("test.fuzzworker"); worker != nil && worker.Value.String() == "true" {
		if err := unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: hostileMemory, Max: hostileMemory}); err != nil {
			f.Fatal(err)
		}
		h = attackHere(f)
	}
	f.Fuzz(func(t *testing.T, account byte, text string, choices []byte) {
		h.t = t
		i := int(account) % len(hostileAccounts)
		s, err := h.session(i)
		if err != nil {
			t.Fatal(err)
		}
		found := s.run(text)
		s.close()
		if found == nil {
			found = h.round(i, choices, 20)
		}
		if found != nil {
			t.Fatal(found)
		}
		h.fresh()
		if used := h.inUse(); used > h.memory+hostileKept {
			t.Fatalf("%d MiB are in use, %d at the start", used>>20, h.memory>>20)
		}
	})
}
