package engine

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/moment"
	"pfsd/instr"
)

// infoInnoDB makes the tables of information_schema that MySQL's InnoDB fills, of what this server's
// storage has to say. Safe for concurrent use.
type infoInnoDB struct {
	clients *clientList
	reg     *instr.Registry
	started time.Time
}

// denied tells why the session may not look at the storage.
func (infoInnoDB) denied(ctx *sql.Context) error {
	if access.May(ctx, accounts.Process) {
		return nil
	}
	return access.ErrNeeds(accounts.Process)
}

// openTransaction is what others may know of the transaction that a connection is in. Its
// connection writes it, start and end; anybody reads it: what how says is published last.
type openTransaction struct {
	// how is 0 for no transaction, else transactionOpen and what kind it is.
	how atomic.Uint32
	// since is when it began, nanoseconds since 1970; 0 is when the statement did, alone in it.
	since atomic.Int64
	// modified is how many rows it has written; the connection's own.
	modified uint64
	// written is the same at the end of its last statement.
	written atomic.Uint64
}

// What an openTransaction is, beside its isolation level, which stands in the bits from isolationShift.
const (
	transactionOpen = 1 << iota
	transactionReadOnly
	transactionReads // a statement that reads, alone in it
	isolationShift   = iota
)

// isolationNames are the levels as INNODB_TRX names them.
var isolationNames = [...]string{"READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"}

// start notes that a transaction begins; reads tells that its statement changes nothing.
func (t *openTransaction) start(o instr.TransactionOptions, reads bool) {
	how := uint32(transactionOpen)
	if o.ReadOnly {
		how |= transactionReadOnly
	}
	t.modified = 0
	t.written.Store(0)
	if o.Autocommit {
		if reads {
			how |= transactionReads
		}
		t.since.Store(0)
	} else {
		t.since.Store(time.Now().UnixNano())
	}
	for i, name := range isolationNames {
		if name == o.Isolation {
			how |= uint32(i) << isolationShift
		}
	}
	t.how.Store(how)
}

// tell publishes what a statement has written.
func (t *openTransaction) tell() {
	if t.how.Load() != 0 {
		t.written.Store(t.modified)
	}
}

// end notes that there is no transaction any more.
func (t *openTransaction) end() { t.how.Store(0) }

// transactionRow is an open transaction.
type transactionRow struct {
	connection uint32
	how        uint32
	started    time.Time
	written    uint64
	query      string // "" if none is carried out
	checks     [2]bool
	state      string // of the connection's thread
	user, host string
}

// openTransactions are the transactions of all connections, the latest first.
func (l *clientList) openTransactions() (all []transactionRow) {
	l.mu.Lock()
	for id, c := range l.clients {
		if c.work == nil {
			continue
		}
		t := &c.work.trx
		row := transactionRow{connection: id, how: t.how.Load(), started: c.since, written: t.written.Load(), query: c.query, user: c.user, host: c.host}
		if row.how == 0 {
			continue
		}
		if since := t.since.Load(); since != 0 {
			row.started = time.Unix(0, since)
		}
		row.checks = [2]bool{true, true}
		if v := c.variables.Load(); v != nil {
			row.checks = [2]bool{isOn(v.Get("unique_checks")), isOn(v.Get("foreign_key_checks"))}
		}
		if info, ok := c.thread.Snapshot(); ok {
			row.state = info.State
		}
		all = append(all, row)
	}
	l.mu.Unlock()
	slices.SortFunc(all, func(a, b transactionRow) int {
		return cmp.Or(b.started.Compare(a.started), cmp.Compare(b.connection, a.connection))
	})
	return all
}

// isOn tells whether a variable of two values is on.
func isOn(v any) bool {
	switch v := v.(type) {
	case int8:
		return v != 0
	case bool:
		return v
	case string:
		return strings.EqualFold(v, "ON") || v == "1"
	}
	return true
}

// firstTransaction is where the numbers of transactions begin: the storage gives them none, so that as in MySQL those that it gives
// none are numbered, from 2^48 on, by what they belong to.
const firstTransaction = uint64(1) << 48

// shownQuery is how much of a statement INNODB_TRX has, characters.
const shownQuery = 1024

// transactions are the rows of INNODB_TRX.
func (i infoInnoDB) transactions(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
	if err := i.denied(ctx); err != nil {
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
	for _, t := range i.clients.openTransactions() {
		var query any
		if t.query != "" {
			text := []rune(t.query)
			query = string(text[:min(len(text), shownQuery)])
		}
		rows = append(rows, sql.Row{
			firstTransaction + uint64(t.connection), "RUNNING", moment.Wall(t.started, 0, zone), nil, nil, t.written, uint64(t.connection), query, nil,
			none, none, none, none, none, t.written, none, // trx_tables_in_use to trx_concurrency_tickets
			isolationNames[t.how>>isolationShift&3], bit(t.checks[0]), bit(t.checks[1]), nil, int32(0), none,
			bit(t.how&transactionReadOnly != 0), bit(t.how&transactionReads != 0), nil,
		})
	}
	return rows, nil
}

// metric is a row of INNODB_METRICS.
type metric struct {
	name, subsystem, kind, comment string
	value                          uint64
}

// storageMetrics are what the storage counts of what INNODB_METRICS has in MySQL.
func (i infoInnoDB) storageMetrics() []metric {
	status := i.reg.GlobalStatus()
	var reads, writes, updates, deletes, rollbacks uint64
	for _, v := range i.reg.StatusVariables() {
		n := status.Value(v)
		switch name := v.Name(); {
		case strings.HasPrefix(name, "Handler_read_"):
			reads += n
		case name == "Handler_write":
			writes = n
		case name == "Handler_update":
			updates = n
		case name == "Handler_delete":
			deletes = n
		case name == "Handler_rollback":
			rollbacks = n
		}
	}
	return []metric{
		{"trx_rollbacks", "transaction", "counter", "Number of transactions rolled back", rollbacks},
		{"trx_active_transactions", "transaction", "counter", "Number of active transactions", uint64(len(i.clients.openTransactions()))},
		{"dml_reads", "dml", "status_counter", "Number of rows asked for", reads},
		{"dml_inserts", "dml", "status_counter", "Number of rows inserted", writes},
		{"dml_deletes", "dml", "status_counter", "Number of rows deleted", deletes},
		{"dml_updates", "dml", "status_counter", "Number of rows updated", updates},
		{"buffer_pool_size", "server", "value", "Size of the buffer pool, which is not here: as innodb_buffer_pool_size", innodbPoolSize},
	}
}

// metrics are the rows of INNODB_METRICS: all count from when the server starts, or the status is flushed.
func (i infoInnoDB) metrics(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
	if err := i.denied(ctx); err != nil {
		return nil, err
	}
	elapsed := int64(time.Since(i.started) / time.Second)
	enabled := moment.Wall(i.started, 0, moment.Zone(ctx))
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

// pageSizes are those that InnoDB compresses to, bytes.
var pageSizes = []int32{1024, 2048, 4096, 8192, 16384}

// compression are the rows of INNODB_CMP: nothing is compressed.
func (i infoInnoDB) compression(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
	if err := i.denied(ctx); err != nil {
		return nil, err
	}
	for _, size := range pageSizes {
		rows = append(rows, sql.Row{size, int32(0), int32(0), int32(0), int32(0), int32(0)})
	}
	return rows, nil
}

// compressedPages are the rows of INNODB_CMPMEM.
func (i infoInnoDB) compressedPages(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
	if err := i.denied(ctx); err != nil {
		return nil, err
	}
	for _, size := range pageSizes {
		rows = append(rows, sql.Row{size, int32(0), int32(0), int32(0), int64(0), int32(0)})
	}
	return rows, nil
}
