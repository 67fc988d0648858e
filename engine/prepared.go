package engine

import (
	"strings"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/instr"
)

// preparedStatements are the prepared statements of a connection; nil are those that are not
// instrumented. Owned by the connection's goroutine.
type preparedStatements struct {
	conn    *mysql.Conn
	count   *atomic.Int64                // of all connections
	byID    map[uint32]preparedStatement // those of the protocol
	byName  map[string]preparedStatement // those of SQL; names are in lower case
	closing []uint32                     // those of the protocol that COM_STMT_CLOSE has come for
	used    *used
	name    string // what PREPARE calls the statement that it prepares now, as it is written
}

// preparedStatement is one of them, and how many bytes it takes.
type preparedStatement struct {
	*instr.PreparedStatement
	bytes int
}

// newPrepared makes a prepared statement, which the thread is preparing.
func (p *preparedStatements) newPrepared(th *instr.Thread, o instr.PreparedOptions) preparedStatement {
	s := preparedStatement{th.Prepare(o), preparedBytes + len(o.Name) + len(o.SQLText)}
	th.Alloc(p.used.memories.prepared, s.bytes)
	return s
}

// about notes that a statement is going to be carried out, if it is about prepared ones, and
// returns it with the name by which the SQL engine knows these.
func (w *work) about(ctx *sql.Context, s ast.Statement) ast.Statement {
	s = w.preparations.fold(ctx, s)
	switch e := s.(type) {
	case *ast.Execute:
		w.command(comStmtExecuted)
		p, ok := ctx.Session.GetPreparedQuery(e.Name)
		if !ok {
			break
		}
		w.command(statementKind(p, ""))
		if len(e.VarList) == parameters(p) {
			w.thread.Execute(w.preparations.byName[e.Name].PreparedStatement)
		}
	case *ast.Prepare:
		w.command(comStmtPrepared)
	case *ast.Deallocate:
		w.command(comStmtClosed)
	}
	return s
}

// fold returns a statement about prepared ones with its name in lower case, by which the SQL
// engine knows them: to MySQL names are the same in any letter case. The statement whose name
// PREPARE uses again is gone even if there will be no new one.
func (p *preparedStatements) fold(ctx *sql.Context, s ast.Statement) ast.Statement {
	known := func(name string) string {
		if _, ok := ctx.Session.GetPreparedQuery(strings.ToLower(name)); ok {
			return strings.ToLower(name)
		}
		return name
	}
	switch s := s.(type) {
	case *ast.Prepare:
		p.name = s.Name
		ctx.Session.UnprepareQuery(strings.ToLower(s.Name))
		p.dropNamed(s.Name)
		return &ast.Prepare{Name: strings.ToLower(s.Name), Expr: s.Expr}
	case *ast.Execute:
		return &ast.Execute{Name: known(s.Name), VarList: s.VarList}
	case *ast.Deallocate:
		return &ast.Deallocate{Name: known(s.Name)}
	}
	return s
}

// enter counts one more statement. The error is that there are too many.
func (p *preparedStatements) enter() error {
	n := p.count.Add(1)
	_, v, _ := sql.SystemVariables.GetGlobal("max_prepared_stmt_count")
	if limit, ok := v.(uint64); ok && uint64(n) > limit {
		p.count.Add(-1)
		return mysql.NewSQLError(1461, "42000", "Can't create more than max_prepared_stmt_count statements (current value: %d)", limit)
	}
	return nil
}

// leave counts a statement less, and drops it.
func (p *preparedStatements) leave(s preparedStatement) {
	p.count.Add(-1)
	p.used.thread.Free(p.used.memories.prepared, s.bytes)
	s.Drop()
}

// prepared notes that COM_STMT_PREPARE has prepared a statement.
func (p *preparedStatements) prepared(th *instr.Thread, id uint32, text string) error {
	if err := p.enter(); err != nil {
		return err
	}
	if p.byID == nil {
		p.byID = map[uint32]preparedStatement{}
	}
	p.byID[id] = p.newPrepared(th, instr.PreparedOptions{StatementID: uint64(id), SQLText: trimmed(text)})
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

// prepare notes that PREPARE has prepared n. Statements of SQL and of the protocol have their
// numbers from one counter, as in MySQL.
func (p *preparedStatements) prepare(ctx *sql.Context, th *instr.Thread, n *plan.PrepareQuery) error {
	p.dropNamed(n.Name)
	p.conn.StatementID++
	if err := p.enter(); err != nil {
		ctx.Session.UnprepareQuery(n.Name)
		return err
	}
	name, text := n.Name, n.PrepStmt.Expr
	if strings.EqualFold(p.name, name) {
		name, p.name = p.name, ""
	}
	if variable, ok := strings.CutPrefix(text, "@"); ok {
		if _, v, err := ctx.GetUserVariable(ctx, variable); err == nil {
			if s, ok := v.(string); ok {
				text = s
			}
		}
	}
	if p.byName == nil {
		p.byName = map[string]preparedStatement{}
	}
	p.byName[strings.ToLower(name)] = p.newPrepared(th, instr.PreparedOptions{StatementID: uint64(p.conn.StatementID), Name: name, SQLText: trimmed(text)})
	return nil
}
