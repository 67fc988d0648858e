package infoschema

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/moment"
	"pfsd/instr"
)

// InnoDB makes the tables of information_schema that MySQL's InnoDB fills, of what this server's
// storage has to say. Safe for concurrent use.
type InnoDB struct {
	// OpenTransactions are those of all connections, the latest first.
	OpenTransactions func() []Transaction
	Registry         *instr.Registry
	// Started is when the server was.
	Started time.Time
	// PoolSize is what innodb_buffer_pool_size says.
	PoolSize uint64
}

// denied tells why the session may not look at the storage.
func (InnoDB) denied(ctx *sql.Context) error {
	if access.May(ctx, accounts.Process) {
		return nil
	}
	return access.ErrNeeds(accounts.Process)
}

// Transaction is an open transaction.
type Transaction struct {
	Connection uint32
	Isolation  string
	// ReadOnly tells that it may not write, reads that it is one statement that changes nothing.
	ReadOnly, Reads           bool
	UniqueChecks, ForeignKeys bool // whether they are checked
	Started                   time.Time
	Written                   uint64 // rows
	Query                     string // "" if none is carried out
	State                     string // of the connection's thread
	User, Host                string
}

// FirstTransaction is where the numbers of transactions begin: the storage gives them none, so that as in MySQL those that it gives
// none are numbered, from 2^48 on, by what they belong to.
const FirstTransaction = uint64(1) << 48

// shownQuery is how much of a statement INNODB_TRX has, characters.
const shownQuery = 1024

// transactions are the rows of INNODB_TRX.
func (i InnoDB) transactions(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
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
	for _, t := range i.OpenTransactions() {
		var query any
		if t.Query != "" {
			text := []rune(t.Query)
			query = string(text[:min(len(text), shownQuery)])
		}
		rows = append(rows, sql.Row{
			FirstTransaction + uint64(t.Connection), "RUNNING", moment.Wall(t.Started, 0, zone), nil, nil, t.Written, uint64(t.Connection), query, nil,
			none, none, none, none, none, t.Written, none, // trx_tables_in_use to trx_concurrency_tickets
			t.Isolation, bit(t.UniqueChecks), bit(t.ForeignKeys), nil, int32(0), none,
			bit(t.ReadOnly), bit(t.Reads), nil,
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
func (i InnoDB) storageMetrics() []metric {
	status := i.Registry.GlobalStatus()
	var reads, writes, updates, deletes, rollbacks uint64
	for _, v := range i.Registry.StatusVariables() {
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
		{"trx_active_transactions", "transaction", "counter", "Number of active transactions", uint64(len(i.OpenTransactions()))},
		{"dml_reads", "dml", "status_counter", "Number of rows asked for", reads},
		{"dml_inserts", "dml", "status_counter", "Number of rows inserted", writes},
		{"dml_deletes", "dml", "status_counter", "Number of rows deleted", deletes},
		{"dml_updates", "dml", "status_counter", "Number of rows updated", updates},
		{"buffer_pool_size", "server", "value", "Size of the buffer pool, which is not here: as innodb_buffer_pool_size", i.PoolSize},
	}
}

// metrics are the rows of INNODB_METRICS: all count from when the server starts, or the status is flushed.
func (i InnoDB) metrics(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
	if err := i.denied(ctx); err != nil {
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

// pageSizes are those that InnoDB compresses to, bytes.
var pageSizes = []int32{1024, 2048, 4096, 8192, 16384}

// compression are the rows of INNODB_CMP: nothing is compressed.
func (i InnoDB) compression(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
	if err := i.denied(ctx); err != nil {
		return nil, err
	}
	for _, size := range pageSizes {
		rows = append(rows, sql.Row{size, int32(0), int32(0), int32(0), int32(0), int32(0)})
	}
	return rows, nil
}

// compressedPages are the rows of INNODB_CMPMEM.
func (i InnoDB) compressedPages(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
	if err := i.denied(ctx); err != nil {
		return nil, err
	}
	for _, size := range pageSizes {
		rows = append(rows, sql.Row{size, int32(0), int32(0), int32(0), int64(0), int32(0)})
	}
	return rows, nil
}
