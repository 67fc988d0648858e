package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// Whoever looks at tables, as information_schema does, leaves them as others have made them meanwhile.
func TestLookingLeavesTablesAlone(t *testing.T) {
	_, s := lockSessions(t, 3)
	const rows = 200
	done := make(chan error, 2)
	stop, cancel := context.WithCancel(t.Context())
	for i, q := range []string{"SELECT COUNT(*) FROM information_schema.columns", "SHOW TABLE STATUS FROM test"} {
		go func() {
			for stop.Err() == nil {
				if err := s[i+1].try(q); err != nil {
					done <- fmt.Errorf("%s: %w", q, err)
					return
				}
			}
			done <- nil
		}()
	}
	for i := range rows {
		s[0].do(fmt.Sprintf("INSERT INTO test.t VALUES (%d)", i+2))
		s[0].do("CREATE TABLE test.n (a INT)")
		s[0].do("ALTER TABLE test.n ADD COLUMN b INT")
		s[0].do("RENAME TABLE test.n TO test.m")
		s[0].do("DROP TABLE test.m")
	}
	cancel()
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n, err := count(t.Context(), s[0].conn, "SELECT * FROM test.t"); err != nil || n != rows+1 {
		t.Errorf("%d rows are left of %d: %v", n, rows+1, err)
	}
}

// A transaction's commit puts the tables back that it has written, and no others, whatever is defined meanwhile.
func TestCommitLeavesTablesAlone(t *testing.T) {
	r, s := lockSessions(t, 2)
	s[0].do("CREATE TABLE test.other (a INT)")
	s[0].do("BEGIN")
	s[0].do("INSERT INTO test.t VALUES (2)")
	s[0].do("SELECT COUNT(*) FROM information_schema.columns")
	s[1].do("INSERT INTO test.other VALUES (1)")
	s[1].do("CREATE TABLE test.gone (a INT)")
	s[0].do("SELECT COUNT(*) FROM information_schema.columns")
	s[1].do("DROP TABLE test.gone")
	s[0].do("COMMIT")
	r.want(t, "SELECT * FROM test.other", "1")
	r.want(t, "SELECT * FROM test.t", "1", "2")
	drop := s[1].start
	s[0].do("BEGIN")
	s[0].do("INSERT INTO test.t VALUES (3)")
	end := drop("DROP DATABASE test", tableWait)
	s[0].do("COMMIT")
	ended(t, "DROP DATABASE", end, "")
}

// Statements that define tables and those that use them, of many sessions at a time, fail with errors of MySQL's alone.
func TestDefinitionsBesideTransactions(t *testing.T) {
	_, s := lockSessions(t, 5)
	for _, q := range []string{"CREATE TABLE test.u (a INT PRIMARY KEY, b INT)", "CREATE TABLE test.c (a INT PRIMARY KEY, b INT, FOREIGN KEY (b) REFERENCES test.u (a) ON DELETE CASCADE)"} {
		s[0].do(q)
	}
	for _, one := range s {
		one.do("SET lock_wait_timeout = 1")
	}
	texts := [][]string{
		{"SET autocommit = 0", "INSERT INTO test.t VALUES (%d)", "SELECT COUNT(*) FROM test.u", "COMMIT", "UPDATE test.u SET b = %d", "ROLLBACK"},
		{"BEGIN", "INSERT INTO test.u VALUES (%d, 1)", "INSERT INTO test.c VALUES (%[1]d, %[1]d)", "DELETE FROM test.u LIMIT 1", "COMMIT", "SELECT COUNT(*) FROM information_schema.tables"},
		{"LOCK TABLES test.u WRITE, test.t READ", "INSERT INTO test.u VALUES (%d, 2)", "ALTER TABLE test.u ADD COLUMN x INT", "ALTER TABLE test.u DROP COLUMN x", "UNLOCK TABLES"},
		{"DROP TABLE IF EXISTS test.n", "CREATE TABLE test.n (a INT) SELECT 1 AS a", "RENAME TABLE test.n TO test.m", "TRUNCATE TABLE test.m", "DROP TABLE test.m", "CREATE TABLE test.n (a INT)"},
		{"BEGIN", "SELECT * FROM test.n", "INSERT INTO test.n VALUES (%d)", "REPLACE INTO test.m VALUES (1)", "COMMIT", "SHOW TABLE STATUS FROM test", "TRUNCATE TABLE test.t"},
	}
	expected := "1146 1050 1205 1213 1062 1452 1451 1099 1100 1054 1060 1091 1051 1217 1136 1192 1222 1701"
	var all sync.WaitGroup
	for i, one := range s {
		all.Go(func() {
			for n := range 60 {
				for _, q := range texts[i] {
					if strings.Contains(q, "%") {
						q = fmt.Sprintf(q, 10*n+i+100)
					}
					if err := one.try(q); err != nil && !strings.Contains(expected, strings.Fields(code(err))[0]) {
						t.Errorf("%s: %v", q, err)
						return
					}
				}
			}
			_ = one.try("COMMIT")
		})
	}
	all.Wait()
}
