package querylog

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"pfsd/instr"
)

// Kind is one of the two logs.
type Kind uint8

// The logs.
const (
	Slow Kind = iota
	General
	kindCount
)

// The files' instruments and their names in messages.
var kinds = [kindCount]struct{ class, name string }{Slow: {"sql/slow_log", "slow query log"}, General: {"sql/query_log", "general log"}}

// Config says what is logged, and where.
type Config struct {
	On   [kindCount]bool
	Path [kindCount]string // of the file, relative to the server's directory
	// File and Table are the parts of log_output.
	File, Table bool
}

// Server is what the logs know of their server.
type Server struct {
	Registry *instr.Registry
	// Join is where a relative path lies; without a directory nothing is written to one.
	Join func(path string) (string, bool)
	// Header is what a file begins with, as three lines.
	Header func() string
	// Local tells whether times are in the machine's time zone, else UTC.
	Local func() bool
	// Report is told of a file that cannot be opened.
	Report func(error)
}

// Logs are both logs. Safe for concurrent use.
type Logs struct {
	server  Server
	wanted  atomic.Uint32 // bits by Kind: what each statement looks at
	mu      *instr.Mutex  // guards what follows
	config  Config
	files   [kindCount]file
	schema  string // that the slow log's file says is the current one
	rows    [kindCount]rows
	kept    [kindCount]rowFile
	classes [kindCount]*instr.FileClass
	// rowClass is that of the files that keep rows: MySQL's tables of the logs are of the engine CSV.
	rowClass *instr.FileClass
	extra    func() [len(extraStatus)]*instr.StatusVariable // those of extraStatus, nil for one that there is not
}

// file is a log's file.
type file struct {
	path string // that it was opened by; "" if it is not open
	f    *instr.File
}

// New makes logs that are off.
func New(s Server) *Logs {
	l := &Logs{server: s, mu: s.Registry.NewMutex("sql/LOCK_logger")}
	l.extra = sync.OnceValue(l.findExtra)
	l.rowClass = s.Registry.NewFileClass("csv/data")
	for k := range kindCount {
		l.classes[k] = s.Registry.NewFileClass(kinds[k].class)
	}
	return l
}

// Wants tells whether a log is on and goes anywhere.
func (l *Logs) Wants(k Kind) bool { return l != nil && l.wanted.Load()&(1<<k) != 0 }

// Configure changes what is logged and where.
func (l *Logs) Configure(c Config) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.config = c
	wanted := uint32(0)
	for k := range kindCount {
		if c.On[k] && (c.File || c.Table) {
			wanted |= 1 << k
		}
		path := ""
		if c.On[k] && c.File {
			path = c.Path[k]
		}
		if path != l.files[k].path {
			l.open(k, path)
		}
	}
	l.wanted.Store(wanted)
}

// open opens the file of a log and closes the one before; "" is none. The caller holds mu.
func (l *Logs) open(k Kind, path string) {
	if old := l.files[k].f; old != nil {
		_ = old.Close()
	}
	l.files[k] = file{}
	if path == "" {
		return
	}
	f, err := l.create(k, path)
	if err != nil {
		l.server.Report(fmt.Errorf("cannot write the %s to %s: %w", kinds[k].name, path, err))
		return
	}
	l.files[k] = file{path, f}
	if k == Slow {
		l.schema = ""
	}
	_, _ = f.Write([]byte(l.server.Header()))
}

func (l *Logs) create(k Kind, path string) (*instr.File, error) {
	if !filepath.IsAbs(path) {
		joined, ok := l.server.Join(path)
		if !ok {
			return nil, fmt.Errorf("there is no data directory")
		}
		path = joined
	}
	return l.classes[k].OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
}

// Reopen opens the file of a log by its name again, as after log rotation.
func (l *Logs) Reopen(k Kind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.config.On[k] && l.config.File {
		l.open(k, l.config.Path[k])
	}
}

// Close closes the files.
func (l *Logs) Close() {
	l.Configure(Config{})
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := range kindCount {
		if f := l.kept[k].f; f != nil {
			_ = f.Close()
		}
		l.kept[k].f = nil
	}
}
