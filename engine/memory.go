package engine

import (
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
	"pfsd/engine/session"
	"pfsd/engine/sysvar"
	"pfsd/engine/usertables"
	"pfsd/engine/wire"
	"pfsd/instr"
)

// memories are the instruments of the memory of connections, under MySQL's names. They count what
// the server itself allocates, what it has the protocol layer and the SQL engine allocate, and what statements keep of
// rows; what these use besides nobody knows but the Go runtime, and not by thread.
// Safe for concurrent use.
type memories struct {
	session  *instr.MemoryClass // what is known of a connection
	net      *instr.MemoryClass // the buffer that it reads from
	rows     *instr.MemoryClass // the rows of a result that are not sent yet
	prepared *instr.MemoryClass // prepared statements without their syntax trees
	variable *instr.MemoryClass // user variables
	value    *instr.MemoryClass // their values
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
		variable: class("user_var_entry", "User variables."),
		value:    class("user_var_entry::value", "The values of user variables."),
		tree:     class("Prepared_statement::main_mem_root", "Syntax trees of prepared statements, and values that clients send ahead of their execution."),
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

// The bytes of what there is for each connection, session, prepared statement and user variable.
const (
	connectionBytes = int(unsafe.Sizeof(client{}) + unsafe.Sizeof(wire.Conn{}) + unsafe.Sizeof(work{}) + unsafe.Sizeof(session.Transaction{}) + unsafe.Sizeof(mysql.Conn{}))
	sessionBytes    = int(unsafe.Sizeof(sql.BaseSession{}) + unsafe.Sizeof(usertables.Session{}) + unsafe.Sizeof(sysvar.Session{}))
	preparedBytes   = int(unsafe.Sizeof(mysql.PrepareData{}))
	variableBytes   = int(unsafe.Sizeof(sql.TypedValue{}) + unsafe.Sizeof(""))
)

// used is what a connection has allocated and not freed yet: bytes of each piece of it. Owned by
// the connection's goroutine.
type used struct {
	thread     *instr.Thread
	memories   *memories
	connection bool
	session    bool
	variables  map[string]int // bytes of the values, by name in lower case
	// kept is all of it as the connection's account has it, and values what it has of user variables.
	kept   *budget.Hold
	values map[string]int64
}

// variableWeight is about how many bytes a user variable takes besides its name and its value.
const variableWeight = 160

// charge charges a user variable, whose name is in lower case, with a value before it has it. The error is that a limit does not
// allow it.
func (u *used) charge(name string, value any) error {
	if u.kept == nil {
		return nil
	}
	bytes := charge.Size(value)
	if value == nil {
		bytes = 0
	}
	bytes += variableWeight + int64(len(name))
	old := u.values[name]
	if bytes > old {
		if err := u.kept.Charge(bytes - old); err != nil {
			return err
		}
	} else {
		u.kept.Discharge(old - bytes)
	}
	if u.values == nil {
		u.values = map[string]int64{}
	}
	u.values[name] = bytes
	return nil
}

// connected counts a connection.
func (u *used) connected() {
	u.connection = true
	u.thread.Alloc(u.memories.session, connectionBytes)
	u.thread.Alloc(u.memories.net, readBufferSize)
}

// begun counts a session, which takes the place of the one before.
func (u *used) begun() {
	u.ended()
	u.session = true
	u.thread.Alloc(u.memories.session, sessionBytes)
}

// ended counts that the session, if there is one, is gone.
func (u *used) ended() {
	if u.session {
		u.session = false
		u.thread.Free(u.memories.session, sessionBytes)
	}
	for name, n := range u.variables {
		u.thread.Free(u.memories.value, n)
		u.thread.Free(u.memories.variable, variableBytes+len(name))
	}
	u.variables = nil
	for _, n := range u.values {
		u.kept.Discharge(n)
	}
	u.values = nil
}

// disconnected counts that all is gone.
func (u *used) disconnected() {
	u.ended()
	if u.connection {
		u.connection = false
		u.thread.Free(u.memories.net, readBufferSize)
		u.thread.Free(u.memories.session, connectionBytes)
	}
}

// set counts a user variable, whose name is in lower case and whose value takes so many bytes.
func (u *used) set(name string, bytes int) {
	old, known := u.variables[name]
	if known && old == bytes {
		return
	}
	if known {
		u.thread.Free(u.memories.value, old)
	} else {
		u.thread.Alloc(u.memories.variable, variableBytes+len(name))
	}
	if u.variables == nil {
		u.variables = map[string]int{}
	}
	u.variables[name] = bytes
	u.thread.Alloc(u.memories.value, bytes)
}
