package record

// The layout of a recording, which the recorder in a program's package runtime writes and this
// package reads: it is compiled into both. All words are little-endian. There are no pointers.
//
// The file begins short, and grows whenever blocks are reserved in it; its last regions may never be
// there. Whoever has it grow says in the header how far it reaches, but only afterwards: a file that
// is shorter than its header says has lost its end, whenever it is looked at and however its writer
// has ended.
//
// A row with a field seq is written by one goroutine at a time: seq is odd while it changes. A row
// of text, and a class, never changes once it is counted in the header.

const (
	recMagic   = 0x3164_7263_6473_6670 // pfsdcrd1
	recVersion = 7

	recMaxProcs    = 128    // rows of processors
	recOwnProcs    = 64     // the first so many processors have a row each; the others share the rest
	recMaxClasses  = 4096   // kinds of events by place in the code, 0 is none
	recClassChunk  = 64     // classes whose rows and statistics are reserved together
	recMaxThreads  = 131072 // goroutines at a time, 0 is none
	recMaxSpare    = 65536  // further rows: each is of a goroutine without a row, while it waits for a lock
	recMaxRings    = 4096   // the first so many of them have a history
	recMaxFiles    = 4096   // files by name, and open sockets; 0 is none
	recMaxFDs      = 16384
	recMaxObjects  = 4096 // locks that were waited for, 0 is none
	recTextSize    = 2 << 20
	recFrames      = 8 // return addresses of a class
	recHistory     = 10
	recHistoryLong = 1024 // of each processor
	recNameSize    = 176
)

// The sizes of rows, bytes.
const (
	recHeadSize   = 4096
	recClassSize  = 128
	recStatSize   = 64
	recThreadSize = 128
	recEventSize  = 64
	recFileSize   = 384
	recObjectSize = 128
)

// Where the regions begin. The header, the index and a first part of some others are reserved at the start, the rest as it is needed.
const (
	recAtIndex   = recHeadSize
	recAtFDs     = recAtIndex + 2*recMaxClasses*4
	recAtClasses = recAtFDs + recMaxFDs*4
	recAtObjects = recAtClasses + recMaxClasses*recClassSize
	recAtStats   = recAtObjects + recMaxObjects*recObjectSize
	recAtLong    = recAtStats + recMaxProcs*recMaxClasses*recStatSize
	recAtText    = recAtLong + recMaxProcs*recHistoryLong*recEventSize
	recAtFiles   = recAtText + recTextSize
	recAtThreads = recAtFiles + recMaxFiles*recFileSize
	recAtSpare   = recAtThreads + recMaxThreads*recThreadSize
	recAtRings   = recAtSpare + recMaxSpare*recThreadSize
	recAtWaits   = recAtRings + recMaxRings*recHistory*recEventSize
	recAtTimes   = recAtWaits + recWaitRows*recWaitsSize
	recAtHolds   = recAtTimes + recMaxTimes*recMaxProcs*recTimesSize
	recAtWork    = recAtHolds + recMaxHolds*recHoldsSize // see the end of this file
	recAtConns   = recAtWorkRings + recMaxWorkRings*recWorkRingSize
	recAtWaited  = recAtConns + recMaxConns*recConnSize
	recSize      = recAtWaited + recMaxWaited*recWaitedSize
)

// The kinds of classes: the lowest byte of the word kind. The second byte is the operation.
const (
	recGoroutine = 1 + iota // a start function
	recPlace                // a go statement
	recMutex
	recReadLock
	recWriteLock
	recCond
	recWaitGroup
	recReceive
	recSend
	recSelect
	recSleep
	recNetwork // a wait for a descriptor outside of an operation on it
	recFileIO
	recSocketIO
	recPool // a wait for a connection of a pool of database/sql
	// What a goroutine does, which has classes of its own: recWorkClass.
	recStatementWork
	recStageWork
	recTransactionWork
	recDatabaseName // no event, but what a class is called that others refer to
	// What goroutines wait for in the runtime itself: one class of each kind, without frames and events, whose ticks are nanoseconds.
	recScheduler // a goroutine that can run, for a processor; one of eight is counted
	recPauseGC   // the whole program, for the garbage collector
	recPauseElse // the whole program, for anything else
	recHoldPlace // where a lock was got, without a wait; it has no events
	recWorkPlace // the code that began a statement; it has no events
	recFurther   // first frames that are not enough: the program's own code is further out; it has no events
	recHostPool  // a wait for a connection of net/http to a host
	recKinds
)

// The operations.
const (
	recNoOp = iota
	recOpenFile
	recCloseFile
	recRead
	recWrite
	recSeek
	recSync
	recStatFile
	recChangeSize
	recDelete
	recRename
	recMakeDir
	recReadDir
	recLink
	recLockFile
	recConnect
	recAccept
	recSendTo
	recReceiveFrom
	recShutdown
	recOps
)

// Switches, which readers of the file set: bits of a word for each kind in the header, of a word in
// each class, and of a word in each thread. The first word in the header is for all kinds together.
// The recorder does not read it, because a reader that writes it also writes the words of all
// kinds.
const (
	recOff       = 1 // nothing is recorded
	recUntimed   = 2 // events have no times
	recNoHistory = 4
	recTimed     = 8 // in the words of the header only: histograms count the events that are timed
)

type recHeader struct {
	magic   uint64 // stored last, when everything else is there
	version uint64
	size    uint64
	pid     uint64
	// The counter of ticks and the clock, nanoseconds, at the start, and later: seq is that of the
	// second pair.
	ticks0, nano0 uint64
	wall0         uint64 // Unix time of the start, nanoseconds
	seq           uint64
	ticks1, nano1 uint64
	lock          uint32 //nolint:unused // of the recorder: held while rows of text, classes and files are made
	classes       uint32 // how many there are, 0 included
	threads       uint32 // the same
	text          uint32 // bytes
	procs         uint32 // how many rows of processors there are
	files         uint32 // 1 more than the highest that is used
	program       uint32 // text: the path of the executable, of programLen bytes
	programLen    uint32
	goVersion     uint32
	goVersionLen  uint32
	std           uint32 // the first parts of the paths of the standard library's packages
	stdLen        uint32
	lostClasses   uint64
	lostThreads   uint64
	lostFiles     uint64
	lostObjects   uint64
	lostEvents    uint64 // on processors without room, and at places in the code without room
	switches      [32]uint32
	waitRows      uint32 //nolint:unused // of the recorder: how many rows of statistics goroutines have beyond their first ones
	times         uint32 //nolint:unused // of the recorder: how many classes have histograms
	holds         uint32 // a switch of readers: odd while who holds locks is recorded, another number each time
	_             uint32
	overlay       uint32 // text: the name of the overlay that the program was built with
	overlayLen    uint32
	lostTimes     uint64 // events of classes that have none because there is no room
	reached       uint64 // the file has at least so many bytes: stored after it has grown, and never less
	spare         uint32 // how many spare rows there are
	spareFree     uint32 //nolint:unused // of the recorder: 1 more than the first one that is free
	unshown       uint64 // goroutines that exist and have no row
	lostLockWaits uint64 // waits for locks of goroutines without a row, while there was no spare one
	work          recWorkHeader
	module        uint32 // text: the path of the main module
	moduleLen     uint32
	conns         uint32 // rows of connections: how many there are, 0 included
	waited        uint32 // the same of channels and the like that are waited for
	lostConns     uint64 // connections without room
	lostWaited    uint64 // waits for channels and the like without room
}

type recClass struct {
	hash          uint64 //nolint:unused // of the recorder
	kind, frames  uint32
	pcs           [recFrames]uint64
	text, textLen uint32 // lines of function, tab, file:line, the innermost first
	switches      uint32
	times         uint32 // its histograms, 0 if it has none
	gap           uint32 // after so many lines frames are left out, 0 if none are
	semaphore     uint32 //nolint:unused // of the recorder: 1 if its waits are for units of a semaphore of golang.org/x/sync
	_             [24]byte
}

type recStatRow struct {
	seq  uint64
	stat recFileStat
	_    uint64
}

type recThread struct {
	seq          uint64
	goid, parent uint64
	class, place uint32 // of the start function and of the go statement; class 0: the row is free
	created      uint64 // ticks
	running      uint32 // the class of the wait that goes on, 0 if none does
	object       uint32 // of that wait: a row of objects, 0 if it has none; of a mutex only when the goroutine sleeps
	start        uint64 // ticks, 0 if untimed
	address      uint64
	events       uint64 // that have begun, without a wait that goes on
	switches     uint32
	nesting      uint32 // what the wait is part of, as in recEvent
	waits        uint64 //nolint:unused // of the recorder: that have ended
	work         uint32 // its row of what it does, 0 if it has none
	signals      uint32 // of a wait for a condition variable: how often that had been signalled when the wait began
	group        uint64 // the WaitGroup whose method Go has begun it, an address; 0 if none has
	// Channels, as the address of those who wait for them, when the goroutine began to wait last: the last one that it has sent to, and received
	// from, and the last one with room for values of no size that it, or who began it before that, has sent to, and not received from since.
	sent, received, took uint64
}

type recEvent struct {
	seq     uint64 // twice its number among the events of the thread or of the processor
	goid    uint64
	id      uint64
	class   uint16
	spins   uint16 // of a wait for a mutex: how often it looked at the mutex again before it slept
	nesting uint32 // how many events before this one the event began that it is part of, shifted by recNestBits, and what that is
	start   uint64 // ticks, 0 if untimed
	ticks   uint64
	address uint64
	bytes   uint64
}

// recFile is a file, by its name, or an open socket.
type recFile struct {
	seq   uint64
	hash  uint64 // 0: never used, 1: free again
	kind  uint32 // recFileIO or recSocketIO
	opens uint32
	len   uint32
	fd    uint32
	class uint32 // of the first operation
	_     uint32
	io    [3]recFileStat // reads, writes, all else
	name  [recNameSize]byte
	_     [24]byte
}

type recFileStat struct{ count, untimed, ticks, least, longest, bytes uint64 } // least is inverted

// recObject is a lock that was waited for.
type recObject struct {
	seq     uint64
	address uint64
	holder  uint64 // goroutine
	since   uint64 // ticks
	place   uint32 // the class of the holder's wait for it, 0 if it did not wait
	class   uint32 // of the last wait
	stat    recFileStat
	stray   uint64 // ticks when it was last unlocked for reading by a goroutine that was not known to hold it
	changes uint64 // how often another goroutine, or none, has become the holder
	readers uint32 // of a readers-writer lock: how many readers the holder waits for; it has the lock if there are none
	_       [20]byte
}

// Statistics by goroutine and class.
const (
	recMaxWaits    = 2048 // the first so many rows of goroutines have a row of statistics of their own
	recWaitRows    = 2560 // rows of statistics: the others are for goroutines that need more than one
	recWaitClasses = 14   // of one row
	recWaitChain   = 9    // rows of one goroutine
	recWaitsSize   = 640
)

// recWaits is statistics of a goroutine, which alone writes them. They belong to the goroutine
// goid, and not to another one that has taken over its row. Rows stay in a chain once they are in
// it. Events that have no place are in the lost of the first row, and in the count of class 0 of
// the processor.
type recWaits struct {
	seq     uint64
	goid    uint64
	lost    uint64
	classes [recWaitClasses]uint16 // 0: this place and those behind it are free
	next    uint16                 // the next row of the goroutine, 0 if there is none
	_       [10]byte
	stats   [recWaitClasses]recWaitStat
	_       [16]byte
}

type recWaitStat struct{ count, untimed, ticks, least, longest uint64 } // least is inverted

// Histograms by class and processor, of waits and of statements. Those of all processors with room stand together; the first class that
// has some has the number 1.
const (
	recMaxTimes     = 1024 // classes
	recMaxWorkTimes = 512  // of them those of statements
	recExact        = 16   // one bucket for each number of ticks below this
	recPerPower     = 8    // then so many from one power of two to the next
	recBuckets      = 328
	recTimesSize    = 2688
)

// recTimes is how many events took how long. One processor writes it. The words do not change
// together.
type recTimes struct {
	buckets [recBuckets]uint64
	longest uint64
	_       [56]byte
}

// Who holds locks, while that is switched on.
const (
	recMaxHolds   = 2048 // the first so many rows of goroutines
	recHoldLocks  = 8    // of a goroutine at a time
	recHoldFrames = 3
	recHoldsSize  = 384
)

// recHolds is the locks that a goroutine has locked and not unlocked itself, in no order. The
// goroutine writes it. It counts for the goroutine goid alone, and while level is that of the
// header: a lock that is locked or unlocked while nothing is recorded leaves no wrong row.
type recHolds struct {
	seq   uint64
	goid  uint64
	level uint32
	n     uint32
	lost  uint32 //nolint:unused // of the recorder: locks without a place
	_     uint32
	locks [recHoldLocks]recHold
	_     [32]byte
}

type recHold struct {
	address uint64 // of the lock, and 1 more if it is held for reading
	ticks   uint64
	pcs     [recHoldFrames]uint64 // return addresses; a class recHoldPlace has the lines if somebody has waited for the lock
}

// What goroutines do: statements, which are requests and calls of a database, their stages, and
// transactions. All of this is reserved when the first statement begins.

const (
	recMaxWorkClasses = 2048    // instruments, and texts of statements; 0 is none
	recMaxWork        = 8192    // goroutines at a time that have had a statement; 0 is none
	recMaxWorkRings   = 2048    // the first so many of them have histories
	recWorkTextSize   = 1 << 20 // of classes
	recMaxWorkText    = 4096    // of a class
	recMaxNested      = 4       // statements of a goroutine, one inside the other
	recEventText      = 256     // of the text that an event keeps
	recEventMessage   = 128

	recWorkHistory          = 10
	recStatementHistoryLong = 256 // of each processor
	recStageHistoryLong     = 1024
	recTransactHistoryLong  = 256

	recThreadStatements = 16 // instruments of which a goroutine has statistics
	recThreadStages     = 12
)

const (
	recWorkClassSize = 64
	recWorkStatSize  = 128
	recStepSize      = 64
	recStatementSize = 512
	recWorkSize      = 64 + (recMaxNested+1)*recStepSize + recMaxNested*recStatementSize + recThreadStatements*80 + (recThreadStages+2)*40 + 16
	recWorkRingSize  = recWorkHistory * (recStatementSize + 2*recStepSize)
)

// Where the regions begin.
const (
	recAtWorkClasses     = recAtWork
	recAtWorkIndex       = recAtWorkClasses + recMaxWorkClasses*recWorkClassSize
	recAtWorkStats       = recAtWorkIndex + 4*recMaxWorkClasses*4
	recAtStatementsLong  = recAtWorkStats + recMaxProcs*recMaxWorkClasses*recWorkStatSize
	recAtStagesLong      = recAtStatementsLong + recMaxProcs*recStatementHistoryLong*recStatementSize
	recAtTransactionLong = recAtStagesLong + recMaxProcs*recStageHistoryLong*recStepSize
	recAtWorkText        = recAtTransactionLong + recMaxProcs*recTransactHistoryLong*recStepSize
	recAtWorkRows        = recAtWorkText + recWorkTextSize
	recAtWorkRings       = recAtWorkRows + recMaxWork*recWorkSize
)

// What an event is part of: the lowest bits of its word nesting.
const (
	recInNothing = iota
	recInStatement
	recInStage
	recInTransaction
	recNestBits = 2
)

type recWorkHeader struct {
	ready      uint32 // 1: reserved, 2: there was no room
	classes    uint32 // how many there are, 0 included
	rows       uint32 // the same
	text       uint32 // bytes
	lostTexts  uint64 // instruments or texts without room
	lostRows   uint64 // statements of goroutines without a row
	lostNested uint64 // statements that are too deep inside of others
	times      uint32 //nolint:unused // of the recorder: how many classes have histograms
	_          uint32
}

// recWorkClass is an instrument, whose text is its name, or statements of an instrument with one
// text: of SQL the first such text, without regard to literals.
type recWorkClass struct {
	hash, shape   uint64 //nolint:unused // of the recorder: of what a text is found by; shape is that of SQL without literals
	kind          uint32
	name          uint32 // the class of the instrument; its own number if it is one
	text, textLen uint32
	schema        uint32 // the class whose text is the name of the database, 0 if there is none
	switches      uint32 // of an instrument
	sql           uint32 // 1 if the text is SQL
	whole         uint32 // the length of the text before it was cut
	times         uint32 // the number of a statement's histograms, 0 if it has none
	_             [12]byte
}

// recCounts is what statements have counted besides their time.
type recCounts struct{ errors, warnings, affected, sent, examined uint64 }

type recWorkStat struct {
	seq         uint64
	stat        recWorkTimes
	counts      recCounts
	first, last uint64 // when the first and the last one ended, ticks
	_           [24]byte
}

type recWorkTimes struct{ count, untimed, ticks, least, longest uint64 } // least is inverted

// recStep is a stage or a transaction.
type recStep struct {
	seq     uint64 // in a history, as that of recEvent
	goid    uint64
	id      uint64 // 0: there is none
	nesting uint64 // the event that it is part of, shifted by recNestBits, and what that is
	class   uint32
	aux     uint32 // of a transaction: recReadOnly and recCommitted, and from recIsolation on the isolation level
	start   uint64 // ticks, 0 if untimed
	ticks   uint64
	inner   uint32 // how many events began while it went on
	ended   uint32
}

// Bits of the word aux of a transaction.
const (
	recReadOnly  = 1
	recCommitted = 2
	recIsolation = 8 // the shift
)

type recStatement struct {
	seq          uint64 // in a history, as that of recEvent
	goid         uint64
	id           uint64
	nesting      uint64 // as of recStep
	class        uint32
	level, place uint16 // place: the class of the code that began it, 0 if that is unknown
	start, ticks uint64
	inner        uint32
	ended        uint32
	hash         uint64 // that of the class whose text is the whole text
	counts       recCounts
	errno        uint32
	textLen      uint16
	messageLen   uint16
	state        [8]byte // SQLSTATE
	text         [recEventText]byte
	message      [recEventMessage]byte
}

// recThreadStat is a goroutine's statistics of an instrument.
type recThreadStat struct {
	class, untimed               uint32
	count, ticks, least, longest uint64
}

// recWork is what a goroutine does and has done.
type recWork struct {
	seq          uint64
	goid         uint64
	depth        uint32 // how many statements go on; if none does, the first one is the last that has ended
	_            uint32
	lost         uint64    // events that are in no statistics of the goroutine
	ended        [3]uint64 //nolint:unused // of the recorder: statements, stages and transactions in its histories
	_            [8]byte
	transaction  recStep
	stages       [recMaxNested]recStep // of each statement
	statements   [recMaxNested]recStatement
	ofStatements [recThreadStatements]struct {
		recThreadStat
		counts recCounts
	}
	ofStages       [recThreadStages]recThreadStat
	ofTransactions [2]recThreadStat
	_              [16]byte
}

// Connections of pools.
const (
	recMaxConns = 4096 // 0 is none
	recConnSize = 256
	recConnName = 64
	recConnText = 96
)

// The states of a connection, 0 while nobody has it.
const (
	recConnTaken = 1 + iota
	recConnBody  // of net/http: the response is there, and its body is neither read to its end nor closed
)

// recConn is an open connection of a pool, and who has it.
type recConn struct {
	seq              uint64
	conn             uint64 // tells connections apart; 0: the row is free
	pool             uint64 // tells pools apart
	number           uint64 // in the pool; 0: the goroutine that has taken it is opening it
	opened, since    uint64 // ticks; since: when it was taken
	goid             uint64 // who has taken it
	taken            uint64 // how often it was
	place            uint32 // the class of the code that has taken it
	kind             uint32 // recPool or recHostPool
	state            uint32
	nameLen, textLen uint16
	name             [recConnName]byte // of the pool
	text             [recConnText]byte // what it was last used for since it was taken
	_                [16]byte
}

// Channels, condition variables, WaitGroups and semaphores that goroutines wait for, and Onces that somebody is inside of.
const (
	recMaxWaited  = 8192 // 0 is none
	recWaitedSize = 128
)

// Their kinds.
const (
	recWaitedChannel = 1 + iota
	recWaitedCond
	recWaitedGroup
	recWaitedOnce
	recWaitedSemaphore
	recWaitedKinds
)

// What was done to them last.
const (
	recDidSend = 1 + iota
	recDidReceive
	recDidSignal
	recDidBroadcast
	recDidDone // or Add
	recDidDo
	recDids
)

// recWaited is one of them. Its words are written when somebody begins to wait, and when something is done while others wait.
type recWaited struct {
	seq     uint64
	address uint64 // as that of the threads that wait for it
	kind    uint32
	waiters uint32       // how many wait, or are inside; 0: the row can be taken for another one
	size    uint64       // of a channel how many values it has room for, of a semaphore how many units it has
	used    uint64       // the values in the channel, the units that are taken, the counter of a WaitGroup
	count   uint64       // how often a condition variable was signalled; the bytes of a channel's value
	last    [2]recLatest // of a channel who has sent, and who has received; else the first: who has signalled, called Done, or is inside
	timer   uint32       // 1 of the channel of a timer, to which no goroutine sends
	_       [12]byte
}

type recLatest struct {
	goid  uint64 // 0: nobody that is known
	ticks uint64 // of a channel up to a second earlier; of a semaphore when the row was written, as each who waits writes one
	pc    uint64 //nolint:unused // of the recorder: place is the class of this address, if it is not 0
	place uint32
	op    uint32
}
