package storage

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/storage/codec"
	"pfsd/engine/storage/record"
	"pfsd/engine/txkv"
)

// Lock is a lock on a row or on a range of an index, held or waited for.
type Lock struct {
	// ID is a text that identifies the lock among all present locks. Number identifies it as a
	// number.
	ID     string
	Number uint64
	// Transaction is the number of the transaction. Owner is the owner that the transaction was
	// begun with. Event is the event of [Transaction.StartStatement] when the lock was requested.
	Transaction     uint64
	Owner           any
	Event           uint64
	Database, Table string
	Index           string
	Whole           bool // a lock on all rows, which the transaction has instead of very many locks
	Range           bool // a lock on the gap before Data, else on the row alone
	Shared          bool
	Waiting         bool
	Since           time.Time     // since when the lock is waited for, if it is
	Held            time.Duration // how long the lock has been granted, if it is
	// Blockers are the indexes, in the list of locks, of the locks that this one waits for.
	Blockers []int
	// Data is the key of the row as texts, "" if it is not known.
	Data string
}

// keylessIndex is the name of the index that has the rows of a table without a primary key.
const keylessIndex = "GEN_CLUST_INDEX"

// supremum is the end of an index, as a lock names it.
const supremum = "supremum pseudo-record"

// LockSpan is a [txkv.Options.LockSpan]: a lock on a whole table covers the table's rows and index
// entries.
func LockSpan(key []byte) (lo, hi []byte) {
	if len(key) < prefixSize || key[0] != keyTable {
		return nil, nil
	}
	lo = tablePrefix(tableOf(key))
	return lo, codec.After(lo)
}

// Locks returns all locks. Safe for concurrent use.
func (p *Provider) Locks() []Lock {
	r := p.readLocks()
	defer r.end()
	all := p.store.Locks()
	shown := make([]Lock, 0, len(all))
	place := make([]int, len(all)) // index in shown, negative if the lock is not there
	for i := range all {
		place[i] = -1
		lock, ok := r.lock(&all[i])
		if !ok {
			continue
		}
		place[i] = len(shown)
		for _, b := range all[i].Blockers {
			if place[b] >= 0 {
				lock.Blockers = append(lock.Blockers, place[b])
			}
		}
		shown = append(shown, lock)
	}
	return shown
}

// LockWait is a lock that is waited for, and the locks that block it.
type LockWait struct {
	Waiter   Lock
	Blockers []Lock // a transaction that blocks only because it waits first has an entry without a Table
}

// LockWaits returns the locks that are waited for now. Safe for concurrent use.
func (p *Provider) LockWaits() []LockWait {
	waits := p.store.LockWaits()
	if len(waits) == 0 {
		return nil
	}
	r := p.readLocks()
	defer r.end()
	all := make([]LockWait, 0, len(waits))
	for i := range waits {
		w, ok := r.lock(&waits[i].Waiter)
		if !ok {
			continue
		}
		wait := LockWait{Waiter: w}
		for j := range waits[i].Blockers {
			b := &waits[i].Blockers[j]
			lock, ok := r.lock(b)
			if !ok {
				lock = Lock{Transaction: b.Txn, Owner: b.Owner}
			}
			wait.Blockers = append(wait.Blockers, lock)
		}
		all = append(all, wait)
	}
	return all
}

// lockReader finds out which tables, indexes and rows locks are on.
type lockReader struct {
	tables map[uint32]*Table
	read   *txkv.Txn
}

// readLocks returns a lockReader. The caller ends it with end.
func (p *Provider) readLocks() lockReader {
	tables := map[uint32]*Table{}
	p.mu.RLock()
	defer p.mu.RUnlock()
	for _, d := range p.databases {
		for _, def := range d.tables {
			tables[def.record.ID] = &Table{db: d, def: def}
		}
	}
	return lockReader{tables, p.store.Begin(txkv.TxnOptions{Isolation: txkv.ReadCommitted, ReadOnly: true})}
}

func (r lockReader) end() { r.read.Rollback() }

// lock converts a lock of the store, without its blockers. It returns false for a lock on a
// temporary table or on a table that has been dropped.
func (r lockReader) lock(l *txkv.LockInfo) (lock Lock, ok bool) {
	if len(l.Key) < prefixSize && !l.Span || len(l.Key) == 0 || l.Key[0] != keyTable {
		return lock, false
	}
	t := r.tables[tableOf(l.Key)]
	if t == nil {
		return lock, false
	}
	lock = Lock{
		Transaction: l.Txn, Owner: l.Owner, Event: l.Event, Database: t.db.name, Table: t.def.name(),
		Whole: l.Span, Range: l.End != nil && !l.Span, Shared: l.Mode == txkv.Shared, Waiting: l.Waiting, Since: l.Since, Held: l.Held,
	}
	index := primaryID
	if !lock.Whole {
		index = indexOf(l.Key)
		lock.Index = t.def.indexName(index)
		key := l.Key
		if lock.Range {
			key = l.End
		}
		lock.Data = t.def.keyText(r.read, key)
		if lock.Range && len(key) <= prefixSize {
			lock.Data = supremum
		}
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %x %x %v %v", l.Txn, l.Key, l.End, l.Mode, l.Waiting)
	lock.Number = h.Sum64()
	lock.ID = fmt.Sprintf("%d:%d:%d:%x", l.Txn, tableOf(l.Key), index, lock.Number)
	return lock, true
}

// LockedIndex returns the database, the table and the index of a lock of the store. They are "" for
// a temporary table. Safe for concurrent use.
func (p *Provider) LockedIndex(l *txkv.LockInfo) (database, table, index string) {
	if len(l.Key) < prefixSize || l.Key[0] != keyTable {
		return "", "", ""
	}
	id := tableOf(l.Key)
	p.mu.RLock()
	defer p.mu.RUnlock()
	for _, d := range p.databases {
		for _, def := range d.tables {
			if def.record.ID == id {
				return d.name, def.name(), def.indexName(indexOf(l.Key))
			}
		}
	}
	return "", "", ""
}

// Deadlock is a cycle of transactions: each waits for the next one, and the last waits for the
// first, which was rolled back.
type Deadlock struct {
	Time  time.Time
	Parts []DeadlockPart
}

// DeadlockPart is one transaction of a deadlock. A lock has no database if it is not on a users'
// table, or if the table has been dropped.
type DeadlockPart struct {
	Waits Lock // the lock that the transaction waits for
	Holds Lock // the lock that it holds, and that the transaction before it waits for
	Held  int  // how many locks it holds
}

// Deadlock converts a deadlock of the store. Safe for concurrent use.
func (p *Provider) Deadlock(d *txkv.Deadlock) *Deadlock {
	r := p.readLocks()
	defer r.end()
	out := &Deadlock{Time: d.Time}
	for i := range d.Waits {
		part := DeadlockPart{Held: d.Held[i]}
		part.Waits, _ = r.lock(&d.Waits[i])
		part.Holds, _ = r.lock(&d.Holds[i])
		part.Waits.Transaction, part.Waits.Owner = d.Waits[i].Txn, d.Waits[i].Owner
		out.Parts = append(out.Parts, part)
	}
	return out
}

// indexName returns the name of the index with a number.
func (d *definition) indexName(id uint16) string {
	for i := range d.record.Indexes {
		if d.record.Indexes[i].ID == id {
			return d.record.Indexes[i].Name
		}
	}
	if d.keyless() {
		return keylessIndex
	}
	return primaryName
}

// keyText returns the values of a row's key as texts with commas between them, "" if they are not
// known.
func (d *definition) keyText(read *txkv.Txn, key []byte) string {
	if len(key) <= prefixSize || tableOf(key) != d.record.ID {
		return ""
	}
	if text := d.rowKeyText(read, key); text != "" {
		return text
	}
	return d.onlyKeyText(key)
}

// onlyKeyText does the same as keyText for a key without a committed row: it takes as many values
// as the key itself shows.
func (d *definition) onlyKeyText(key []byte) string {
	columns := d.record.PrimaryKey
	if id := indexOf(key); id != primaryID {
		i := slices.IndexFunc(d.record.Indexes, func(x record.Index) bool { return x.ID == id })
		if i < 0 || d.record.Indexes[i].Prefixes != nil {
			return ""
		}
		columns = append(slices.Clone(d.record.Indexes[i].Columns), columns...)
	}
	var texts []string
	rest := key[prefixSize:]
	for _, c := range columns {
		if len(rest) == 0 { // entries of a unique index have no columns of the primary key
			break
		}
		v, next, ok := d.columns[c].ReadKey(rest)
		if !ok {
			return ""
		}
		texts, rest = append(texts, d.cellText(c, v)), next
	}
	return strings.Join(texts, ", ")
}

// rowKeyText does the same as keyText for a committed row.
func (d *definition) rowKeyText(read *txkv.Txn, key []byte) string {
	var columns []int
	if id := indexOf(key); id != primaryID {
		i := slices.IndexFunc(d.record.Indexes, func(x record.Index) bool { return x.ID == id })
		entry, err := read.GetNewest(key)
		if i < 0 || entry == nil || err != nil {
			return ""
		}
		columns = d.record.Indexes[i].Columns
		key = append(prefix(d.record.ID, primaryID), entry...)
	}
	if d.keyless() && columns == nil {
		return fmt.Sprintf("0x%x", key[prefixSize:])
	}
	value, err := read.GetNewest(key)
	if value == nil || err != nil {
		return ""
	}
	row, err := codec.ReadRow(value, d.columns, nil, len(d.columns))
	if err != nil {
		return ""
	}
	var texts []string
	for _, c := range append(slices.Clone(columns), d.record.PrimaryKey...) {
		texts = append(texts, d.cellText(c, row[c]))
	}
	return strings.Join(texts, ", ")
}

// cellText returns a value as LOCK_DATA shows it: texts are quoted.
func (d *definition) cellText(column int, v any) string {
	if v == nil {
		return "NULL"
	}
	t := d.schema.Schema[column].Type
	s, _, err := types.LongText.Convert(context.Background(), v)
	if text, ok := s.(string); ok && err == nil {
		if types.IsText(t) || types.IsTime(t) || types.IsEnum(t) || types.IsSet(t) {
			return "'" + strings.ReplaceAll(text, "'", "''") + "'"
		}
		return text
	}
	return fmt.Sprint(v)
}
