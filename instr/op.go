package instr

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

// direction is which of the three columns of a file or a socket an operation counts in.
type direction uint8

const (
	neither direction = iota
	reading
	writing
)

const directionCount = writing + 1

// operation is the direction's name in the tables.
func (d direction) operation() string {
	return [directionCount]string{neither: "MISC", reading: "READ", writing: "WRITE"}[d]
}

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

// String is the operation's name in SQL.
func (o Op) String() string { return ops[o].name }

func (o Op) direction() direction { return ops[o].direction }
