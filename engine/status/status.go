package status

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pfsd/engine/budget"
	"pfsd/engine/history"
	"pfsd/engine/throttle"
	"pfsd/engine/wire"
	"pfsd/instr"
	"pfsd/tables"
	"pfsd/tables/activesessions"
)

// prefix begins the names of the status variables of performance_schema itself.
const prefix = "Performance_schema_"

// Server is what a server knows of its status besides what threads count. Safe for concurrent use.
type Server struct {
	Config
	started time.Time

	mu      sync.Mutex
	flushed time.Time // guarded by mu; when FLUSH STATUS was last done
}

// Config is what the status of a server is made of. What its functions return is asked for at each reading.
type Config struct {
	Registry *instr.Registry
	Model    tables.Model
	Sampler  *activesessions.Sampler
	History  *history.Store
	Throttle *throttle.Throttle
	Listener *wire.Listener
	Clients  Clients
	Budget   *budget.Server
	Prepared *atomic.Int64 // how many prepared statements there are
	// Plans adds what is known of kept plans, Tables what users' tables count.
	Plans, Tables func(*List)
	// TracksMemory tells whether Global_connection_memory is shown.
	TracksMemory func() bool
}

// Clients are the connections of a server. Safe for concurrent use.
type Clients interface {
	// Counts returns how many connections there are, and how many of them carry out a command.
	Counts() (connected, running int)
	// WireOf returns the wire of the connection whose thread is t, nil if that has not logged in.
	WireOf(t tables.Thread) *wire.Conn
}

var _ tables.StatusSource = (*Server)(nil)

// New returns the status of a server that starts now.
func New(c Config) *Server {
	now := time.Now()
	return &Server{Config: c, started: now, flushed: now}
}

// Started is when the server has started.
func (s *Server) Started() time.Time { return s.started }

// List collects status variables. Owned by one goroutine.
type List []tables.StatusValue

// Text adds a variable.
func (l *List) Text(name, value string) {
	*l = append(*l, tables.StatusValue{Name: name, Value: value})
}

// Number adds a variable that is a number.
func (l *List) Number(name string, value uint64) { l.Text(name, strconv.FormatUint(value, 10)) }

// zero adds variables whose value is always 0, none or OFF; docs/differences.md says why.
func (l *List) zero(value string, names ...string) {
	for _, name := range names {
		l.Text(name, value)
	}
}

// GlobalStatus implements tables.StatusSource.
func (s *Server) GlobalStatus() []tables.StatusValue {
	var l List
	s.connections(&l)
	s.encryption(&l)
	s.performanceSchema(&l)
	s.errorLog(&l)
	s.Plans(&l)
	s.mu.Lock()
	flushed := s.flushed
	s.mu.Unlock()
	l.Number("Uptime", uint64(time.Since(s.started)/time.Second))
	l.Number("Uptime_since_flush_status", uint64(time.Since(flushed)/time.Second))
	l.Number("Prepared_stmt_count", uint64(s.Prepared.Load()))
	l.Number("Open_files", uint64(s.Registry.Reader().Used(instr.LimitFileHandles)))
	l.Number("Open_tables", s.openTables())
	l.Number("Open_table_definitions", uint64(len(s.Registry.Reader().Tables())))
	memory := uint64(0)
	if s.TracksMemory() {
		memory = uint64(s.Budget.Used())
	}
	l.Number("Global_connection_memory", memory)
	l.Text("Last_query_cost", noCost)
	l.zero("0", unusedNumbers...)
	s.innodb(&l)
	l.zero("", "Caching_sha2_password_rsa_public_key", "Rsa_public_key", "Deprecated_use_i_s_processlist_last_timestamp",
		"Innodb_buffer_pool_dump_status", "Innodb_buffer_pool_load_status", "Innodb_buffer_pool_resize_status", "Innodb_redo_log_resize_status")
	l.zero("OFF", "Resource_group_supported", "Telemetry_logs_supported", "Telemetry_metrics_supported", "Telemetry_traces_supported",
		"Innodb_have_atomic_builtins", "Innodb_redo_log_enabled", "Innodb_redo_log_read_only")
	return l
}

// openTables is how many tables connections have open.
func (s *Server) openTables() uint64 {
	return uint64(s.Registry.Reader().Used(instr.LimitTableHandles))
}

// noCost is the cost of a statement that nobody has worked out.
const noCost = "0.000000"

// errorLog adds how much of the error log is kept.
func (s *Server) errorLog(l *List) {
	log := s.Listener.Log.Stats()
	l.Number("Error_log_buffered_bytes", log.Bytes)
	l.Number("Error_log_buffered_events", log.Events)
	l.Number("Error_log_expired_events", log.Expired)
	l.Number("Error_log_latest_write", uint64(log.Latest.UnixMicro()))
}

// connections adds what has become of connections.
func (s *Server) connections(l *List) {
	c := &s.Listener.Status
	l.Number("Aborted_clients", s.Listener.AbortedClients.Load())
	l.Number("Aborted_connects", s.Listener.AbortedConnects.Load())
	delayed, _ := s.Throttle.Generated()
	l.Number("Connection_control_delay_generated", delayed)
	l.Number("Connections", c.Connections.Load())
	l.Number("Threads_created", c.Connections.Load())
	l.Number("Connection_errors_accept", c.NotAccepted.Load())
	l.Number("Connection_errors_max_connections", c.Refused.Load())
	connected, running := s.Clients.Counts()
	l.Number("Threads_connected", uint64(connected))
	l.Number("Threads_running", uint64(running))
	most, at := s.Listener.Count.Most()
	l.Number("Max_used_connections", uint64(most))
	when := ""
	if !at.IsZero() {
		when = at.Format(time.DateTime)
	}
	l.Text("Max_used_connections_time", when)
}

// encryption adds what is known of TLS.
func (s *Server) encryption(l *List) {
	l.properties(s.Listener.Channel.Properties())
	l.Text("Tls_library_version", "crypto/tls "+runtime.Version())
	l.zero("", "Ssl_cipher", "Ssl_cipher_list", "Ssl_version")
}

// properties adds properties of TLS.
func (l *List) properties(all []wire.TLSProperty) {
	for _, p := range all {
		l.Text(p.Name, p.Value)
	}
}

// performanceSchema adds the counters of what is lost.
func (s *Server) performanceSchema(l *List) {
	l.Number(prefix+"locker_lost", s.Model.LockerLost())
	l.Number(prefix+"nested_statement_lost", s.Registry.Reader().NestedStatementLost())
	l.Number(prefix+"digest_lost", s.Registry.Reader().DigestsLost())
	l.Number(prefix+"session_connect_attrs_lost", s.Registry.Reader().ConnectAttrsLost())
	l.Number(prefix+"session_connect_attrs_longest_seen", s.Registry.Reader().ConnectAttrsLongestSeen())
	latest, unbroken := s.Sampler.Latest()
	l.Number(prefix+"active_session_samples", latest)
	l.Number(prefix+"active_session_samples_lost", s.Sampler.Lost())
	l.Number(prefix+"active_session_samples_unbroken", unbroken)
	l.Number(prefix+"active_session_writes_lost", s.Sampler.WritesLost())
	l.Number(prefix+"goroutine_threads_lost", s.Registry.Reader().GoroutineThreadsLost())
	l.Number(prefix+"goroutines_lost", uint64(s.Registry.Reader().GoroutinesLost()))
	l.Number(prefix+"history_buckets_lost", s.History.Lost())
	l.Number(prefix+"history_keys_lost", s.History.Others())
	l.Number(prefix+"instance_histograms_lost", s.Model.InstanceTimesLost())
	l.Number(prefix+"thread_statistics_lost", s.Model.ThreadWaitsLost())
	for i := range instr.LimitCount {
		if name := i.LostName(); name != "" {
			l.Number(prefix+name, s.Model.Lost(i))
		}
	}
}

// SessionStatus implements tables.StatusSource.
func (s *Server) SessionStatus(t tables.Thread) []tables.StatusValue {
	var l List
	l.Number("Open_tables", s.openTables())
	l.Text("Compression", "OFF")
	l.Text("Compression_algorithm", "")
	l.Text("Compression_level", "0")
	l.Text("Last_query_cost", noCost)
	l.zero("0", "Last_query_partial_plans", "Slow_launch_threads", "Ssl_default_timeout", "Ssl_verify_depth", "Ssl_verify_mode")
	for _, p := range s.Listener.Channel.Properties() {
		if strings.HasPrefix(p.Name, "Ssl_server_not_") {
			l.Text(p.Name, p.Value)
		}
	}
	w := s.Clients.WireOf(t)
	if w == nil { // it has not logged in
		w = &wire.Conn{}
	}
	l.properties(w.TLSSession())
	l.Text("Tls_sni_server_name", w.ServerName())
	return l
}

// ResetStatus implements tables.StatusSource.
func (s *Server) ResetStatus() {
	s.mu.Lock()
	s.flushed = time.Now()
	s.mu.Unlock()
	s.Listener.AbortedClients.Store(0)
	s.Listener.Count.Forget()
}

// Statistics is the answer to COM_STATISTICS.
func (s *Server) Statistics() string {
	all := s.Registry.Reader().GlobalStatus()
	count := func(name string) uint64 { return all.Value(s.Registry.NewStatusVariable(name)) }
	uptime := max(1, uint64(time.Since(s.started)/time.Second))
	queries := count("Queries")
	connected, _ := s.Clients.Counts()
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
