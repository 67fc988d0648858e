package engine

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// count reads the rows of q on c.
func count(ctx context.Context, c *sql.Conn, q string) (n int, err error) {
	rows, err := c.QueryContext(ctx, q)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		n++
	}
	return n, rows.Err()
}

func TestKillQuery(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "numbers", rows: 1 << 40})
	for _, q := range []string{"SELECT 1 FROM numbers WHERE SLEEP(600)", "SELECT COUNT(*) FROM numbers", "SELECT SUM(LEVEL) FROM numbers GROUP BY ENABLED", "SELECT * FROM numbers", "SELECT ID FROM numbers WHERE LEVEL = 'x' AND ID < 0"} {
		c, id := r.conn(t)
		ended := make(chan error, 1)
		go func() {
			_, err := count(context.Background(), c, q)
			ended <- err
		}()
		eventually(t, q+" runs", func() bool { return r.command(id) == "Query" })
		r.exec(t, fmt.Sprintf("KILL QUERY %d", id))
		if got := code(<-ended); got != "1317 70100 Query execution was interrupted" {
			t.Errorf("%s: %s", q, got)
		}
		if err := c.PingContext(t.Context()); err != nil {
			t.Errorf("%s: the connection is lost: %v", q, err)
		}
	}
}

func TestKillConnection(t *testing.T) {
	r := serve(t, Options{})
	sleeping, id := r.conn(t)
	r.exec(t, fmt.Sprintf("KILL %d", id))
	eventually(t, "the sleeping connection ends", func() bool { return r.command(id) == "" })
	if err := sleeping.PingContext(t.Context()); err == nil {
		t.Error("a killed connection answers")
	}
	busy, id := r.conn(t)
	ended := make(chan error, 1)
	go func() {
		_, err := count(context.Background(), busy, "SELECT SLEEP(600)")
		ended <- err
	}()
	eventually(t, "the statement runs", func() bool { return r.command(id) == "Query" })
	r.exec(t, fmt.Sprintf("KILL CONNECTION %d", id))
	if err := <-ended; err == nil {
		t.Error("a killed statement succeeded")
	}
	eventually(t, "the busy connection ends", func() bool { return r.command(id) == "" })
}

// recorder remembers the connections that a pool dials.
type recorder struct{ conns chan net.Conn }

func (r recorder) dial(ctx context.Context, addr string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", addr)
	if err == nil {
		r.conns <- c
	}
	return c, err
}

func TestClientVanishes(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "numbers", rows: 1 << 40})
	rec := recorder{make(chan net.Conn, 8)}
	mysql.RegisterDialContext("recorded", rec.dial)
	for _, q := range []string{"SELECT SLEEP(600)", "SELECT COUNT(*) FROM numbers", "SELECT * FROM numbers"} {
		db, err := sql.Open("mysql", "root@recorded("+r.addr+")/performance_schema")
		if err != nil {
			t.Fatal(err)
		}
		c, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var id uint32
		if err := c.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = count(context.Background(), c, q)
		}()
		eventually(t, q+" runs", func() bool { return r.command(id) == "Query" })
		_ = (<-rec.conns).Close()
		eventually(t, q+" stops", func() bool { return r.command(id) == "" })
		<-ended
		_ = db.Close()
	}
}

func TestPacketTooBig(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{MaxAllowedPacket: 1 << 20})
	r.want(t, "SELECT @@max_allowed_packet", "1048576")
	db := r.open(t, "maxAllowedPacket=1073741824")
	var n int
	if err := db.QueryRow("SELECT LENGTH('" + strings.Repeat("x", 1<<20-100) + "')").Scan(&n); err != nil || n != 1<<20-100 {
		t.Errorf("a packet within the limit: %d, %v", n, err)
	}
	before := heap()
	peak := watchHeap(t)
	query := "SELECT LENGTH('" + strings.Repeat("x", 200<<20) + "')"
	_, err := db.Exec(query)
	if got := code(err); got != "1153 08S01 Got a packet bigger than 'max_allowed_packet' bytes" {
		t.Errorf("got %.200s", got)
	}
	// The client's own copies: the text, and the packet it is put in.
	if used := peak() - before - 3*int64(len(query)); used > 100<<20 {
		t.Errorf("the server took %d MiB for it", used>>20)
	}
	r.want(t, "SELECT 1", "1")
}

// heap is the memory in use, bytes.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// watchHeap samples the memory in use; what it returns stops that and yields the maximum.
func watchHeap(t *testing.T) func() int64 {
	done, result := make(chan struct{}), make(chan int64)
	go func() {
		peak := int64(0)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, int64(m.HeapAlloc))
			select {
			case <-done:
				result <- peak
				return
			default:
				runtime.Gosched()
			}
		}
	}()
	return func() int64 { close(done); return <-result }
}

func TestMillionRowsInConstantMemory(t *testing.T) {
	oneAtATime(t)
	if testing.Short() {
		t.Skip("long")
	}
	r := serve(t, Options{}, &fake{name: "numbers", rows: 1 << 20}, &fake{name: "few", rows: 1 << 9})
	for q, want := range map[string]int{
		"SELECT EVENT_NAME, ID FROM numbers":                               1 << 20,
		"SELECT CONCAT(EVENT_NAME, DOC), ID + 1 FROM numbers LIMIT 300000": 300000,
		"SELECT a.EVENT_NAME, b.EVENT_NAME FROM few a CROSS JOIN few b":    1 << 18,
	} {
		c, _ := r.conn(t)
		before := heap()
		rows, err := c.QueryContext(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for rows.Next() {
			if n++; n%(want/4) == 0 { // the client stands still, the result is open
				// The server goes on until the socket is full, and leaves garbage behind.
				eventually(t, fmt.Sprintf("%s: memory is as flat after %d rows as before", q, n), func() bool { return heap()-before <= 12<<20 })
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil || n != want {
			t.Errorf("%s: %d rows, %v", q, n, err)
		}
	}
}

func TestGroupBy(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "numbers", rows: 10000})
	if got := r.query(t, "SELECT EVENT_NAME, COUNT(*), MIN(ID), MAX(ID) FROM numbers GROUP BY EVENT_NAME ORDER BY MIN(ID) LIMIT 2"); !slices.Equal(got, []string{"wait/test/0|100|0|9900", "wait/test/1|100|1|9901"}) {
		t.Errorf("got %q", got)
	}
	r.want(t, "SELECT COUNT(DISTINCT EVENT_NAME), COUNT(DOC), COUNT(*) FROM numbers", "100|5000|10000")
	r.want(t, "SELECT COUNT(*), MAX(ID) FROM numbers WHERE ID < 0", "0|NULL")
	r.want(t, "SELECT ENABLED, DOC IS NULL AS n, COUNT(*) FROM numbers GROUP BY ENABLED, n ORDER BY n", "YES|0|5000", "YES|1|5000")
	r.exec(t, "CREATE TABLE test.g (a INT PRIMARY KEY, s VARCHAR(10) COLLATE utf8mb4_0900_ai_ci)")
	r.exec(t, "INSERT INTO test.g VALUES (1,'a'),(2,'A'),(3,NULL),(4,NULL),(5,'b')")
	r.want(t, "SELECT s, COUNT(*) FROM test.g GROUP BY s ORDER BY MIN(a)", "a|2", "NULL|2", "b|1")
}

// TestAggregateFailsMidway: thousands of good rows, then one that the aggregate cannot
// take. The statement must end, each time.
func TestAggregateFailsMidway(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "numbers", rows: 3000})
	for range 20 {
		_, err := r.db.Exec("SELECT EVENT_NAME, MAX(JSON_EXTRACT(IF(ID = 2000, '{bad', '{}'), '$.a')) FROM numbers GROUP BY EVENT_NAME")
		if got := code(err); !strings.HasPrefix(got, "3141 22032 ") {
			t.Fatalf("got %s", got)
		}
	}
}

func TestMultiStatements(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "numbers", rows: 2000})
	db := r.open(t, "multiStatements=true&interpolateParams=true")
	rows, err := db.Query("SELECT 1; SELECT ID FROM numbers; SELECT 'c;d'")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	if got := rowCounts(rows); rows.Err() != nil || !slices.Equal(got, []int{1, 2000, 1}) {
		t.Errorf("got %v rows, %v", got, rows.Err())
	}
	if _, err := db.Exec("SELECT 1; SELEC 2"); !strings.HasPrefix(code(err), "1064 42000 ") {
		t.Errorf("got %v", code(err))
	}
}

// rowCounts are how many rows each of the results has, up to an error.
func rowCounts(rows *sql.Rows) (counts []int) {
	for more := true; more; more = rows.NextResultSet() {
		n := 0
		for rows.Next() {
			n++
		}
		counts = append(counts, n)
	}
	return counts
}

// TestMultiStatementFailsMidway: an error after the first rows ends the command, and
// leaves the connection as it should be.
func TestMultiStatementFailsMidway(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "numbers", rows: 2000, at: func(i int) {
		if i == 1000 {
			panic("boom")
		}
	}})
	db := r.open(t, "multiStatements=true&interpolateParams=true")
	db.SetMaxOpenConns(1)
	rows, err := db.Query("SELECT * FROM numbers; SELECT 2")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for rows.Next() {
		n++
	}
	if got := code(rows.Err()); got != "1815 HY000 Internal error: boom" {
		t.Errorf("got %s after %d rows", got, n)
	}
	_ = rows.Close()
	var two int
	if err := db.QueryRow("SELECT 2").Scan(&two); err != nil || two != 2 {
		t.Errorf("got %d, %v", two, err)
	}
}

func TestTextPrepare(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "numbers", rows: 10})
	c, _ := r.conn(t)
	for _, q := range []string{"PREPARE s FROM 'SELECT ID FROM numbers WHERE ID = ?'", "SET @a = 3", "DEALLOCATE PREPARE s"} {
		if q[0] == 'D' {
			var id int
			if err := c.QueryRowContext(t.Context(), "EXECUTE s USING @a").Scan(&id); err != nil || id != 3 {
				t.Errorf("got %d, %v", id, err)
			}
		}
		if _, err := c.ExecContext(t.Context(), q); err != nil {
			t.Errorf("%s: %v", q, err)
		}
	}
}

// TestInformationSchemaUnderLoad: many clients read it at a time; the race detector looks.
func TestInformationSchemaUnderLoad(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "numbers", rows: 10})
	errs := make(chan error, 4)
	for range 4 {
		go func() {
			var err error
			for range 10 {
				for _, q := range []string{"SELECT * FROM information_schema.tables", "SELECT * FROM information_schema.columns WHERE TABLE_SCHEMA='performance_schema'", "SELECT * FROM information_schema.statistics", "SHOW TABLES", "SHOW CREATE TABLE numbers", "SELECT ENABLED, COUNT(*) FROM numbers GROUP BY 1"} {
					rows, e := r.db.Query(q)
					if e == nil {
						e = rows.Close()
					}
					err = errors.Join(err, e)
				}
			}
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// TestGarbage: what no client sends must not cost more than the connection.
func TestGarbage(t *testing.T) {
	r := serve(t, Options{})
	for _, p := range [][]byte{{}, {0, 0, 0, 1}, []byte("GET / HTTP/1.1\r\n\r\n"), {255, 255, 255, 1}, binary.LittleEndian.AppendUint64(nil, 3)} {
		c, err := net.Dial("tcp", r.addr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write(p); err != nil {
			t.Fatal(err)
		}
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, c)
		_ = c.Close()
	}
	r.want(t, "SELECT 1", "1")
}
