package tables

import (
	"fmt"
	"net"
	"strconv"

	"pfsd/instr"
)

// timesRow is how long the events of an instrument, an operation or an object took.
type timesRow struct {
	class *instr.Class
	name  string // the object's name; "" if it has none
	instr.Times
}

// How long timed events took: the percentiles of event_histograms. A percentile is at most an eighth longer than the true one, and at most the longest time.
//
// MySQL: none.
var _ = register(Def[*timesRow]{
	Name:     "event_percentiles",
	Doc:      "How long the events of instruments, operations and objects took: percentiles.",
	Recorded: OfProgram,
	Columns: append(timesOfColumns(func(r *timesRow) *timesRow { return r }),
		Column[*timesRow]{Name: "COUNT_STAR", Kind: bigintUnsigned, Get: func(r *timesRow) Value { return Uint(r.Count()) }, Doc: "How many timed events there are."},
		percentile("QUANTILE_50", 500, "half"),
		percentile("QUANTILE_95", 950, "95 %"),
		percentile("QUANTILE_99", 990, "99 %"),
		percentile("QUANTILE_999", 999, "99.9 %"),
		Column[*timesRow]{Name: "MAX_TIMER_WAIT", Kind: bigintUnsigned, Get: func(r *timesRow) Value { return Uint(r.MaxPicoseconds()) }, Doc: "The longest time, picoseconds."},
	),
	Indexes: []Index{
		{Name: "EVENT_NAME", Columns: []string{"EVENT_NAME"}},
		{Name: "OBJECT_INSTANCE_BEGIN", Columns: []string{"OBJECT_INSTANCE_BEGIN"}},
	},
	Estimate: func(model Model) int { return len(model.Classes()) },
	Rows: func(model Model, key Key) Source[*timesRow] {
		return each(classes(model, key, "EVENT_NAME", timedKinds...), func(c *instr.Class) []*timesRow { return timesOf(model, key, c) })
	},
	Truncate: resetTimes,
})

func percentile(name string, thousandths uint64, share string) Column[*timesRow] {
	return Column[*timesRow]{Name: name, Kind: bigintUnsigned, Get: func(r *timesRow) Value { return Uint(r.Quantile(thousandths)) },
		Doc: fmt.Sprintf("The time that %s of the events did not exceed, picoseconds.", share)}
}

// timedKinds are the kinds of instruments whose events can be timed.
var timedKinds = kindsWhere(func(k instr.Kind) bool { return !k.Timeless() && k.Family() != instr.FamilyHolds })

// timesOfColumns are the columns that say what a histogram is about.
func timesOfColumns[R any](of func(R) *timesRow) []Column[R] {
	return []Column[R]{
		eventName("EVENT_NAME", func(r R) *instr.Class { return of(r).class }),
		{Name: "OPERATION", Kind: varchar(8).nullable(), Get: func(r R) Value { return textOrNull(of(r).Operation) }, Doc: "READ, WRITE or MISC of files and sockets; NULL of all operations together."},
		{Name: "OBJECT_INSTANCE_BEGIN", Kind: bigintUnsigned.nullable(), Get: func(r R) Value { return uintOrNull(of(r).Instance) }, Doc: "The object; NULL of all objects together."},
		{Name: "OBJECT_NAME", Kind: varchar(512).nullable(), Get: func(r R) Value { return textOrNull(cut(of(r).name, 512)) }, Doc: "The name of the object, if it is a file or a socket."},
	}
}

// timesOf are the histograms of a class that key allows.
func timesOf(model Model, key Key, c *instr.Class) (rows []*timesRow) {
	for _, t := range model.Times(c) {
		if !key.allows("OBJECT_INSTANCE_BEGIN", uintOrNull(t.Instance)) {
			continue
		}
		name := ""
		if t.Instance != 0 {
			switch in := model.Instance(t.Instance).(type) {
			case FileInstance:
				name = in.Name()
			case SocketInstance:
				name = net.JoinHostPort(in.IP(), strconv.Itoa(in.Port()))
			}
		}
		rows = append(rows, &timesRow{c, name, t})
	}
	return rows
}
