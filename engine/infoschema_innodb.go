package engine

import (
	"strings"
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
	// openTransactions are those of all connections, the latest first.
	openTransactions func() []transactionRow
	registry         *instr.Registry
	// started is when the server was.
	started time.Time
	// poolSize is what innodb_buffer_pool_size says.
	poolSize uint64
}

// denied tells why the session may not look at the storage.
func (infoInnoDB) denied(ctx *sql.Context) error {
	if access.May(ctx, accounts.Process) {
		return nil
	}
	return access.ErrNeeds(accounts.Process)
}

// transactionRow is an open transaction.
type transactionRow struct {
	connection uint32
	isolation  string
	// readOnly tells that it may not write, reads that it is one statement that changes nothing.
	readOnly, reads           bool
	uniqueChecks, foreignKeys bool // whether they are checked
	started                   time.Time
	written                   uint64 // rows
	query                     string // "" if none is carried out
	state                     string // of the connection's thread
	user, host                string
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
	for _, t := range i.openTransactions() {
		var query any
		if t.query != "" {
			text := []rune(t.query)
			query = string(text[:min(len(text), shownQuery)])
		}
		rows = append(rows, sql.Row{
			firstTransaction + uint64(t.connection), "RUNNING", moment.Wall(t.started, 0, zone), nil, nil, t.written, uint64(t.connection), query, nil,
			none, none, none, none, none, t.written, none, // trx_tables_in_use to trx_concurrency_tickets
			t.isolation, bit(t.uniqueChecks), bit(t.foreignKeys), nil, int32(0), none,
			bit(t.readOnly), bit(t.reads), nil,
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
	status := i.registry.GlobalStatus()
	var reads, writes, updates, deletes, rollbacks uint64
	for _, v := range i.registry.StatusVariables() {
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
		{"trx_active_transactions", "transaction", "counter", "Number of active transactions", uint64(len(i.openTransactions()))},
		{"dml_reads", "dml", "status_counter", "Number of rows asked for", reads},
		{"dml_inserts", "dml", "status_counter", "Number of rows inserted", writes},
		{"dml_deletes", "dml", "status_counter", "Number of rows deleted", deletes},
		{"dml_updates", "dml", "status_counter", "Number of rows updated", updates},
		{"buffer_pool_size", "server", "value", "Size of the buffer pool, which is not here: as innodb_buffer_pool_size", i.poolSize},
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
