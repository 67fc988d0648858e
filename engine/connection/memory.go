package connection

import (
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
	"pfsd/engine/session"
	"pfsd/engine/sysvar"
	"pfsd/engine/usertables"
	"pfsd/engine/uservars"
	"pfsd/engine/wire"
	"pfsd/instr"
)

// memories are the instruments of the memory of connections, under MySQL's names. They count what the server allocates, what vitess and
// go-mysql-server allocate on its behalf, and the rows that statements keep. Other memory of these libraries is known to the Go runtime
// only, and not by thread. Safe for concurrent use.
type memories struct {
	session  *instr.MemoryClass // what is known of a connection
	net      *instr.MemoryClass // the buffer that it reads from
	rows     *instr.MemoryClass // the rows of a result that are not sent yet
	prepared *instr.MemoryClass // prepared statements without their syntax trees
	userVars uservars.Memory    // user variables
	tree     *instr.MemoryClass // syntax trees of prepared statements, and their parameters' long data
	rowsOf   charge.Memory      // what statements keep
}

func newMemories(reg *instr.Registry) memories {
	class := func(name, doc string) *instr.MemoryClass {
		m := reg.NewMemoryClass("sql/" + name)
		m.Class().SetDocumentation(doc)
		return m
	}
	m := memories{
		session:  class("THD::main_mem_root", "What is known of a connection and its session, and large syntax trees."),
		net:      class("NET::buff", "The buffer that a connection reads from."),
		rows:     class("String::value", "Buffers for rows of a result that are not sent yet."),
		prepared: class("Prepared_statement::infrastructure", "Prepared statements, their texts included."),
		userVars: uservars.Memory{
			Variable: class("user_var_entry", "User variables."), Value: class("user_var_entry::value", "The values of user variables."),
		},
		tree: class("Prepared_statement::main_mem_root", "Syntax trees of prepared statements, and values that clients send ahead of their execution."),
	}
	other := func(name, doc string) *instr.MemoryClass {
		m := reg.NewMemoryClass(name)
		m.Class().SetDocumentation(doc)
		return m
	}
	m.rowsOf = charge.Memory{
		Sort:    class("Filesort_buffer::sort_keys", "Rows that are sorted."),
		Join:    class("hashed_operation", "Rows of the inner side of a join, by hash."),
		Groups:  class("Unique::sort_buffer", "Groups, and rows that are told apart."),
		Cached:  other("temptable/physical_ram", "Rows that are kept to be read again, and those that window functions are worked out on."),
		JSON:    class("JSON", "JSON documents that are read as a table."),
		Written: class("Row_data_memory::memory", "Rows that a statement writes, until they are in their table."),
		Text:    m.rows,
		Tree:    m.session,
		Schema:  class("ST_SCHEMA_TABLE", "Rows of information_schema while they are read."),
	}
	for _, c := range []*instr.MemoryClass{m.session, m.prepared, m.tree, m.rowsOf.Sort, m.rowsOf.Join, m.rowsOf.Groups, m.rowsOf.Cached} {
		c.Class().SetProperties(instr.ControlledByDefault)
	}
	return m
}

// The bytes that each connection and each session takes.
const (
	connectionBytes = int(unsafe.Sizeof(Client{}) + unsafe.Sizeof(wire.Conn{}) + unsafe.Sizeof(Work{}) + unsafe.Sizeof(session.Transaction{}) + unsafe.Sizeof(mysql.Conn{}))
	sessionBytes    = int(unsafe.Sizeof(sql.BaseSession{}) + unsafe.Sizeof(usertables.Session{}) + unsafe.Sizeof(sysvar.Session{}))
)

// ReadBufferSize is how many bytes of small commands a connection reads at a time; large ones
// do not go through the buffer. Each connection has one, whether it is idle or not.
const ReadBufferSize = 1 << 10

// connectionMemory counts the memory of a connection that is not freed yet. Owned by the connection's goroutine.
type connectionMemory struct {
	thread     *instr.Thread
	memories   *memories
	connection bool
	session    bool
	variables  *uservars.Variables
	// kept is its part of the connection's account.
	kept *budget.Hold
}

// beginConnection counts a connection.
func (u *connectionMemory) beginConnection() {
	u.connection = true
	u.thread.Alloc(u.memories.session, connectionBytes)
	u.thread.Alloc(u.memories.net, ReadBufferSize)
}

// beginSession counts a session, which takes the place of the one before.
func (u *connectionMemory) beginSession() {
	u.endSession()
	u.session = true
	u.thread.Alloc(u.memories.session, sessionBytes)
}

// endSession counts that the session, if there is one, has ended.
func (u *connectionMemory) endSession() {
	if u.session {
		u.session = false
		u.thread.Free(u.memories.session, sessionBytes)
	}
	u.variables.Forget()
}

// endConnection counts that the connection has ended.
func (u *connectionMemory) endConnection() {
	u.endSession()
	if u.connection {
		u.connection = false
		u.thread.Free(u.memories.net, ReadBufferSize)
		u.thread.Free(u.memories.session, connectionBytes)
	}
}

var _ charge.Account = (*processes)(nil)

// Budget implements charge.Account.
func (p *processes) Budget() *budget.Statement { return p.work.account.Statement() }

// Memory implements charge.Account.
func (p *processes) Memory() *charge.Memory { return &p.work.memory.rowsOf }

// beginAccount begins the memory account of a statement. A statement of the server itself has no limit but the one of all connections.
func (w *Work) beginAccount() {
	l := budget.Limits{Query: budget.NoLimit, Connection: budget.NoLimit}
	if w.limits != nil {
		l = *w.limits
	}
	w.account.SetLimit(l.Connection, l.Chunk)
	w.Current.memory = w.account.Begin(l.Query).Mark()
	w.meter.Forget()
}
