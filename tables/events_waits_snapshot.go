package tables

import (
	"strings"
	"time"

	"pfsd/instr"
)

// WaitsSnapshot is what events_waits_summary_global_by_event_name said at a moment, under a name that somebody has given.
type WaitsSnapshot struct {
	Name  string
	Taken time.Time
	Boot  string
	Waits []SnapshotWait // by instrument
}

// SnapshotWait is what an instrument had counted.
type SnapshotWait struct {
	Event string
	// Stats are COUNT_STAR and the sum, the least, the average and the longest time, picoseconds.
	Stats [5]uint64
}

// Snapshots keeps snapshots until somebody removes them. Safe for concurrent use.
type Snapshots interface {
	// Snapshots returns all, without their waits, in the order in which they were taken.
	Snapshots() []WaitsSnapshot
	// SnapshotWaits returns the waits of one; nil if there is none with the name.
	SnapshotWaits(name string) []SnapshotWait
	// Keep adds one, of which Name and Waits are set; when it returns nil, the snapshot is on the device. Else it returns a DuplicateError
	// for a name that there is, ErrFull if there are too many, ErrDiskFull or ErrNotWritten.
	Keep(s WaitsSnapshot) error
	// Forget removes one, and Clear all. They return ErrDiskFull or ErrNotWritten if they cannot.
	Forget(name string) error
	Clear() error
}

type snapshotsKey struct{}

// ProvideSnapshots makes s what the table events_waits_snapshot of a model shows and changes; nil removes it. Safe for concurrent use.
func ProvideSnapshots(model Model, s Snapshots) {
	if s == nil {
		model.Provide(snapshotsKey{}, nil)
		return
	}
	model.Provide(snapshotsKey{}, s)
}

func snapshotsOf(model Model) Snapshots {
	s, _ := model.Provided(snapshotsKey{}).(Snapshots)
	return s
}

// snapshotRow is one instrument in a snapshot.
type snapshotRow struct {
	snapshot *WaitsSnapshot
	SnapshotWait
}

// What events_waits_summary_global_by_event_name said when somebody took a snapshot, of the instruments that had counted something. An
// INSERT of a name takes one, whatever it says of the other columns, and sys.snapshot does that. A DELETE forgets the whole snapshots of the
// rows that it finds. They are kept until then; there are 100 at most.
//
// MySQL: none.
var _ = register(Def[*snapshotRow]{
	Name:     "events_waits_snapshot",
	Doc:      "What waits had been counted when somebody took a snapshot.",
	Recorded: OfProgram,
	Columns: []Column[*snapshotRow]{
		{Name: "SNAPSHOT_NAME", Kind: varchar(64).binary(), Get: func(r *snapshotRow) Value { return Text(r.snapshot.Name) }, Doc: "The name that was given to the snapshot."},
		{Name: "SNAPSHOT_TIME", Kind: timestamp(6).nullable(), Get: func(r *snapshotRow) Value { return Time(r.snapshot.Taken) }, Doc: "When it was taken."},
		{Name: "BOOT_ID", Kind: char(36).asciiText().nullable(), Get: func(r *snapshotRow) Value { return Text(r.snapshot.Boot) }, Doc: "Which run of the server took it, as in the tables of history. Counts of different runs cannot be subtracted."},
		{Name: "EVENT_NAME", Kind: varchar(128), Default: EmptyDefault, Get: func(r *snapshotRow) Value { return Text(r.Event) }, Doc: "The instrument; empty in the only row of a snapshot that was taken when nothing had been counted."},
		{Name: "COUNT_STAR", Kind: bigintUnsigned, Default: "0", Get: snapshotStat(0), Doc: "How many waits, timed or not."},
		{Name: "SUM_TIMER_WAIT", Kind: bigintUnsigned, Default: "0", Get: snapshotStat(1), Doc: "Total time of the timed waits, picoseconds."},
		{Name: "MIN_TIMER_WAIT", Kind: bigintUnsigned, Default: "0", Get: snapshotStat(2), Doc: "Shortest time of the timed waits, picoseconds; 0 if there were none."},
		{Name: "AVG_TIMER_WAIT", Kind: bigintUnsigned, Default: "0", Get: snapshotStat(3), Doc: "Average time of the timed waits, picoseconds; 0 if there were none."},
		{Name: "MAX_TIMER_WAIT", Kind: bigintUnsigned, Default: "0", Get: snapshotStat(4), Doc: "Longest time of the timed waits, picoseconds; 0 if there were none."},
	},
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"SNAPSHOT_NAME", "EVENT_NAME"}, Unique: true}},
	Estimate: fixedEstimate,
	Rows:     snapshotRows,
	Insert: func(model Model, row []Value) error {
		s, name := snapshotsOf(model), row[0].s
		switch {
		case name == "" || strings.HasSuffix(name, " "):
			return &ColumnError{"SNAPSHOT_NAME", ErrBadValue}
		case s == nil:
			return ErrFull
		case !model.Setup().Consumer(instr.ConsumerEventsWaitsSnapshot):
			return Refusal("No snapshot is taken: the consumer events_waits_snapshot is switched off")
		}
		return s.Keep(WaitsSnapshot{Name: name, Waits: presentWaits(model)})
	},
	Delete: func(model Model, r *snapshotRow) error {
		if s := snapshotsOf(model); s != nil {
			return s.Forget(r.snapshot.Name)
		}
		return nil
	},
	Clear: func(model Model) error {
		if s := snapshotsOf(model); s != nil {
			return s.Clear()
		}
		return nil
	},
})

func snapshotStat(i int) func(*snapshotRow) Value {
	return func(r *snapshotRow) Value { return Uint(r.Stats[i]) }
}

// presentWaits is what events_waits_summary_global_by_event_name says now.
func presentWaits(model Model) (all []SnapshotWait) {
	rows, buf := globalStatRows(byName)(model, nil), make([]*statRow, batch)
	for n := rows(buf); n > 0; n = rows(buf) {
		for _, r := range buf[:n] {
			if r.stat().Count == 0 {
				continue
			}
			w := SnapshotWait{Event: statName.Get(r).s}
			for i, c := range waitStatColumns {
				w.Stats[i] = c.Get(r).Bits()
			}
			all = append(all, w)
		}
	}
	return all
}

// snapshotRows reads one snapshot after another, each when the scan gets there; one that is gone by then is left out.
func snapshotRows(model Model, key Key) Source[*snapshotRow] {
	s := snapshotsOf(model)
	if s == nil {
		return list[*snapshotRow](nil)
	}
	var rest []WaitsSnapshot
	for _, one := range s.Snapshots() {
		if key.allows("SNAPSHOT_NAME", Text(one.Name)) && key.allows("SNAPSHOT_TIME", Time(one.Taken)) {
			rest = append(rest, one)
		}
	}
	var rows []snapshotRow
	return func(buf []*snapshotRow) int {
		for len(rows) == 0 {
			if len(rest) == 0 {
				return 0
			}
			for _, w := range s.SnapshotWaits(rest[0].Name) {
				if key.allows("EVENT_NAME", Text(w.Event)) {
					rows = append(rows, snapshotRow{&rest[0], w})
				}
			}
			rest = rest[1:]
		}
		n := min(len(buf), len(rows))
		for i := range n {
			buf[i] = &rows[i]
		}
		rows = rows[n:]
		return n
	}
}
