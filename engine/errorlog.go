package engine

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

// errorLog is the server's log, in MySQL's format: time, thread, priority, code, subsystem,
// message. What was written last is kept for the table error_log. Safe for concurrent use.
type errorLog struct {
	mu   *instr.Mutex
	out  io.Writer // guarded by mu
	file *instr.File
	// path is that of the file, "" for standard error, and class its instrument.
	path  string
	class *instr.FileClass
	// settings are the server's, nil until it has them; verbosity counts until then.
	settings  atomic.Pointer[logSettings]
	verbosity int
	// level is the logger's, less logNote: 0 is info, which holds nothing back, -1 warn, and so on.
	level atomic.Int32

	// Guarded by mu.
	events  []tables.ErrorLogRow // a ring, the oldest at first
	first   int
	bytes   uint64 // in the ring
	expired uint64 // events that have made room for others
	latest  time.Time
}

// logSettings tells the present values of log_error_verbosity, and whether log_timestamps is SYSTEM. It is safe for concurrent use.
type logSettings func() (verbosity int64, local bool)

const (
	// errorLogBytes is how much of the log is kept, as in MySQL, bytes.
	errorLogBytes = 5 << 20
	// errorLogEventBytes is what an event takes besides its text.
	errorLogEventBytes = 96
	// errorLogTime is how a line begins, in UTC.
	errorLogTime = "2006-01-02T15:04:05.000000Z07:00"
	subsystem    = "Server"
	// defaultVerbosity has errors and warnings in the log.
	defaultVerbosity = 2
)

// openErrorLog appends to the file path, and keeps its last lines, or writes standard error
// if there is none.
func openErrorLog(reg *instr.Registry, path string) (*errorLog, error) {
	l := &errorLog{mu: reg.NewMutex("sql/LOCK_error_log"), out: os.Stderr, path: path, verbosity: defaultVerbosity}
	if path == "" {
		return l, nil
	}
	l.class = reg.NewFileClass("sql/error_log")
	if err := l.reopen(); err != nil {
		return nil, err
	}
	l.restore()
	return l, nil
}

// setVerbosity is for the time until there are settings; configure ends it.
func (l *errorLog) setVerbosity(v int) { l.verbosity = v }

func (l *errorLog) configure(s logSettings) { l.settings.Store(&s) }

// reopen opens the log's file, a new one if it has been moved away, and ends the one before.
func (l *errorLog) reopen() error {
	if l.path == "" {
		return nil
	}
	f, err := l.class.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o640)
	if err != nil {
		return fmt.Errorf("cannot open --log-error %s: %w", l.path, cause(err))
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
func (l *errorLog) restore() {
	info, err := l.file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return
	}
	from := max(0, info.Size()-errorLogBytes)
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
	for _, e := range parseLog(string(text)) {
		l.keep(e)
	}
}

// parseLog returns the events of a log. A line that begins none belongs to the one before.
func parseLog(text string) (events []tables.ErrorLogRow) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if e, ok := parseLogLine(line); ok {
			events = append(events, e)
		} else if len(events) > 0 {
			last := &events[len(events)-1]
			last.Data += "\n" + line
		}
	}
	return events
}

// parseLogLine reads a line as write has written it.
func parseLogLine(line string) (e tables.ErrorLogRow, ok bool) {
	at, rest, _ := strings.Cut(line, " ")
	thread, rest, _ := strings.Cut(rest, " ")
	var err error
	if e.Logged, err = time.Parse(errorLogTime, at); err != nil {
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
	for _, p := range logPriorities {
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

// write adds an event, unless log_error_verbosity leaves it out. A log that cannot be written
// does not stop the server.
func (l *errorLog) write(m logMessage, args ...any) {
	verbosity, zone := int64(l.verbosity), time.UTC
	if settings := l.settings.Load(); settings != nil {
		var local bool
		if verbosity, local = (*settings)(); local {
			zone = time.Local
		}
	}
	if m.priority != logSystem && int64(m.priority) > verbosity {
		return
	}
	if m.priority != logSystem && int32(m.priority) > int32(logNote)+l.level.Load() {
		return
	}
	e := tables.ErrorLogRow{
		Prio: logPriorities[m.priority].row, ErrorCode: errorCode(m.code), Subsystem: subsystem, Data: fmt.Sprintf(m.format, args...),
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
	_, _ = fmt.Fprintf(l.out, "%s %d [%s] [%s] [%s] %s\n", e.Logged.In(zone).Format(errorLogTime), e.ThreadID, logPriorities[m.priority].line, e.ErrorCode, e.Subsystem, e.Data)
}

// keep puts an event into the ring, in which the oldest make room. The lock is held.
func (l *errorLog) keep(e tables.ErrorLogRow) {
	if !e.Logged.After(l.latest) {
		e.Logged = l.latest.Add(time.Microsecond)
	}
	l.latest = e.Logged
	l.events = append(l.events, e)
	l.bytes += eventBytes(e)
	for l.bytes > errorLogBytes && l.first < len(l.events)-1 {
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

func eventBytes(e tables.ErrorLogRow) uint64 { return errorLogEventBytes + uint64(len(e.Data)) }

// rows are the events that are kept, the oldest first.
func (l *errorLog) rows(tables.Key) []tables.ErrorLogRow {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.events[l.first:])
}

// logFigures are what the status variables Error_log_* tell.
type logFigures struct {
	bytes, events, expired uint64
	latest                 time.Time
}

// figures tells how much of the log is kept.
func (l *errorLog) figures() logFigures {
	l.mu.Lock()
	defer l.mu.Unlock()
	return logFigures{l.bytes, uint64(len(l.events) - l.first), l.expired, l.latest}
}

// close ends the log; later lines go to standard error.
func (l *errorLog) close() error {
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

// pidFile holds the process id while the server runs.
type pidFile struct {
	class *instr.FileClass
	path  string
}

func writePidFile(reg *instr.Registry, dir *datadir.Dir, path string) (*pidFile, error) {
	if path == "" {
		return nil, nil
	}
	p := &pidFile{reg.NewFileClass("sql/pid"), path}
	if err := dir.Write(p.class, path, fmt.Appendf(nil, "%d\n", os.Getpid()), 0o640); err != nil {
		return nil, fmt.Errorf("cannot write --pid-file %s: %w", path, fileCause(err))
	}
	return p, nil
}

// remove may be called on nil, which no file was asked for.
func (p *pidFile) remove() error {
	if p == nil {
		return nil
	}
	return p.class.Remove(p.path)
}

// loggers are the rows of setup_loggers.
func (l *errorLog) loggers(tables.Key) []tables.SetupLoggerRow {
	return []tables.SetupLoggerRow{{
		Name: "logger/error/error_log", Level: tables.LoggerLevels[int32(logNote)+l.level.Load()], Doc: "The server's error log.",
		Set: func(level string) { l.level.Store(int32(slices.Index(tables.LoggerLevels, level)) - int32(logNote)) },
	}}
}

// cause is the part of a socket error that does not repeat the address.
func cause(err error) error {
	var call *os.SyscallError
	if errors.As(err, &call) {
		return call.Err
	}
	return err
}

// fileCause is the part of an error about a file that does not repeat its path.
func fileCause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
