package tables

import (
	"slices"
	"strconv"

	"pfsd/instr"
)

// list yields items.
func list[T any](items []T) Source[T] {
	return func(buf []T) int {
		n := copy(buf, items)
		items = items[n:]
		return n
	}
}

// each yields what parts returns for each of items, which may be the same memory every time.
func each[T, U any](items []T, parts func(T) []U) Source[U] {
	var rest []U
	return func(buf []U) int {
		for len(rest) == 0 {
			if len(items) == 0 {
				return 0
			}
			rest = parts(items[0])
			items = items[1:]
		}
		n := copy(buf, rest)
		rest = rest[n:]
		return n
	}
}

// mapped makes a row of each thing that src yields. fill sets the whole row, and reports
// whether there is one.
func mapped[T, R any](src Source[T], fill func(*R, T) bool) Source[*R] {
	var things []T
	var rows []R
	return func(buf []*R) int {
		if len(rows) < len(buf) {
			things, rows = make([]T, len(buf)), make([]R, len(buf))
		}
		for {
			got := src(things[:len(buf)])
			n := 0
			for _, t := range things[:got] {
				if fill(&rows[n], t) {
					buf[n] = &rows[n]
					n++
				}
			}
			if n > 0 || got == 0 {
				return n
			}
		}
	}
}

// waitKinds are the instruments of waits, in the order of the summaries.
var waitKinds = []instr.Kind{instr.KindMutex, instr.KindRWMutex, instr.KindCond, instr.KindFile, instr.KindSocket, instr.KindIdle}

// classes returns the instruments of some kinds, kind by kind: the one that key names in
// column, or all.
func classes(reg *instr.Registry, key Key, column string, kinds ...instr.Kind) []*instr.Class {
	all := reg.Classes()
	if name, ok := key.Text(column); ok {
		c := reg.ClassByName(name)
		if c == nil {
			return nil
		}
		all = []*instr.Class{c}
	}
	var some []*instr.Class
	for _, k := range kinds {
		for _, c := range all {
			if c.Kind() == k {
				some = append(some, c)
			}
		}
	}
	return some
}

// instances yields the objects of some kinds: the one whose OBJECT_INSTANCE_BEGIN key
// gives, those of the instrument that key names in column, or all.
func instances(reg *instr.Registry, key Key, column string, kinds ...instr.Kind) Source[instr.Instance] {
	if id, ok := key.Uint("OBJECT_INSTANCE_BEGIN"); ok {
		in := reg.Instance(id)
		if in == nil || !slices.Contains(kinds, in.Class().Kind()) {
			return list[instr.Instance](nil)
		}
		return list([]instr.Instance{in})
	}
	return each(classes(reg, key, column, kinds...), (*instr.Class).Instances)
}

// resetInstances returns the TRUNCATE that empties the statistics of all objects of some
// kinds.
func resetInstances(kinds ...instr.Kind) func(*instr.Registry) {
	return func(reg *instr.Registry) {
		for _, c := range classes(reg, nil, "", kinds...) {
			c.ResetInstances()
		}
	}
}

// resetClasses returns the TRUNCATE that empties the statistics of all instruments of some
// kinds and of their objects.
func resetClasses(kinds ...instr.Kind) func(*instr.Registry) {
	return func(reg *instr.Registry) {
		for _, c := range classes(reg, nil, "", kinds...) {
			c.Reset()
		}
	}
}

// fixedEstimate is about how many objects there are, as their number is not known without
// counting them. MySQL's estimates are fixed too.
func fixedEstimate(*instr.Registry) int { return 1000 }

// threadsOf returns the thread whose id key gives in THREAD_ID, or all.
func threadsOf(reg *instr.Registry, key Key) []*instr.Thread {
	id, ok := key.Uint("THREAD_ID")
	if !ok {
		return reg.Threads()
	}
	if t := reg.ThreadByID(id); t != nil {
		return []*instr.Thread{t}
	}
	return nil
}

// waitRow is an event of events_waits_current or a history.
type waitRow struct {
	*instr.WaitEvent
	scan *waitScan
}

// waitScan remembers texts that many events of one scan have in common.
type waitScan struct {
	reg     *instr.Registry
	sources map[uintptr]Value
	objects map[uint64]Value
}

// waitRows makes rows of the events that src yields.
func waitRows(reg *instr.Registry, src Source[instr.WaitEvent]) Source[waitRow] {
	scan := &waitScan{reg: reg, sources: map[uintptr]Value{}, objects: map[uint64]Value{}}
	var events []instr.WaitEvent
	return func(buf []waitRow) int {
		if len(events) < len(buf) {
			events = make([]instr.WaitEvent, len(buf))
		}
		n := src(events[:len(buf)])
		for i := range n {
			buf[i] = waitRow{&events[i], scan}
		}
		return n
	}
}

// threadWaitRows makes rows of the events that read appends for each thread.
func threadWaitRows(read func(*instr.Thread, []instr.WaitEvent) []instr.WaitEvent) func(*instr.Registry, Key) Source[waitRow] {
	return func(reg *instr.Registry, key Key) Source[waitRow] {
		id, one := key.Uint("EVENT_ID")
		var events []instr.WaitEvent
		return waitRows(reg, each(threadsOf(reg, key), func(t *instr.Thread) []instr.WaitEvent {
			events = read(t, events[:0])
			if one {
				events = slices.DeleteFunc(events, func(e instr.WaitEvent) bool { return e.ID != id })
			}
			return events
		}))
	}
}

// source is where the event's code is.
func (r waitRow) source() Value {
	v, ok := r.scan.sources[r.Caller]
	if !ok {
		v = textOrNull(cut(r.Source(), 64))
		r.scan.sources[r.Caller] = v
	}
	return v
}

// objectName is the name of the file or the address of the socket that was waited for.
func (r waitRow) objectName() Value {
	if k := r.Class.Kind(); k != instr.KindFile && k != instr.KindSocket {
		return Null
	}
	v, ok := r.scan.objects[r.Object]
	if !ok {
		switch in := r.scan.reg.Instance(r.Object).(type) {
		case *instr.FileInstance:
			v = Text(cut(in.Name(), 512))
		case *instr.SocketInstance:
			v = Text(in.IP() + ":" + strconv.Itoa(in.Port()))
		}
		r.scan.objects[r.Object] = v
	}
	return v
}

// objectType is what kind of object was waited for.
func (r waitRow) objectType() Value {
	switch r.Class.Kind() {
	case instr.KindFile:
		return Text("FILE")
	case instr.KindSocket:
		return Text("SOCKET")
	}
	return Null
}

// statRow is the waits of an instrument: all, or those of one instance or thread.
type statRow struct {
	class  *instr.Class
	object uint64 // the instance's id
	thread uint64 // the thread's id
	waits  instr.Stat
}

func (r *statRow) instrument() *instr.Class { return r.class }

func (r *statRow) stat() *instr.Stat { return &r.waits }

// ioRow is the operations of an instrument, or of one of its files or sockets.
type ioRow struct {
	class  *instr.Class
	object uint64 // the instance's id
	name   string // the file's
	instr.IOStat
	all instr.Stat
}

func (r *ioRow) instrument() *instr.Class { return r.class }

// set fills the row.
func (r *ioRow) set(c *instr.Class, object uint64, name string, s instr.IOStat) bool {
	*r = ioRow{c, object, name, s, s.All()}
	return true
}

// classIORows starts a scan of the instruments of one kind.
func classIORows(kind instr.Kind) func(*instr.Registry, Key) Source[*ioRow] {
	return func(reg *instr.Registry, key Key) Source[*ioRow] {
		return mapped(list(classes(reg, key, "EVENT_NAME", kind)), func(r *ioRow, c *instr.Class) bool {
			return r.set(c, 0, "", c.IO())
		})
	}
}
