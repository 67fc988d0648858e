package recorded

import (
	"strings"

	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
)

// instrument is a class of the recording as the tables show it. class is nil if it is not a class
// of waits.
type instrument struct {
	class *instr.Class
	kind  record.Kind
	op    instr.Op
}

// waits are the kinds of waits: the kind, the beginning of the name and the operation of their
// instruments.
var waits = [record.Kinds]struct {
	kind   instr.Kind
	prefix string
	op     instr.Op
}{
	record.Mutex:     {instr.KindMutex, "wait/synch/mutex/", instr.OpLock},
	record.ReadLock:  {instr.KindRWMutex, "wait/synch/rwlock/", instr.OpReadLock},
	record.WriteLock: {instr.KindRWMutex, "wait/synch/rwlock/", instr.OpWriteLock},
	record.Cond:      {instr.KindCond, "wait/synch/cond/cond/", instr.OpWait},
	record.WaitGroup: {instr.KindCond, "wait/synch/cond/waitgroup/", instr.OpWait},
	record.Receive:   {instr.KindCond, "wait/synch/cond/receive/", instr.OpWait},
	record.Send:      {instr.KindCond, "wait/synch/cond/send/", instr.OpWait},
	record.Select:    {instr.KindCond, "wait/synch/cond/select/", instr.OpWait},
	record.Sleep:     {instr.KindCond, "wait/synch/cond/sleep/", instr.OpTimedWait},
	record.Network:   {instr.KindSocket, "wait/io/socket/", instr.OpWait},
	record.FileIO:    {instr.KindFile, "wait/io/file/", instr.OpNone},
	record.SocketIO:  {instr.KindSocket, "wait/io/socket/", instr.OpNone},
	record.Pool:      {instr.KindCond, "wait/synch/cond/db.client/pool", instr.OpWait},   // a whole name
	record.HostPool:  {instr.KindCond, "wait/synch/cond/http.client/pool", instr.OpWait}, // another one
	// These are whole names below wait/synch/, and those of instr.WatchRuntime.
	record.Scheduler: {instr.KindSynch, "runtime/go/scheduler", instr.OpWait},
	record.PauseGC:   {instr.KindSynch, "runtime/go/gc_pause", instr.OpWait},
	record.PauseElse: {instr.KindSynch, "runtime/go/other_pause", instr.OpWait},
}

// operations are the operations on files and sockets.
var operations = map[record.Op]struct{ file, socket instr.Op }{
	record.OpenFile: {instr.OpOpen, instr.OpOpen}, record.CloseFile: {instr.OpClose, instr.OpSocketClose},
	record.Read: {instr.OpRead, instr.OpRecv}, record.Write: {instr.OpWrite, instr.OpSend},
	record.Seek: {instr.OpSeek, instr.OpSeek}, record.Sync: {instr.OpSync, instr.OpSync},
	record.StatFile: {instr.OpStat, instr.OpStat}, record.ChangeSize: {instr.OpChsize, instr.OpChsize},
	record.Delete: {instr.OpDelete, instr.OpDelete}, record.Rename: {instr.OpRename, instr.OpRename},
	record.MakeDir: {instr.OpMkdir, instr.OpMkdir}, record.ReadDir: {instr.OpReadDir, instr.OpReadDir},
	record.Link: {instr.OpLink, instr.OpLink}, record.LockFile: {instr.OpLock, instr.OpLock},
	record.Connect: {instr.OpConnect, instr.OpConnect}, record.Accept: {instr.OpAccept, instr.OpAccept},
	record.SendTo: {instr.OpSendTo, instr.OpSendTo}, record.ReceiveFrom: {instr.OpRecvFrom, instr.OpRecvFrom},
	record.Shutdown: {instr.OpShutdown, instr.OpShutdown},
}

// refresh makes instruments for new classes of the recording, and gives them the switches that are
// in the recording.
func (m *Model) refresh() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refreshLocked()
}

func (m *Model) refreshLocked() {
	all := m.rec.Classes()
	for i := len(m.instruments); i < len(all); i++ {
		in := m.newInstrument(uint32(i), &all[i])
		for len(m.sources) <= i {
			m.sources = append(m.sources, "")
		}
		m.sources[i] = m.placeText(&all[i])
		m.instruments = append(m.instruments, in)
		if in.class != nil {
			m.classes[in.class] = append(m.classes[in.class], uint32(i))
		}
	}
	m.refreshWorkLocked()
}

// newInstrument is the instrument of a class of the recording.
func (m *Model) newInstrument(number uint32, c *record.Class) instrument {
	frame := m.callerFrame(c)
	m.reg.Setup().SetSource(uintptr(number), m.placeText(c))
	if c.Kind == record.Goroutine {
		m.newThreadClass(number, c)
	}
	if c.Kind < record.Mutex || c.Kind >= record.HoldPlace && c.Kind != record.HostPool {
		return instrument{}
	}
	w := waits[c.Kind]
	if w.prefix == "" {
		return instrument{}
	}
	if c.Kind == record.Mutex {
		for _, f := range c.Frames {
			if f.Function == "sync.(*RWMutex).Lock" {
				w = waits[record.WriteLock]
				break
			}
		}
	}
	op := w.op
	switch o := operations[c.Op]; {
	case c.Kind == record.FileIO:
		op = o.file
	case c.Kind == record.SocketIO:
		op = o.socket
	}
	pkg, function := cut(frame.Function)
	name := w.prefix + pkg + "/" + function
	switch w.kind {
	case instr.KindCond:
		if name = w.prefix; c.Kind != record.Pool && c.Kind != record.HostPool {
			name += pkg + "." + function
		}
	case instr.KindSynch:
		name = w.prefix
	}
	class := m.reg.Setup().RecordedClass(w.kind, name[:min(len(name), 128)])
	if class.ID() == 0 { // there are too many
		class = m.reg.Setup().RecordedClass(w.kind, w.prefix+"other/other")
	}
	if class.ID() == 0 {
		return instrument{}
	}
	if switches := m.rec.ClassSwitches(number) | m.rec.KindSwitches(c.Kind); switches != 0 {
		class.SetEnabled(switches&record.Off == 0)
		class.SetTimed(switches&record.Untimed == 0)
	}
	if holds := class.Holds(); holds != nil && m.rec.HoldsRecorded() {
		holds.SetEnabled(true)
	}
	return instrument{class, c.Kind, op}
}

// placeText is the file and line of a class, "" if it has none.
func (m *Model) placeText(c *record.Class) string {
	f := m.callerFrame(c)
	if f.File == "" || c.Kind == record.StatementPlace && m.rec.Standard(f.Function) { // the server of net/http has begun it
		return ""
	}
	return sourceOf(f)
}

// ownText is the file and line of the innermost frame in the main module, "" if there is none.
func (m *Model) ownText(c *record.Class) string {
	for _, f := range c.Frames {
		if m.rec.Own(f.Function) && f.File != autogenerated {
			return sourceOf(f)
		}
	}
	return ""
}

// autogenerated is the file of functions that the compiler has made.
const autogenerated = "<autogenerated>"

// callerFrame is the innermost frame outside of the standard library, or else the outermost one.
func (m *Model) callerFrame(c *record.Class) record.Frame {
	var frame record.Frame
	for _, f := range c.Frames {
		if f.File == autogenerated {
			continue
		}
		if !m.rec.Standard(f.Function) {
			return f
		}
		if f.Function != "runtime.goexit" && f.Function != "runtime.main" || frame.Function == "" {
			frame = f
		}
	}
	return frame
}

// cut returns the last part of a function's package, and the function's name, such as DB.grow. Both
// have only characters that are allowed in the name of an instrument.
func cut(function string) (pkg, name string) {
	function = withoutWrapper(withoutTypeArguments(function))
	pkg, name, _ = strings.Cut(function[strings.LastIndexByte(function, '/')+1:], ".")
	clean := func(s, or string) string {
		s = strings.NewReplacer("(*", "", "(", "", ")", "").Replace(s)
		s = strings.Map(func(c rune) rune {
			if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '-' {
				return c
			}
			return '_'
		}, s)
		if s == "" {
			return or
		}
		return s[:min(len(s), 50)]
	}
	return clean(pkg, "unknown"), clean(name, "unknown")
}

// Classes returns the instruments.
func (m *Model) Classes() []*instr.Class {
	m.refresh()
	return m.Model.Classes()
}

// FamilyClasses returns the instruments of a family.
func (m *Model) FamilyClasses(f instr.Family) []*instr.Class {
	m.refresh()
	return m.Model.FamilyClasses(f)
}

// ClassByName returns the instrument with this name.
func (m *Model) ClassByName(name string) *instr.Class {
	m.refresh()
	return m.Model.ClassByName(name)
}

// instrumentOf is the instrument of a class of the recording.
func (m *Model) instrumentOf(class uint32) instrument {
	m.mu.Lock()
	defer m.mu.Unlock()
	if int(class) >= len(m.instruments) {
		m.refreshLocked()
	}
	if int(class) >= len(m.instruments) {
		return instrument{}
	}
	return m.instruments[class]
}

// parts calls each with the statistics of those classes of the recording that an instrument stands
// for.
func (m *Model) parts(c *instr.Class, each func(in instrument, s record.Stat)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, number := range m.classes[c] {
		each(m.instruments[number], subtract(m.rec.ClassStat(number), m.truncated[number]))
	}
}

// ClassWaits is the statistics of an instrument.
func (m *Model) ClassWaits(c *instr.Class) instr.Stat {
	sum := instr.NoStat
	m.parts(c, func(_ instrument, s record.Stat) { sum.Add(stat(s)) })
	return sum
}

// ClassIO is the statistics of the files or sockets of an instrument.
func (m *Model) ClassIO(c *instr.Class) instr.IOStat {
	sum := instr.NoIOStat
	m.parts(c, func(in instrument, s record.Stat) {
		switch in.op {
		case instr.OpRead, instr.OpRecv, instr.OpRecvFrom:
			sum.Read.Add(stat(s))
			sum.ReadBytes += s.Bytes
		case instr.OpWrite, instr.OpSend, instr.OpSendTo:
			sum.Write.Add(stat(s))
			sum.WriteBytes += s.Bytes
		default:
			sum.Misc.Add(stat(s))
		}
	})
	return sum
}

// ResetClass empties the statistics of an instrument and of its objects.
func (m *Model) ResetClass(c *instr.Class) {
	m.ResetInstances(c)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, number := range m.classes[c] {
		m.truncated[number] = m.rec.ClassStat(number)
	}
}

// setup is the switches. Switches of instruments, and of the consumers of waits, are in the
// recording too.
type setup struct {
	tables.Setup
	model *Model
}

// records reports whether the recording has waits of an instrument: the switches of other
// instruments cannot be changed.
func (m *Model) records(c *instr.Class) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.classes[c] != nil || m.works.instruments[c] != nil
}

func (s setup) SetEnabled(c *instr.Class, on bool) {
	if c.Kind().Family() == instr.FamilyHolds {
		s.Setup.SetEnabled(c, on)
		s.model.setHolds()
		return
	}
	if !s.model.records(c) {
		return
	}
	s.Setup.SetEnabled(c, on)
	s.model.write(c)
}

func (s setup) SetTimed(c *instr.Class, on bool) {
	if !s.model.records(c) {
		return
	}
	s.Setup.SetTimed(c, on)
	s.model.write(c)
}

func (s setup) SetConsumer(c instr.Consumer, on bool) {
	if c == instr.ConsumerEventsWaitsHistogramByInstance {
		return // recordings have no histograms of objects
	}
	s.Setup.SetConsumer(c, on)
	s.model.write(nil)
}

// HistorySize and HistoryLongSize of waits are fixed in the recorder.
func (s setup) HistorySize(f instr.Family) int {
	if f == instr.FamilyWaits {
		return record.HistorySize
	}
	return record.WorkHistorySize
}

func (s setup) HistoryLongSize(f instr.Family) int {
	if f == instr.FamilyWaits {
		return s.model.rec.HistoryLongSize()
	}
	for k, w := range workKinds {
		if w.family == f {
			return s.model.rec.WorkHistoryLongSize(k)
		}
	}
	return s.Setup.HistoryLongSize(f)
}

// write writes the switches of an instrument into the recording, and those of its kind: if all
// instruments of a kind are off, the kind is off and costs the program one load. If the file may
// only be read, nothing changes in the program; the command that opens such a file says so.
func (m *Model) write(c *instr.Class) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, number := range m.classes[c] {
		_ = m.rec.SetClassSwitches(number, switchesOf(c))
	}
	all := m.histograms()
	s := m.reg.Setup()
	if !s.Consumer(instr.ConsumerGlobalInstrumentation) {
		all |= record.Off
	}
	if !s.Consumer(instr.ConsumerEventsWaitsHistory) && !s.Consumer(instr.ConsumerEventsWaitsHistoryLong) {
		all |= record.NoHistory
	}
	var known, on [record.Kinds]bool
	for _, in := range m.instruments {
		if in.class != nil {
			known[in.kind] = true
			on[in.kind] = on[in.kind] || switchesOf(in.class)&record.Off == 0
		}
	}
	for k := range record.Kinds {
		of := all
		if known[k] && !on[k] {
			of |= record.Off
		}
		if k == 0 || k >= record.Mutex && waits[k].prefix != "" {
			_ = m.rec.SetKindSwitches(k, of)
		}
	}
	m.writeWorkLocked(c, all)
}

func switchesOf(c *instr.Class) (s record.Switches) {
	if !c.Enabled() {
		s |= record.Off
	}
	if !c.Timed() {
		s |= record.Untimed
	}
	return s
}

// withoutTypeArguments returns a function's name without type arguments, which may have paths of their own.
func withoutTypeArguments(function string) string {
	var b strings.Builder
	depth := 0
	for _, c := range function {
		switch {
		case c == '[':
			depth++
		case c == ']' && depth > 0:
			depth--
		case depth == 0:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// withoutWrapper returns the name of the function that has the defer statement, if the compiler has made a function for
// that statement, such as DB.close.deferwrap1.
func withoutWrapper(function string) string {
	if i := strings.LastIndex(function, ".deferwrap"); i >= 0 && strings.Trim(function[i+len(".deferwrap"):], "0123456789") == "" {
		return function[:i]
	}
	return function
}
