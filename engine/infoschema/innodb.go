package infoschema

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/moment"
	"pfsd/engine/txkv"
)

// InnoDB makes the tables of information_schema that MySQL's InnoDB fills, from the state of this server's
// storage. Safe for concurrent use.
type InnoDB struct {
	// OpenTransactions returns the transactions of all connections, the latest first.
	OpenTransactions func() []Transaction
	// LastDeadlock returns the last deadlock, nil if there was none.
	LastDeadlock func() *Deadlock
	// NextTransaction is the number that the storage gives to the next transaction.
	NextTransaction func() uint64
	// Storage returns the counts of users' tables.
	Storage func() StorageCounts
	// Started is when the server started.
	Started time.Time
	// PoolSize is innodb_buffer_pool_size.
	PoolSize uint64
}

// checkProcess returns the error of a session without the privilege PROCESS.
func (InnoDB) checkProcess(ctx *sql.Context) error {
	if access.May(ctx, accounts.Process) {
		return nil
	}
	return access.ErrNeeds(accounts.Process)
}

// Transaction is an open transaction.
type Transaction struct {
	Connection uint32
	// ID is the storage's number of the transaction, 0 if it has none yet.
	ID uint64
	// RowLocks is the number of locks on rows that the transaction has, and Tables the number of
	// tables with these rows. Requested is the lock that it waits for, "" if it does not wait.
	RowLocks, Tables uint64
	Requested        string
	// Waits is the place that Requested locks. WaitsSince is when the wait began.
	Waits      RowLock
	WaitsSince time.Time
	Isolation  string
	// ReadOnly means START TRANSACTION READ ONLY. AutocommitRead means a single SELECT with
	// autocommit.
	ReadOnly, AutocommitRead  bool
	UniqueChecks, ForeignKeys bool // whether unique keys and foreign keys are checked
	Started                   time.Time
	RowsWritten               uint64 // number of rows
	Query                     string // the running statement, "" if there is none
	State                     string // the State of the connection's thread
	User, Host                string
}

// RowLock is a lock on a row or on a range of an index. The zero RowLock is no lock.
type RowLock struct {
	Database, Table, Index string
	Whole                  bool // the lock is on all rows of the table
	Shared, Range          bool
	Data                   string // the row's key as text, for a range the key of the row after it; "" if there is no such row
}

// Deadlock is a circle of transactions: each one waited for the next, and the last for the first.
type Deadlock struct {
	Time  time.Time
	Parts []DeadlockPart // the first was rolled back
}

// DeadlockPart is one of the transactions of a deadlock; Waits is the lock that it waited for.
type DeadlockPart struct {
	Transaction
	Holds RowLock // its lock that another transaction waited for
}

// id returns the transaction's number as tables and the monitor show it.
func (t *Transaction) id() uint64 {
	if t.ID == 0 {
		return firstTransaction + uint64(t.Connection)
	}
	return t.ID
}

// firstTransaction is the lowest id of a transaction without a number. As in MySQL, a transaction
// that has locked nothing has an id from 2^48 on; here that is 2^48 plus the number of its
// connection.
const firstTransaction = uint64(1) << 48

// shownQuery is the length of trx_query in characters.
const shownQuery = 1024

// transactions returns the rows of INNODB_TRX.
func (i InnoDB) transactions(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
	if err := i.checkProcess(ctx); err != nil {
		return nil, err
	}
	zone := moment.Zone(ctx)
	bit := func(b bool) int32 {
		if b {
			return 1
		}
		return 0
	}
	none := uint64(0)
	for _, t := range i.OpenTransactions() {
		var query any
		if t.Query != "" {
			text := []rune(t.Query)
			query = string(text[:min(len(text), shownQuery)])
		}
		state, requested, waits := "RUNNING", any(nil), any(nil)
		if t.Requested != "" {
			state, requested, waits = "LOCK WAIT", t.Requested, moment.Wall(t.WaitsSince, 0, zone)
		}
		rows = append(rows, sql.Row{
			t.id(), state, moment.Wall(t.Started, 0, zone), requested, waits, t.RowsWritten + t.RowLocks, uint64(t.Connection), query, nil,
			none, t.Tables, t.RowLocks + t.Tables, none, t.RowLocks, t.RowsWritten, none, // columns trx_tables_in_use to trx_concurrency_tickets
			t.Isolation, bit(t.UniqueChecks), bit(t.ForeignKeys), nil, int32(0), none,
			bit(t.ReadOnly), bit(t.AutocommitRead), nil,
		})
	}
	return rows, nil
}

// metric is a row of INNODB_METRICS.
type metric struct {
	name, subsystem, kind, comment string
	value                          uint64
}

// StorageCounts are the counts of users' tables since the server started.
type StorageCounts struct {
	RowsRead, RowsInserted, RowsUpdated, RowsDeleted uint64
	Commits, Rollbacks                               uint64 // transactions that have written
	SavepointRollbacks                               uint64
	Locks                                            txkv.LockStats
	Files                                            txkv.IOStats
}

// storageMetrics returns the metrics of INNODB_METRICS that this server's storage counts.
func (i InnoDB) storageMetrics() []metric {
	c := i.Storage()
	milliseconds := uint64(c.Locks.Time / time.Millisecond)
	return []metric{
		{"lock_deadlocks", "lock", "counter", "Deadlocks that were found", c.Locks.Deadlocks},
		{"lock_timeouts", "lock", "counter", "Waits for locks on rows that took too long", c.Locks.Timeouts},
		{"lock_rec_lock_waits", "lock", "counter", "Requests for locks on rows that had to wait", c.Locks.Waits},
		{"lock_row_lock_current_waits", "lock", "status_counter", "Requests for locks on rows that wait now", c.Locks.Current},
		{"lock_row_lock_time", "lock", "status_counter", "Time that locks on rows were waited for, milliseconds", milliseconds},
		{"lock_row_lock_time_max", "lock", "value", "Longest wait for a lock on a row, milliseconds", uint64(c.Locks.Max / time.Millisecond)},
		{"lock_row_lock_waits", "lock", "status_counter", "Requests for locks on rows that had to wait", c.Locks.Waits},
		{"lock_row_lock_time_avg", "lock", "value", "Time that a wait for a lock on a row took, milliseconds", milliseconds / max(c.Locks.Waits, 1)},
		{"buffer_pool_size", "server", "value", "What users' tables may have in memory: innodb_buffer_pool_size", i.PoolSize},
		{"buffer_data_reads", "buffer", "status_counter", "Bytes read from files", c.Files.ReadBytes},
		{"buffer_data_written", "buffer", "status_counter", "Bytes written to files", c.Files.WrittenBytes},
		{"os_data_reads", "os", "status_counter", "Reads of files", c.Files.Reads},
		{"os_data_writes", "os", "status_counter", "Writes of files", c.Files.Writes},
		{"os_data_fsyncs", "os", "status_counter", "Times that a file was synced", c.Files.Syncs},
		{"os_pending_reads", "os", "value", "Reads of files that go on", uint64(c.Files.PendingReads)},
		{"os_pending_writes", "os", "value", "Writes of files that go on", uint64(c.Files.PendingWrites)},
		{"os_log_bytes_written", "os", "status_counter", "Bytes written to the log of commits", c.Files.LogBytes},
		{"os_log_fsyncs", "os", "status_counter", "Times that the log of commits was synced", c.Files.LogSyncs},
		{"os_log_pending_fsyncs", "os", "value", "Syncs of the log of commits that go on", uint64(c.Files.PendingLogSyncs)},
		{"os_log_pending_writes", "os", "value", "Writes of the log of commits that go on", uint64(c.Files.PendingLogWrites)},
		{"trx_rw_commits", "transaction", "counter", "Transactions that have written and were committed", c.Commits},
		{"trx_rollbacks", "transaction", "counter", "Transactions that have written and were rolled back", c.Rollbacks},
		{"trx_rollbacks_savepoint", "transaction", "counter", "Rollbacks to savepoints", c.SavepointRollbacks},
		{"trx_active_transactions", "transaction", "counter", "Transactions that are open", uint64(len(i.OpenTransactions()))},
		{"log_waits", "log", "status_counter", "Commits that waited for room in the log", c.Files.LogWaits},
		{"log_write_requests", "log", "status_counter", "Commits that were given to the log", c.Files.LogRequests},
		{"log_writes", "log", "status_counter", "Writes of the log of commits", c.Files.LogWrites},
		{"dml_reads", "dml", "status_counter", "Rows read", c.RowsRead},
		{"dml_inserts", "dml", "status_counter", "Rows inserted", c.RowsInserted},
		{"dml_deletes", "dml", "status_counter", "Rows deleted", c.RowsDeleted},
		{"dml_updates", "dml", "status_counter", "Rows updated", c.RowsUpdated},
	}
}

// metrics returns the rows of INNODB_METRICS. All of them count from the start of the server.
func (i InnoDB) metrics(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
	if err := i.checkProcess(ctx); err != nil {
		return nil, err
	}
	elapsed := int64(time.Since(i.Started) / time.Second)
	enabled := moment.Wall(i.Started, 0, moment.Zone(ctx))
	for _, m := range i.storageMetrics() {
		var average any
		if elapsed > 0 && m.kind != "value" {
			average = float32(m.value) / float32(elapsed)
		}
		n := int64(m.value)
		rows = append(rows, sql.Row{
			m.name, m.subsystem, n, n, nil, average, n, n, nil, average, enabled, nil, elapsed, nil, "enabled", m.kind, m.comment,
		})
	}
	return rows, nil
}

// pageSizes are the page sizes of InnoDB's compression, bytes.
var pageSizes = []int32{1024, 2048, 4096, 8192, 16384}

// compression returns the rows of INNODB_CMP: nothing is compressed.
func (i InnoDB) compression(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
	if err := i.checkProcess(ctx); err != nil {
		return nil, err
	}
	for _, size := range pageSizes {
		rows = append(rows, sql.Row{size, int32(0), int32(0), int32(0), int32(0), int32(0)})
	}
	return rows, nil
}

// compressedPages returns the rows of INNODB_CMPMEM.
func (i InnoDB) compressedPages(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
	if err := i.checkProcess(ctx); err != nil {
		return nil, err
	}
	for _, size := range pageSizes {
		rows = append(rows, sql.Row{size, int32(0), int32(0), int32(0), int64(0), int32(0)})
	}
	return rows, nil
}
