package connection

import (
	"strconv"
	"strings"
	"sync/atomic"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/routine"
	"pfsd/engine/statements"
	"pfsd/instr"
)

// preparedStatements are the prepared statements of a connection; nil are those that are not
// instrumented. Owned by the connection's goroutine.
type preparedStatements struct {
	conn    *mysql.Conn
	engine  *sqle.Engine
	count   *atomic.Int64                // of all connections
	byID    map[uint32]preparedStatement // those of the protocol
	byName  map[string]preparedStatement // those of SQL; names are in lower case
	closing []uint32                     // those of the protocol that COM_STMT_CLOSE has come for
	used    *connectionMemory
}

// preparedStatement is one of them, its text, how many markers that has, and how many bytes it takes.
type preparedStatement struct {
	*instr.PreparedStatement
	text    string
	markers int
	bytes   int
	weight  int64 // bytes as the connection's account has them, its syntax tree included
	long    *longData
	uses    *preparedUses
}

// newPrepared makes a prepared statement, which the thread is preparing.
func (p *preparedStatements) newPrepared(th *instr.Thread, s prepared, o instr.PreparedOptions) preparedStatement {
	n := preparedStatement{th.Prepare(o), s.text, s.markers, preparedBytes + len(o.Name) + len(o.SQLText), s.weight, &longData{}, &preparedUses{}}
	th.Alloc(p.used.memories.prepared, n.bytes)
	return n
}

// noteAboutPrepared notes that a statement is going to be carried out, if it is about prepared ones, and
// returns it with the name by which the SQL engine knows these.
func (w *Work) noteAboutPrepared(ctx *sql.Context, s ast.Statement) ast.Statement {
	s = w.Preparations.Fold(ctx, s)
	w.prepares = nil
	switch e := s.(type) {
	case *ast.Execute:
		w.countCommand(comStmtExecuted)
		p, ok := ctx.Session.GetPreparedQuery(e.Name)
		if !ok {
			break
		}
		w.notePreparedCall(p, e.VarList)
		w.countCommand(statements.Kind(p, ""))
		if len(e.VarList) == parameters(p) {
			w.Thread.Execute(w.Preparations.byName[e.Name].PreparedStatement)
		}
	case ast.InjectedStatement:
		if _, ok := e.Statement.(preparing); ok {
			w.countCommand(comStmtPrepared)
		}
	case *ast.Deallocate:
		w.countCommand(comStmtClosed)
	}
	return s
}

// Fold returns a statement about prepared ones with its name in lower case, by which the SQL
// engine knows them: to MySQL names are the same in any letter case. The statement whose name
// PREPARE uses again is gone even if there will be no new one.
func (p *preparedStatements) Fold(ctx *sql.Context, s ast.Statement) ast.Statement {
	known := func(name string) string {
		if _, ok := ctx.Session.GetPreparedQuery(strings.ToLower(name)); ok {
			return strings.ToLower(name)
		}
		return name
	}
	switch s := s.(type) {
	case *ast.Prepare:
		ctx.Session.UnprepareQuery(strings.ToLower(s.Name))
		p.dropNamed(s.Name)
		info := ast.AuthInformation{AuthType: ast.AuthType_IGNORE, TargetType: ast.AuthTargetType_Ignore}
		return ast.InjectedStatement{Statement: preparing{s}, Auth: info}
	case *ast.Execute:
		return &ast.Execute{Name: known(s.Name), VarList: s.VarList}
	case *ast.Deallocate:
		return &ast.Deallocate{Name: known(s.Name)}
	}
	return s
}

// enter counts one more statement. The error is that there are too many, or that they take too much memory.
func (p *preparedStatements) enter(s prepared) error {
	if err := p.used.kept.Charge(s.weight); err != nil {
		return err
	}
	n := p.count.Add(1)
	_, v, _ := sql.SystemVariables.GetGlobal("max_prepared_stmt_count")
	if limit, ok := v.(uint64); ok && uint64(n) > limit {
		p.count.Add(-1)
		p.used.kept.Discharge(s.weight)
		return mysql.NewSQLError(1461, "42000", "Can't create more than max_prepared_stmt_count statements (current value: %d)", limit)
	}
	return nil
}

// leave counts a statement less, and drops it.
func (p *preparedStatements) leave(s preparedStatement) {
	p.count.Add(-1)
	p.used.thread.Free(p.used.memories.prepared, s.bytes)
	p.used.kept.Discharge(s.weight)
	p.dropLong(s)
	s.Drop()
}

// prepared notes that COM_STMT_PREPARE has prepared a statement.
func (p *preparedStatements) prepared(th *instr.Thread, id uint32, s prepared) error {
	if err := p.enter(s); err != nil {
		return err
	}
	if p.byID == nil {
		p.byID = map[uint32]preparedStatement{}
	}
	p.byID[id] = p.newPrepared(th, s, instr.PreparedOptions{StatementID: uint64(id), SQLText: trimmed(s.shown)})
	return nil
}

// close notes that COM_STMT_CLOSE has arrived. Commands before it may still have to be carried out.
func (p *preparedStatements) close(id uint32) {
	if _, open := p.byID[id]; open {
		p.closing = append(p.closing, id)
	}
}

// dropClosed drops the statements that the protocol layer has closed.
func (p *preparedStatements) dropClosed() {
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

// dropAll drops all statements.
func (p *preparedStatements) dropAll() {
	for _, s := range p.byID {
		p.leave(s)
	}
	for _, s := range p.byName {
		p.leave(s)
	}
	p.byID, p.byName, p.closing = nil, nil, nil
}

// dropNamed drops the statement of SQL with this name, if there is one.
func (p *preparedStatements) dropNamed(name string) {
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

// prepare notes that PREPARE has prepared a statement. Statements of SQL and of the protocol have their
// numbers from one counter, as in MySQL.
func (p *preparedStatements) prepare(th *instr.Thread, name string, s prepared) error {
	if err := p.enter(s); err != nil {
		return err
	}
	if p.byName == nil {
		p.byName = map[string]preparedStatement{}
	}
	o := instr.PreparedOptions{StatementID: uint64(p.conn.StatementID), Name: name, SQLText: trimmed(s.shown)}
	p.byName[strings.ToLower(name)] = p.newPrepared(th, s, o)
	return nil
}

// executedStatement is what EXECUTE carries out: a text that the session has prepared, the statement, and what its
// markers stand for.
//
// The text is that of the prepared statement, as in MySQL, and not that of the EXECUTE, which go-mysql-server would take.
func (w *Work) executedStatement(ctx *sql.Context, e *ast.Execute) (text string, s ast.Statement, bindings map[string]ast.Expr, err error) {
	p, ok := w.Preparations.byName[strings.ToLower(e.Name)]
	if !ok {
		return "", nil, nil, mysql.NewSQLError(1243, "HY000", "Unknown prepared statement handler (%s) given to EXECUTE", e.Name)
	}
	if len(e.VarList) != p.markers {
		return "", nil, nil, mysql.NewSQLError(1210, "HY000", "Incorrect arguments to EXECUTE")
	}
	bindings = make(map[string]ast.Expr, p.markers)
	for i, name := range e.VarList {
		kind, v, err := ctx.GetUserVariable(ctx, strings.TrimPrefix(name, "@"))
		if err != nil {
			return "", nil, nil, err
		}
		bindings["v"+strconv.Itoa(i+1)] = routine.Literal(ctx, v, kind)
	}
	s, _ = ctx.Session.GetPreparedQuery(preparedKey(p.text))
	return p.text, s, bindings, nil
}
