package engine

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/budget"
	"pfsd/engine/compat"
	"pfsd/engine/throttle"
	"pfsd/engine/wire"
	"pfsd/instr"
	"pfsd/tables"
)

// statusPrefix begins the names of the status variables that are ours.
const statusPrefix = "Performance_schema_"

// serverStatus is what the server knows of its status besides what threads count. Safe for
// concurrent use.
type serverStatus struct {
	throttle *throttle.Throttle
	reg      *instr.Registry
	prepared *atomic.Int64
	listener *wire.Listener
	clients  *clientList
	budget   *budget.Server
	kept     *keptPlans
	started  time.Time
	// tracks tells whether Global_connection_memory is shown.
	tracks func() bool
	// storage adds what users' tables count.
	storage func(l *statusList)

	mu      sync.Mutex
	flushed time.Time // guarded by mu; when FLUSH STATUS was last done
}

var _ tables.StatusSource = (*serverStatus)(nil)

func newServerStatus(s *Server) *serverStatus {
	now := time.Now()
	return &serverStatus{reg: s.reg, prepared: s.prepared, listener: s.listener, clients: s.clients, budget: s.budget, kept: s.kept, throttle: s.throttle, started: now, flushed: now,
		tracks: func() bool { return s.variables.Integer("global_connection_memory_tracking") != 0 }}
}

// statusList collects status variables.
type statusList []tables.StatusValue

func (l *statusList) text(name, value string) {
	*l = append(*l, tables.StatusValue{Name: name, Value: value})
}

func (l *statusList) number(name string, value uint64) { l.text(name, strconv.FormatUint(value, 10)) }

// zero adds variables whose value is always 0, none or OFF; docs/differences.md says why.
func (l *statusList) zero(value string, names ...string) {
	for _, name := range names {
		l.text(name, value)
	}
}

// GlobalStatus implements tables.StatusSource.
func (s *serverStatus) GlobalStatus() []tables.StatusValue {
	var l statusList
	s.connections(&l)
	s.encryption(&l)
	s.performanceSchema(&l)
	s.errorLog(&l)
	s.kept.status(&l)
	s.mu.Lock()
	flushed := s.flushed
	s.mu.Unlock()
	l.number("Uptime", uint64(time.Since(s.started)/time.Second))
	l.number("Uptime_since_flush_status", uint64(time.Since(flushed)/time.Second))
	l.number("Prepared_stmt_count", uint64(s.prepared.Load()))
	l.number("Open_files", uint64(s.reg.Reader().Used(instr.LimitFileHandles)))
	l.number("Open_tables", s.openTables())
	l.number("Open_table_definitions", uint64(len(s.reg.Reader().Tables())))
	memory := uint64(0)
	if s.tracks() {
		memory = uint64(s.budget.Used())
	}
	l.number("Global_connection_memory", memory)
	l.text("Last_query_cost", noCost)
	l.zero("0", unusedNumbers...)
	s.innodb(&l)
	l.zero("", "Caching_sha2_password_rsa_public_key", "Rsa_public_key", "Deprecated_use_i_s_processlist_last_timestamp",
		"Innodb_buffer_pool_dump_status", "Innodb_buffer_pool_load_status", "Innodb_buffer_pool_resize_status", "Innodb_redo_log_resize_status")
	l.zero("OFF", "Resource_group_supported", "Telemetry_logs_supported", "Telemetry_metrics_supported", "Telemetry_traces_supported",
		"Innodb_have_atomic_builtins", "Innodb_redo_log_enabled", "Innodb_redo_log_read_only")
	return l
}

// openTables is how many tables connections have open.
func (s *serverStatus) openTables() uint64 {
	return uint64(s.reg.Reader().Used(instr.LimitTableHandles))
}

// noCost is the cost of a statement that nobody has worked out.
const noCost = "0.000000"

// errorLog adds how much of the error log is kept.
func (s *serverStatus) errorLog(l *statusList) {
	log := s.listener.Log.Stats()
	l.number("Error_log_buffered_bytes", log.Bytes)
	l.number("Error_log_buffered_events", log.Events)
	l.number("Error_log_expired_events", log.Expired)
	l.number("Error_log_latest_write", uint64(log.Latest.UnixMicro()))
}

// connections adds what has become of connections.
func (s *serverStatus) connections(l *statusList) {
	c := &s.listener.Status
	l.number("Aborted_clients", s.listener.AbortedClients.Load())
	l.number("Aborted_connects", s.listener.AbortedConnects.Load())
	delayed, _ := s.throttle.Generated()
	l.number("Connection_control_delay_generated", delayed)
	l.number("Connections", c.Connections.Load())
	l.number("Threads_created", c.Connections.Load())
	l.number("Connection_errors_accept", c.NotAccepted.Load())
	l.number("Connection_errors_max_connections", c.Refused.Load())
	connected, running := s.clients.counts()
	l.number("Threads_connected", uint64(connected))
	l.number("Threads_running", uint64(running))
	most, at := s.listener.Count.Most()
	l.number("Max_used_connections", uint64(most))
	when := ""
	if !at.IsZero() {
		when = at.Format(time.DateTime)
	}
	l.text("Max_used_connections_time", when)
}

// encryption adds what is known of TLS.
func (s *serverStatus) encryption(l *statusList) {
	l.properties(s.listener.Channel.Properties())
	l.text("Tls_library_version", "crypto/tls "+runtime.Version())
	l.zero("", "Ssl_cipher", "Ssl_cipher_list", "Ssl_version")
}

// properties adds properties of TLS.
func (l *statusList) properties(all []wire.TLSProperty) {
	for _, p := range all {
		l.text(p.Name, p.Value)
	}
}

// performanceSchema adds the counters of what is lost.
func (s *serverStatus) performanceSchema(l *statusList) {
	l.number(statusPrefix+"locker_lost", s.reg.Reader().LockerLost())
	l.number(statusPrefix+"nested_statement_lost", s.reg.Reader().NestedStatementLost())
	l.number(statusPrefix+"digest_lost", s.reg.Reader().DigestsLost())
	l.number(statusPrefix+"session_connect_attrs_lost", s.reg.Reader().ConnectAttrsLost())
	l.number(statusPrefix+"session_connect_attrs_longest_seen", s.reg.Reader().ConnectAttrsLongestSeen())
	for i := range instr.LimitCount {
		if name := i.LostName(); name != "" {
			l.number(statusPrefix+name, s.reg.Reader().Lost(i))
		}
	}
}

// SessionStatus implements tables.StatusSource.
func (s *serverStatus) SessionStatus(t tables.Thread) []tables.StatusValue {
	var l statusList
	l.number("Open_tables", s.openTables())
	l.text("Compression", "OFF")
	l.text("Compression_algorithm", "")
	l.text("Compression_level", "0")
	l.text("Last_query_cost", noCost)
	l.zero("0", "Last_query_partial_plans", "Slow_launch_threads", "Ssl_default_timeout", "Ssl_verify_depth", "Ssl_verify_mode")
	for _, p := range s.listener.Channel.Properties() {
		if strings.HasPrefix(p.Name, "Ssl_server_not_") {
			l.text(p.Name, p.Value)
		}
	}
	w := s.clients.wireOf(t)
	if w == nil { // it has not logged in
		w = &wire.Conn{}
	}
	l.properties(w.TLSSession())
	l.text("Tls_sni_server_name", w.ServerName())
	return l
}

// ResetStatus implements tables.StatusSource.
func (s *serverStatus) ResetStatus() {
	s.mu.Lock()
	s.flushed = time.Now()
	s.mu.Unlock()
	s.listener.AbortedClients.Store(0)
	s.listener.Count.Forget()
}

// showStatus builds SHOW STATUS.
//
// go-mysql-server: a status variable has the value that somebody has set it to, and most have
// none; all servers of a process share them, and some of MySQL's are not known. MySQL: the
// value is worked out when it is asked for.
func (b *builder) showStatus(ctx *sql.Context, n *plan.ShowStatus) (sql.RowIter, error) {
	if !compat.StatusValues.On() {
		return nil, nil
	}
	var t tables.Thread
	if w := workOf(ctx); w != nil && w.thread != nil {
		t = w.thread
	}
	var rows []sql.Row
	for _, v := range tables.ShowStatus(tables.Of(b.reg), t, *n == *plan.NewShowStatus(true)) {
		rows = append(rows, sql.Row{v.Name, v.Value})
	}
	return sql.RowsToRowIter(rows...), nil
}

// took notes how long the command has taken.
func (w *work) took(ctx *sql.Context, d time.Duration) {
	if w.slow.unknown {
		w.slow.unknown, w.slow.from, w.slow.examined = false, longQueryTime(ctx), 0
		if v, err := ctx.GetSessionVariable(ctx, "min_examined_row_limit"); err == nil {
			w.slow.examined, _ = v.(uint64)
		}
	}
	if d > w.slow.from {
		w.status.slowQueries.AddTo(w.thread, 1)
	}
}

// longQueryTime is how long a statement may take that is not slow.
func longQueryTime(ctx *sql.Context) time.Duration {
	const most = 365 * 24 * 60 * 60 // MySQL's
	if v, err := ctx.GetSessionVariable(ctx, "long_query_time"); err == nil {
		if seconds, ok := v.(float64); ok {
			return time.Duration(max(0, min(seconds, most)) * float64(time.Second))
		}
	}
	return most * time.Second
}

// statistics is the answer to COM_STATISTICS.
func (s *serverStatus) statistics() string {
	all := s.reg.Reader().GlobalStatus()
	count := func(name string) uint64 { return all.Value(s.reg.NewStatusVariable(name)) }
	uptime := max(1, uint64(time.Since(s.started)/time.Second))
	queries := count("Queries")
	connected, _ := s.clients.counts()
	milli := queries * 1000 / uptime
	return fmt.Sprintf("Uptime: %d  Threads: %d  Questions: %d  Slow queries: %d  Opens: %d  Flush tables: %d  Open tables: %d  Queries per second avg: %d.%03d",
		uptime, connected, queries, count("Slow_queries"), count("Opened_tables"), 0, s.openTables(), milli/1000, milli%1000)
}

// unusedNumbers are status variables that are always 0: what they count does not exist here;
// docs/differences.md says why.
var unusedNumbers = strings.Fields(`Acl_cache_items_count Binlog_cache_disk_use Binlog_cache_use Binlog_stmt_cache_disk_use
	Binlog_stmt_cache_use Connection_errors_internal Connection_errors_peer_address Connection_errors_select Connection_errors_tcpwrap
	Created_tmp_files Delayed_errors Delayed_insert_threads Delayed_writes Deprecated_use_i_s_processlist_count Flush_commands
	Key_blocks_not_flushed Key_blocks_unused Key_blocks_used Key_read_requests Key_reads Key_write_requests Key_writes
	Last_query_partial_plans Locked_connects Not_flushed_delayed_rows Ongoing_anonymous_transaction_count Open_streams
	Opened_files Replica_open_temp_tables Slave_open_temp_tables Slow_launch_threads
	Ssl_default_timeout Ssl_sessions_reused Ssl_verify_depth Ssl_verify_mode Table_locks_immediate Table_locks_waited Tc_log_max_pages_used Tc_log_page_size Tc_log_page_waits
	Threads_cached`)
