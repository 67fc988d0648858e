package engine

import "testing"

// The rows of temporary tables are charged to the connection, until they are deleted or the table is emptied or dropped.
func TestTemporaryTablesAreCharged(t *testing.T) {
	oneAtATime(t)
	r := serveAll(t, Options{ConnectionMemoryLimit: 8 << 20})
	c, _ := r.conn(t)
	do := func(q string) {
		t.Helper()
		if err := readAll(c, q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	do("CREATE TEMPORARY TABLE test.x (a INT PRIMARY KEY AUTO_INCREMENT, s LONGTEXT)")
	fill := func() {
		t.Helper()
		for i := range 100 {
			err := readAll(c, "INSERT INTO test.x (s) VALUES (REPEAT('a', 200000))")
			if err == nil {
				continue
			}
			if !isRefused(err, "connection_memory_limit") || i < 20 || i > 42 {
				t.Fatalf("row %d: %v", i, err)
			}
			return
		}
		t.Fatal("20 MB of rows are nothing")
	}
	fill()
	for _, empty := range []string{"DELETE FROM test.x WHERE a > 0", "UPDATE test.x SET s = '' WHERE a > 0", "DO 1"} {
		do("TRUNCATE TABLE test.x")
		for range 10 { // a statement that writes keeps the rows until it ends
			do("INSERT INTO test.x (s) VALUES (REPEAT('a', 200000))")
		}
		do(empty)
		if empty != "DO 1" {
			fill()
		}
	}
	do("DROP TEMPORARY TABLE test.x")
	do("CREATE TEMPORARY TABLE test.x (a INT PRIMARY KEY AUTO_INCREMENT, s LONGTEXT)")
	fill()
}
