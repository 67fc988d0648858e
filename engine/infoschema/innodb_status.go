package infoschema

import (
	"fmt"
	"strings"
	"time"
)

// Monitor is the text of SHOW ENGINE INNODB STATUS: the sections that tools look for, with what the storage, which keeps tables
// in memory, has to say in them. Transactions are listed with the connections that are in one.
func (i InnoDB) Monitor(now time.Time) string {
	var b strings.Builder
	section := func(name string) {
		rule := strings.Repeat("-", len(name))
		fmt.Fprintf(&b, "%s\n%s\n%s\n", rule, name, rule)
	}
	title := now.Format("2006-01-02 15:04:05") + " INNODB MONITOR OUTPUT"
	rule := strings.Repeat("=", len(title))
	elapsed := max(int64(now.Sub(i.Started)/time.Second), 1)
	fmt.Fprintf(&b, "\n%s\n%s\n%s\nPer second averages calculated from the last %d seconds\n", rule, title, rule, elapsed)
	section("BACKGROUND THREAD")
	section("SEMAPHORES")
	section("TRANSACTIONS")
	open := i.OpenTransactions()
	fmt.Fprintf(&b, "Trx id counter %d\nHistory list length 0\nLIST OF TRANSACTIONS FOR EACH SESSION:\n", FirstTransaction)
	running := 0
	for _, t := range open {
		fmt.Fprintf(&b, "---TRANSACTION %d, ACTIVE %d sec\n", FirstTransaction+uint64(t.Connection), max(int64(now.Sub(t.Started)/time.Second), 0))
		if t.Written > 0 {
			fmt.Fprintf(&b, "0 lock struct(s), heap size 0, 0 row lock(s), undo log entries %d\n", t.Written)
		}
		fmt.Fprintf(&b, "MySQL thread id %d, query id 0 %s %s %s\n", t.Connection, t.Host, t.User, t.State)
		if t.Query != "" {
			running++
			fmt.Fprintf(&b, "%s\n", t.Query)
		}
	}
	section("FILE I/O")
	b.WriteString("0 OS file reads, 0 OS file writes, 0 OS fsyncs\n")
	section("INSERT BUFFER AND ADAPTIVE HASH INDEX")
	section("LOG")
	b.WriteString("Log sequence number          0\nLog flushed up to            0\nLast checkpoint at           0\n")
	section("BUFFER POOL AND MEMORY")
	b.WriteString("Buffer pool size   0\nFree buffers       0\nDatabase pages     0\nModified db pages  0\n")
	section("ROW OPERATIONS")
	fmt.Fprintf(&b, "%d queries inside InnoDB, 0 queries in queue\n%d read views open inside InnoDB\n", running, 0)
	n := map[string]uint64{}
	for _, m := range i.storageMetrics() {
		n[m.name] = m.value
	}
	per := func(name string) float64 { return float64(n[name]) / float64(elapsed) }
	fmt.Fprintf(&b, "Number of rows inserted %d, updated %d, deleted %d, read %d\n", n["dml_inserts"], n["dml_updates"], n["dml_deletes"], n["dml_reads"])
	fmt.Fprintf(&b, "%.2f inserts/s, %.2f updates/s, %.2f deletes/s, %.2f reads/s\n", per("dml_inserts"), per("dml_updates"), per("dml_deletes"), per("dml_reads"))
	section("END OF INNODB MONITOR OUTPUT")
	s := b.String()
	last := "END OF INNODB MONITOR OUTPUT"
	return strings.TrimSuffix(s, strings.Repeat("-", len(last))+"\n") + strings.Repeat("=", len(last)) + "\n"
}
