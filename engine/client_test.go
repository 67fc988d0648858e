package engine

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The tests in client_NAME_test.go run programs that people point at MySQL against a server with
// the workload, and compare what they say with what the tables say.

// clientPassword is that of the accounts of clients.
const clientPassword = "Nobody-guesses-1"

// monitoring is what an account of a program that only looks is granted.
const monitoring = "SELECT, PROCESS, REPLICATION CLIENT, REPLICATION SLAVE ON *.*"

// clientTime is how long a client may take, a build of it included.
const clientTime = 8 * time.Minute

// serveClients starts a server with the workload, with statements that failed kept to be shown, and
// waits until the workload has done some of everything.
func serveClients(t *testing.T) *running {
	t.Helper()
	r := serveAll(t, Options{Workload: "mixed", DataDir: t.TempDir(), Init: patient})
	r.exec(t, "UPDATE setup_consumers SET ENABLED = 'YES' WHERE NAME LIKE 'events%current' OR NAME LIKE 'events%history%'")
	r.exec(t, "CREATE TABLE test.numbered (id INT AUTO_INCREMENT PRIMARY KEY, word VARCHAR(20), KEY (word))")
	c, _ := r.conn(t)
	for _, q := range []string{
		"USE test", "INSERT INTO numbered (word) VALUES ('one'), ('two'), ('three')", "SELECT id FROM numbered WHERE word = 'two'",
		"SELECT word, COUNT(*) FROM numbered GROUP BY word ORDER BY word DESC", "UPDATE numbered SET word = 'four' WHERE id = 3",
	} {
		if _, err := c.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	for _, q := range []string{
		"SELECT MIN(COUNT_INSERT * COUNT_UPDATE * COUNT_DELETE) > 0 FROM table_io_waits_summary_by_table WHERE OBJECT_SCHEMA = 'workload' AND OBJECT_NAME LIKE 'orders%'",
		"SELECT MIN(COUNT_READ * COUNT_WRITE) > 0 FROM file_summary_by_event_name WHERE EVENT_NAME LIKE 'wait/io/file/workload/%'",
	} {
		eventually(t, q, func() bool { return slices.Equal(r.query(t, q), []string{"1"}) })
	}
	return r
}

// visit makes an account with grants, several after semicolons, and has a client work as it. Nothing may go wrong: no
// statement of the account may fail but those with one of expected in them, which fail in MySQL 8.4, too, and
// the error log may have no warning and no error that it had not before.
func (r *running) visit(t *testing.T, user, grants string, expected []string, client func()) {
	t.Helper()
	r.exec(t, fmt.Sprintf("CREATE USER %s IDENTIFIED BY '%s'", user, clientPassword))
	for g := range strings.SplitSeq(grants, "; ") {
		r.exec(t, fmt.Sprintf("GRANT %s TO %s", g, user))
	}
	const complaints = "SELECT COUNT(*) FROM error_log WHERE PRIO IN ('Error', 'Warning')"
	before := r.query(t, complaints)
	client()
	failed := 0
	for _, s := range r.query(t, "SELECT MYSQL_ERRNO, MESSAGE_TEXT, SQL_TEXT FROM events_statements_history_long WHERE ERRORS > 0 "+
		"AND THREAD_ID NOT IN (SELECT THREAD_ID FROM threads WHERE PROCESSLIST_USER IN ('shop', 'billing'))") {
		if slices.ContainsFunc(expected, func(e string) bool { return strings.Contains(s, e) }) {
			failed++
			continue
		}
		t.Errorf("failed: %.1000s", s)
	}
	q := "SELECT SUM(SUM_ERROR_RAISED) FROM events_errors_summary_by_user_by_error WHERE SQL_STATE NOT LIKE '01%' AND USER = '" + user + "'"
	if raised := r.count(t, q); raised != failed {
		t.Errorf("%s has had %d errors, %d of them in statements: %q", user, raised, failed,
			r.query(t, "SELECT ERROR_NAME, SUM_ERROR_RAISED FROM events_errors_summary_by_user_by_error WHERE SUM_ERROR_RAISED > 0 AND USER = ?", user))
	}
	if after := r.query(t, complaints); !slices.Equal(after, before) {
		t.Errorf("%s: the error log has %q", user, r.query(t, "SELECT PRIO, ERROR_CODE, DATA FROM error_log"))
	}
}

// runClient runs a program to its end, and returns what it wrote; it fails the test where the
// exit code is not 0, or where standard error says anything.
func runClient(t *testing.T, in, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), clientTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "HOME="+t.TempDir())
	cmd.Stdin = strings.NewReader(in)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil || errs.Len() > 0 {
		t.Errorf("%s %q: %v\n%.4000s", name, args, err, errs.String())
	}
	return out.String()
}

// port is where the server listens.
func (r *running) port() string {
	_, port, _ := net.SplitHostPort(r.addr)
	return port
}

// figures are numbers by what they are of, labels joined by "|".
type figures map[string]float64

// figures are the rows of a query, whose last column is a number and whose others name it. Of SHOW
// STATUS the names are as exporters have them, Com_select as select.
func (r *running) figures(t *testing.T, q string) figures {
	t.Helper()
	all := figures{}
	for _, row := range r.query(t, q) {
		at := strings.LastIndexByte(row, '|')
		if n, err := strconv.ParseFloat(row[at+1:], 64); err == nil {
			of := row[:max(at, 0)]
			if strings.HasPrefix(q, "SHOW") {
				of = strings.ToLower(of[strings.IndexByte(of, '_')+1:])
			}
			all[of] += n
		}
	}
	return all
}

// bracket holds what the tables said before a client looked at them.
type bracket struct {
	*running
	queries map[string]string
	before  map[string]figures
}

// bracket asks queries, which are figures that only grow, by the name that the client has for them.
func (r *running) bracket(t *testing.T, queries map[string]string) *bracket {
	t.Helper()
	b := &bracket{r, queries, map[string]figures{}}
	for name, q := range queries {
		t.Run("before/"+name, func(t *testing.T) { b.before[name] = r.figures(t, q) })
	}
	return b
}

// check compares figures that the client got with those of before and of now: each that is in
// both must be there, and lie between them. Some must be more than nothing.
func (b *bracket) check(t *testing.T, got func(name string) figures) {
	t.Helper()
	for name := range b.queries {
		t.Run("after/"+name, func(t *testing.T) { b.checkOne(t, name, got(name)) })
	}
}

func (b *bracket) checkOne(t *testing.T, name string, got figures) {
	t.Helper()
	after := b.figures(t, b.queries[name])
	precision := 1e-9
	if strings.Contains(b.queries[name], "_TIMER_") {
		precision = 1e-4 // in its first seconds the process still measures its timer
	}
	compared, positive := 0, 0
	for of, low := range b.before[name] {
		high, ok := after[of]
		if !ok {
			continue // such as a file that is closed
		}
		low, high := min(low, high), max(low, high) // what is not a sum may fall
		n, ok := got[of]
		slack := precision * math.Max(1, math.Abs(high))
		if !ok || n < low-slack || n > high+slack {
			t.Errorf("%s of %q: got %v (%v), want %v to %v", name, of, n, ok, low, high)
		}
		compared++
		if n > 0 {
			positive++
		}
	}
	if positive == 0 {
		t.Errorf("%s: of %d figures that could be compared, none is more than 0: %v", name, compared, got)
	}
}
