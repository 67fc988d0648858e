package recorded

import (
	"net"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
)

// object is a lock, a file or a socket.
type object struct {
	id    uint64
	class *instr.Class
	stats [3]record.Stat // reads, writes, all else
}

func (o *object) ID() uint64          { return o.id }
func (o *object) Class() *instr.Class { return o.class }
func (o *object) Waits() instr.Stat   { return o.IO().All() }

func (o *object) IO() instr.IOStat {
	return instr.IOStat{
		Read: stat(o.stats[0]), Write: stat(o.stats[1]), Misc: stat(o.stats[2]),
		ReadBytes: o.stats[0].Bytes, WriteBytes: o.stats[1].Bytes,
	}
}

// lock is a mutex, or a readers-writer lock.
type lock struct {
	object
	model *Model
	record.Lock
}

var (
	_ tables.MutexInstance   = (*lock)(nil)
	_ tables.RWMutexInstance = (*lock)(nil)
	_ tables.FileInstance    = (*file)(nil)
	_ tables.SocketInstance  = (*socket)(nil)
)

func (l *lock) Class() *instr.Class { return l.object.class }
func (l *lock) Holder() uint64      { return l.Lock.Holder }

// Holds is empty: how long locks are held is not recorded.
func (l *lock) Holds() instr.Stat { return instr.NoStat }

// Readers is known while a writer waits for them, while a writer is known to have the lock, and while an instrument of holds is on.
func (l *lock) Readers() int {
	switch {
	case l.Pending != 0:
		return l.WaitedFor
	case l.Lock.Readers == 0 && l.Lock.Holder == 0 && !l.model.rec.HoldsRecorded():
		return tables.UnknownReaders
	}
	return l.Lock.Readers
}

func (l *lock) Holding() (instr.Holding, bool) {
	if l.Lock.Holder == 0 {
		return instr.Holding{}, false
	}
	h := instr.Holding{Holder: l.Lock.Holder, Goroutine: l.Lock.Holder, Number: l.Hold, Certain: true, Source: l.model.source(l.Place), Timed: l.Since != 0}
	if h.Timed {
		h.Held = l.model.since(l.Since)
	}
	return h, true
}

// since is the time from a moment of the recording until now, picoseconds.
func (m *Model) since(moment uint64) uint64 {
	now := m.rec.Now()
	return (now - min(now, moment)) * 1000
}

type file struct {
	object
	record.File
}

func (f *file) ID() uint64          { return f.object.id }
func (f *file) Class() *instr.Class { return f.object.class }
func (f *file) Name() string        { return f.File.Name }
func (f *file) OpenCount() int64    { return int64(f.Opens) }

type socket struct {
	object
	record.File
	ip   string
	port int
}

func (s *socket) ID() uint64          { return s.object.id }
func (s *socket) Class() *instr.Class { return s.object.class }
func (s *socket) FD() int             { return int(s.File.FD) }
func (s *socket) IP() string          { return s.ip }
func (s *socket) Port() int           { return s.port }
func (s *socket) Owner() uint64       { return 0 }
func (s *socket) Idle() bool          { return false }

// maxAge is for how long the objects are not read again: a scan calls Instances for each
// instrument.
const maxAge = 10 * time.Millisecond

// list is the objects as they were at one moment.
type list struct {
	at      time.Time
	objects []tables.Instance
	byID    map[uint64]tables.Instance
	byClass map[*instr.Class][]tables.Instance
}

// all returns the objects, by id.
func (m *Model) all() *list {
	m.mu.Lock()
	l := m.last
	m.mu.Unlock()
	if l != nil && time.Since(l.at) < maxAge {
		return l
	}
	l = &list{at: time.Now(), objects: m.read(), byID: map[uint64]tables.Instance{}, byClass: map[*instr.Class][]tables.Instance{}}
	for _, in := range l.objects {
		l.byID[in.ID()] = in
		l.byClass[in.Class()] = append(l.byClass[in.Class()], in)
	}
	m.mu.Lock()
	m.last = l
	m.mu.Unlock()
	return l
}

// read reads the objects.
func (m *Model) read() []tables.Instance {
	m.refresh()
	var list []tables.Instance
	for _, l := range m.rec.Locks() {
		in := m.instrumentOf(l.Class)
		if in.class == nil || in.class.Kind() != instr.KindMutex && in.class.Kind() != instr.KindRWMutex {
			continue
		}
		o := &lock{object: m.object(l.Address, in.class, record.Stat{}, record.Stat{}, l.Stat), model: m, Lock: l}
		list = append(list, o)
	}
	for _, f := range m.rec.Files() {
		in := m.instrumentOf(f.Class)
		if in.class == nil {
			continue
		}
		o := m.object(f.ID, in.class, f.Reads, f.Writes, f.All)
		switch in.class.Kind() {
		case instr.KindFile:
			list = append(list, &file{o, f})
		case instr.KindSocket:
			s := &socket{object: o, File: f}
			s.ip, s.port = address(f.Name)
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b tables.Instance) int {
		switch {
		case a.ID() < b.ID():
			return -1
		case a.ID() > b.ID():
			return 1
		}
		return 0
	})
	return slices.CompactFunc(list, func(a, b tables.Instance) bool { return a.ID() == b.ID() })
}

// address is the IP address and the port of a socket with a name such as "tcp local -> remote":
// those of the other end if there is one. The address of a Unix socket is its name.
func address(name string) (ip string, port int) {
	fields := strings.Fields(name)
	if len(fields) < 2 {
		return name, 0
	}
	last := fields[len(fields)-1]
	host, number, err := net.SplitHostPort(last)
	if err != nil {
		return last, 0
	}
	port, _ = strconv.Atoi(number)
	return host, port
}

// object makes an object whose statistics are without what a TRUNCATE has taken.
func (m *Model) object(id uint64, class *instr.Class, stats ...record.Stat) object {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken := m.objects[id]
	o := object{id: id, class: class}
	for i := range o.stats {
		o.stats[i] = subtract(stats[i], taken[i])
	}
	return o
}

// Instances returns the objects of an instrument.
func (m *Model) Instances(c *instr.Class) []tables.Instance {
	m.mu.Lock()
	known := m.classes[c] != nil
	m.mu.Unlock()
	if !known {
		return nil
	}
	return m.all().byClass[c]
}

// Instance returns the object with this id.
func (m *Model) Instance(id uint64) tables.Instance { return m.all().byID[id] }

// FilesNamed returns the files with this name.
func (m *Model) FilesNamed(name string) []tables.FileInstance {
	var named []tables.FileInstance
	for _, in := range m.all().objects {
		if f, ok := in.(*file); ok && strings.EqualFold(f.Name(), name) {
			named = append(named, f)
		}
	}
	return named
}

// ResetInstances empties the statistics of the objects of an instrument.
func (m *Model) ResetInstances(c *instr.Class) {
	for _, in := range m.Instances(c) {
		var o *object
		switch in := in.(type) {
		case *lock:
			o = &in.object
		case *file:
			o = &in.object
		case *socket:
			o = &in.object
		}
		m.mu.Lock()
		taken := m.objects[o.id]
		for i := range taken {
			taken[i] = addTaken(taken[i], o.stats[i])
		}
		m.objects[o.id] = taken
		m.last = nil
		m.mu.Unlock()
	}
}

// addTaken adds to what a TRUNCATE has taken.
func addTaken(taken, more record.Stat) record.Stat {
	if taken.Count == 0 {
		return more
	}
	taken.Add(more)
	return taken
}

func sourceOf(f record.Frame) string { return path.Base(f.File) + ":" + strconv.Itoa(f.Line) }
