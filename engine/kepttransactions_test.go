package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// keptTransactions begin and end transactions; each comes again and again.
var keptTransactions = []string{
	"BEGIN", "START TRANSACTION", "START TRANSACTION READ ONLY", "START TRANSACTION READ WRITE", "START TRANSACTION WITH CONSISTENT SNAPSHOT",
	"COMMIT", "ROLLBACK",
}

// TestKeptTransactions: a transaction that a plan begins or ends which was kept is like any other, whatever the session's variables are meanwhile.
func TestKeptTransactions(t *testing.T) {
	oneAtATime(t)
	p := newKeptPair(t)
	others := []string{
		"INSERT INTO u (a, b) VALUES (%d, 'new')", "UPDATE t SET i = i + 1 WHERE id = %d", "DELETE FROM p WHERE id = %d", "SELECT COUNT(*) FROM u WHERE a < %d",
		"SET autocommit = 0", "SET autocommit = 1", "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
		"SET SESSION TRANSACTION READ ONLY", "SET SESSION TRANSACTION READ WRITE", "SAVEPOINT here", "ROLLBACK TO SAVEPOINT here",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 600 {
		if random.IntN(2) == 0 {
			p.run(keptTransactions[random.IntN(len(keptTransactions))], nil)
			continue
		}
		q := others[random.IntN(len(others))]
		if strings.Contains(q, "%d") {
			q = fmt.Sprintf(q, random.IntN(30))
		}
		p.run(q, nil)
		p.run("SELECT COUNT(*), SUM(a) FROM u", nil)
		p.run("SELECT STATE, ACCESS_MODE, ISOLATION_LEVEL, AUTOCOMMIT, NUMBER_OF_SAVEPOINTS FROM performance_schema.events_transactions_current WHERE THREAD_ID = PS_CURRENT_THREAD_ID()", nil)
	}
	for _, s := range p.both {
		mustRun(t, s, "ROLLBACK")
	}
	s := p.both[0]
	for _, q := range keptTransactions {
		mustRun(t, s, q)
		mustRun(t, s, q)
		before := p.kept.kept.Counts().Hits
		mustRun(t, s, q)
		if p.kept.kept.Counts().Hits == before {
			t.Errorf("%s: its plan is not used again", q)
		}
		mustRun(t, s, "ROLLBACK")
	}
}
