package engine

import (
	"fmt"
	"testing"

	"pfsd/engine/status"
	"pfsd/tables"
)

// innodb_buffer_pool_size bounds what users' tables have in memory, and memory/txkv/... shows it as the store says it.
func TestStoreMemory(t *testing.T) {
	oneAtATime(t)
	const pool = 8 << 20
	r := serve(t, Options{DataDir: t.TempDir(), Variables: map[string]string{status.PoolName: fmt.Sprint(pool)}}, tables.All()...)
	r.want(t, "SELECT @@"+status.PoolName, fmt.Sprint(pool))
	r.exec(t, "CREATE TABLE test.t (id INT PRIMARY KEY, c CHAR(100), KEY (c))")
	r.exec(t, "INSERT INTO test.t SELECT a.N + 300 * b.N, REPEAT('c', 100) FROM (WITH RECURSIVE n AS (SELECT 0 AS N UNION ALL SELECT N + 1 FROM n WHERE N < 299) SELECT N FROM n) a, (WITH RECURSIVE n AS (SELECT 0 AS N UNION ALL SELECT N + 1 FROM n WHERE N < 99) SELECT N FROM n) b")
	r.want(t, "SELECT COUNT(*) FROM test.t", "30000")
	r.want(t, "SELECT COUNT(DISTINCT c) FROM test.t", "1")
	m := r.tables.Store().Memory()
	if sum := m.BlockCache + m.MemTables + m.Writes + m.Log; sum > pool || m.BlockCache == 0 || m.MemTables == 0 {
		t.Errorf("of %d bytes %+v are in use", pool, m)
	}
	var most int
	for _, row := range r.query(t, "SELECT HIGH_NUMBER_OF_BYTES_USED FROM memory_summary_global_by_event_name WHERE EVENT_NAME = 'memory/txkv/transactions'") {
		_, _ = fmt.Sscan(row, &most)
	}
	if most > pool/4+(64<<10) {
		t.Errorf("transactions had %d bytes", most)
	}
	db, _ := r.conn(t)
	for _, q := range []string{"BEGIN", "UPDATE test.t SET c = 'new' WHERE id < 1000"} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	// Of these nothing changes while nobody reads or writes users' tables.
	m = r.tables.Store().Memory()
	if m.Writes == 0 || m.Locks == 0 {
		t.Errorf("a transaction that has written has %d bytes of writes and %d of locks", m.Writes, m.Locks)
	}
	for name, bytes := range map[string]int64{"block_cache": m.BlockCache, "memtables": m.MemTables, "file_cache": m.FileCache, "log": m.Log, "transactions": m.Writes, "locks": m.Locks} {
		r.want(t, "SELECT CURRENT_NUMBER_OF_BYTES_USED FROM memory_summary_global_by_event_name WHERE EVENT_NAME = 'memory/txkv/"+name+"'", fmt.Sprint(bytes))
	}
	r.want(t, "SELECT VARIABLE_VALUE FROM global_status WHERE VARIABLE_NAME = 'Innodb_buffer_pool_pages_total'", fmt.Sprint(pool/(16<<10)))
	if _, err := db.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	r.want(t, "SELECT SUM(CURRENT_NUMBER_OF_BYTES_USED) FROM memory_summary_global_by_event_name WHERE EVENT_NAME IN ('memory/txkv/transactions', 'memory/txkv/locks')", "0")
}
