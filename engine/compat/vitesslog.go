package compat

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	vtlog "github.com/dolthub/vitess/go/vt/log"
	"github.com/sirupsen/logrus"
)

// logSink is told of panics; nil drops them.
var logSink atomic.Pointer[func(panicked string)]

var hookLog sync.Once

// SetLog tells sink of the panics in the connection layer.
//
// go-mysql-server: vitess prints every lost client and every failed statement on standard error
// through package variables, the same for all servers of a process. MySQL: one error log, in
// which the server itself writes what becomes of connections; a panic is all that nobody else
// sees. The last server to call SetLog gets them, until it calls release. Safe for concurrent use.
func SetLog(sink func(panicked string)) (release func()) {
	hookLog.Do(func() {
		none := func(...any) {}
		nonef := func(string, ...any) {}
		vtlog.Info, vtlog.Infof, vtlog.Warning, vtlog.Warningf, vtlog.Error = none, nonef, none, nonef, none
		vtlog.Errorf = func(format string, args ...any) {
			if f := logSink.Load(); f != nil && strings.Contains(format, "panic") {
				(*f)(fmt.Sprintf(format, args...))
			}
		}
	})
	own := &sink
	logSink.Store(own)
	return func() { logSink.CompareAndSwap(own, nil) }
}

// QuietLogger is the logger of a session: go-mysql-server's logs each failed statement
// on standard error, MySQL's sessions log nothing.
var QuietLogger = sync.OnceValue(func() *logrus.Entry {
	l := logrus.New()
	l.SetOutput(io.Discard)
	l.SetLevel(logrus.PanicLevel)
	return logrus.NewEntry(l)
})
