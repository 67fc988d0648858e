package engine

import (
	"fmt"
	"io"
	"os"
	"time"

	"pfsd/instr"
)

// errorLog is the server's log, in MySQL's format: time, thread, level, message. Safe
// for concurrent use.
type errorLog struct {
	mu   *instr.Mutex
	out  io.Writer // guarded by mu
	file *instr.File
}

// openErrorLog appends to the file path, or writes standard error if there is none.
func openErrorLog(reg *instr.Registry, path string) (*errorLog, error) {
	l := &errorLog{mu: reg.NewMutex("sql/LOCK_error_log"), out: os.Stderr}
	if path == "" {
		return l, nil
	}
	f, err := reg.NewFileClass("sql/error_log").OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		return nil, fmt.Errorf("cannot open --log-error %s: %w", path, cause(err))
	}
	l.out, l.file = f, f
	return l, nil
}

// write adds a line. A log that cannot be written does not stop the server.
func (l *errorLog) write(level, message string) {
	id := uint64(0)
	if t := instr.Current(); t != nil {
		id = t.ID()
	}
	line := fmt.Sprintf("%s %d [%s] %s\n", time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"), id, level, message)
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.out.Write([]byte(line))
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

func writePidFile(reg *instr.Registry, path string) (*pidFile, error) {
	if path == "" {
		return nil, nil
	}
	p := &pidFile{reg.NewFileClass("sql/pid"), path}
	if err := p.class.WriteFile(path, fmt.Appendf(nil, "%d\n", os.Getpid()), 0o644); err != nil {
		return nil, fmt.Errorf("cannot write --pid-file %s: %w", path, cause(err))
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
