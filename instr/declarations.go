package instr

// This file declares the kinds of instruments, their operations, the limits, and the buffers of the registry's own memory: a new kind
// is its lines here and a file of its own.

// Kind is a kind of instruments: their names begin alike, and they have the same defaults.
type Kind uint8

// The kinds of instruments, in the order of setup_instruments; those of waits come first.
const (
	KindMutex Kind = iota
	KindRWMutex
	KindCond
	KindFile
	KindTableIO
	KindTableLock
	KindSocket
	KindIdle
	KindMetadataLock
	KindRowLock
	KindSynch
	KindStage
	KindStatement
	KindTransaction
	KindMemory
	KindError
	KindMutexHold
	KindRWMutexHold
	kindCount
)

var kinds = [kindCount]struct {
	prefix string // of the names of its classes
	on     bool   // enabled and timed by default
	timer  TimerKind
	family Family
	// objects says that [Class.Instances] returns the objects of a class.
	objects bool
	// The limits of classes, and of instances of all classes together. LimitCount is no limit. A kind with one class has no limit of
	// classes, and a kind without instances none of instances. The registry's own classes of memory do not count.
	classes, instances Limit
	single             bool // the kind has one class, whose name is prefix
	timeless           bool // events have no times: see Kind.Timeless
	hold               Kind // the kind of the instruments of how long its objects are held, 0 if there is none
	buffers            kindBuffers
	also               string // characters that names can have in addition to the usual ones
	typed              bool   // names begin with the type of the object, as in wait/synch/chan/NAME
	slash              bool   // names may end in a slash: routes and methods, such as GET /users/{id...}
}{
	KindMutex: {
		prefix: "wait/synch/mutex/", timer: TimerWait, objects: true, classes: LimitMutexClasses, instances: LimitMutexInstances,
		hold: KindMutexHold, buffers: kindBuffers{bufMutexClass, bufMutexInstances},
	},
	KindRWMutex: {
		prefix: "wait/synch/rwlock/", timer: TimerWait, objects: true, classes: LimitRWMutexClasses, instances: LimitRWMutexInstances,
		hold: KindRWMutexHold, buffers: kindBuffers{bufRWMutexClass, bufRWMutexInstances},
	},
	KindCond: {
		prefix: "wait/synch/cond/", timer: TimerWait, objects: true, classes: LimitCondClasses, instances: LimitCondInstances,
		buffers: kindBuffers{bufCondClass, bufCondInstances},
	},
	KindFile: {
		prefix: "wait/io/file/", on: true, timer: TimerWait, objects: true, classes: LimitFileClasses, instances: LimitFileInstances,
		buffers: kindBuffers{bufFileClass, bufFileInstances},
	},
	KindTableIO: {
		prefix: "wait/io/table/sql/handler", on: true, timer: TimerWait, instances: LimitTableInstances,
		single: true, buffers: kindBuffers{bufRegistry, bufTableIO},
	},
	KindTableLock: {
		prefix: "wait/lock/table/sql/handler", on: true, timer: TimerWait, instances: LimitTableLockStat,
		single: true, buffers: kindBuffers{bufRegistry, bufTableLocks},
	},
	KindSocket: {
		prefix: "wait/io/socket/", timer: TimerWait, objects: true, classes: LimitSocketClasses, instances: LimitSocketInstances,
		buffers: kindBuffers{bufSocketClass, bufSocketInstances},
	},
	KindIdle: {
		prefix: "idle", on: true, timer: TimerIdle,
		single: true, buffers: kindBuffers{bufRegistry, bufRegistry},
	},
	// MySQL has one class of these.
	KindMetadataLock: {
		prefix: "wait/lock/metadata/", on: true, timer: TimerWait, classes: LimitCount, instances: LimitMetadataLocks,
		buffers: kindBuffers{bufRegistry, bufMetadataLocks},
	},
	KindRowLock: {
		prefix: "wait/lock/row/sql/handler", on: true, timer: TimerWait,
		single: true, buffers: kindBuffers{bufRegistry, bufMetadataLocks},
	},
	// MySQL has none of these: chan/, once/, semaphore/ and others. They share the limits of condition variables.
	KindSynch: {
		prefix: "wait/synch/", timer: TimerWait, objects: true, classes: LimitCondClasses, instances: LimitCondInstances,
		buffers: kindBuffers{bufSynchClass, bufSynchInstances}, typed: true,
	},
	KindStage: {
		prefix: "stage/", timer: TimerStage, family: FamilyStages, classes: LimitStageClasses,
		buffers: kindBuffers{bufStageClass, bufRegistry}, also: " (),;'",
	},
	KindStatement: {
		prefix: "statement/", on: true, timer: TimerStatement, family: FamilyStatements, classes: LimitStatementClasses,
		buffers: kindBuffers{bufStatementClass, bufRegistry}, also: " (),;'{}$*", slash: true,
	},
	KindTransaction: {
		prefix: "transaction", on: true, timer: TimerTransaction, family: FamilyTransactions,
		single: true, buffers: kindBuffers{bufRegistry, bufRegistry},
	},
	KindMemory: {
		prefix: "memory/", on: true, family: FamilyMemory, classes: LimitMemoryClasses,
		timeless: true, buffers: kindBuffers{bufMemoryClass, bufRegistry}, also: " ",
	},
	KindError: {
		prefix: "error", on: true, family: familyErrors,
		single: true, timeless: true, buffers: kindBuffers{bufRegistry, bufRegistry},
	},
	// There is one class for each class of locks.
	KindMutexHold: {
		prefix: "hold/synch/mutex/", timer: TimerWait, family: FamilyHolds, classes: LimitCount,
		buffers: kindBuffers{bufMutexClass, bufRegistry},
	},
	KindRWMutexHold: {
		prefix: "hold/synch/rwlock/", timer: TimerWait, family: FamilyHolds, classes: LimitCount,
		buffers: kindBuffers{bufRWMutexClass, bufRegistry},
	},
}

// kindBuffers are the buffers of the classes and of the instances of a kind.
type kindBuffers struct{ classes, instances buffer }

// Op is what an event did, the column OPERATION.
type Op uint8

// The operations, with MySQL's names where MySQL has one.
const (
	OpNone Op = iota
	OpLock
	OpTryLock
	OpReadLock
	OpWriteLock
	OpTryReadLock
	OpTryWriteLock
	OpWait
	OpTimedWait
	OpCreate
	OpOpen
	OpClose
	OpRead
	OpWrite
	OpSeek
	OpTell
	OpFlush
	OpStat
	OpChsize
	OpDelete
	OpRename
	OpSync
	OpMkdir
	OpRmdir
	OpReadDir
	OpChmod
	OpLink
	OpBind
	OpListen
	OpConnect
	OpAccept
	OpSend
	OpRecv
	OpSendTo
	OpRecvFrom
	OpOpt
	OpShutdown
	OpSocketClose
	OpIdle
	// Those of rows of tables, in the order of TableOp.
	OpFetch
	OpInsert
	OpUpdate
	OpDeleteRow
	// Those of locks on tables, in the order of TableLock.
	OpReadNormal
	OpReadWithSharedLocks
	OpReadHighPriority
	OpReadNoInsert
	OpReadExternal
	OpWriteAllowWrite
	OpWriteConcurrentInsert
	OpWriteLowPriority
	OpWriteNormal
	OpWriteExternal
	OpMetadataLock
	OpRowLock
	// Those of channels, semaphores and groups.
	OpSendValue
	OpTrySend
	OpReceiveValue
	OpTryReceive
	OpAcquire
	OpTryAcquire
	opCount
)

var ops = [opCount]struct {
	name  string
	bytes bool // the event has NUMBER_OF_BYTES
	direction
}{
	OpLock:         {name: "lock"},
	OpTryLock:      {name: "try_lock"},
	OpReadLock:     {name: "read_lock"},
	OpWriteLock:    {name: "write_lock"},
	OpTryReadLock:  {name: "try_read_lock"},
	OpTryWriteLock: {name: "try_write_lock"},
	OpWait:         {name: "wait"},
	OpTimedWait:    {name: "timed_wait"},
	OpCreate:       {name: "create"},
	OpOpen:         {name: "open"},
	OpClose:        {name: "close"},
	OpRead:         {name: "read", bytes: true, direction: reading},
	OpWrite:        {name: "write", bytes: true, direction: writing},
	OpSeek:         {name: "seek"},
	OpTell:         {name: "tell"},
	OpFlush:        {name: "flush"},
	OpStat:         {name: "stat"},
	OpChsize:       {name: "chsize", bytes: true},
	OpDelete:       {name: "delete"},
	OpRename:       {name: "rename"},
	OpSync:         {name: "sync"},
	OpMkdir:        {name: "mkdir"},
	OpRmdir:        {name: "rmdir"},
	OpReadDir:      {name: "readdir"},
	OpChmod:        {name: "chmod"},
	OpLink:         {name: "link"},
	OpBind:         {name: "bind"},
	OpListen:       {name: "listen"},
	OpConnect:      {name: "connect"},
	OpAccept:       {name: "accept"},
	OpSend:         {name: "send", bytes: true, direction: writing},
	OpRecv:         {name: "recv", bytes: true, direction: reading},
	OpSendTo:       {name: "sendto", bytes: true, direction: writing},
	OpRecvFrom:     {name: "recvfrom", bytes: true, direction: reading},
	OpOpt:          {name: "opt"},
	OpShutdown:     {name: "shutdown"},
	OpSocketClose:  {name: "close"},
	OpIdle:         {name: "idle"},

	// Their bytes are rows.
	OpFetch:     {name: "fetch", bytes: true},
	OpInsert:    {name: "insert", bytes: true},
	OpUpdate:    {name: "update", bytes: true},
	OpDeleteRow: {name: "delete", bytes: true},

	OpReadNormal:            {name: "read normal"},
	OpReadWithSharedLocks:   {name: "read with shared locks"},
	OpReadHighPriority:      {name: "read high priority"},
	OpReadNoInsert:          {name: "read no inserts"},
	OpReadExternal:          {name: "read external"},
	OpWriteAllowWrite:       {name: "write allow write"},
	OpWriteConcurrentInsert: {name: "write concurrent insert"},
	OpWriteLowPriority:      {name: "write low priority"},
	OpWriteNormal:           {name: "write normal"},
	OpWriteExternal:         {name: "write external"},
	OpMetadataLock:          {name: "metadata lock"},
	OpRowLock:               {name: "row lock"},

	OpSendValue:    {name: "send"},
	OpTrySend:      {name: "try_send"},
	OpReceiveValue: {name: "receive"},
	OpTryReceive:   {name: "try_receive"},
	OpAcquire:      {name: "acquire"},
	OpTryAcquire:   {name: "try_acquire"},
}

// Limit is a size that something has: how many classes, objects, threads, accounts or rows
// of a setup table there can be. What there is when a limit is set stays; what comes beyond
// it works uninstrumented and is counted as lost.
type Limit uint8

// The limits.
const (
	LimitMutexClasses Limit = iota
	LimitRWMutexClasses
	LimitCondClasses
	LimitFileClasses
	LimitSocketClasses
	LimitThreadClasses
	LimitMutexInstances
	LimitRWMutexInstances
	LimitCondInstances
	LimitFileInstances
	LimitFileHandles
	LimitSocketInstances
	LimitThreadInstances
	LimitAccounts
	LimitUsers
	LimitHosts
	LimitSetupActors
	LimitSetupObjects
	LimitStageClasses
	LimitStatementClasses
	LimitPrograms
	LimitPreparedStatements
	LimitMemoryClasses
	LimitMeters
	LimitMetrics
	LimitTableInstances
	LimitTableHandles
	LimitTableLockStat
	LimitIndexStat
	LimitMetadataLocks
	LimitCount
)

var limits = [LimitCount]struct {
	name     string
	lost     string
	def, max int
	things   string
}{
	LimitMutexClasses:       {"max_mutex_classes", "mutex_classes_lost", 350, 1024, "mutex instruments"},
	LimitRWMutexClasses:     {"max_rwlock_classes", "rwlock_classes_lost", 100, 1024, "rwlock instruments"},
	LimitCondClasses:        {"max_cond_classes", "cond_classes_lost", 150, 1024, "condition instruments"},
	LimitFileClasses:        {"max_file_classes", "file_classes_lost", 80, 1024, "file instruments"},
	LimitSocketClasses:      {"max_socket_classes", "socket_classes_lost", 10, 1024, "socket instruments"},
	LimitThreadClasses:      {"max_thread_classes", "thread_classes_lost", 100, 1024, "thread instruments"},
	LimitMutexInstances:     {"max_mutex_instances", "mutex_instances_lost", -1, 104857600, "rows of mutex_instances"},
	LimitRWMutexInstances:   {"max_rwlock_instances", "rwlock_instances_lost", -1, 104857600, "rows of rwlock_instances"},
	LimitCondInstances:      {"max_cond_instances", "cond_instances_lost", -1, 1048576, "rows of cond_instances"},
	LimitFileInstances:      {"max_file_instances", "file_instances_lost", -1, 1048576, "rows of file_instances"},
	LimitFileHandles:        {"max_file_handles", "file_handles_lost", 32768, 1048576, "instrumented files that are open at a time"},
	LimitSocketInstances:    {"max_socket_instances", "socket_instances_lost", -1, 1048576, "rows of socket_instances"},
	LimitThreadInstances:    {"max_thread_instances", "thread_instances_lost", -1, 1048576, "rows of threads"},
	LimitAccounts:           {"accounts_size", "accounts_lost", -1, 1048576, "rows of accounts"},
	LimitUsers:              {"users_size", "users_lost", -1, 1048576, "rows of users"},
	LimitHosts:              {"hosts_size", "hosts_lost", -1, 1048576, "rows of hosts"},
	LimitSetupActors:        {"setup_actors_size", "", -1, 1048576, "rows of setup_actors"},
	LimitSetupObjects:       {"setup_objects_size", "", -1, 1048576, "rows of setup_objects"},
	LimitStageClasses:       {"max_stage_classes", "stage_classes_lost", 175, 1024, "stage instruments"},
	LimitStatementClasses:   {"max_statement_classes", "statement_classes_lost", 220, 256, "statement instruments"},
	LimitPrograms:           {"max_program_instances", "program_lost", -1, 1048576, "rows of events_statements_summary_by_program"},
	LimitPreparedStatements: {"max_prepared_statements_instances", "prepared_statements_lost", -1, 4194304, "rows of prepared_statements_instances"},
	LimitMemoryClasses:      {"max_memory_classes", "memory_classes_lost", 470, 1024, "memory instruments"},
	LimitMeters:             {"max_meter_classes", "meter_lost", 30, 64, "rows of setup_meters"},
	LimitMetrics:            {"max_metric_classes", "metric_lost", 600, 11000, "rows of setup_metrics"},
	LimitTableInstances:     {"max_table_instances", "table_instances_lost", -1, 1048576, "tables"},
	LimitTableHandles:       {"max_table_handles", "table_handles_lost", -1, 1048576, "rows of table_handles"},
	LimitTableLockStat:      {"max_table_lock_stat", "table_lock_stat_lost", -1, 1048576, "tables whose locks are counted"},
	LimitIndexStat:          {"max_index_stat", "index_stat_lost", -1, 1048576, "indexes, and tables without one, whose rows are counted"},
	LimitMetadataLocks:      {"max_metadata_locks", "metadata_lock_lost", -1, 104857600, "rows of metadata_locks"},
}

// buffer is a family of memory that a registry itself takes, an instrument
// memory/performance_schema/NAME.
//
// What is allocated in few places is counted there; what grows piece by piece, such as lists and texts, is measured when
// somebody asks. Bytes are those of the things that are allocated: a record with its alignment, a list with its spare places,
// the bytes of a text, the key and the value of each entry of a map. A text, like everything else that histories share, counts
// once for each reference to it, except texts of a fixed set, such as SQLSTATEs. What the allocator and maps take in addition
// is only in memory/go.
type buffer uint8

// The buffers, in the order of their names.
const (
	bufAccounts buffer = iota
	bufCondClass
	bufCondInstances
	bufDigestCache
	bufErrorsByAccount
	bufErrorsByHost
	bufErrorsByThread
	bufErrorsByUser
	bufErrorsGlobal
	bufStagesHistory
	bufStagesHistoryLong
	bufStagesByAccount
	bufStagesByHost
	bufStagesByThread
	bufStagesByUser
	bufStagesGlobal
	bufStatementsCurrent
	bufStatementsCurrentText
	bufStatementsHistogram
	bufStatementsHistory
	bufStatementsHistoryText
	bufStatementsHistoryLong
	bufStatementsHistoryLongText
	bufStatementsByAccount
	bufDigests
	bufDigestsTokens
	bufDigestsText
	bufStatementsByHost
	bufPrograms
	bufStatementsByThread
	bufStatementsByUser
	bufStatementsGlobal
	bufTransactionsHistory
	bufTransactionsHistoryLong
	bufWaitsHistogram
	bufWaitsHistory
	bufWaitsHistoryLong
	bufWaitsByAccount
	bufWaitsByHost
	bufWaitsByThread
	bufWaitsByUser
	bufFileClass
	bufFileInstances
	bufHosts
	bufMemoryClass
	bufMemoryByAccount
	bufMemoryByHost
	bufMemoryByThread
	bufMemoryByUser
	bufMemoryGlobal
	bufMetadataLocks
	bufMeterClass
	bufMetricClass
	bufMutexClass
	bufMutexInstances
	bufPrepared
	bufRegistry
	bufRWMutexClass
	bufRWMutexInstances
	bufConnectAttrs
	bufSetupActors
	bufSetupObjects
	bufSocketClass
	bufSocketInstances
	bufStageClass
	bufStatementClass
	bufStatusByAccount
	bufStatusByHost
	bufStatusByThread
	bufStatusByUser
	bufSynchClass
	bufSynchInstances
	bufTableHandles
	bufTableIO
	bufTableLocks
	bufTables
	bufThreadClass
	bufThreads
	bufUserVariables
	bufUsers
	bufferCount
)

// buffers has the name of each buffer, the bytes of a row, 0 where rows differ, and what the rows
// are.
var buffers = [bufferCount]struct {
	name string
	row  int
	doc  string
}{
	bufAccounts:                  {"accounts", size[actor](), "Rows of accounts."},
	bufCondClass:                 {"cond_class", size[Class](), "Instruments of condition variables."},
	bufCondInstances:             {"cond_instances", size[condInstance](), "Rows of cond_instances."},
	bufDigestCache:               {"digest_cache", 0, "Texts of statements whose digest is known."},
	bufErrorsByAccount:           {"events_errors_summary_by_account_by_error", size[workEntry[ErrorStat]](), "Errors of accounts."},
	bufErrorsByHost:              {"events_errors_summary_by_host_by_error", size[workEntry[ErrorStat]](), "Errors of hosts."},
	bufErrorsByThread:            {"events_errors_summary_by_thread_by_error", size[workEntry[ErrorStat]](), "Errors of threads."},
	bufErrorsByUser:              {"events_errors_summary_by_user_by_error", size[workEntry[ErrorStat]](), "Errors of users."},
	bufErrorsGlobal:              {"events_errors_summary_global_by_error", size[workEntry[ErrorStat]](), "Errors of what is no thread any more, and the list of errors."},
	bufStagesHistory:             {"events_stages_history", size[stageRecord](), "Stages that threads have ended."},
	bufStagesHistoryLong:         {"events_stages_history_long", size[longEntry[stageRecord]](), "The last stages of all threads."},
	bufStagesByAccount:           {"events_stages_summary_by_account_by_event_name", size[workEntry[WorkStat]](), "Stages of accounts."},
	bufStagesByHost:              {"events_stages_summary_by_host_by_event_name", size[workEntry[WorkStat]](), "Stages of hosts."},
	bufStagesByThread:            {"events_stages_summary_by_thread_by_event_name", size[workEntry[WorkStat]](), "Stages of threads."},
	bufStagesByUser:              {"events_stages_summary_by_user_by_event_name", size[workEntry[WorkStat]](), "Stages of users."},
	bufStagesGlobal:              {"events_stages_summary_global_by_event_name", size[workEntry[WorkStat]](), "Stages of what is no thread any more."},
	bufStatementsCurrent:         {"events_statements_current", size[runningStatement](), "Statements that run, and the last one of each thread."},
	bufStatementsCurrentText:     {"events_statements_current.sql_text", 0, "The texts of these."},
	bufStatementsHistogram:       {"events_statements_histogram_global", size[[StatementHistogramBuckets]uint64](), "How long all statements took, for each processor."},
	bufStatementsHistory:         {"events_statements_history", size[statementRecord](), "Statements that threads have ended."},
	bufStatementsHistoryText:     {"events_statements_history.sql_text", 0, "The texts of these."},
	bufStatementsHistoryLong:     {"events_statements_history_long", size[longEntry[statementRecord]](), "The last statements of all threads."},
	bufStatementsHistoryLongText: {"events_statements_history_long.sql_text", 0, "The texts of these."},
	bufStatementsByAccount:       {"events_statements_summary_by_account_by_event_name", size[workEntry[StatementStat]](), "Statements of accounts."},
	bufDigests:                   {"events_statements_summary_by_digest", size[digestRow](), "Statements by digest, and how long they took."},
	bufDigestsTokens:             {"events_statements_summary_by_digest.digest_text", 0, "What the texts of these digests are made of."},
	bufDigestsText:               {"events_statements_summary_by_digest.sql_text", 0, "The samples of these digests."},
	bufStatementsByHost:          {"events_statements_summary_by_host_by_event_name", size[workEntry[StatementStat]](), "Statements of hosts."},
	bufPrograms:                  {"events_statements_summary_by_program", size[Program](), "Stored programs."},
	bufStatementsByThread:        {"events_statements_summary_by_thread_by_event_name", size[workEntry[StatementStat]](), "Statements of threads."},
	bufStatementsByUser:          {"events_statements_summary_by_user_by_event_name", size[workEntry[StatementStat]](), "Statements of users."},
	bufStatementsGlobal:          {"events_statements_summary_global_by_event_name", size[workEntry[StatementStat]](), "Statements of what is no thread any more."},
	bufTransactionsHistory:       {"events_transactions_history", size[transactionRecord](), "Transactions that threads have ended."},
	bufTransactionsHistoryLong:   {"events_transactions_history_long", size[longEntry[transactionRecord]](), "The last transactions of all threads."},
	bufWaitsHistogram:            {"events_waits_histogram_by_event_name", size[timeCounts](), "How long the events of an instrument took, for each processor."},
	bufWaitsHistory:              {"events_waits_history", size[event](), "Waits that threads have ended."},
	bufWaitsHistoryLong:          {"events_waits_history_long", size[longEvent](), "The last waits of all threads."},
	bufWaitsByAccount:            {"events_waits_summary_by_account_by_event_name", size[Stat](), "Waits of accounts."},
	bufWaitsByHost:               {"events_waits_summary_by_host_by_event_name", size[Stat](), "Waits of hosts."},
	bufWaitsByThread:             {"events_waits_summary_by_thread_by_event_name", size[stat](), "Waits of threads."},
	bufWaitsByUser:               {"events_waits_summary_by_user_by_event_name", size[Stat](), "Waits of users."},
	bufFileClass:                 {"file_class", size[Class](), "Instruments of files."},
	bufFileInstances:             {"file_instances", size[FileInstance](), "Rows of file_instances."},
	bufHosts:                     {"hosts", size[actor](), "Rows of hosts."},
	bufMemoryClass:               {"memory_class", size[Class](), "Instruments of memory."},
	bufMemoryByAccount:           {"memory_summary_by_account_by_event_name", size[workEntry[MemoryStat]](), "Memory of accounts."},
	bufMemoryByHost:              {"memory_summary_by_host_by_event_name", size[workEntry[MemoryStat]](), "Memory of hosts."},
	bufMemoryByThread:            {"memory_summary_by_thread_by_event_name", size[workEntry[MemoryStat]](), "Memory of threads."},
	bufMemoryByUser:              {"memory_summary_by_user_by_event_name", size[workEntry[MemoryStat]](), "Memory of users."},
	bufMemoryGlobal:              {"memory_summary_global_by_event_name", size[workEntry[MemoryStat]](), "Memory of what is no thread any more, or never was."},
	bufMetadataLocks:             {"metadata_locks", size[MetadataLock](), "Rows of metadata_locks, and what waits for them were for."},
	bufMeterClass:                {"meter_class", size[Meter](), "Rows of setup_meters."},
	bufMetricClass:               {"metric_class", size[Metric](), "Rows of setup_metrics."},
	bufMutexClass:                {"mutex_class", size[Class](), "Instruments of mutexes."},
	bufMutexInstances:            {"mutex_instances", size[MutexInstance](), "Rows of mutex_instances."},
	bufPrepared:                  {"prepared_statements_instances", size[PreparedStatement](), "Rows of prepared_statements_instances."},
	bufRegistry:                  {"registry", 0, "What is in none of the others: switches, lists, names, other instruments."},
	bufRWMutexClass:              {"rwlock_class", size[Class](), "Instruments of readers-writer locks."},
	bufRWMutexInstances:          {"rwlock_instances", size[RWMutexInstance](), "Rows of rwlock_instances."},
	bufConnectAttrs:              {"session_connect_attrs", size[ConnectAttr](), "Rows of session_connect_attrs."},
	bufSetupActors:               {"setup_actors", size[SetupActor](), "Rows of setup_actors."},
	bufSetupObjects:              {"setup_objects", size[objectRow](), "Rows of setup_objects."},
	bufSocketClass:               {"socket_class", size[Class](), "Instruments of sockets."},
	bufSocketInstances:           {"socket_instances", size[SocketInstance](), "Rows of socket_instances."},
	bufStageClass:                {"stage_class", size[Class](), "Instruments of stages."},
	bufStatementClass:            {"statement_class", size[Class](), "Instruments of statements."},
	bufStatusByAccount:           {"status_by_account", size[uint64](), "Status variables of accounts."},
	bufStatusByHost:              {"status_by_host", size[uint64](), "Status variables of hosts."},
	bufStatusByThread:            {"status_by_thread", size[uint64](), "Status variables of threads."},
	bufStatusByUser:              {"status_by_user", size[uint64](), "Status variables of users."},
	bufSynchClass:                {"synch_class", size[Class](), "Instruments of channels, semaphores, groups and the like."},
	bufSynchInstances:            {"synch_instances", size[SynchInstance](), "Rows of synch_instances."},
	bufTableHandles:              {"table_handles", size[TableHandle](), "Rows of table_handles."},
	bufTableIO:                   {"table_io_waits_summary_by_index_usage", size[tableIO](), "What was done with the rows of tables, by index."},
	bufTableLocks:                {"table_lock_waits_summary_by_table", size[tableLocks](), "Locks on tables."},
	bufTables:                    {"table_shares", size[Table](), "Tables."},
	bufThreadClass:               {"thread_class", size[ThreadClass](), "Rows of setup_threads."},
	bufThreads:                   {"threads", size[Thread](), "Threads, and records for those to come."},
	bufUserVariables:             {"user_variables_by_thread", size[userVariable](), "Rows of user_variables_by_thread."},
	bufUsers:                     {"users", size[actor](), "Rows of users."},
}
