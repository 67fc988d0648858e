package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/budget"
	"pfsd/engine/captures"
	"pfsd/engine/catalog"
	"pfsd/engine/config"
	"pfsd/engine/connection"
	"pfsd/engine/datadir"
	"pfsd/engine/datalocks"
	"pfsd/engine/errorlog"
	"pfsd/engine/executor"
	"pfsd/engine/globals"
	"pfsd/engine/history"
	"pfsd/engine/infoschema"
	"pfsd/engine/moment"
	"pfsd/engine/plancache"
	"pfsd/engine/planning"
	"pfsd/engine/processlist"
	"pfsd/engine/profiling"
	"pfsd/engine/querylog"
	"pfsd/engine/scheduler"
	"pfsd/engine/sqlvalue"
	"pfsd/engine/status"
	"pfsd/engine/storage"
	"pfsd/engine/sysschema"
	"pfsd/engine/sysvar"
	"pfsd/engine/throttle"
	"pfsd/engine/wire"
	"pfsd/instr"
	"pfsd/tables"
	"pfsd/tables/activesessions"
)

// Version is what a server says it is unless its options say otherwise: the MySQL version whose
// tables it has, and its name.
const Version = config.Version

// Version is what the server says it is. Safe for concurrent use.
func (s *Server) Version() string { return config.VersionOf(s.options) }

// Server is a running server. New makes one, Serve runs it. Safe for concurrent use.
type Server struct {
	kept       *plancache.Cache
	options    Options
	reg        *instr.Registry
	log        *errorlog.Log
	dir        *datadir.Dir
	historyDir *datadir.Dir // of Options.HistoryDir
	uuid       string       // what the server is known by
	accounts   *accounts.Store
	throttle   *throttle.Throttle
	fresh      bool   // there were no accounts before
	unlog      func() // takes the log away from the protocol layer
	unmeter    func() // takes the metrics away
	pid        *errorlog.PIDFile
	listener   *wire.Listener
	status     *status.Server
	// variables are the system variables, once the engine has been built.
	variables *sysvar.Server
	persisted *sysvar.Persisted
	protocol  *mysql.Listener
	clients   *processlist.List
	prepared  *atomic.Int64 // how many prepared statements there are
	budget    *budget.Server
	handler   *connection.Handler
	events    *scheduler.Scheduler
	tables    *storage.Provider // users'
	queryLogs *querylog.Logs
	rowLock   *instr.RowLockClass
	locks     *datalocks.Locks
	sampler   *activesessions.Sampler
	samples   *activesessions.Files // nil without a data directory
	history   *history.Store        // the time buckets
	collector *history.Collector
	profiler  *captures.Profiler
	serving   atomic.Bool
	shutBy    atomic.Pointer[string] // who has sent SHUTDOWN; nil if nobody has
	stopOnce  sync.Once
	stopped   error
}

// building serialises what servers of one process set up in the SQL engine's globals.
var building sync.Mutex

// New opens all that a server needs: its log, its sockets, its process id file. It
// returns an error that names the option that cannot be met. A server that is made must
// be served or closed.
func New(o Options) (*Server, error) {
	major, ok := config.TableVersion(o)
	if !ok {
		return nil, fmt.Errorf("unknown version '%s' of MySQL", o.MySQLVersion)
	}
	return newServer(o, tables.AllOf(major))
}

func newServer(o Options, defs []tables.Table) (*Server, error) {
	o = config.WithDefaults(o)
	dir, err := datadir.Open(o.Registry, o.DataDir)
	if err != nil {
		return nil, refuseToStart(o, fmt.Errorf("cannot use --datadir %s: %w", o.DataDir, err))
	}
	s, err := newServerIn(dir, o, defs)
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return s, nil
}

// refuseToStart writes into the log why a server does not start that has no data directory.
func refuseToStart(o Options, err error) error {
	s := &Server{}
	if s.log, _ = errorlog.Open(o.Registry, o.LogError, errorlog.Host{Lines: o.Log, Records: o.LogHandler}); s.log != nil {
		s.abort(err)
		_ = s.log.Close()
	}
	return err
}

// newServerIn makes a server whose data directory is dir.
func newServerIn(dir *datadir.Dir, o Options, defs []tables.Table) (*Server, error) {
	o, kept, ignored, err := config.WithPersisted(o, dir)
	if err != nil {
		return nil, refuseToStart(o, err)
	}
	if err := config.Apply(o, o.Registry); err != nil {
		return nil, err
	}
	s := &Server{
		options: o, reg: o.Registry, clients: processlist.New(o.Registry), prepared: new(atomic.Int64), persisted: kept, dir: dir,
		budget: budget.NewServer(budget.NoLimit), kept: plancache.New(),
	}
	if tables.MayFail(o.Model) {
		tables.Show(s.reg, o.Model)
	}
	if err := s.open(o, defs); err != nil {
		s.abort(err)
		_ = s.close()
		return nil, err
	}
	for _, name := range ignored {
		s.log.Write(errorlog.UnknownPersisted, name)
	}
	return s, nil
}

// logStatus is where the server's logs are.
func (s *Server) logStatus(tables.Key) []tables.LogStatusRow {
	return []tables.LogStatusRow{{ServerUUID: s.uuid, Local: `{"gtid_executed": ""}`, Replication: `{"channels": []}`, StorageEngines: "{}"}}
}

// abort writes into the log why the server does not start. Where the log is standard error,
// whoever asked for the server says so.
func (s *Server) abort(err error) {
	if s.log == nil || s.log.Path == "" {
		return
	}
	message := errorlog.WorkloadOrProtocol
	message.Priority = errorlog.Error
	var start *errorlog.StartError
	if errors.As(err, &start) {
		message = start.Message
	}
	s.log.Write(message, err)
	s.log.Write(errorlog.Aborting)
}

// port is that of a TCP address, 0 for any other.
func port(a net.Addr) int {
	if a, ok := a.(*net.TCPAddr); ok {
		return a.Port
	}
	return 0
}

func (s *Server) open(o Options, defs []tables.Table) (err error) {
	if s.log, err = errorlog.Open(s.reg, o.LogError, errorlog.Host{Lines: o.Log, Records: o.LogHandler}); err != nil {
		return err
	}
	if o.LogErrorVerbosity != 0 {
		s.log.SetVerbosity(o.LogErrorVerbosity)
	}
	s.log.Write(errorlog.Starting, errorlog.ProgramName, config.VersionOf(o), os.Getpid())
	for _, w := range s.dir.Warnings() {
		s.log.Write(errorlog.DataDirectory, w)
	}
	if o.SecureFilePriv != "" {
		if _, err := os.ReadDir(o.SecureFilePriv); err != nil {
			return errorlog.NewStartError(fmt.Errorf("cannot use --secure-file-priv %s: %w", o.SecureFilePriv, errorlog.FileCause(err)), errorlog.NoFileDirectory)
		}
	}
	if err := s.openHistoryDir(); err != nil {
		return err
	}
	t, err := wire.NewTransport(s.reg, o, s.dir, s.log)
	if err != nil {
		return err
	}
	made := false
	if s.uuid, made, err = serverUUID(s.reg, s.dir); err != nil {
		return err
	}
	if made && o.DataDir != "" {
		s.log.Write(errorlog.NewUUID, s.uuid)
	}
	if s.listener, err = wire.Listen(s.reg, o, t); err != nil {
		return err
	}
	if err := s.checkWorkload(); err != nil {
		return err
	}
	if err := s.openAccounts(o); err != nil {
		return err
	}
	if s.pid, err = errorlog.WritePIDFile(s.reg, s.dir, o.PidFile); err != nil {
		return err
	}
	if err := s.build(o, defs); err != nil {
		return err
	}
	return s.checkEndpoint(o)
}

// build puts the SQL engine and the protocol layer together.
func (s *Server) build(o Options, defs []tables.Table) error {
	building.Lock()
	defer building.Unlock()
	s.provideTables()
	s.variables = config.NewVariables(o, s.persisted, s.listener.Addr(), s.adminVariables(), s.listener.Channel.Variables(), wire.HostVariables(o), map[string]any{"server_uuid": s.uuid})
	tables.LimitUsers(tables.Of(s.reg), s.clients.OnlyUser)
	defer s.variables.Serve()()
	s.configure()
	if err := s.history.Refused(); err != nil && o.HistoryDir != "" {
		return s.historyDirError(err)
	}
	if err := s.openTables(); err != nil {
		return err
	}
	queue := scheduler.NewQueue(s.reg)
	pro := s.newCatalog(defs, queue)
	setAccess()
	if err := planning.FireTriggers(); err != nil {
		return err
	}
	a, overrides, err := connection.NewAnalyzer(pro, s.variables)
	if err != nil {
		return err
	}
	s.setBuilder(a, pro, overrides)
	s.showPlans()
	s.newHandler(o, a, pro)
	s.unlog = globals.SetLog(func(panicked any) { s.handler.Panicked(panicked, "") })
	s.followVariables(queue)
	s.provideVariables(s.handler)
	s.events = s.newScheduler(s.handler, queue)
	s.sampleMetrics(s.handler, queue)
	if err := s.initialise(s.handler, o); err != nil {
		return err
	}
	return s.newProtocol(o)
}

// provideTables has tables show what the log and the listener know.
func (s *Server) provideTables() {
	tables.Provide(tables.Of(s.reg), s.log.Rows)
	tables.Provide(tables.Of(s.reg), s.listener.Hosts.Rows)
	tables.Provide(tables.Of(s.reg), s.listener.Channel.Rows)
	tables.Provide(tables.Of(s.reg), s.logStatus)
	tables.ProvideTruncate[tables.HostCacheRow](tables.Of(s.reg), s.listener.Hosts.Truncate)
}

// configure has what does not need the SQL engine follow the variables, and makes the status.
func (s *Server) configure() {
	s.log.Configure(func() (int64, bool) {
		return s.variables.Integer("log_error_verbosity"), s.variables.Global("log_timestamps") == "SYSTEM"
	})
	s.listener.SetVariables(s.variables)
	s.throttle = throttle.New(s.delayLimits)
	s.variables.OnChange(failedThreshold, func(any) { s.throttle.Reset() })
	s.newSampler()
	s.newHistory()
	s.newProfiler()
	s.status = status.New(status.Config{
		Sampler: s.sampler, History: s.history, Registry: s.reg, Model: s.options.Model, Throttle: s.throttle, Listener: s.listener, Clients: s.clients, Budget: s.budget, Prepared: s.prepared, Tables: s.storageStatus,
		Plans:        s.kept.Status,
		TracksMemory: func() bool { return s.variables.Integer("global_connection_memory_tracking") != 0 },
	})
	tables.ProvideStatus(tables.Of(s.reg), s.status)
	threadClasses(s.reg)
}

// newCatalog makes the databases and functions that statements name.
func (s *Server) newCatalog(defs []tables.Table, queue *scheduler.Queue) *catalog.Provider {
	pro := catalog.New(s.reg, catalog.NewPerformanceSchema(tables.Schema, s.options.Model, defs), s.accounts, s.tables, queue)
	if s.tables.HasDatabase(nil, tables.HistorySchema) {
		s.log.Write(errorlog.DataDirectory, "the database history is the users', so that the tables of time buckets cannot be read")
	} else {
		pro.History = catalog.NewHistory(s.options.Model)
	}
	pro.Channel = s.listener.Channel
	pro.Variables, pro.Version, pro.Log = s.variables, s.Version(), s.log
	pro.Sys = &sysschema.Server{Registry: s.reg, Model: s.options.Model, Table: pro.Schema.Definition, Variable: s.variables.Global, Version: s.Version(), Config: pro.Config}
	s.openQueryLogs()
	pro.QueryLogs = s.queryLogs
	pro.MySQL.ShowLogs(s.logTables())
	pro.Info = &infoschema.Server{
		Databases: pro, Accounts: s.accounts, Settings: pro.Config, Created: pro.Schema.Created,
		InnoDB: infoschema.InnoDB{
			OpenTransactions: s.locks.OpenTransactions, LastDeadlock: s.locks.LastDeadlock, NextTransaction: s.tables.Store().NextID, Started: s.status.Started(), PoolSize: uint64(s.variables.Integer(status.PoolName)), Storage: s.storageCounts,
		},
	}
	return pro
}

// setBuilder gives the analyzer information_schema and what builds the nodes of its plans.
func (s *Server) setBuilder(a *analyzer.Analyzer, pro *catalog.Provider, overrides sql.EngineOverrides) {
	own := []infoschema.OwnSchema{infoschema.SysSchema{Config: pro.Config}}
	for _, d := range []*catalog.PerformanceSchema{pro.Schema, pro.History} {
		if d != nil {
			own = append(own, &infoschema.PerformanceSchema{Schema: d.Name(), Tables: d.Tables, Names: d.Names, Created: d.Created})
		}
	}
	info := &infoschema.Database{
		Database: infoschema.WithPlugins(a.Catalog.InfoSchema), Own: own, Engine: tables.Engine, Catalog: a.Catalog, State: s.clients.State, Sees: access.Visible, Privileges: infoschema.ColumnPrivileges,
		Rows: pro.Info.Rows(), Mode: infoschema.ModeText, Model: s.options.Model,
		Created: func(ctx *sql.Context, schema, table string) any {
			return moment.Wall(pro.Created(schema, table, pro.Schema.Created), 0, moment.Zone(ctx))
		},
	}
	info.Rows["partitions"], info.Rows["profiling"], info.Rows[infoschema.FailedLogins] = infoschema.Partitions(info), profiling.InfoRows, s.failedLogins
	a.ExecBuilder.PriorityBuilder = connection.NewBuilder(&connection.Builder{
		Base: a.ExecBuilder, Plain: rowexec.NewBuilder(nil, overrides), Analyzer: a, Catalog: a.Catalog, Clients: s.clients, Accounts: s.accounts, Info: info,
		Variables: s.variables, Reg: s.reg,
		Processlist: processlist.Show{List: s.clients, Table: pro.Schema.Definition("processlist"), Registry: s.reg, Variables: s.variables}, Schema: pro.Schema, Provider: pro,
	})
	a.Catalog.InfoSchema = info
}

// showPlans has kept plans follow their variable, and a table show them.
func (s *Server) showPlans() {
	s.kept.SwitchOn(sysvar.IsOn(s.variables.Global("plan_cache")))
	s.variables.OnChange("plan_cache", func(v any) { s.kept.SwitchOn(sysvar.IsOn(v)) })
	tables.Provide(tables.Of(s.reg), s.kept.Rows)
	tables.ProvideTruncate[tables.PlanCacheRow](tables.Of(s.reg), s.kept.Forget)
}

// newHandler makes what the protocol layer calls.
func (s *Server) newHandler(o Options, a *analyzer.Analyzer, pro *catalog.Provider) {
	s.handler = &connection.Handler{
		Engine: globals.NewEngine(a, s.clients), Provider: pro,
		Clients: s.clients, Prepared: s.prepared, Accounts: s.accounts, Everybody: o.SkipGrantTables, Count: s.listener.Count, Log: s.log, Instruments: connection.NewInstruments(s.reg),
	}
	h := s.handler
	h.Plans = plancache.Planner{
		Cache: s.kept, Engine: h.Engine, Auth: connection.Authorizers{}.CreateHandler(a.Catalog), Definitions: s.tables, Globals: s.variables,
	}
	h.Runner, h.Profiler = h.Engine, s.profiler
	h.Budget, h.Databases = processorBudget(o), pro.Databases
	h.Shutdown = s.shutdown
	h.Statistics = s.status.Statistics
	pro.Clone = s.clone
	h.Variables, h.MemoryBudget = s.variables, s.budget
	h.QueryLogs, h.ServerVariables = s.queryLogs, s.variables
	s.locks.Names, s.locks.RowLock, s.locks.Reader = h.Names, s.rowLock, s.reg.Reader()
	tables.Provide(tables.Of(s.reg), s.locks.LockWaits)
}

// followVariables has the server follow the variables that clients set.
func (s *Server) followVariables(queue *scheduler.Queue) {
	limit := func(n any) { s.budget.SetLimit(int64(min(n.(uint64), math.MaxInt64))) }
	limit(s.variables.Global(budget.ServerLimit))
	s.variables.OnChange(budget.ServerLimit, limit)
	s.variables.KeepIn(func() *budget.Hold { return s.budget.NewConnection(nil).NewHold(nil) })
	s.variables.OnChange("event_scheduler", func(any) { queue.Change(func() {}) })
	s.variables.OnChange("max_connections", func(n any) { s.listener.Count.Limit(int(n.(uint64))) })
}

// newProtocol makes the protocol layer.
func (s *Server) newProtocol(o Options) error {
	h := s.handler
	h.Auth = wire.NewAuthServer(s.accounts, o.SkipGrantTables, s.throttle, func(c *mysql.Conn, wait func(context.Context)) { s.delay(connection.ClientOf(c), wait) })
	s.unmeter = s.status.Meter()
	protocol, err := mysql.NewListenerWithConfig(mysql.ListenerConfig{
		Listener: s.listener, AuthServer: h.Auth, Handler: h,
		ConnReadBufferSize: connection.ReadBufferSize,
	})
	if err != nil {
		return err
	}
	protocol.ServerVersion = config.VersionOf(o)
	s.protocol = protocol
	return nil
}

// threadClasses makes the classes of the server's own threads, so that setup_threads has them
// before the first of these starts.
func threadClasses(reg *instr.Registry) {
	reg.NewThreadClass("sql/main").SetProperties(instr.Singleton)
	reg.NewThreadClass("sql/bootstrap").SetProperties(instr.Singleton)
	reg.NewThreadClass("sql/one_connection").SetProperties(instr.User)
	reg.NewThreadClass("sql/acceptor")
	reg.NewThreadClass("sql/admin_interface").SetProperties(instr.User)
	reg.NewThreadClass("sql/active_session_sampler").SetProperties(instr.Singleton)
	reg.NewThreadClass("sql/capture")
	reg.NewThreadClass("sql/connection_watcher").SetProperties(instr.Singleton)
	reg.NewThreadClass("sql/event_scheduler").SetProperties(instr.Singleton)
	reg.NewThreadClass("sql/event_worker")
	reg.NewThreadClass("sql/history_collector").SetProperties(instr.Singleton)
}

var accessOnce sync.Once

func setAccess() {
	accessOnce.Do(func() {
		sql.SetAuthorizationHandlerFactory(connection.Authorizers{})
		executor.Sums()
		executor.Rollups()
		sqlvalue.Strict = connection.Strict
	})
}

// Addr is the address of the server's first socket: TCP if it has one, else unix.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// AdminAddr is the administrators' address, nil if there is none.
func (s *Server) AdminAddr() net.Addr {
	return s.listener.AdminAddr()
}

// Serve answers clients until ctx ends, or a client that may sends SHUTDOWN; then it closes the sockets,
// stops the statements, closes the connections and returns when nothing of the server is left running, at
// the latest after Options.ShutdownTimeout: a statement that cannot be stopped until then is named in the
// log, and its goroutine is all that is left. It may be called once.
func (s *Server) Serve(ctx context.Context) error {
	s.serving.Store(true)
	if t := instr.Current(); t == nil || t.IsAutomatic() {
		defer s.reg.Attach("sql/main").Detach()
	}
	watcher := processlist.Watch(s.reg, s.clients)
	stopSampler := s.background("sql/active_session_sampler", s.sampler.Run)
	stopHistory := s.background("sql/history_collector", s.collector.Run)
	s.events.Start()
	s.listener.Start()
	stop := context.AfterFunc(ctx, func() { _ = s.listener.Close() })
	defer stop()
	stopWorkload, err := s.startWorkload(ctx)
	if err == nil {
		s.log.Write(errorlog.Ready, errorlog.ProgramName, s.Version(), s.options.Socket, port(s.Addr()), errorlog.ProgramName)
		if a := s.AdminAddr(); a != nil {
			s.log.Write(errorlog.AdminReady, a.(*net.TCPAddr).IP, port(a))
		}
	} else {
		_ = s.listener.Close() // and so Accept returns
	}
	s.protocol.Accept()
	by := "<via user signal>"
	if user := s.shutBy.Load(); user != nil {
		by = *user
	}
	s.log.Write(errorlog.ShutdownRequested, "SHUTDOWN", by, s.Version())
	_ = s.listener.Close()
	until := time.Now().Add(s.options.ShutdownTimeout)
	stopWorkload()
	s.clients.KillAll()
	if !s.events.Stop(until) {
		s.log.Write(errorlog.EventFailed, "an event that cannot be stopped is left running")
	}
	if !s.listener.Count.Wait(until) {
		for _, c := range s.clients.Left() {
			s.log.Write(errorlog.ForcedClose, errorlog.ProgramName, c.Connection, c.User, c.Query)
		}
	}
	watcher.Stop()
	stopSampler()
	stopHistory()
	return errors.Join(err, s.close())
}

// shutdown has Serve return, because user asks for it.
func (s *Server) shutdown(user string) {
	s.shutBy.CompareAndSwap(nil, &user)
	go func() { _ = s.listener.Close() }() // which returns when the acceptors have ended
}

// Reload does what the signal SIGHUP has a server do that is a program by itself: it opens the logs anew, as
// FLUSH LOGS does, and reads the certificates again, as ALTER INSTANCE RELOAD TLS does. Nothing of a server
// changes where that fails. It returns an error that names what has failed. Safe for concurrent use.
func (s *Server) Reload() error {
	err := s.log.Reopen()
	s.queryLogs.Reopen(querylog.Slow)
	s.queryLogs.Reopen(querylog.General)
	if s.listener.Channel.On() {
		if e := s.listener.Channel.Reload(s.variables); e != nil {
			err = errors.Join(err, fmt.Errorf("cannot read the certificates again: %w", e))
		}
	}
	if err != nil {
		s.log.Write(errorlog.DataDirectory, err)
	}
	return err
}

// Close stops a server that is not served, and makes Serve return where it is.
func (s *Server) Close() error {
	if s.serving.Load() {
		return s.listener.Close()
	}
	return s.close()
}

// close gives back what New opened.
func (s *Server) close() error {
	s.stopOnce.Do(func() {
		var errs []error
		if s.listener != nil {
			errs = append(errs, s.listener.Close())
		}
		errs = append(errs, s.pid.Remove())
		if s.queryLogs != nil {
			s.queryLogs.Close()
		}
		errs = append(errs, s.closeTables())
		s.withholdVariables()
		if tables.MayFail(s.options.Model) {
			tables.Show(s.reg, nil)
		}
		if s.unlog != nil {
			s.unlog()
		}
		if s.profiler != nil {
			s.profiler.Close()
		}
		if s.sampler != nil {
			s.sampler.Close()
		}
		if s.history != nil {
			s.collector.Close()
			errs = append(errs, s.history.Close())
		}
		if s.samples != nil {
			s.samples.Close()
		}
		if s.log != nil {
			if s.serving.Load() {
				s.log.Write(errorlog.ShutdownComplete, errorlog.ProgramName, s.Version(), errorlog.ProgramName)
			}
			tables.Provide[tables.ErrorLogRow](tables.Of(s.reg), nil)
			tables.Provide[tables.HostCacheRow](tables.Of(s.reg), nil)
			tables.Provide[tables.TLSChannelRow](tables.Of(s.reg), nil)
			tables.Provide[tables.LogStatusRow](tables.Of(s.reg), nil)
			tables.Provide[tables.DataLockRow](tables.Of(s.reg), nil)
			tables.Provide[tables.DataLockWaitRow](tables.Of(s.reg), nil)
			tables.Provide[tables.LockWait](tables.Of(s.reg), nil)
			tables.ProvideTruncate[tables.HostCacheRow](tables.Of(s.reg), nil)
			tables.LimitUsers(tables.Of(s.reg), nil)
			tables.ProvideStatus(tables.Of(s.reg), nil)
			if s.unmeter != nil {
				s.unmeter()
			}
			errs = append(errs, s.log.Close())
		}
		errs = append(errs, s.historyDir.Close(), s.dir.Close())
		s.stopped = errors.Join(errs...)
	})
	return s.stopped
}

// ListenAndServe is New and Serve.
func ListenAndServe(ctx context.Context, o Options) error {
	s, err := New(o)
	if err != nil {
		return err
	}
	return s.Serve(ctx)
}
