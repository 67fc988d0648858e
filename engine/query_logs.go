package engine

import (
	"fmt"
	"net"
	"strings"
	"time"

	"pfsd/engine/querylog"
	"pfsd/engine/statements"
	"pfsd/engine/sysvar"
	"pfsd/instr"
)

// inLogs is what the logs know of a command.
type inLogs struct {
	text    string // as others see it
	wanted  bool   // the general log was on when it began
	general bool   // it is in the general log
}

// begins has the general log know of a command that begins. Of several statements that come together each is
// told when it is parsed, as is one with a password.
func (h *handler) begins(cl *client, name, shown string) {
	in := &cl.work.statement.logged
	in.text, in.wanted = shown, h.queryLogs.Wants(querylog.General) && !cl.work.opening
	if !in.wanted {
		return
	}
	if name != commandQuery || !cl.work.statement.hidden && !strings.Contains(trimmed(shown), ";") {
		cl.work.logGeneral(name, shown)
	}
}

// logGeneral writes a command to the general log, once.
func (w *work) logGeneral(name, shown string) {
	cl := w.client
	if w.statement.logged.general || cl == nil || sysvar.IsOn(cl.listed.Variables.Load().Get("sql_log_off")) {
		return
	}
	w.statement.logged.general = true
	w.queryLogs.General(&querylog.GeneralEntry{
		Time: time.Now(), Account: w.rights.Account.User, User: w.rights.User, Host: cl.wire.Host, IP: address(cl),
		Connection: uint64(cl.listed.ID), ServerID: w.serverID(), Command: name, Argument: trimmed(shown),
	})
}

// logSimple writes a command that the protocol layer carries out to the general log.
func (w *work) logSimple(name string) {
	if w.queryLogs.Wants(querylog.General) && w.client != nil && w.client.listed.Variables.Load() != nil {
		w.statement.logged = inLogs{}
		w.logGeneral(name, "")
	}
}

// parsedText notes what others see of the statement that is carried out.
func (w *work) parsedText(shown string) {
	w.statement.logged.text = shown
	if w.statement.logged.wanted {
		w.logGeneral(commandQuery, shown)
	}
}

// logConnect writes to the general log that a client has signed in.
func (w *work) logConnect(schema, kind string) {
	if w.queryLogs.Wants(querylog.General) {
		w.statement.logged = inLogs{}
		w.logGeneral("Connect", fmt.Sprintf("%s@%s on %s using %s", w.rights.User, w.client.wire.Host, schema, kind))
		w.statement.logged = inLogs{}
	}
}

// address is the client's IP address, "" if it has none.
func address(cl *client) string {
	if a, ok := cl.wire.RemoteAddr().(*net.TCPAddr); ok {
		return a.IP.String()
	}
	return ""
}

// ended has the slow log know of a command that has ended, if it is slow or uses no index.
func (h *handler) ended(cl *client, name string, began time.Time, took time.Duration) {
	w := cl.work
	o := &w.statement
	if o.logged.wanted { // and it was not parsed
		w.logGeneral(name, o.logged.text)
	}
	if !h.queryLogs.Wants(querylog.Slow) {
		return
	}
	counters := &o.result.Counters
	noIndex := (counters[instr.NoIndexUsed] > 0 || counters[instr.NoGoodIndexUsed] > 0) && h.variables.Integer("log_queries_not_using_indexes") != 0
	if took <= w.slow.from && !noIndex || o.Examined < w.slow.examined {
		return
	}
	if o.tree != nil && adminStatements[statements.Kind(o.tree, o.logged.text)] && h.variables.Integer("log_slow_admin_statements") == 0 {
		return
	}
	text := trimmed(o.logged.text)
	if name != commandQuery && name != commandExecute {
		text = "# administrator command: " + name
	}
	h.queryLogs.Slow(&querylog.SlowEntry{
		Start: began, Query: took, Lock: o.lockWait, Account: w.rights.Account.User, User: w.rights.User, Host: cl.wire.Host, IP: address(cl),
		Connection: uint64(cl.listed.ID), Schema: o.schema, RowsSent: o.sent, RowsExamined: o.Examined, ServerID: w.serverID(), Text: text,
	})
}

// adminStatements are the kinds that log_slow_admin_statements is about.
var adminStatements = map[string]bool{
	"alter_table": true, "analyze": true, "check": true, "create_index": true, "drop_index": true, "optimize": true, "repair": true,
}

func (w *work) serverID() uint64 {
	if w.client == nil {
		return 0
	}
	return uint64(w.serverVariables.Integer("server_id"))
}
