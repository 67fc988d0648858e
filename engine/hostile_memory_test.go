package engine

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// collationsThrice are 24 million rows.
const collationsThrice = " FROM information_schema.collations a, information_schema.collations b, information_schema.collations c"

// hostileHunger are statements that want as much memory as there is, each in another way.
var hostileHunger = []string{
	"SELECT *" + collationsThrice + " ORDER BY a.ID, b.ID",
	"SELECT a.ID" + collationsThrice + " ORDER BY a.ID LIMIT 1000000, 1",
	"SELECT DISTINCT *" + collationsThrice,
	"SELECT a.ID, b.ID, c.ID, COUNT(*)" + collationsThrice + " GROUP BY 1, 2, 3",
	"SELECT SUM(a.ID) OVER (PARTITION BY b.ID ORDER BY c.ID)" + collationsThrice,
	"SELECT GROUP_CONCAT(a.COLLATION_NAME ORDER BY b.COLLATION_NAME)" + collationsThrice,
	"SELECT JSON_ARRAYAGG(a.COLLATION_NAME)" + collationsThrice,
	"SELECT JSON_OBJECTAGG(CONCAT(a.ID, b.ID, c.ID), a.COLLATION_NAME)" + collationsThrice,
	"SELECT COUNT(DISTINCT a.ID, b.ID, c.ID)" + collationsThrice,
	"SELECT COUNT(*) FROM (SELECT a.ID AS x, b.ID AS y" + collationsThrice + ") p JOIN (SELECT a.ID AS x, b.ID AS y" + collationsThrice + ") q ON p.x = q.x",
	"SELECT a.ID, b.ID, c.ID" + collationsThrice + " UNION SELECT 1, 2, 3",
	"WITH RECURSIVE r AS (SELECT REPEAT('a', 1000) AS a, 1 AS n UNION ALL SELECT a, n + 1 FROM r WHERE n < 100000000) SELECT COUNT(*) FROM r",
	"SET SESSION cte_max_recursion_depth = 4294967295", "SET SESSION group_concat_max_len = 4294967295",
	"SELECT 1 IN (" + strings.TrimSuffix(strings.Repeat("1,", 140000), ",") + ")",
	"SELECT " + strings.TrimSuffix(strings.Repeat("REPEAT('a', 1000000),", 500), ","),
	"SELECT COUNT(*) FROM (SELECT REPEAT('a', 1000000) AS s" + collationsThrice + ") t ORDER BY 1",
	"SELECT REPEAT('a', 1000000) AS s" + collationsThrice + " ORDER BY s",
	"SELECT REPEAT('a', 100000) AS s FROM information_schema.collations a, information_schema.collations b",
	"SELECT CAST(CONCAT('[1', REPEAT(',1', 500000), ']') AS JSON)",
	"SELECT COUNT(*) FROM JSON_TABLE(CONCAT('[1', REPEAT(',1', 500000), ']'), '$[*]' COLUMNS (x INT PATH '$')) p JOIN JSON_TABLE(CONCAT('[1', REPEAT(',1', 500000), ']'), '$[*]' COLUMNS (x INT PATH '$')) q",
	"SELECT REGEXP_REPLACE(REPEAT('ab', 500000), '(a)(b)', '$2$1')",
	"CREATE TEMPORARY TABLE IF NOT EXISTS scratch.tt (s LONGTEXT)", "INSERT INTO scratch.tt SELECT REPEAT('a', 100000)" + collationsThrice,
	"INSERT INTO scratch.tt SELECT REPEAT('a', 100000) FROM information_schema.collations LIMIT 100",
	"CREATE TEMPORARY TABLE scratch.tu SELECT a.ID, b.COLLATION_NAME" + collationsThrice,
}

// TestMemoryUnderAttack has several clients at a time want all the memory there is: the server, whose memory is bounded from outside, lives and
// answers root, and has it back afterwards.
func TestMemoryUnderAttack(t *testing.T) {
	if raceEnabled {
		t.Skip("runs without the race detector: with it the server's memory has no limit")
	}
	soak, _ := time.ParseDuration(os.Getenv("PFSD_SOAK"))
	h := attack(t)
	until := time.Now().Add(soak)
	sent, refused := 0, map[string]int{}
	var mu sync.Mutex
	for first := true; first || time.Now().Before(until); first = false {
		var all sync.WaitGroup
		for client := range 4 {
			all.Go(func() {
				s, err := h.session(1 + client%2) // reader and owner
				defer s.close()
				if err != nil {
					t.Error(err)
					return
				}
				for i := range 40 { // the connection keeps what it may, too
					_ = readAll(s.conn, fmt.Sprintf("SET @v%d = REPEAT('a', 1000000)", i))
					_ = readAll(s.conn, fmt.Sprintf("PREPARE p%d FROM 'SELECT 1%s'", i, strings.Repeat(",1", 2000)))
				}
				_ = readAll(s.conn, "SET SESSION max_execution_time = 400")
				for i := range hostileHunger {
					q := hostileHunger[(i+client*7)%len(hostileHunger)]
					if f := s.run(q); f != nil {
						t.Error(f)
						return
					}
					mu.Lock()
					sent++
					if s.outcome != nil {
						refused[strings.Fields(code(s.outcome))[0]]++
					}
					mu.Unlock()
				}
			})
		}
		asked, stop := make(chan int), make(chan struct{})
		go func() {
			n := 0
			for {
				select {
				case <-stop:
					asked <- n
					return
				default:
				}
				if _, err := h.root.ExecContext(context.Background(), "DO 1"); err != nil {
					t.Errorf("root is refused: %v", err)
					<-stop
					asked <- n
					return
				}
				n++
			}
		}()
		all.Wait()
		close(stop)
		if n := <-asked; n == 0 {
			t.Error("root has had no answer")
		}
		if !h.alive() {
			t.Fatalf("the server has died: %s", h.last("stderr"))
		}
	}
	t.Logf("%d statements, errors %v; %d MiB resident at the most", sent, refused, h.resident()>>20)
	eventually(t, "the memory is given back", func() bool { return h.inUse() < h.memory+hostileKept })
}
