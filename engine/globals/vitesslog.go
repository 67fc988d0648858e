package globals

import (
	"io"
	"strings"
	"sync"
	"sync/atomic"

	vtlog "github.com/dolthub/vitess/go/vt/log"
	"github.com/sirupsen/logrus"
)

// logSink receives the panics; if it is nil, they are dropped.
var logSink atomic.Pointer[func(panicked any)]

var hookLog sync.Once

// SetLog sends the values of panics in vitess's connection layer to sink, on the goroutine that has recovered them, until
// release is called. The last server that has called it receives them. Safe for concurrent use.
//
// vitess: prints every lost client and every failed statement on standard error, through package
// variables that all servers of a process share. MySQL: has one error log, and the server itself
// writes what happens to connections. So of vitess's log, the server needs only the panics.
func SetLog(sink func(panicked any)) (release func()) {
	hookLog.Do(func() {
		none := func(...any) {}
		nonef := func(string, ...any) {}
		vtlog.Info, vtlog.Infof, vtlog.Warning, vtlog.Warningf, vtlog.Error = none, nonef, none, nonef, none
		vtlog.Errorf = func(format string, args ...any) {
			if f := logSink.Load(); f != nil && strings.Contains(format, "panic") && len(args) > 0 {
				(*f)(args[0])
			}
		}
	})
	own := &sink
	logSink.Store(own)
	return func() { logSink.CompareAndSwap(own, nil) }
}

// QuietLogger returns the logger of a session. go-mysql-server's logger prints each failed
// statement on standard error; MySQL's sessions log nothing.
var QuietLogger = sync.OnceValue(func() *logrus.Entry {
	l := logrus.New()
	l.SetOutput(io.Discard)
	l.SetLevel(logrus.PanicLevel)
	return logrus.NewEntry(l)
})
