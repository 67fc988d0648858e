package tables

import "time"

// Capture is a request for a CPU profile or an execution trace, and what has become of it.
type Capture struct {
	ID        uint64
	Kind      string  // CPU or TRACE
	Condition string  // NOW, LOCK_HELD, STATEMENT or ACTIVE_SESSIONS
	Threshold float64 // seconds, of ACTIVE_SESSIONS their number
	Seconds   uint64  // how long the profile or the trace is
	WaitFor   uint64  // for how many seconds it waits for the condition
	State     string  // one of captureStates
	Armed     time.Time
	Taken     time.Time // zero until it is taken
	Reason    string    // what met the condition
	File      string
	Bytes     uint64
	Error     string
}

// CPUSample is the processor time that one thread, in statements of one digest, has spent at one place during a CPU profile.
type CPUSample struct {
	Capture                                 uint64
	Thread, Digest, Function, Source, Stack string
	Samples                                 uint64
	CPU                                     uint64 // picoseconds
}

// Capturer takes CPU profiles and execution traces. Safe for concurrent use.
type Capturer interface {
	// Captures returns the captures there are, oldest first, and Samples those of their CPU profiles
	// that are still in memory.
	Captures() []Capture
	Samples() []CPUSample
	// Arm adds a capture, of which the request is set. It returns ErrOutOfRange in a ColumnError if
	// a number is out of bounds, and ErrFull if too many wait already.
	Arm(c Capture) error
	// Forget ends and removes a capture, and its file.
	Forget(id uint64)
}

type capturerKey struct{}

// ProvideCaptures makes c what the tables captures and cpu_profile of a model show and change; nil removes it. Safe for
// concurrent use.
func ProvideCaptures(model Model, c Capturer) {
	if c == nil {
		model.Provide(capturerKey{}, nil)
		return
	}
	model.Provide(capturerKey{}, c)
}

func capturerOf(model Model) Capturer {
	c, _ := model.Provided(capturerKey{}).(Capturer)
	return c
}

var (
	captureKinds      = enum("CPU", "TRACE")
	captureConditions = enum("NOW", "LOCK_HELD", "STATEMENT", "ACTIVE_SESSIONS")
	captureStates     = enum("ARMED", "TAKING", "DONE", "EXPIRED", "FAILED")
)

// CPU profiles and execution traces of the program that were asked for. An INSERT asks for one, which is taken at once, or
// when a condition is met: a lock is held, or a statement runs, for longer than THRESHOLD seconds, or more than THRESHOLD sessions
// are active. Conditions are looked at ten times a second. A trace has what happened before: Go's flight recorder runs while
// one is armed. There are at most 20 rows: a new one takes the place of the oldest that has ended. A deleted row's file is
// deleted, too. The files are in the data directory, without one in a temporary directory until the server ends.
//
// MySQL: none.
var _ = register(Def[*Capture]{
	Name:     "captures",
	Doc:      "CPU profiles and execution traces that were asked for.",
	Recorded: OfServer,
	Columns: []Column[*Capture]{
		{Name: "CAPTURE_ID", Kind: bigintUnsigned, Default: "0", Get: func(r *Capture) Value { return Uint(r.ID) }, Doc: "The number of the capture, which the server gives it."},
		{Name: "KIND", Kind: captureKinds, Default: "CPU", Get: func(r *Capture) Value { return Text(r.Kind) }, Doc: "CPU is a profile, whose samples are in cpu_profile; TRACE is an execution trace."},
		{Name: "CONDITION_TYPE", Kind: captureConditions, Default: "NOW", Get: func(r *Capture) Value { return Text(r.Condition) }, Doc: "NOW takes it at once; otherwise what must be above THRESHOLD."},
		{Name: "THRESHOLD", Kind: Kind{Type: TypeDouble, Len: 12, Decimals: 3}, Default: "0.000", Get: func(r *Capture) Value { return Double(r.Threshold) }, Doc: "Seconds; of ACTIVE_SESSIONS a number of sessions."},
		{Name: "SECONDS", Kind: intUnsigned, Default: "10", Get: func(r *Capture) Value { return Uint(r.Seconds) }, Doc: "How long a profile takes, or how much time before the condition a trace has: 1 to 60."},
		{Name: "WAIT_SECONDS", Kind: intUnsigned, Default: "3600", Get: func(r *Capture) Value { return Uint(r.WaitFor) }, Doc: "For how long it waits for the condition: 1 to 86400."},
		{Name: "STATE", Kind: captureStates.nullable(), Get: func(r *Capture) Value { return Text(r.State) }, Doc: "ARMED until the condition is met or the time is over (EXPIRED), then TAKING, then DONE or FAILED."},
		{Name: "ARMED_AT", Kind: timestamp(6).nullable(), Get: func(r *Capture) Value { return timeOrNull(r.Armed) }, Doc: "When it was asked for."},
		{Name: "TAKEN_AT", Kind: timestamp(6).nullable(), Get: func(r *Capture) Value { return timeOrNull(r.Taken) }, Doc: "When the condition was met; NULL until then."},
		{Name: "REASON", Kind: varchar(512).nullable(), Get: func(r *Capture) Value { return textOrNull(cut(r.Reason, 512)) }, Doc: "What met the condition; NULL until then."},
		{Name: "FILE_NAME", Kind: varchar(512).nullable(), Get: func(r *Capture) Value { return textOrNull(cut(r.File, 512)) }, Doc: "The file, for go tool pprof or go tool trace; NULL until there is one."},
		{Name: "BYTES", Kind: bigintUnsigned.nullable(), Get: func(r *Capture) Value { return uintOrNull(r.Bytes) }, Doc: "How long the file is, bytes; NULL until there is one."},
		{Name: "ERROR", Kind: varchar(512).nullable(), Get: func(r *Capture) Value { return textOrNull(cut(r.Error, 512)) }, Doc: "Why it has failed; NULL if it has not."},
	},
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"CAPTURE_ID"}, Unique: true}},
	Estimate: func(Model) int { return 10 },
	Rows: func(model Model, key Key) Source[*Capture] {
		var all []Capture
		if c := capturerOf(model); c != nil {
			all = c.Captures()
		}
		return mapped(list(all), func(r *Capture, c Capture) bool {
			*r = c
			return key.allows("CAPTURE_ID", Uint(c.ID))
		})
	},
	Insert: func(model Model, row []Value) error {
		c := capturerOf(model)
		if c == nil {
			return ErrFull
		}
		return c.Arm(Capture{Kind: row[1].s, Condition: row[2].s, Threshold: row[3].Float(), Seconds: row[4].Bits(), WaitFor: row[5].Bits()})
	},
	Delete: func(model Model, r *Capture) error {
		if c := capturerOf(model); c != nil {
			c.Forget(r.ID)
		}
		return nil
	},
	Truncate: func(model Model) {
		if c := capturerOf(model); c != nil {
			for _, capture := range c.Captures() {
				c.Forget(capture.ID)
			}
		}
	},
})
