package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// A history of transactions that are killed, time out, meet deadlocks and go back to savepoints, and go on as MySQL says that they may: after
// error 1213 the transaction is gone, after any other error the statement is, and after COMMIT all of the rest is there.

// historySchema are the tables of a history: lists to append to, registers to add to, accounts to transfer between, pairs of which one must
// stay on (write skew), values that are unique, rows without a primary key, and parents with children for each action of a foreign key.
var historySchema = []string{
	"CREATE TABLE lists (k INT PRIMARY KEY, v LONGTEXT NOT NULL)", "INSERT INTO lists VALUES (0, ''), (1, ''), (2, ''), (3, ''), (4, '')",
	"CREATE TABLE registers (k INT PRIMARY KEY, n INT NOT NULL)", "INSERT INTO registers VALUES (0, 0), (1, 0), (2, 0)",
	"CREATE TABLE accounts (id INT PRIMARY KEY, balance INT NOT NULL)", "INSERT INTO accounts VALUES (0, 100), (1, 100), (2, 100), (3, 100)",
	"CREATE TABLE pairs (id INT PRIMARY KEY, pair INT NOT NULL, on_call INT NOT NULL, KEY pair (pair))", "INSERT INTO pairs VALUES (0, 0, 1), (1, 0, 1), (2, 1, 1), (3, 1, 1)",
	"CREATE TABLE uniques (id INT AUTO_INCREMENT PRIMARY KEY, u INT, UNIQUE KEY u (u))", "CREATE TABLE bare (n INT, KEY n (n))",
	"CREATE TABLE parents (id INT PRIMARY KEY)", "INSERT INTO parents VALUES (0), (1), (2), (3), (4), (5)",
	"CREATE TABLE restricted (p INT, FOREIGN KEY (p) REFERENCES parents (id))",
	"CREATE TABLE cascaded (id INT AUTO_INCREMENT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parents (id) ON DELETE CASCADE ON UPDATE CASCADE)",
	"CREATE TABLE nulled (id INT AUTO_INCREMENT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parents (id) ON DELETE SET NULL ON UPDATE SET NULL)",
}

// historySession is a client of a history. Owned by one goroutine.
type historySession struct {
	*killedHistory
	c     *sql.Conn
	rnd   *rand.Rand
	level string

	statement   int
	tx          *listTransaction
	added       map[int]int // to registers
	transferred bool        // it may have changed accounts
}

// killedHistory is what all sessions of a history share.
type killedHistory struct {
	next atomic.Int64

	mu        sync.Mutex
	history   []*listTransaction
	registers map[int]int // what was acknowledged
	outcomes  map[string]int
	faults    []string
}

func (h *killedHistory) fault(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults = append(h.faults, fmt.Sprintf(format, args...))
}

// errGone says that the transaction has been rolled back.
var errGone = errors.New("the transaction is gone")

// mayFail are the errors of a statement after which the transaction goes on: values that are taken, foreign keys, waits and kills.
var mayFail = []uint16{1062, 1205, 1317, 1451, 1452, 3024, 3572}

// failed tells what an error means for the transaction: nil that it goes on without the statement.
func (s *historySession) failed(q string, err error) error {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return err
	}
	s.mu.Lock()
	s.outcomes[strconv.Itoa(int(e.Number))]++
	s.mu.Unlock()
	switch {
	case e.Number == 1213:
		return errGone
	case slices.Contains(mayFail, e.Number):
		return nil
	}
	return fmt.Errorf("%s: %w", q, err)
}

// exec runs a statement, and tells whether it has had its effect.
func (s *historySession) exec(ctx context.Context, q string, args ...any) (done bool, err error) {
	if _, err := s.c.ExecContext(ctx, q, args...); err != nil {
		return false, s.failed(q, err)
	}
	return true, nil
}

// ints runs a query whose rows are numbers, and tells whether it was carried out.
func (s *historySession) ints(ctx context.Context, q string, args ...any) (all []int, done bool, err error) {
	rows, err := s.c.QueryContext(ctx, q, args...)
	if err != nil {
		return nil, false, s.failed(q, err)
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			return nil, false, err
		}
		all = append(all, n)
	}
	if err := rows.Err(); err != nil {
		return nil, false, s.failed(q, err)
	}
	return all, true, nil
}

// lists reads lists.
func (s *historySession) lists(ctx context.Context, q string) error {
	rows, err := s.c.QueryContext(ctx, q)
	if err != nil {
		return s.failed(q, err)
	}
	defer rows.Close()
	s.statement++
	var reads []listRead
	for rows.Next() {
		var k int
		var v string
		if err := rows.Scan(&k, &v); err != nil {
			return err
		}
		reads = append(reads, listRead{k, parseList(v), s.statement})
	}
	if err := rows.Err(); err != nil {
		return s.failed(q, err)
	}
	s.tx.reads = append(s.tx.reads, reads...)
	return nil
}

// append appends to a list, with or without reading it first.
func (s *historySession) append(ctx context.Context) error {
	k, n := s.rnd.IntN(5), int(s.next.Add(1))
	done, err := s.exec(ctx, "UPDATE lists SET v = CONCAT(v, ',', ?) WHERE k = ?", n, k)
	if done {
		s.tx.appends[k] = append(s.tx.appends[k], n)
	}
	return err
}

// add adds to a register what it has read under a lock.
func (s *historySession) add(ctx context.Context) error {
	k := s.rnd.IntN(3)
	read, _, err := s.ints(ctx, "SELECT n FROM registers WHERE k = ? FOR UPDATE", k)
	if err != nil || read == nil {
		return err
	}
	done, err := s.exec(ctx, "UPDATE registers SET n = ? WHERE k = ?", read[0]+1, k)
	if done {
		s.added[k]++
	}
	return err
}

// transfer moves money, all or none of it, and looks at the sum.
func (s *historySession) transfer(ctx context.Context) error {
	a, n := s.rnd.IntN(4), s.rnd.IntN(10)
	b := (a + 1 + s.rnd.IntN(3)) % 4
	q := "SELECT SUM(balance) FROM accounts"
	// At REPEATABLE READ what the transaction itself has written is newer than the rest of its snapshot.
	if s.rnd.IntN(2) == 0 || s.transferred {
		q += " FOR SHARE"
	}
	sum, done, err := s.ints(ctx, q)
	if err != nil {
		return err
	}
	if done && sum[0] != 400 {
		s.fault("the sum of the accounts is %d", sum[0])
	}
	s.transferred = true
	_, err = s.exec(ctx, "UPDATE accounts SET balance = balance + IF(id = ?, ?, ?) WHERE id IN (?, ?)", a, n, -n, a, b)
	return err
}

// leave takes one of a pair off call if the other stays; it locks what it reads, unless the level does that.
func (s *historySession) leave(ctx context.Context) error {
	pair, one := s.rnd.IntN(2), s.rnd.IntN(2)
	q := "SELECT on_call FROM pairs WHERE pair = ? AND on_call = 1"
	if s.level != "SERIALIZABLE" {
		q += " FOR UPDATE"
	}
	on, done, err := s.ints(ctx, q, pair)
	if err != nil || !done {
		return err
	}
	switch len(on) {
	case 0:
		s.fault("nobody of pair %d is on call", pair)
	case 1:
		_, err = s.exec(ctx, "UPDATE pairs SET on_call = 1 WHERE pair = ?", pair)
	default:
		_, err = s.exec(ctx, "UPDATE pairs SET on_call = 0 WHERE id = ?", 2*pair+one)
	}
	return err
}

// claim inserts, moves or removes a unique value. At REPEATABLE READ and above a value that a locking read has not found is free.
func (s *historySession) claim(ctx context.Context) error {
	u := s.rnd.IntN(12)
	switch s.rnd.IntN(4) {
	case 0:
		_, err := s.exec(ctx, "UPDATE uniques SET u = ? WHERE u = ?", u, s.rnd.IntN(12))
		return err
	case 1:
		_, err := s.exec(ctx, "DELETE FROM uniques WHERE u = ?", u)
		return err
	}
	found, done, err := s.ints(ctx, "SELECT id FROM uniques WHERE u = ? FOR UPDATE", u)
	if err != nil || !done || len(found) > 0 {
		return err
	}
	if _, err = s.c.ExecContext(ctx, "INSERT INTO uniques (u) VALUES (?)", u); err == nil {
		return nil
	}
	var e *mysql.MySQLError
	if errors.As(err, &e) && e.Number == 1062 && s.level != "READ COMMITTED" {
		s.fault("%s: the value %d was free, and then it was not", s.level, u)
	}
	return s.failed("INSERT INTO uniques", err)
}

// recount counts rows twice under locks: at REPEATABLE READ and above no other transaction has changed the number meanwhile.
func (s *historySession) recount(ctx context.Context) error {
	from := s.rnd.IntN(12)
	for _, q := range []string{"SELECT COUNT(*) FROM uniques WHERE u >= ? FOR UPDATE", "SELECT COUNT(*) FROM bare WHERE n >= ? FOR UPDATE"} {
		first, done, err := s.ints(ctx, q, from)
		if err != nil || !done {
			return err
		}
		if err := s.append(ctx); err != nil {
			return err
		}
		again, done, err := s.ints(ctx, q, from)
		if err != nil || !done {
			return err
		}
		if s.level != "READ COMMITTED" && first[0] != again[0] {
			s.fault("%s: %s is %d, and then %d", s.level, q, first[0], again[0])
		}
	}
	_, err := s.exec(ctx, []string{"INSERT INTO bare VALUES (?)", "DELETE FROM bare WHERE n = ?"}[s.rnd.IntN(2)], from)
	return err
}

// family changes parents and children, and looks for orphans.
func (s *historySession) family(ctx context.Context) error {
	p := s.rnd.IntN(6)
	table := []string{"restricted", "cascaded", "nulled"}[s.rnd.IntN(3)]
	var err error
	switch s.rnd.IntN(8) {
	case 0, 1, 2:
		_, err = s.exec(ctx, "INSERT INTO "+table+" (p) VALUES (?)", p)
	case 3:
		_, err = s.exec(ctx, "DELETE FROM parents WHERE id = ?", p)
	case 4:
		_, err = s.exec(ctx, "UPDATE parents SET id = ? WHERE id = ?", s.rnd.IntN(6), p)
	case 5:
		_, err = s.exec(ctx, "INSERT INTO parents VALUES (?)", p)
	case 6:
		_, err = s.exec(ctx, "DELETE FROM "+table+" WHERE p = ?", p)
	default:
		_, err = s.exec(ctx, "UPDATE "+table+" SET p = ? WHERE p = ?", s.rnd.IntN(6), p)
	}
	return err
}

// historyState is what a transaction has written and read so far.
type historyState struct {
	tx    *listTransaction
	added map[int]int
}

func (s *historySession) keep() historyState {
	tx := &listTransaction{reads: slices.Clone(s.tx.reads), appends: map[int][]int{}}
	for k, list := range s.tx.appends {
		tx.appends[k] = slices.Clone(list)
	}
	return historyState{tx, maps.Clone(s.added)}
}

// transact is one transaction. It is errGone if the transaction has been rolled back.
func (s *historySession) transact(ctx context.Context) error {
	s.tx, s.added, s.statement = &listTransaction{appends: map[int][]int{}}, map[int]int{}, 0
	s.transferred = false
	if done, err := s.exec(ctx, "BEGIN"); err != nil || !done {
		return err
	}
	var saved *historyState
	for range 1 + s.rnd.IntN(5) {
		var err error
		switch s.rnd.IntN(12) {
		case 0, 1:
			err = s.append(ctx)
		case 2:
			err = s.lists(ctx, "SELECT k, v FROM lists")
		case 3:
			err = s.lists(ctx, fmt.Sprintf("SELECT k, v FROM lists WHERE k = %d", s.rnd.IntN(5)))
		case 4:
			err = s.add(ctx)
		case 5:
			err = s.transfer(ctx)
		case 6:
			err = s.leave(ctx)
		case 7:
			err = s.claim(ctx)
		case 8:
			err = s.recount(ctx)
		case 9, 10:
			err = s.family(ctx)
		default:
			now := s.keep()
			done := false
			if saved == nil {
				if done, err = s.exec(ctx, "SAVEPOINT s"); done {
					saved = &now
				}
			} else if done, err = s.exec(ctx, "ROLLBACK TO s"); done {
				s.tx, s.added = saved.tx, saved.added
				again := s.keep()
				saved = &again
			}
		}
		if err != nil {
			return err
		}
	}
	if s.rnd.IntN(8) == 0 {
		for {
			if done, err := s.exec(ctx, "ROLLBACK"); done || err != nil {
				return err
			}
		}
	}
	for { // a COMMIT that was killed can be repeated
		done, err := s.exec(ctx, "COMMIT")
		if err != nil {
			return err
		}
		if done {
			break
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history = append(s.history, s.tx)
	for k, n := range s.added {
		s.registers[k] += n
	}
	return nil
}

// TestKilledHistories runs random transactions that are killed, and holds what they have seen and what is left against their isolation level. It
// takes PFSD_SOAK, if that is set.
func TestKilledHistories(t *testing.T) { eachLevel(t, 30, 200, checkKilledHistory) }

// eachLevel checks a history at each isolation level, whose sessions have few transactions each. For PFSD_SOAK it checks one history after the
// other, with many transactions: the time and memory that the check of one takes grow faster than its length.
func eachLevel(t *testing.T, few, many int, check func(t *testing.T, level string, seed uint64, each int)) {
	for _, level := range []string{"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"} {
		t.Run(level, func(t *testing.T) {
			each, soak := few, time.Duration(0)
			if s := os.Getenv("PFSD_SOAK"); s != "" {
				d, err := time.ParseDuration(s)
				if err != nil {
					t.Fatal(err)
				}
				each, soak = many, d/3
			}
			for began, round := time.Now(), uint64(0); ; round++ {
				check(t, level, round, each)
				if t.Failed() || time.Since(began) >= soak {
					return
				}
			}
		})
	}
}

// checkKilledHistory checks one history, in which each of the sessions has so many transactions.
func checkKilledHistory(t *testing.T, level string, seed uint64, each int) {
	const sessions = 8
	r := serve(t, Options{})
	defer func() {
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	}()
	setUp, _ := r.conn(t)
	r.must(t, setUp, append([]string{"USE test"}, historySchema...)...)
	h := &killedHistory{registers: map[int]int{}, outcomes: map[string]int{}}
	var ids []uint32
	var all, killers sync.WaitGroup
	for i := range sessions {
		c, id := r.conn(t)
		ids = append(ids, id)
		r.must(t, c, "USE test", "SET innodb_lock_wait_timeout = 1", "SET max_execution_time = 200", "SET SESSION TRANSACTION ISOLATION LEVEL "+level)
		s := &historySession{killedHistory: h, c: c, rnd: rand.New(rand.NewPCG(uint64(i), 11+seed)), level: level}
		all.Go(func() {
			for range each {
				if err := s.transact(t.Context()); err != nil && !errors.Is(err, errGone) {
					h.fault("%v", err)
					return
				}
			}
		})
	}
	ended := make(chan struct{})
	killer, _ := r.conn(t)
	killers.Go(func() {
		rnd := rand.New(rand.NewPCG(1, 13))
		for {
			select {
			case <-ended:
				return
			default:
			}
			if _, err := killer.ExecContext(t.Context(), fmt.Sprintf("KILL QUERY %d", ids[rnd.IntN(sessions)])); err != nil {
				h.fault("KILL: %v", err)
				return
			}
			time.Sleep(time.Duration(rnd.IntN(3)) * time.Millisecond) // the rate of kills, not a condition
		}
	})
	all.Wait()
	close(ended)
	killers.Wait()

	final := map[int][]int{}
	for k := range 5 {
		final[k] = parseList(r.query(t, fmt.Sprintf("SELECT v FROM test.lists WHERE k = %d", k))[0])
	}
	h.faults = append(h.faults, historyFaults(h.history, final, level)...)
	h.faults = append(h.faults, historyCycles(h.history, final, level == "SERIALIZABLE")...)
	for k := range 3 {
		if got := r.query(t, fmt.Sprintf("SELECT n FROM test.registers WHERE k = %d", k))[0]; got != strconv.Itoa(h.registers[k]) {
			h.fault("register %d is %s, and %d was added", k, got, h.registers[k])
		}
	}
	for q, want := range map[string]string{
		"SELECT SUM(balance) FROM test.accounts":                                                                                "400",
		"SELECT COUNT(DISTINCT pair) FROM test.pairs WHERE on_call = 1":                                                         "2",
		"SELECT COUNT(u) - COUNT(DISTINCT u) FROM test.uniques":                                                                 "0",
		"SELECT COUNT(*) FROM test.restricted c WHERE p IS NOT NULL AND NOT EXISTS (SELECT 1 FROM test.parents WHERE id = c.p)": "0",
		"SELECT COUNT(*) FROM test.cascaded c WHERE p IS NOT NULL AND NOT EXISTS (SELECT 1 FROM test.parents WHERE id = c.p)":   "0",
		"SELECT COUNT(*) FROM test.nulled c WHERE p IS NOT NULL AND NOT EXISTS (SELECT 1 FROM test.parents WHERE id = c.p)":     "0",
	} {
		if got := r.query(t, q)[0]; got != want {
			h.fault("%s: %s, want %s", q, got, want)
		}
	}
	t.Logf("%d transactions, %v", len(h.history), h.outcomes)
	for _, fault := range h.faults[:min(len(h.faults), 20)] {
		t.Error(fault)
	}
}

// historyCycles finds circles of transactions of which each must come before the next: by what they have appended to a list one after the other,
// and what they have read of others; if serializable, also by what they have read before others appended to it.
func historyCycles(history []*listTransaction, final map[int][]int, serializable bool) (faults []string) {
	number := map[*listTransaction]int{}
	writer := map[int]int{}
	for i, tx := range history {
		number[tx] = i
		for _, list := range tx.appends {
			for _, n := range list {
				writer[n] = i
			}
		}
	}
	after := make([][]int, len(history))
	edge := func(a, b int) {
		if a != b && !slices.Contains(after[a], b) {
			after[a] = append(after[a], b)
		}
	}
	for _, list := range final {
		for i := 1; i < len(list); i++ {
			edge(writer[list[i-1]], writer[list[i]])
		}
	}
	for i, tx := range history {
		for _, read := range tx.reads {
			list := final[read.key]
			n := len(read.list)
			if n > len(list) {
				continue // historyFaults says so
			}
			if n > 0 {
				edge(writer[list[n-1]], i)
			}
			if serializable && n < len(list) {
				edge(i, writer[list[n]])
			}
		}
	}
	// Transactions that nothing comes before are taken away, until there are none or only circles and what comes after them.
	before := make([]int, len(history))
	for _, next := range after {
		for _, b := range next {
			before[b]++
		}
	}
	var free []int
	for i, n := range before {
		if n == 0 {
			free = append(free, i)
		}
	}
	left := len(history)
	for len(free) > 0 {
		i := free[len(free)-1]
		free = free[:len(free)-1]
		left--
		for _, b := range after[i] {
			if before[b]--; before[b] == 0 {
				free = append(free, b)
			}
		}
	}
	if left > 0 {
		faults = append(faults, fmt.Sprintf("%d transactions are in circles or come after them", left))
	}
	return faults
}

// TestHistoryCycles: the search finds a write skew, and what each transaction read of the other.
func TestHistoryCycles(t *testing.T) {
	a := &listTransaction{reads: []listRead{{0, nil, 1}}, appends: map[int][]int{1: {1}}}
	b := &listTransaction{reads: []listRead{{1, nil, 1}}, appends: map[int][]int{0: {2}}}
	final := map[int][]int{0: {2}, 1: {1}}
	if got := historyCycles([]*listTransaction{a, b}, final, true); len(got) != 1 {
		t.Errorf("a write skew: %v", got)
	}
	if got := historyCycles([]*listTransaction{a, b}, final, false); got != nil {
		t.Errorf("a write skew where it may be: %v", got)
	}
	a.reads, b.reads = []listRead{{0, []int{2}, 1}}, []listRead{{1, []int{1}, 1}}
	if got := historyCycles([]*listTransaction{a, b}, final, false); len(got) != 1 {
		t.Errorf("each has read of the other: %v", got)
	}
}
