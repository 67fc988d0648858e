package querylog

import (
	"fmt"
	"strings"
	"time"

	"pfsd/instr"
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
	InsertID               uint64 // the first AUTO_INCREMENT value, 0 if there is none
	Text                   string
	Extra                  *SlowExtra // nil without log_slow_extra
}

// SlowExtra is what log_slow_extra adds.
type SlowExtra struct {
	Errno, Killed uint64
	Status        ExtraStatus // by how much the statement has changed it
}

// ExtraStatus are values of extraStatus.
type ExtraStatus [15]uint64

// extraStatus are status variables, by their names in the slow log.
var extraStatus = [len(ExtraStatus{})]struct{ name, variable string }{
	{"Bytes_received", "Bytes_received"}, {"Bytes_sent", "Bytes_sent"}, {"Read_first", "Handler_read_first"}, {"Read_last", "Handler_read_last"},
	{"Read_key", "Handler_read_key"}, {"Read_next", "Handler_read_next"}, {"Read_prev", "Handler_read_prev"}, {"Read_rnd", "Handler_read_rnd"},
	{"Read_rnd_next", "Handler_read_rnd_next"}, {"Sort_merge_passes", "Sort_merge_passes"}, {"Sort_range_count", "Sort_range"}, {"Sort_rows", "Sort_rows"},
	{"Sort_scan_count", "Sort_scan"}, {"Created_tmp_disk_tables", "Created_tmp_disk_tables"}, {"Created_tmp_tables", "Created_tmp_tables"},
}

// ReadStatus returns the values of a thread now; those of variables that there are not are 0.
func (l *Logs) ReadStatus(t *instr.Thread) (values ExtraStatus) {
	if t == nil {
		return values
	}
	status := t.Status()
	for i, v := range l.extra() {
		if v != nil {
			values[i] = status.Value(v)
		}
	}
	return values
}

// findExtra finds the status variables.
func (l *Logs) findExtra() (found [len(extraStatus)]*instr.StatusVariable) {
	for _, v := range l.server.Registry.Reader().StatusVariables() {
		for i := range extraStatus {
			if extraStatus[i].variable == v.Name() {
				found[i] = v
			}
		}
	}
	return found
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
		l.addRow(Slow, e, len(e.Text))
	}
	f := l.files[Slow].f
	if f == nil {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Time: %s\n# User@Host: %s  Id: %5d\n", l.time(e.Start.Add(e.Query)), userHost(e.Account, e.User, e.Host, e.IP), e.Connection)
	fmt.Fprintf(&b, "# Query_time: %.6f  Lock_time: %.6f Rows_sent: %d  Rows_examined: %d", e.Query.Seconds(), e.Lock.Seconds(), e.RowsSent, e.RowsExamined)
	if x := e.Extra; x != nil {
		fmt.Fprintf(&b, " Thread_id: %d Errno: %d Killed: %d", e.Connection, x.Errno, x.Killed)
		for i, n := range x.Status {
			fmt.Fprintf(&b, " %s: %d", extraStatus[i].name, n)
		}
		fmt.Fprintf(&b, " Start: %s End: %s", l.time(e.Start), l.time(e.Start.Add(e.Query)))
	}
	b.WriteByte('\n')
	if e.Schema != l.schema && e.Schema != "" {
		fmt.Fprintf(&b, "use %s;\n", e.Schema)
		l.schema = e.Schema
	}
	b.WriteString("SET ")
	if e.InsertID != 0 {
		fmt.Fprintf(&b, "insert_id=%d,", e.InsertID)
	}
	fmt.Fprintf(&b, "timestamp=%d;\n%s;\n", e.Start.Unix(), e.Text)
	_, _ = f.Write([]byte(b.String()))
}

// General writes a command that begins to the general log.
func (l *Logs) General(e *GeneralEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.config.Table && l.config.On[General] {
		l.addRow(General, e, len(e.Argument))
	}
	if f := l.files[General].f; f != nil {
		_, _ = fmt.Fprintf(f, "%s\t%5d %s\t%s\n", l.time(e.Time), e.Connection, e.Command, e.Argument)
	}
}
