package connection

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"pfsd/engine/querylog"
	"pfsd/engine/statements"
	"pfsd/engine/sysvar"
	"pfsd/instr"
)

// loggedCommand is what the logs know of a command.
type loggedCommand struct {
	text    string // as others see it
	wanted  bool   // the general log was on when it began
	general bool   // it is in the general log
}

// logBegin writes a command that begins to the general log. If several statements come together, or one has a password, parsedText writes
// each of them.
func (h *Handler) logBegin(cl *Client, name, shown string) {
	cl.work.logAnswered() // if it needed no answer
	if cl.work.slow.extra = h.slowExtra(); cl.work.slow.extra {
		cl.work.readStatus()
	}
	in := &cl.work.Current.logged
	in.text, in.wanted = shown, h.QueryLogs.Wants(querylog.General) && !cl.work.opening
	if !in.wanted {
		return
	}
	if name != commandQuery || !cl.work.Current.hidden && !strings.Contains(statements.Trimmed(shown), ";") {
		cl.work.logGeneral(name, shown)
	}
}

// logGeneral writes a command to the general log, once.
func (w *Work) logGeneral(name, shown string) {
	cl := w.Client
	if w.Current.logged.general || cl == nil || sysvar.IsOn(cl.Listed.Variables.Load().Get("sql_log_off")) {
		return
	}
	w.Current.logged.general = true
	w.QueryLogs.General(&querylog.GeneralEntry{
		Time: time.Now(), Account: w.Rights.Account.User, User: w.Rights.User, Host: cl.Wire.Host, IP: address(cl),
		Connection: uint64(cl.Listed.ID), ServerID: w.serverID(), Command: name, Argument: statements.Trimmed(shown),
	})
}

// logSimple writes a command that the protocol layer carries out to the general log.
func (w *Work) logSimple(name string) {
	if w.QueryLogs.Wants(querylog.General) && w.Client != nil && w.Client.Listed.Variables.Load() != nil {
		w.Current.logged = loggedCommand{}
		w.logGeneral(name, "")
	}
}

// parsedText notes the text of a statement that has been parsed, as others see it.
func (w *Work) parsedText(shown string) {
	w.Current.logged.text = shown
	if w.Current.logged.wanted {
		w.logGeneral(commandQuery, shown)
	}
}

// logConnect writes to the general log that a client has signed in.
func (w *Work) logConnect(schema, kind string) {
	if w.QueryLogs.Wants(querylog.General) {
		w.Current.logged = loggedCommand{}
		w.logGeneral("Connect", fmt.Sprintf("%s@%s on %s using %s", w.Rights.User, w.Client.Wire.Host, schema, kind))
		w.Current.logged = loggedCommand{}
	}
}

// address is the client's IP address, "" if it has none.
func address(cl *Client) string {
	if a, ok := cl.Wire.RemoteAddr().(*net.TCPAddr); ok {
		return a.IP.String()
	}
	return ""
}

// logEnd writes a command that has ended to the slow log, if it is slow or uses no index.
func (h *Handler) logEnd(cl *Client, name string, began time.Time, took time.Duration) {
	w := cl.work
	o := &w.Current
	before := w.slow.status
	w.slow.status = nil
	if o.logged.wanted { // and it was not parsed
		w.logGeneral(name, o.logged.text)
	}
	if !h.QueryLogs.Wants(querylog.Slow) {
		return
	}
	counters := &o.result.Counters
	noIndex := (counters[instr.NoIndexUsed] > 0 || counters[instr.NoGoodIndexUsed] > 0) && h.Variables.Integer("log_queries_not_using_indexes") != 0
	if took <= w.slow.from && !noIndex || o.Examined < w.slow.examined {
		return
	}
	if o.tree != nil && adminStatements[statements.Kind(o.tree, o.logged.text)] && h.Variables.Integer("log_slow_admin_statements") == 0 {
		return
	}
	text := statements.Trimmed(o.logged.text)
	if name != commandQuery && name != commandExecute {
		text = "# administrator command: " + name
	}
	e := &querylog.SlowEntry{
		Start: began, Query: took, Lock: o.LockWait, Account: w.Rights.Account.User, User: w.Rights.User, Host: cl.Wire.Host, IP: address(cl),
		Connection: uint64(cl.Listed.ID), Schema: o.schema, RowsSent: o.Sent, RowsExamined: o.Examined, ServerID: w.serverID(), InsertID: o.InsertID, Text: text,
	}
	if before == nil {
		h.QueryLogs.Slow(e)
		return
	}
	e.Extra = &querylog.SlowExtra{}
	if err := o.err; err != nil {
		e.Extra.Errno = uint64(err.Num)
		if slices.Contains(killNumbers, err.Num) {
			e.Extra.Killed = e.Extra.Errno
		}
	}
	w.slow.answered, w.slow.status = e, before
}

// slowExtra tells whether the slow log shows more of each statement.
func (h *Handler) slowExtra() bool {
	return h.QueryLogs.Wants(querylog.Slow) && h.Variables.Integer("log_slow_extra") != 0
}

// readStatus notes the status variables before a command, whose bytes may begin to arrive.
func (w *Work) readStatus() {
	if w.slow.status == nil {
		status := w.QueryLogs.ReadStatus(w.Thread)
		w.slow.status = &status
	}
}

// logAnswered writes the statement to the slow log that ended last, now that its answer is sent, if log_slow_extra is on.
func (w *Work) logAnswered() {
	e, before := w.slow.answered, w.slow.status
	if e == nil {
		return
	}
	w.slow.answered, w.slow.status = nil, nil
	for i, n := range w.QueryLogs.ReadStatus(w.Thread) {
		if n >= before[i] { // or FLUSH STATUS has been there
			e.Extra.Status[i] = n - before[i]
		}
	}
	w.QueryLogs.Slow(e)
}

// killNumbers are the errors of statements that were ended from outside, or by max_execution_time.
var killNumbers = []int{1053, 1317, 3024}

// adminStatements are the kinds that log_slow_admin_statements is about.
var adminStatements = map[string]bool{
	"alter_table": true, "analyze": true, "check": true, "create_index": true, "drop_index": true, "optimize": true, "repair": true,
}

func (w *Work) serverID() uint64 {
	if w.Client == nil {
		return 0
	}
	return uint64(w.ServerVariables.Integer("server_id"))
}
