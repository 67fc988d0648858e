package engine

import (
	"cmp"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/errorlog"
	"pfsd/engine/mysqldb"
	"pfsd/engine/querylog"
	"pfsd/engine/statements"
	"pfsd/engine/sysvar"
	"pfsd/instr"
)

// logVariables are the variables that say what the slow log and the general log have, and where they are.
var logVariables = []string{"slow_query_log", "slow_query_log_file", "general_log", "general_log_file", "log_output"}

// openQueryLogs makes the slow log and the general log, as the variables have them.
func (s *Server) openQueryLogs() {
	s.queryLogs = querylog.New(querylog.Server{
		Registry: s.reg,
		Join:     func(path string) (string, bool) { return s.dir.Join(path), s.dir.Persistent() },
		Header: func() string {
			port := 0
			if a, ok := s.listener.Addr().(*net.TCPAddr); ok {
				port = a.Port
			}
			return fmt.Sprintf("%s, Version: %s (%s). started with:\nTcp port: %d  Unix socket: %v\nTime                 Id Command    Argument\n",
				errorlog.ProgramName, s.Version(), s.variables.Global("version_comment"), port, s.variables.Global("socket"))
		},
		Local:  func() bool { return s.variables.Global("log_timestamps") == "SYSTEM" },
		Report: func(err error) { s.log.Write(errorlog.QueryLogFailed, err) },
	})
	configure := func(any) {
		text := func(name string) string { v, _ := s.variables.Global(name).(string); return v }
		c := querylog.Config{}
		c.On[querylog.Slow], c.On[querylog.General] = s.variables.Integer("slow_query_log") != 0, s.variables.Integer("general_log") != 0
		c.Path[querylog.Slow] = cmp.Or(text("slow_query_log_file"), "slow.log")
		c.Path[querylog.General] = cmp.Or(text("general_log_file"), "general.log")
		to := strings.Split(text("log_output"), ",")
		for _, name := range to {
			c.File = c.File || name == "FILE"
			c.Table = c.Table || name == "TABLE"
		}
		for _, name := range to {
			if name == "NONE" { // whatever else is there
				c.File, c.Table = false, false
			}
		}
		s.queryLogs.Configure(c)
	}
	configure(nil)
	for _, name := range logVariables {
		s.variables.OnChange(name, configure)
	}
}

// logTables are the tables of the database mysql that show the logs.
func (s *Server) logTables() map[string]mysqldb.LogTable {
	micro := func(d time.Duration) types.Timespan { return types.Timespan(d / time.Microsecond) }
	userHost := func(account, user, host, ip string) string {
		return fmt.Sprintf("%s[%s] @ %s [%s]", account, user, host, ip)
	}
	return map[string]mysqldb.LogTable{
		"slow_log": {
			Rows: func() (rows []sql.Row) {
				for _, e := range s.queryLogs.SlowRows() {
					rows = append(rows, sql.Row{
						e.Start.Truncate(time.Microsecond), userHost(e.Account, e.User, e.Host, e.IP), micro(e.Query), micro(e.Lock), int32(min(e.RowsSent, 1<<31-1)), int32(min(e.RowsExamined, 1<<31-1)),
						e.Schema, int32(0), int32(0), uint32(e.ServerID), []byte(e.Text), e.Connection,
					})
				}
				return rows
			},
			Truncate: func() { s.queryLogs.Truncate(querylog.Slow) },
		},
		"general_log": {
			Rows: func() (rows []sql.Row) {
				for _, e := range s.queryLogs.GeneralRows() {
					rows = append(rows, sql.Row{
						e.Time.Truncate(time.Microsecond), userHost(e.Account, e.User, e.Host, e.IP), e.Connection, uint32(e.ServerID), e.Command, []byte(e.Argument),
					})
				}
				return rows
			},
			Truncate: func() { s.queryLogs.Truncate(querylog.General) },
		},
	}
}

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
