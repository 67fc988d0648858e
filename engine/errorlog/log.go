package errorlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"pfsd/engine/datadir"
	"pfsd/instr"
	"pfsd/tables"
)

// Log is the server's log, in MySQL's format: time, thread, priority, code, subsystem,
// message. It keeps the last lines for the table error_log. Safe for concurrent use.
type Log struct {
	mu   *instr.Mutex
	out  io.Writer // guarded by mu
	file *instr.File
	// host is what takes the lines while there is no file.
	host Host
	// Path is the path of the file, "" if there is none; class is its instrument.
	Path  string
	class *instr.FileClass
	// settings are nil until Configure; verbosity applies until then.
	settings  atomic.Pointer[Settings]
	verbosity int
	// level is the logger's level relative to Note: 0 is info, which drops nothing, -1 warn, and so
	// on.
	level atomic.Int32

	// Guarded by mu.
	events  []tables.ErrorLogRow // a ring, the oldest at first
	first   int
	bytes   uint64 // in the ring
	expired uint64 // events that were dropped from the ring
	latest  time.Time
}

// Settings returns log_error_verbosity, and whether log_timestamps is SYSTEM. It must be safe for
// concurrent use.
type Settings func() (verbosity int64, local bool)

const (
	// KeptBytes is the size of the ring, as in MySQL, bytes.
	KeptBytes = 5 << 20
	// eventOverhead is the size of an event besides its text.
	eventOverhead = 96
	// TimeFormat is the format of the time at the beginning of a line, in UTC.
	TimeFormat = "2006-01-02T15:04:05.000000Z07:00"
	subsystem  = "Server"
	// DefaultVerbosity logs errors and warnings.
	DefaultVerbosity = 2
)

// Host is what the program that the server is a part of gives for its log; nil is nothing.
type Host struct {
	// Lines takes the lines while there is no file, one in each call.
	Lines io.Writer
	// Records takes each event as a record, whether or not there is a file: its time, level and
	// text, and the attributes thread, code and subsystem.
	Records slog.Handler
}

// Open opens the log: it appends to the file path, and reads its last lines into the ring; with ""
// the lines go to the host alone.
func Open(reg *instr.Registry, path string, host Host) (*Log, error) {
	if host.Lines == nil {
		host.Lines = io.Discard
	}
	l := &Log{mu: reg.NewMutex("sql/LOCK_error_log"), out: host.Lines, host: host, Path: path, verbosity: DefaultVerbosity}
	if path == "" {
		return l, nil
	}
	l.class = reg.NewFileClass("sql/error_log")
	if err := l.Reopen(); err != nil {
		return nil, err
	}
	l.restore()
	return l, nil
}

// SetVerbosity sets the verbosity until Configure.
func (l *Log) SetVerbosity(v int) { l.verbosity = v }

func (l *Log) Configure(s Settings) { l.settings.Store(&s) }

// Reopen opens the file by its name again, as after log rotation, and closes the old one.
func (l *Log) Reopen() error {
	if l.Path == "" {
		return nil
	}
	f, err := l.class.OpenFile(l.Path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o640)
	if err != nil {
		return fmt.Errorf("cannot open --log-error %s: %w", l.Path, Cause(err))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.file
	l.out, l.file = f, f
	if old != nil {
		return old.Close()
	}
	return nil
}

// restore reads the end of the file into the ring. It ignores a file that cannot be read, such as a
// pipe.
func (l *Log) restore() {
	info, err := l.file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return
	}
	from := max(0, info.Size()-KeptBytes)
	text := make([]byte, info.Size()-from)
	n, err := l.file.ReadAt(text, from)
	if err != nil && err != io.EOF {
		return
	}
	text = text[:n]
	if from > 0 { // text begins in the middle of a line
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range parseEvents(string(text)) {
		l.add(e)
	}
}

// parseEvents returns the events of a log. A line without a time continues the event before.
func parseEvents(text string) (events []tables.ErrorLogRow) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if e, ok := parseLine(line); ok {
			events = append(events, e)
		} else if len(events) > 0 {
			last := &events[len(events)-1]
			last.Data += "\n" + line
		}
	}
	return events
}

// parseLine parses a line of Write.
func parseLine(line string) (e tables.ErrorLogRow, ok bool) {
	at, rest, _ := strings.Cut(line, " ")
	thread, rest, _ := strings.Cut(rest, " ")
	var err error
	if e.Logged, err = time.Parse(TimeFormat, at); err != nil {
		return e, false
	}
	if e.ThreadID, err = strconv.ParseUint(thread, 10, 64); err != nil {
		return e, false
	}
	var priority string
	for _, to := range []*string{&priority, &e.ErrorCode, &e.Subsystem} {
		inside, ok := strings.CutPrefix(rest, "[")
		if *to, rest, ok = cutIf(inside, "] ", ok); !ok {
			return e, false
		}
	}
	for _, p := range priorities {
		if p.line == priority {
			e.Prio = p.row
		}
	}
	e.Data = rest
	return e, e.Prio != ""
}

// cutIf is strings.Cut if ok is true, else it finds nothing.
func cutIf(s, sep string, ok bool) (before, after string, found bool) {
	if !ok {
		return "", "", false
	}
	return strings.Cut(s, sep)
}

// Write adds an event, unless log_error_verbosity drops it. It ignores errors of the file. What
// clients send can be in args, and cannot make lines of its own: control characters in them are
// escaped, except in [Lines].
func (l *Log) Write(m Message, args ...any) {
	zone, wanted := l.wants(m.Priority)
	if !wanted {
		return
	}
	e := tables.ErrorLogRow{
		Prio: priorities[m.Priority].row, ErrorCode: errorCode(m.Code), Subsystem: subsystem, Data: cut(textOf(m, args)),
	}
	if t := instr.Current(); t != nil {
		if info, ok := t.Snapshot(); ok {
			e.ThreadID = info.Process
		}
	}
	e = l.write(e, m.Priority, zone)
	l.record(e, m.Priority)
}

// dataMax is the largest size of the text of an event, bytes: that of a stack.
const dataMax = 64 << 10

// cut returns a text, without its end if it is too long.
func cut(text string) string {
	if len(text) <= dataMax {
		return text
	}
	return strings.ToValidUTF8(text[:dataMax], "") + "..."
}

// wants reports whether events of a priority are kept, and the zone of their times.
func (l *Log) wants(p Priority) (zone *time.Location, wanted bool) {
	verbosity, zone := int64(l.verbosity), time.UTC
	if settings := l.settings.Load(); settings != nil {
		var local bool
		if verbosity, local = (*settings)(); local {
			zone = time.Local
		}
	}
	return zone, p == System || int64(p) <= verbosity && int32(p) <= int32(Note)+l.level.Load()
}

// writeOwn puts an event of the host's into the ring and the file, if there is one.
func (l *Log) writeOwn(e tables.ErrorLogRow, p Priority, zone *time.Location) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		e.Logged = l.nextTime()
		l.add(e)
		return
	}
	l.writeLocked(e, p, zone)
}

// nextTime is the time of an event that is added now. Times are unique: LOGGED is the primary key of the table. The caller holds mu.
func (l *Log) nextTime() time.Time {
	now := time.Now().Truncate(time.Microsecond)
	if !now.After(l.latest) {
		now = l.latest.Add(time.Microsecond)
	}
	return now
}

// write puts an event into the ring and the log, and returns it with its time.
func (l *Log) write(e tables.ErrorLogRow, p Priority, zone *time.Location) (logged tables.ErrorLogRow) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.writeLocked(e, p, zone)
}

func (l *Log) writeLocked(e tables.ErrorLogRow, p Priority, zone *time.Location) (logged tables.ErrorLogRow) {
	e.Logged = l.nextTime()
	l.add(e)
	logged = e
	defer func() { _ = recover() }() // of the host's writer
	_, _ = fmt.Fprintf(l.out, "%s %d [%s] [%s] [%s] %s\n", e.Logged.In(zone).Format(TimeFormat), e.ThreadID, priorities[p].line, e.ErrorCode, e.Subsystem, e.Data)
	return logged
}

// record hands an event to the host. It holds no lock: the host may do what it likes.
func (l *Log) record(e tables.ErrorLogRow, p Priority) {
	defer func() { _ = recover() }() // of the host's handler
	h := l.host.Records
	level := priorities[p].level
	ctx := context.Background()
	if h == nil || !h.Enabled(ctx, level) {
		return
	}
	r := slog.NewRecord(e.Logged, level, e.Data, 0)
	r.AddAttrs(slog.Uint64("thread", e.ThreadID), slog.String("code", e.ErrorCode), slog.String("subsystem", e.Subsystem))
	_ = h.Handle(ctx, r)
}

// add puts an event into the ring, and drops the oldest ones if it is full. The caller holds mu.
func (l *Log) add(e tables.ErrorLogRow) {
	if !e.Logged.After(l.latest) {
		e.Logged = l.latest.Add(time.Microsecond)
	}
	l.latest = e.Logged
	l.events = append(l.events, e)
	l.bytes += eventBytes(e)
	for l.bytes > KeptBytes && l.first < len(l.events)-1 {
		l.bytes -= eventBytes(l.events[l.first])
		l.events[l.first] = tables.ErrorLogRow{}
		l.first++
		l.expired++
	}
	if l.first > len(l.events)/2 {
		l.events = slices.Delete(l.events, 0, l.first)
		l.first = 0
	}
}

func eventBytes(e tables.ErrorLogRow) uint64 { return eventOverhead + uint64(len(e.Data)) }

// Rows returns the events in the ring, the oldest first.
func (l *Log) Rows(tables.Key) []tables.ErrorLogRow {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.events[l.first:])
}

// Stats are the values of the status variables Error_log_*.
type Stats struct {
	Bytes, Events, Expired uint64
	Latest                 time.Time
}

// Stats returns the current values.
func (l *Log) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Stats{l.bytes, uint64(len(l.events) - l.first), l.expired, l.latest}
}

// Close closes the file; later lines go to the host.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out = l.host.Lines
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	return f.Close()
}

// PIDFile holds the process id while the server runs.
type PIDFile struct {
	class *instr.FileClass
	path  string
}

func WritePIDFile(reg *instr.Registry, dir *datadir.Dir, path string) (*PIDFile, error) {
	if path == "" {
		return nil, nil
	}
	p := &PIDFile{reg.NewFileClass("sql/pid"), path}
	if err := dir.Write(p.class, path, fmt.Appendf(nil, "%d\n", os.Getpid()), 0o640); err != nil {
		return nil, fmt.Errorf("cannot write --pid-file %s: %w", path, FileCause(err))
	}
	return p, nil
}

// Remove removes the file; on nil it does nothing.
func (p *PIDFile) Remove() error {
	if p == nil {
		return nil
	}
	return p.class.Remove(p.path)
}

// Loggers returns the rows of setup_loggers.
func (l *Log) Loggers(tables.Key) []tables.SetupLoggerRow {
	return []tables.SetupLoggerRow{{
		Name: "logger/error/error_log", Level: tables.LoggerLevels[int32(Note)+l.level.Load()], Doc: "The server's error log.",
		Set: func(level string) { l.level.Store(int32(slices.Index(tables.LoggerLevels, level)) - int32(Note)) },
	}}
}

// Cause is the part of a socket error that does not repeat the address.
func Cause(err error) error {
	var call *os.SyscallError
	if errors.As(err, &call) {
		return call.Err
	}
	return err
}

// FileCause is the part of an error about a file that does not repeat its path.
func FileCause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
