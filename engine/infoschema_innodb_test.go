package engine

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestTransactionsAreSeen has connections begin, write in and end transactions while others look.
func TestTransactionsAreSeen(t *testing.T) {
	r := serve(t, Options{})
	r.exec(t, "CREATE TABLE test.t (a INT, b INT)")
	const writers, rounds = 3, 40
	var work, looks sync.WaitGroup
	stop := make(chan struct{})
	for i := range writers {
		c, _ := r.conn(t)
		r.exec(t, fmt.Sprintf("CREATE TABLE test.t%d (a INT)", i))
		work.Go(func() {
			for range rounds {
				for _, q := range []string{"BEGIN", "INSERT INTO test.t%d VALUES (1), (2)", "DELETE FROM test.t%d", "ROLLBACK", "INSERT INTO test.t%d VALUES (3)"} {
					if strings.Contains(q, "%d") {
						q = fmt.Sprintf(q, i)
					}
					if _, err := c.ExecContext(context.Background(), q); err != nil {
						t.Errorf("%s: %v", q, err)
						return
					}
				}
			}
		})
	}
	looks.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			for _, row := range transactionsOf(t, r.db, "SELECT trx_state, trx_isolation_level, trx_rows_modified FROM information_schema.INNODB_TRX") {
				var n int
				if _, err := fmt.Sscanf(row, "RUNNING|REPEATABLE READ|%d", &n); err != nil || n > 4*(rounds+1) {
					t.Errorf("a transaction is %s", row)
				}
			}
			if rows := transactionsOf(t, r.db, "SHOW ENGINE INNODB STATUS"); len(rows) != 1 || !strings.Contains(rows[0], "END OF INNODB MONITOR OUTPUT\n====") {
				t.Errorf("the monitor says %q", rows)
			}
		}
	})
	work.Wait()
	close(stop)
	looks.Wait()
	r.want(t, "SELECT COUNT(*) FROM information_schema.INNODB_TRX", "0")
	r.want(t, "SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rollbacks'", fmt.Sprint(writers*rounds))
}

// transactionsOf are the rows of a query, cells joined by "|".
func transactionsOf(t *testing.T, db *sql.DB, query string) (all []string) {
	rows, err := db.Query(query)
	if err != nil {
		t.Errorf("%s: %v", query, err)
		return nil
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var a, b, c string
		if err := rows.Scan(&a, &b, &c); err != nil {
			t.Error(err)
		}
		all = append(all, a+"|"+b+"|"+c)
	}
	return all
}

// TestInnoDBMonitor looks at what tools look for in SHOW ENGINE INNODB STATUS.
func TestInnoDBMonitor(t *testing.T) {
	r := serve(t, Options{Init: []string{"CREATE USER u@localhost"}})
	r.exec(t, "CREATE TABLE test.t (a INT)")
	c, id := r.conn(t)
	for _, q := range []string{"BEGIN", "INSERT INTO test.t VALUES (1), (2), (3)"} {
		if _, err := c.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	row := r.query(t, "SHOW ENGINE INNODB STATUS")[0]
	at := 0
	for _, s := range []string{
		"InnoDB||\n====", " INNODB MONITOR OUTPUT\n====", "\nBACKGROUND THREAD\n", "\nSEMAPHORES\n", "\nTRANSACTIONS\n", "\nHistory list length 0\n",
		"---TRANSACTION ", ", ACTIVE ", "undo log entries 3\n", fmt.Sprintf("MySQL thread id %d, query id 0 localhost root", id),
		"\nFILE I/O\n", "\nINSERT BUFFER AND ADAPTIVE HASH INDEX\n", "\nLOG\n", "\nBUFFER POOL AND MEMORY\n", "\nROW OPERATIONS\n",
		" queries inside InnoDB, 0 queries in queue\n", "Number of rows inserted 3, updated 0, deleted 0, read ", "\nEND OF INNODB MONITOR OUTPUT\n====",
	} {
		i := strings.Index(row[at:], s)
		if i < 0 {
			t.Fatalf("no %q behind %q of %s", s, row[:at], row)
		}
		at += i
	}
	u, err := r.enter(t, "u")
	if err != nil {
		t.Fatal(err)
	}
	needs := "1227 42000 Access denied; you need (at least one of) the PROCESS privilege(s) for this operation"
	check(t, u,
		[2]string{"SHOW ENGINE INNODB STATUS", needs},
		[2]string{"SELECT * FROM information_schema.INNODB_TRX", needs},
		[2]string{"SELECT * FROM information_schema.INNODB_METRICS", needs},
		[2]string{"SELECT * FROM information_schema.INNODB_CMP", needs},
		[2]string{"SELECT COUNT(*) FROM information_schema.USER_PRIVILEGES", "1"},
		[2]string{"SELECT CONCAT(GRANTEE, PRIVILEGE_TYPE) FROM information_schema.USER_PRIVILEGES", "'u'@'localhost'USAGE"},
		[2]string{"SELECT USER FROM information_schema.USER_ATTRIBUTES", "u"},
		[2]string{"SELECT COUNT(*) FROM information_schema.VIEWS", "0"},
		[2]string{"SELECT COUNT(*) FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA <> 'sys'", "0"},
		[2]string{"SELECT COUNT(*) FROM information_schema.TRIGGERS", "0"},
	)
}
