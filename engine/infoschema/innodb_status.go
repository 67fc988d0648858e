package infoschema

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pfsd/engine/syntax"
)

// Monitor returns the text of SHOW ENGINE INNODB STATUS: the sections that tools parse, with the
// values that this server's storage has. It has a section on the last deadlock only if there was
// one. The section on transactions lists the open ones.
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
	if d := i.LastDeadlock(); d != nil {
		section("LATEST DETECTED DEADLOCK")
		b.WriteString(d.Text(now.Location()))
	}
	section("TRANSACTIONS")
	open := i.OpenTransactions()
	fmt.Fprintf(&b, "Trx id counter %d\nHistory list length 0\nLIST OF TRANSACTIONS FOR EACH SESSION:\n", i.NextTransaction())
	running := 0
	for _, t := range open {
		b.WriteString("---")
		t.write(&b, now)
		if t.Query != "" {
			running++
		}
		if t.Requested != "" {
			title := fmt.Sprintf("------- TRX HAS BEEN WAITING %d SEC FOR THIS LOCK TO BE GRANTED:", seconds(t.WaitsSince, now))
			fmt.Fprintf(&b, "%s\n", title)
			t.Waits.write(&b, t.id(), true)
			b.WriteString("------------------\n")
		}
	}
	section("FILE I/O")
	c := i.Storage()
	f := &c.Files
	rate := func(n uint64) float64 { return float64(n) / float64(elapsed) }
	fmt.Fprintf(&b, "%d OS file reads, %d OS file writes, %d OS fsyncs\n", f.Reads, f.Writes, f.Syncs)
	fmt.Fprintf(&b, "%.2f reads/s, %d avg bytes/read, %.2f writes/s, %.2f fsyncs/s\n", rate(f.Reads), f.ReadBytes/max(f.Reads, 1), rate(f.Writes), rate(f.Syncs))
	section("INSERT BUFFER AND ADAPTIVE HASH INDEX")
	section("LOG")
	b.WriteString("Log sequence number          0\nLog flushed up to            0\nLast checkpoint at           0\n")
	section("BUFFER POOL AND MEMORY")
	b.WriteString("Buffer pool size   0\nFree buffers       0\nDatabase pages     0\nModified db pages  0\n")
	section("ROW OPERATIONS")
	fmt.Fprintf(&b, "%d queries inside InnoDB, 0 queries in queue\n%d read views open inside InnoDB\n", running, 0)
	fmt.Fprintf(&b, "Number of rows inserted %d, updated %d, deleted %d, read %d\n", c.RowsInserted, c.RowsUpdated, c.RowsDeleted, c.RowsRead)
	fmt.Fprintf(&b, "%.2f inserts/s, %.2f updates/s, %.2f deletes/s, %.2f reads/s\n", rate(c.RowsInserted), rate(c.RowsUpdated), rate(c.RowsDeleted), rate(c.RowsRead))
	section("END OF INNODB MONITOR OUTPUT")
	s := b.String()
	last := "END OF INNODB MONITOR OUTPUT"
	return strings.TrimSuffix(s, strings.Repeat("-", len(last))+"\n") + strings.Repeat("=", len(last)) + "\n"
}

func seconds(from, to time.Time) int64 { return max(int64(to.Sub(from)/time.Second), 0) }

// write writes the state of a transaction at the time now, its statement last.
func (t *Transaction) write(b *strings.Builder, now time.Time) {
	fmt.Fprintf(b, "TRANSACTION %d, ACTIVE %d sec\n", t.id(), seconds(t.Started, now))
	wait := ""
	if t.Requested != "" {
		wait = "LOCK WAIT "
	}
	if t.RowLocks > 0 || t.RowsWritten > 0 || wait != "" {
		fmt.Fprintf(b, "%s%d lock struct(s), heap size 0, %d row lock(s)", wait, t.RowLocks+t.Tables, t.RowLocks)
		if t.RowsWritten > 0 {
			fmt.Fprintf(b, ", undo log entries %d", t.RowsWritten)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "MySQL thread id %d, query id 0 %s %s %s\n", t.Connection, t.Host, t.User, t.State)
	if t.Query != "" {
		fmt.Fprintf(b, "%s\n", t.Query)
	}
}

// write writes a lock of a transaction. Tools look for numbers of a tablespace and a page; these
// are 0, because the storage has neither.
func (l *RowLock) write(b *strings.Builder, transaction uint64, waits bool) {
	if l.Table == "" {
		b.WriteString("A lock on rows of a table that is gone\n")
		return
	}
	mode, what, end := "X", " locks rec but not gap", ""
	if l.Shared {
		mode = "S"
	}
	if l.Range {
		what = " locks gap before rec"
	}
	if waits {
		end = " waiting"
	}
	if l.Whole {
		fmt.Fprintf(b, "TABLE LOCK table %s.%s trx id %d lock mode %s%s\n", syntax.QuoteName(l.Database), syntax.QuoteName(l.Table), transaction, mode, end)
		return
	}
	fmt.Fprintf(b, "RECORD LOCKS space id 0 page no 0 n bits 0 index %s of table %s.%s trx id %d lock_mode %s%s%s\n",
		l.Index, syntax.QuoteName(l.Database), syntax.QuoteName(l.Table), transaction, mode, what, end)
	if l.Data != "" {
		fmt.Fprintf(b, "Record: %s\n", l.Data)
	}
}

// Text returns the text of the section on the deadlock. The transaction that was rolled back comes
// last.
func (d *Deadlock) Text(zone *time.Location) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "%s\n", d.Time.In(zone).Format(time.DateTime))
	parts := append(slices.Clone(d.Parts[1:]), d.Parts[0])
	for i := range parts {
		p := &parts[i]
		fmt.Fprintf(b, "*** (%d) TRANSACTION:\n", i+1)
		p.Transaction.write(b, d.Time)
		if p.Holds.Table != "" {
			fmt.Fprintf(b, "\n*** (%d) HOLDS THE LOCK(S):\n", i+1)
			p.Holds.write(b, p.id(), false)
		}
		fmt.Fprintf(b, "\n*** (%d) WAITING FOR THIS LOCK TO BE GRANTED:\n", i+1)
		p.Waits.write(b, p.id(), true)
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "*** WE ROLL BACK TRANSACTION (%d)\n", len(parts))
	return b.String()
}
