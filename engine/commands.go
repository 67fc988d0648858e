package engine

import (
	"context"
	"encoding/binary"

	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/errorlog"
	"pfsd/engine/mysqlerr"
	"pfsd/instr"
)

// Some commands are not the protocol layer's, or it answers them otherwise than MySQL. It is given
// COM_PING in their place, which it answers with one packet, and the connection's wire answers
// in place of that.

// passed are the commands that the protocol layer gets as they are.
var passed = func() (all [256]bool) {
	for _, command := range []byte{
		comQuit, comInitDB, comQuery, comFieldList, comPing, comStmtExec,
		comStmtClose, comSetOption, comResetConnection,
	} {
		all[command] = true
	}
	return all
}()

// answer writes the answer to a command that is the wire's own, when the protocol layer writes p
// in its place: header and payload, one after the other.
func (w *wire) answer(p []byte) error {
	if len(w.head) == 0 && len(p) == len(w.out.head) {
		w.head = append(w.head, p...)
		return nil
	}
	w.head = w.head[:0]
	defer w.work.endSimple()
	w.out.sequence-- // of the last packet that has been sent
	if w.verdict.refused {
		return w.answerRefused()
	}
	switch w.in.command {
	case comStmtPrepare:
		return w.handler.prepare(w)
	case comStmtReset:
		return w.resetStatement()
	case comStmtSendLongData: // has no answer
		w.work.preparations.addLong(w.payload, w.limit)
		w.payload = nil
		return nil
	case comChangeUser:
		return w.handler.changeUser(w)
	case comDebug:
		return w.debug()
	case comShutdown:
		return w.shutdown()
	case comStatistics:
		return w.packet([]byte(w.status.server.statistics())...)
	}
	err := ownError(w)
	if w.in.command == comStmtFetch {
		w.work.failSimple(err)
	}
	return writeError(w.Conn, w.out.sequence+1, err)
}

// shutdown is COM_SHUTDOWN.
func (w *wire) shutdown() error {
	ctx := w.handler.newContext(context.Background(), clientOf(w.conn), "")
	if err := authorizeCommand(ctx, protocolCommands[comShutdown].name); err != nil {
		w.work.failSimple(err)
		return writeError(w.Conn, w.out.sequence+1, err)
	}
	w.lastCommand.Store(true)
	w.handler.shutdown(clientOf(w.conn).user)
	return w.eof()
}

// debug is COM_DEBUG: who may asks for it has the server say in its log how it is.
func (w *wire) debug() error {
	ctx := w.handler.newContext(context.Background(), clientOf(w.conn), "")
	if err := authorizeCommand(ctx, protocolCommands[comDebug].name); err != nil {
		w.work.failSimple(err)
		return writeError(w.Conn, w.out.sequence+1, err)
	}
	w.log.Write(errorlog.Status, w.status.server.statistics())
	return w.eof()
}

// eof writes the packet that ends an answer without rows.
func (w *wire) eof() error {
	flags := byte(w.conn.StatusFlags)
	if w.conn.Capabilities&mysql.CapabilityClientDeprecateEOF != 0 {
		return w.packet(mysql.EOFPacket, 0, 0, flags, 0, 0, 0)
	}
	return w.packet(mysql.EOFPacket, 0, 0, flags, 0)
}

// ownError is the error that a command of the wire's own is answered with.
func ownError(w *wire) *mysql.SQLError {
	if w.in.command == comStmtFetch { // no statement has a cursor
		var id uint32
		if len(w.payload) > 4 {
			id = binary.LittleEndian.Uint32(w.payload[1:])
		}
		if w.conn.PrepareData[id] != nil {
			return mysql.NewSQLError(1421, "HY000", "The statement (%d) has no open cursor.", id)
		}
		return errUnknownStatement(id, "mysqld_stmt_fetch")
	}
	return errNoCommand()
}

func errNoCommand() *mysql.SQLError {
	return mysql.NewSQLError(errUnknownCommand, "08S01", "Unknown command")
}

// packet writes a packet, the next one of an answer.
func (w *wire) packet(payload ...byte) error {
	n := len(payload)
	p := append([]byte{byte(n), byte(n >> 8), byte(n >> 16), w.out.sequence + 1}, payload...)
	w.out.skip(p)
	_, err := w.send(p)
	return err
}

// newUser is what a client says in COM_CHANGE_USER.
type newUser struct {
	user, database, plugin string
	attrs                  []instr.ConnectAttr
	attrsOK                bool
}

// parseChangeUser reads COM_CHANGE_USER of a client with these capabilities.
func parseChangeUser(payload []byte, capabilities uint32) (u newUser, ok bool) {
	p := fields{payload, false}
	p.take(1) // the command
	u.user = string(p.zeroEnded())
	if n := p.take(1); n != nil {
		p.take(uint64(n[0])) // made with the salt of the login; the client is given a new one
	}
	u.database = string(p.zeroEnded())
	if p.bad {
		return u, false
	}
	u.attrsOK = true
	if len(p.rest) == 0 {
		return u, true
	}
	charset := p.take(2)
	if p.bad {
		return u, false
	}
	if capabilities&mysql.CapabilityClientPluginAuth != 0 && len(p.rest) > 0 {
		u.plugin = string(p.zeroEnded())
	}
	if p.bad {
		return u, false
	}
	if capabilities&mysql.CapabilityClientConnAttr != 0 && len(p.rest) > 0 {
		u.attrs, u.attrsOK = readAttrs(&p, charset[:1])
	}
	return u, true
}

// zeroEnded returns a text that ends with a zero, without it.
func (f *fields) zeroEnded() []byte {
	before := f.rest
	f.terminated()
	if f.bad {
		return nil
	}
	return before[:len(before)-len(f.rest)-1]
}

// changeUser carries out COM_CHANGE_USER: the client proves who it is, as at its login, and has
// a new session. One that fails is told why, and loses the connection, as in MySQL.
func (h *handler) changeUser(w *wire) error {
	c, cl := w.conn, clientOf(w.conn)
	err := h.guard("", func() error { return h.reauthenticate(c, cl) })
	w.lag = 0
	if err == nil {
		return w.packet(mysql.OKPacket, 0, 0, byte(c.StatusFlags), byte(c.StatusFlags>>8), 0, 0)
	}
	e, ok := err.(*mysql.SQLError)
	if !ok {
		w.lose(err, mysqlerr.Reading)
		_ = w.Close()
		return err
	}
	w.work.failSimple(e)
	w.lose(e, nil)
	_ = writeError(w.Conn, w.out.sequence+1, e)
	w.hangUp()
	return e
}

// reauthenticate has the client of c prove who it wants to be, and makes it that user.
func (h *handler) reauthenticate(c *mysql.Conn, cl *client) error {
	w := cl.wire
	u, ok := parseChangeUser(w.payload, w.capabilities)
	w.payload = nil
	if !ok {
		return errNoCommand()
	}
	method := methodFor(h.auth, c, u.user, u.plugin)
	if method == nil {
		return mysql.NewSQLError(1045, "28000", "Access denied for user '%s'@'%s' (using password: NO)", u.user, cl.from)
	}
	salt, err := method.AuthPluginData()
	if err != nil {
		return err
	}
	request := append(append([]byte{mysql.AuthSwitchRequestPacket}, method.Name()...), 0)
	request = append(request, salt...)
	if err := w.packet(request...); err != nil {
		return err
	}
	answer, err := w.readPacket()
	if err != nil {
		return err
	}
	w.failed = false // this attempt counts by itself
	data, err := method.HandleAuthPluginData(c, u.user, salt, answer[len(w.in.head):], c.RemoteAddr())
	if err != nil {
		return err
	}
	if w.admin {
		if err := needsAdmin(h.rights(data, u.user)); err != nil {
			return err
		}
	}
	cl.leave()
	c.PrepareData = map[uint32]*mysql.PrepareData{}
	c.User, c.UserData = u.user, data
	h.admit(c, cl)
	h.keepAttrs(cl, u.attrs, u.attrsOK)
	if u.database == "" {
		cl.thread.SetDB("")
		return nil
	}
	return h.useDatabase(c, cl, u.database)
}

// methodFor is how a user of a client's logs in: as the client wants it if that will do, nil if nothing does.
func methodFor(auth mysql.AuthServer, c *mysql.Conn, user, wanted string) (method mysql.AuthMethod) {
	for _, m := range auth.AuthMethods() {
		if m.HandleUser(c, user) && (method == nil || string(m.Name()) == wanted) {
			method = m
		}
	}
	return method
}

// useDatabase makes a database the client's current one.
func (h *handler) useDatabase(c *mysql.Conn, cl *client, name string) error {
	ctx := h.newContext(context.Background(), cl, "")
	err := h.initDB(ctx, name)
	if err != nil {
		return mysqlerr.Of(ctx, err)
	}
	db := ctx.GetCurrentDatabase()
	cl.thread.SetDB(db)
	h.clients.end(cl, db)
	return nil
}
