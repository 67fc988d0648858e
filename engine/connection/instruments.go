package connection

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/budget"
	"pfsd/engine/mdl"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/processor"
	"pfsd/engine/programs"
	"pfsd/engine/querylog"
	"pfsd/engine/serverfiles"
	"pfsd/engine/stages"
	"pfsd/engine/statements"
	"pfsd/engine/status"
	"pfsd/engine/sysvar"
	"pfsd/engine/usertables"
	"pfsd/instr"
)

// Instruments are the instruments of commands and statements. Safe for concurrent use.
type Instruments struct {
	reg        *instr.Registry
	newPacket  *instr.StatementClass            // a command before its kind is known
	query      *instr.StatementClass            // a statement before it is parsed
	scheduled  *instr.StatementClass            // an event of the scheduler
	commands   map[string]*instr.StatementClass // statement/com, by name
	statements map[string]*instr.StatementClass // statement/sql, by kind
	Names      *mdl.Manager                     // of what statements lock
	Databases  *usertables.Databases
	Budget     *processor.Budget // of processor time; nil is no limit
	// instructions are statement/sp, by name.
	instructions map[string]*instr.StatementClass
	Stages       stages.Classes
	status       *status.Counters
	memory       memories
	// QueryLogs are the slow log and the general log, nil without a server, and ServerVariables its variables.
	QueryLogs       *querylog.Logs
	ServerVariables *sysvar.Server
	files           serverfiles.Classes
	// Runner executes statements that are part of others. Shutdown stops the server, as a user asks for it.
	Runner   sql.StatementRunner
	Shutdown func(user string)
	// MemoryBudget is the memory of all connections together.
	MemoryBudget *budget.Server
}

// Names of commands, as the tables show them.
const (
	commandQuery   = "Query"
	commandInitDB  = "Init DB"
	commandPrepare = "Prepare"
	commandExecute = "Execute"
	commandReset   = "Reset Connection"
	// commandFieldList comes to the handler as a query.
	commandFieldList = "Field List"
)

func NewInstruments(reg *instr.Registry) *Instruments {
	in := &Instruments{
		reg:          reg,
		newPacket:    reg.NewStatementClass("abstract/new_packet"),
		query:        reg.NewStatementClass("abstract/Query"),
		scheduled:    reg.NewStatementClass("scheduler/event"),
		commands:     map[string]*instr.StatementClass{},
		statements:   map[string]*instr.StatementClass{},
		Stages:       stages.New(reg),
		memory:       newMemories(reg),
		files:        serverfiles.NewClasses(reg),
		MemoryBudget: budget.NewServer(budget.NoLimit),
		Names:        mdl.NewManager(reg.NewMetadataLockClass("sql/mdl")),
		status:       status.NewCounters(reg),
	}
	names := []string{"Error"}
	for _, name := range handled {
		if name != commandQuery { // is one of the kinds of statements in the end
			names = append(names, name)
		}
	}
	for _, c := range protocolCommands {
		names = append(names, c.name)
	}
	slices.Sort(names) // instruments have an order
	for _, name := range names {
		in.commands[name] = reg.NewStatementClass("com/" + name)
	}
	for _, kind := range statements.Kinds {
		in.statements[kind] = reg.NewStatementClass("sql/" + kind)
	}
	in.instructions = programs.NewInstructions(reg)
	reg.Setup().SetServerErrors(mysqlerr.All())
	return in
}
