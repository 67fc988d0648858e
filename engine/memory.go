package engine

import (
	"unsafe"

	gms "github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/instr"
)

// memories are the instruments of the memory of connections, under MySQL's names. They count what
// the server itself allocates, and what it has the protocol layer and the SQL engine allocate; what
// these use besides, to carry out a statement, nobody knows but the Go runtime, and not by thread.
// Safe for concurrent use.
type memories struct {
	session  *instr.MemoryClass // what is known of a connection
	net      *instr.MemoryClass // the buffer that it reads from
	rows     *instr.MemoryClass // the rows of a result that are not sent yet
	prepared *instr.MemoryClass // prepared statements without their syntax trees
	variable *instr.MemoryClass // user variables
	value    *instr.MemoryClass // their values
}

func newMemories(reg *instr.Registry) memories {
	class := func(name, doc string) *instr.MemoryClass {
		m := reg.NewMemoryClass("sql/" + name)
		m.Class().SetDocumentation(doc)
		return m
	}
	m := memories{
		session:  class("THD::main_mem_root", "What is known of a connection and its session."),
		net:      class("NET::buff", "The buffer that a connection reads from."),
		rows:     class("String::value", "Buffers for rows of a result that are not sent yet."),
		prepared: class("Prepared_statement::infrastructure", "Prepared statements, their texts included."),
		variable: class("user_var_entry", "User variables."),
		value:    class("user_var_entry::value", "The values of user variables."),
	}
	for _, c := range []*instr.MemoryClass{m.session, m.prepared} {
		c.Class().SetProperties(instr.ControlledByDefault)
	}
	return m
}

// The bytes of what there is for each connection, session, prepared statement and user variable.
const (
	connectionBytes = int(unsafe.Sizeof(client{}) + unsafe.Sizeof(wire{}) + unsafe.Sizeof(work{}) + unsafe.Sizeof(mysql.Conn{}))
	sessionBytes    = int(unsafe.Sizeof(sql.BaseSession{}) + unsafe.Sizeof(gms.Session{}) + unsafe.Sizeof(sessionVariables{}))
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
