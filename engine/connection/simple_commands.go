package connection

import (
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/mysqlerr"
	"pfsd/engine/status"
	"pfsd/engine/wire"
	"pfsd/instr"
)

// protocolCommands are the commands that the protocol layer carries out without the handler,
// with the error that they are answered with, 0 for none. It does not know any others.
var protocolCommands = map[byte]protocolCommand{
	wire.ComQuit: {name: "Quit", question: true}, wire.ComStatistics: {name: "Statistics", kind: "show_status", quiet: true},
	wire.ComPing: {name: "Ping", kind: status.Admin, quiet: true, ok: true}, wire.ComStmtSendLongData: {name: "Long Data", kind: "stmt_send_long_data", question: true},
	wire.ComStmtClose: {name: "Close stmt", kind: comStmtClosed}, wire.ComStmtReset: {name: "Reset stmt", kind: "stmt_reset", ok: true},
	wire.ComSetOption:  {name: "Set option", kind: "set_option", question: true},
	wire.ComStmtFetch:  {name: "Fetch", kind: "stmt_fetch", question: true},
	wire.ComShutdown:   {name: "Shutdown", kind: "shutdown", question: true},
	wire.ComDebug:      {name: "Debug", kind: status.Admin, question: true},
	wire.ComChangeUser: {name: "Change user", kind: status.Admin, question: true, ok: true},
}

type protocolCommand struct {
	name     string
	kind     string // of its counter Com_KIND; "" is none
	question bool   // it counts in Questions
	quiet    bool   // it counts in Queries neither
	ok       bool   // the answer is OK
	error    int
}

// handledKinds are the counters Com_KIND of the commands that come to the handler, by name.
var handledKinds = map[string]string{
	commandInitDB: "change_db", commandFieldList: "show_fields", commandPrepare: comStmtPrepared, commandExecute: comStmtExecuted,
	commandReset: status.Admin,
}

// handled are the commands that come to the handler.
var handled = map[byte]string{
	wire.ComInitDB: commandInitDB, wire.ComQuery: commandQuery, wire.ComFieldList: commandFieldList,
	wire.ComStmtPrepare: commandPrepare, wire.ComStmtExec: commandExecute, wire.ComResetConnection: commandReset,
}

// simpleCommand is the command that the protocol layer carries out itself, if one runs. Owned by the connection's goroutine.
type simpleCommand struct {
	work  *Work
	event instr.Statement
	runs  bool
}

// begin notes a command as it is read. It ends the one before.
func (s *simpleCommand) begin(command byte) {
	s.end()
	if handled[command] != "" {
		return
	}
	c, known := protocolCommands[command]
	if !known {
		c = protocolCommand{name: "Error", question: true, error: mysqlerr.UnknownCommand}
	}
	w := s.work
	if !c.quiet {
		w.status.Arrived(w.Thread, c.question)
	}
	w.countCommand(c.kind)
	w.logSimple(c.name)
	s.event, s.runs = w.Thread.StartStatement(w.newPacket), true
	s.event.Refine(w.commands[c.name])
	if c.ok {
		s.event.SetDiagnostics(0, "", "")
	}
	if c.error != 0 {
		s.fail(mysql.NewSQLError(c.error, "08S01", "Unknown command"))
	}
}

// failEarly notes that a command has failed before it came to the handler.
func (s *simpleCommand) failEarly(command byte, err *mysql.SQLError) {
	w := s.work
	if name := handled[command]; name != "" && !s.runs {
		w.status.Arrived(w.Thread, true)
		w.countCommand(handledKinds[name])
		s.event, s.runs = w.Thread.StartStatement(w.newPacket), true
		s.event.Refine(w.commands[name])
	}
	s.fail(err)
}

// fail notes that the command fails.
func (s *simpleCommand) fail(err *mysql.SQLError) {
	s.event.SetDiagnostics(err.Num, err.State, err.Message)
	s.work.Thread.RaiseError(err.Num, false)
}

// end notes that the command has ended, if one runs.
func (s *simpleCommand) end() {
	if s.runs {
		s.event.End()
		s.runs = false
	}
}
