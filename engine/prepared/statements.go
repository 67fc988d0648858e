package prepared

import (
	"iter"
	"maps"
	"strconv"
	"strings"
	"sync/atomic"
	"unsafe"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/budget"
	"pfsd/engine/plancache"
	"pfsd/engine/routine"
	"pfsd/engine/statements"
	"pfsd/engine/status"
	"pfsd/instr"
)

// Statements are the prepared statements of a connection; nil are those that are not
// instrumented. Owned by the connection's goroutine.
type Statements struct {
	thread  *instr.Thread
	status  *status.Counters
	conn    *mysql.Conn // nil if no client can prepare anything
	engine  *sqle.Engine
	count   *atomic.Int64        // of all connections
	byID    map[uint32]Statement // those of the protocol
	byName  map[string]Statement // those of SQL; names are in lower case
	closing []uint32             // those of the protocol that COM_STMT_CLOSE has come for
	memory  *instr.MemoryClass
	hold    *budget.Hold // what they take of the connection's memory
	// texts are those whose syntax trees the session keeps for COM_STMT_EXECUTE.
	texts map[string]struct{}
}

// Statement is a prepared statement; the zero value is one that is not known.
type Statement struct {
	*instr.PreparedStatement
	Text    string
	Markers int
	Uses    *plancache.PreparedUses
	limits  []string // the markers that are a LIMIT or OFFSET
	bytes   int
	weight  int64 // bytes as the connection's account has them, its syntax tree included
	long    *longData
}

// New returns the prepared statements of a thread, which cannot have any before Serve.
func New(thread *instr.Thread, counters *status.Counters) Statements {
	return Statements{thread: thread, status: counters}
}

// Server is what all connections have in common.
type Server struct {
	Engine *sqle.Engine
	Count  *atomic.Int64      // of prepared statements
	Memory *instr.MemoryClass // without their syntax trees
}

// Serve lets the client at the other end of conn prepare statements, which take their memory from hold.
func (p *Statements) Serve(conn *mysql.Conn, s Server, hold *budget.Hold) {
	p.conn, p.engine, p.count, p.memory, p.hold = conn, s.Engine, s.Count, s.Memory, hold
}

// statementBytes are what there is of each statement besides its texts and its syntax tree.
const statementBytes = int(unsafe.Sizeof(mysql.PrepareData{}))

// newStatement makes a prepared statement, which the thread is preparing.
func (p *Statements) newStatement(s Parsed, o instr.PreparedOptions) Statement {
	n := Statement{
		PreparedStatement: p.thread.Prepare(o), Text: s.Text, Markers: s.Markers, Uses: &plancache.PreparedUses{}, limits: s.limits,
		bytes: statementBytes + len(o.Name) + len(o.SQLText), weight: s.weight, long: &longData{},
	}
	p.thread.Alloc(p.memory, n.bytes)
	return n
}

// Note notes that statement s is going to be executed, and counts it if it is about prepared statements. It returns s with their names in lower
// case, and, for an EXECUTE, the statement that it executes and the variables of USING.
func (p *Statements) Note(ctx *sql.Context, s ast.Statement) (folded, executed ast.Statement, using []string) {
	folded = p.Fold(ctx, s)
	switch e := folded.(type) {
	case *ast.Execute:
		p.status.Command(p.thread, status.StmtExecute)
		tree, ok := ctx.Session.GetPreparedQuery(e.Name)
		if !ok {
			break
		}
		p.status.Command(p.thread, statements.Kind(tree, ""))
		if len(e.VarList) == parameters(tree) {
			p.thread.Execute(p.byName[e.Name].PreparedStatement)
		}
		return folded, tree, e.VarList
	case ast.InjectedStatement:
		if _, ok := e.Statement.(prepare); ok {
			p.status.Command(p.thread, status.StmtPrepare)
		}
	case *ast.Deallocate:
		p.status.Command(p.thread, status.StmtClose)
	}
	return folded, nil, nil
}

// Fold returns a statement about prepared ones with its name in lower case, by which go-mysql-server
// knows them: in MySQL letter case does not matter. A PREPARE drops the old statement of that name
// even if it fails itself.
func (p *Statements) Fold(ctx *sql.Context, s ast.Statement) ast.Statement {
	known := func(name string) string {
		if _, ok := ctx.Session.GetPreparedQuery(strings.ToLower(name)); ok {
			return strings.ToLower(name)
		}
		return name
	}
	switch s := s.(type) {
	case *ast.Prepare:
		ctx.Session.UnprepareQuery(strings.ToLower(s.Name))
		p.DropNamed(s.Name)
		info := ast.AuthInformation{AuthType: ast.AuthType_IGNORE, TargetType: ast.AuthTargetType_Ignore}
		return ast.InjectedStatement{Statement: prepare{s}, Auth: info}
	case *ast.Execute:
		return &ast.Execute{Name: known(s.Name), VarList: s.VarList}
	case *ast.Deallocate:
		return &ast.Deallocate{Name: known(s.Name)}
	}
	return s
}

// enter counts a new statement. The error is that there are too many, or that they take too much memory.
func (p *Statements) enter(s Parsed) error {
	if err := p.hold.Charge(s.weight); err != nil {
		return err
	}
	n := p.count.Add(1)
	_, v, _ := sql.SystemVariables.GetGlobal("max_prepared_stmt_count")
	if limit, ok := v.(uint64); ok && uint64(n) > limit {
		p.count.Add(-1)
		p.hold.Discharge(s.weight)
		return mysql.NewSQLError(1461, "42000", "Can't create more than max_prepared_stmt_count statements (current value: %d)", limit)
	}
	return nil
}

// leave drops a statement.
func (p *Statements) leave(s Statement) {
	p.count.Add(-1)
	p.thread.Free(p.memory, s.bytes)
	p.hold.Discharge(s.weight)
	p.dropLong(s)
	s.Drop()
}

// Keep notes that COM_STMT_PREPARE has prepared statement s, and returns its number. The error is that there are too many, or that they
// take too much memory.
func (p *Statements) Keep(s Parsed) (id uint32, err error) {
	id = p.conn.StatementID
	if err := p.enter(s); err != nil {
		return 0, err
	}
	if p.byID == nil {
		p.byID = map[uint32]Statement{}
	}
	p.byID[id] = p.newStatement(s, instr.PreparedOptions{StatementID: uint64(id), SQLText: statements.Trimmed(s.Shown)})
	return id, nil
}

// ByID is a statement of the protocol.
func (p *Statements) ByID(id uint32) Statement { return p.byID[id] }

// Text is that of a statement of SQL, "" if there is none of this name.
func (p *Statements) Text(name string) string { return p.byName[strings.ToLower(name)].Text }

// Close notes that COM_STMT_CLOSE has arrived. Commands before it may still have to be carried out.
func (p *Statements) Close(id uint32) {
	if _, open := p.byID[id]; open {
		p.closing = append(p.closing, id)
	}
}

// DropClosed drops the statements that the protocol layer has closed.
func (p *Statements) DropClosed() {
	if len(p.closing) == 0 {
		return
	}
	left := p.closing[:0]
	for _, id := range p.closing {
		if p.conn.PrepareData[id] != nil {
			left = append(left, id)
		} else if s, open := p.byID[id]; open {
			p.leave(s)
			delete(p.byID, id)
		}
	}
	p.closing = left
}

// DropAll drops all statements.
func (p *Statements) DropAll() {
	for _, s := range p.byID {
		p.leave(s)
	}
	for _, s := range p.byName {
		p.leave(s)
	}
	p.byID, p.byName, p.closing, p.texts = nil, nil, nil, nil
}

// DropNamed drops the statement of SQL with this name, if there is one.
func (p *Statements) DropNamed(name string) {
	name = strings.ToLower(name)
	if s, ok := p.byName[name]; ok {
		p.leave(s)
		delete(p.byName, name)
	}
}

// parameters counts the parameters of a statement.
func parameters(s ast.Statement) (n int) {
	_ = ast.Walk(func(node ast.SQLNode) (bool, error) {
		if v, ok := node.(*ast.SQLVal); ok && v.Type == ast.ValArg {
			n++
		}
		return true, nil
	}, s)
	return n
}

// keepNamed notes that PREPARE has prepared a statement. Statements of SQL and of the protocol have their
// numbers from one counter, as in MySQL.
func (p *Statements) keepNamed(name string, s Parsed) error {
	s.weight += 3 * int64(len(name)) // as it is written, in lower case, and in the table
	if err := p.enter(s); err != nil {
		return err
	}
	if p.byName == nil {
		p.byName = map[string]Statement{}
	}
	o := instr.PreparedOptions{StatementID: uint64(p.conn.StatementID), Name: name, SQLText: statements.Trimmed(s.Shown)}
	p.byName[strings.ToLower(name)] = p.newStatement(s, o)
	return nil
}

// Executed returns what EXECUTE executes: a prepared statement, its syntax tree, and the values of its markers.
//
// The text to carry out is that of the prepared statement, as in MySQL, and not that of the EXECUTE, which go-mysql-server would take.
func (p *Statements) Executed(ctx *sql.Context, e *ast.Execute) (s Statement, tree ast.Statement, bindings map[string]ast.Expr, err error) {
	s, ok := p.byName[strings.ToLower(e.Name)]
	if !ok {
		return s, nil, nil, mysql.NewSQLError(1243, "HY000", "Unknown prepared statement handler (%s) given to EXECUTE", e.Name)
	}
	if len(e.VarList) != s.Markers {
		return s, nil, nil, mysql.NewSQLError(1210, "HY000", "Incorrect arguments to EXECUTE")
	}
	bindings = make(map[string]ast.Expr, s.Markers)
	for i, name := range e.VarList {
		kind, v, err := ctx.GetUserVariable(ctx, strings.TrimPrefix(name, "@"))
		if err != nil {
			return s, nil, nil, err
		}
		bindings["v"+strconv.Itoa(i+1)] = routine.Literal(ctx, v, kind)
	}
	return s, Tree(ctx, s.Text), bindings, s.BindLimits(bindings, "EXECUTE")
}

// BindLimits makes the values of LIMIT and OFFSET integers. It returns an error if there is another
// value. command is the name that the error has for what executes the statement.
func (s Statement) BindLimits(bindings map[string]ast.Expr, command string) (err error) {
	for _, name := range s.limits {
		if bindings[name], err = routine.LimitValue(bindings[name], command); err != nil {
			return err
		}
	}
	return nil
}

// key is what the session knows a prepared text by.
func key(text string) string { return sql.RemoveSpaceAndDelimiter(text, ';') }

// Tree is the syntax tree of a text that the session of ctx has prepared, nil if it has not.
func Tree(ctx *sql.Context, text string) ast.Statement {
	tree, _ := ctx.Session.GetPreparedQuery(key(text))
	return tree
}

// KeepTree keeps the syntax tree of a text that has been prepared, and lets the session forget those of statements that are closed.
func (p *Statements) KeepTree(session sql.Session, text string) {
	if p.texts == nil {
		p.texts = map[string]struct{}{}
	}
	p.texts[key(text)] = struct{}{}
	if len(p.texts) <= 2*(len(p.byID)+len(p.byName))+16 {
		return
	}
	open := map[string]struct{}{}
	for s := range p.all() {
		open[key(s.Text)] = struct{}{}
	}
	for t := range p.texts {
		if _, ok := open[t]; !ok {
			session.UnprepareQuery(t)
			delete(p.texts, t)
		}
	}
}

// ForgetTree lets the session forget the syntax tree of a text that has not been prepared after all, unless a statement has it.
func (p *Statements) ForgetTree(session sql.Session, text string) {
	k := key(text)
	for s := range p.all() {
		if key(s.Text) == k {
			return
		}
	}
	session.UnprepareQuery(k)
}

// all are the statements.
func (p *Statements) all() iter.Seq[Statement] {
	return func(yield func(Statement) bool) {
		for _, of := range []iter.Seq[Statement]{maps.Values(p.byID), maps.Values(p.byName)} {
			for s := range of {
				if !yield(s) {
					return
				}
			}
		}
	}
}
