package errorlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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
// message. What was written last is kept for the table error_log. Safe for concurrent use.
type Log struct {
	mu   *instr.Mutex
	out  io.Writer // guarded by mu
	file *instr.File
	// Path is that of the file, "" for standard error, and class its instrument.
	Path  string
	class *instr.FileClass
	// settings are the server's, nil until it has them; verbosity counts until then.
	settings  atomic.Pointer[Settings]
	verbosity int
	// level is the logger's, less Note: 0 is info, which holds nothing back, -1 warn, and so on.
	level atomic.Int32

	// Guarded by mu.
	events  []tables.ErrorLogRow // a ring, the oldest at first
	first   int
	bytes   uint64 // in the ring
	expired uint64 // events that have made room for others
	latest  time.Time
}

// Settings tells the present values of log_error_verbosity, and whether log_timestamps is SYSTEM. It is safe for concurrent use.
type Settings func() (verbosity int64, local bool)

const (
	// Kept is how much of the log is kept, as in MySQL, bytes.
	Kept = 5 << 20
	// eventOverhead is what an event takes besides its text.
	eventOverhead = 96
	// TimeFormat is how a line begins, in UTC.
	TimeFormat = "2006-01-02T15:04:05.000000Z07:00"
	subsystem  = "Server"
	// DefaultVerbosity has errors and warnings in the log.
	DefaultVerbosity = 2
)

// Open appends to the file path, and keeps its last lines, or writes standard error
// if there is none.
func Open(reg *instr.Registry, path string) (*Log, error) {
	l := &Log{mu: reg.NewMutex("sql/LOCK_error_log"), out: os.Stderr, Path: path, verbosity: DefaultVerbosity}
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

// SetVerbosity is for the time until there are settings; configure ends it.
func (l *Log) SetVerbosity(v int) { l.verbosity = v }

func (l *Log) Configure(s Settings) { l.settings.Store(&s) }

// Reopen opens the log's file, a new one if it has been moved away, and ends the one before.
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

// restore reads the end of the file, as far as it is kept. A file that cannot be read, such as
// a pipe, has none.
func (l *Log) restore() {
	info, err := l.file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return
	}
	from := max(0, info.Size()-Kept)
	text := make([]byte, info.Size()-from)
	n, err := l.file.ReadAt(text, from)
	if err != nil && err != io.EOF {
		return
	}
	text = text[:n]
	if from > 0 { // in the middle of a line
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range Parse(string(text)) {
		l.keep(e)
	}
}

// Parse returns the events of a log. A line that begins none belongs to the one before.
func Parse(text string) (events []tables.ErrorLogRow) {
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

// parseLine reads a line as write has written it.
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

// cutIf is strings.Cut where ok.
func cutIf(s, sep string, ok bool) (before, after string, found bool) {
	if !ok {
		return "", "", false
	}
	return strings.Cut(s, sep)
}

// Write adds an event, unless log_error_verbosity leaves it out. A log that cannot be written
// does not stop the server.
func (l *Log) Write(m Message, args ...any) {
	verbosity, zone := int64(l.verbosity), time.UTC
	if settings := l.settings.Load(); settings != nil {
		var local bool
		if verbosity, local = (*settings)(); local {
			zone = time.Local
		}
	}
	if m.Priority != System && int64(m.Priority) > verbosity {
		return
	}
	if m.Priority != System && int32(m.Priority) > int32(Note)+l.level.Load() {
		return
	}
	e := tables.ErrorLogRow{
		Prio: priorities[m.Priority].row, ErrorCode: errorCode(m.Code), Subsystem: subsystem, Data: fmt.Sprintf(m.Format, args...),
	}
	if t := instr.Current(); t != nil {
		if info, ok := t.Snapshot(); ok {
			e.ThreadID = info.Process
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// No two events are of the same moment, by which the table knows them.
	if e.Logged = time.Now().Truncate(time.Microsecond); !e.Logged.After(l.latest) {
		e.Logged = l.latest.Add(time.Microsecond)
	}
	l.keep(e)
	_, _ = fmt.Fprintf(l.out, "%s %d [%s] [%s] [%s] %s\n", e.Logged.In(zone).Format(TimeFormat), e.ThreadID, priorities[m.Priority].line, e.ErrorCode, e.Subsystem, e.Data)
}

// keep puts an event into the ring, in which the oldest make room. The lock is held.
func (l *Log) keep(e tables.ErrorLogRow) {
	if !e.Logged.After(l.latest) {
		e.Logged = l.latest.Add(time.Microsecond)
	}
	l.latest = e.Logged
	l.events = append(l.events, e)
	l.bytes += eventBytes(e)
	for l.bytes > Kept && l.first < len(l.events)-1 {
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

// Rows are the events that are kept, the oldest first.
func (l *Log) Rows(tables.Key) []tables.ErrorLogRow {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.events[l.first:])
}

// Figures are what the status variables Error_log_* tell.
type Figures struct {
	Bytes, Events, Expired uint64
	Latest                 time.Time
}

// Figures tells how much of the log is kept.
func (l *Log) Figures() Figures {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Figures{l.bytes, uint64(len(l.events) - l.first), l.expired, l.latest}
}

// Close ends the log; later lines go to standard error.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out = os.Stderr
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

// Remove may be called on nil, which no file was asked for.
func (p *PIDFile) Remove() error {
	if p == nil {
		return nil
	}
	return p.class.Remove(p.path)
}

// Loggers are the rows of setup_loggers.
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
