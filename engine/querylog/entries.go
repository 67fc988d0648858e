package querylog

import (
	"fmt"
	"strings"
	"time"
)

// SlowEntry is a statement in the slow log.
type SlowEntry struct {
	Start                  time.Time
	Query, Lock            time.Duration // how long it took, and waited for locks on rows
	Account, User          string        // whose rights it has, and who has signed in
	Host, IP               string        // "" if there is none
	Connection             uint64
	Schema                 string
	RowsSent, RowsExamined uint64
	ServerID               uint64
	Text                   string
}

// GeneralEntry is a command in the general log.
type GeneralEntry struct {
	Time                    time.Time
	Account, User, Host, IP string
	Connection              uint64
	ServerID                uint64
	Command, Argument       string
}

func userHost(account, user, host, ip string) string {
	return fmt.Sprintf("%s[%s] @ %s [%s]", account, user, host, ip)
}

// time is a moment as the files have it.
func (l *Logs) time(t time.Time) string {
	if l.server.Local() {
		t = t.Local()
	} else {
		t = t.UTC()
	}
	return t.Format("2006-01-02T15:04:05.000000Z07:00")
}

// Slow writes a statement that has ended to the slow log.
func (l *Logs) Slow(e *SlowEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.config.Table && l.config.On[Slow] {
		l.rows[Slow].add(e, len(e.Text))
	}
	f := l.files[Slow].f
	if f == nil {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Time: %s\n# User@Host: %s  Id: %5d\n", l.time(e.Start.Add(e.Query)), userHost(e.Account, e.User, e.Host, e.IP), e.Connection)
	fmt.Fprintf(&b, "# Query_time: %.6f  Lock_time: %.6f Rows_sent: %d  Rows_examined: %d\n", e.Query.Seconds(), e.Lock.Seconds(), e.RowsSent, e.RowsExamined)
	if e.Schema != l.schema && e.Schema != "" {
		fmt.Fprintf(&b, "use %s;\n", e.Schema)
		l.schema = e.Schema
	}
	fmt.Fprintf(&b, "SET timestamp=%d;\n%s;\n", e.Start.Unix(), e.Text)
	_, _ = f.Write([]byte(b.String()))
}

// General writes a command that begins to the general log.
func (l *Logs) General(e *GeneralEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.config.Table && l.config.On[General] {
		l.rows[General].add(e, len(e.Argument))
	}
	if f := l.files[General].f; f != nil {
		_, _ = fmt.Fprintf(f, "%s\t%5d %s\t%s\n", l.time(e.Time), e.Connection, e.Command, e.Argument)
	}
}
