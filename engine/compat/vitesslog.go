package compat

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	vtlog "github.com/dolthub/vitess/go/vt/log"
	"github.com/sirupsen/logrus"
)

// logSink is where the connection layer writes; nil drops everything.
var logSink atomic.Pointer[func(level, message string)]

var hookLog sync.Once

// SetLog sends the warnings and errors of the connection layer to sink.
//
// go-mysql-server: vitess prints every lost client on standard error through package
// variables, the same for all servers of a process. MySQL: one error log. The last
// server to call SetLog gets them, until it calls release. Safe for concurrent use.
func SetLog(sink func(level, message string)) (release func()) {
	hookLog.Do(func() {
		to := func(level string) (func(...any), func(string, ...any)) {
			say := func(s string) {
				if f := logSink.Load(); f != nil {
					(*f)(level, s)
				}
			}
			return func(a ...any) { say(fmt.Sprint(a...)) }, func(f string, a ...any) { say(fmt.Sprintf(f, a...)) }
		}
		vtlog.Info, vtlog.Infof = func(...any) {}, func(string, ...any) {}
		vtlog.Warning, vtlog.Warningf = to("Warning")
		vtlog.Error, vtlog.Errorf = to("ERROR")
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
