package connection

import (
	"context"

	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/errorlog"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/rights"
	"pfsd/engine/wire"
	"pfsd/instr"
)

// connection is what package wire calls for the commands of a connection. Owned by the connection's goroutine.
type connection struct {
	*Client
	handler *Handler
	conn    *mysql.Conn // the protocol layer's
}

var _ wire.Session = connection{}

// Received implements wire.Session.
func (c connection) Received(bytes int) {
	if c.work.slow.extra {
		c.work.readStatus()
	}
	c.work.status.BytesReceived.AddTo(c.thread, uint64(bytes))
}

// Sent implements wire.Session.
func (c connection) Sent(bytes int) {
	c.work.status.BytesSent.AddTo(c.thread, uint64(bytes))
	c.work.logAnswered()
}

// Arrive implements wire.Session.
func (c connection) Arrive(command byte) { c.work.simple.begin(command) }

// EndSimple implements wire.Session.
func (c connection) EndSimple() { c.work.simple.end() }

// Refuses implements wire.Session.
func (c connection) Refuses(command byte) *mysql.SQLError {
	if withExpiredPassword[command] {
		return nil
	}
	return c.work.Rights.MustChangePassword()
}

// withExpiredPassword are the commands that a client may send whose password has expired. Of the statements that it can send with them, it
// may execute those that set a password: see [rights.Rights.Expired].
var withExpiredPassword = [256]bool{
	wire.ComQuery: true, wire.ComStmtClose: true, wire.ComStmtSendLongData: true, wire.ComPing: true, wire.ComQuit: true,
}

// Refused implements wire.Session.
func (c connection) Refused(command byte, err *mysql.SQLError) {
	c.work.simple.failEarly(command, err)
}

// Failed implements wire.Session.
func (c connection) Failed(err *mysql.SQLError) { c.work.simple.fail(err) }

// CloseStatement implements wire.Session.
func (c connection) CloseStatement(id uint32) { c.work.Preparations.Close(id) }

// DropClosed implements wire.Session.
func (c connection) DropClosed() { c.work.Preparations.DropClosed() }

// ResetStatement implements wire.Session.
func (c connection) ResetStatement(id uint32) { c.work.Preparations.ResetLong(id) }

// Wait implements wire.Session.
func (c connection) Wait() (goOn func()) {
	if c.work.Processor == nil {
		return nil
	}
	return c.work.Processor.Wait()
}

// Warnings implements wire.Session.
func (c connection) Warnings() uint16 { return c.handler.WarningCount(c.conn) }

// Inactive implements wire.Session: the log tells of it.
func (c connection) Inactive() {
	if limit, ok := c.work.Variables.Get("wait_timeout").(uint64); ok {
		c.handler.Log.Write(errorlog.IdleTimeout, limit, "`"+c.Listed.User()+"`@`"+c.Wire.Host+"`")
	}
}

// Answer implements wire.Session.
func (c connection) Answer(command byte, payload []byte) (known bool, err error) {
	switch command {
	case wire.ComStmtPrepare:
		return true, c.handler.prepare(c.conn, c.Client, string(payload[1:]))
	case wire.ComStmtSendLongData: // has no answer
		c.work.Preparations.AddLong(payload, c.Wire.Limit)
		return true, nil
	case wire.ComChangeUser:
		return true, c.handler.changeUser(c.conn, c.Client, payload)
	case wire.ComDebug:
		return true, c.debug()
	case wire.ComShutdown:
		return true, c.shutdown()
	case wire.ComStatistics:
		return true, c.Wire.Packet([]byte(c.handler.Statistics())...)
	}
	return false, nil
}

// shutdown is COM_SHUTDOWN.
func (c connection) shutdown() error {
	ctx := c.handler.newContext(context.Background(), c.Client, "")
	if err := rights.AuthorizeCommand(ctx, protocolCommands[wire.ComShutdown].name); err != nil {
		c.work.simple.fail(err)
		return c.Wire.WriteError(err)
	}
	c.Wire.LastCommand.Store(true)
	c.handler.Shutdown(c.Listed.User())
	return c.Wire.EOF()
}

// debug is COM_DEBUG: for a client with the privilege, the server writes its status to the log.
func (c connection) debug() error {
	ctx := c.handler.newContext(context.Background(), c.Client, "")
	if err := rights.AuthorizeCommand(ctx, protocolCommands[wire.ComDebug].name); err != nil {
		c.work.simple.fail(err)
		return c.Wire.WriteError(err)
	}
	c.handler.Log.Write(errorlog.Status, c.handler.Statistics())
	return c.Wire.EOF()
}

// changeUser is COM_CHANGE_USER: the client signs in again, as another user, and gets a new session. If that fails it gets the error, and the
// connection is closed, as in MySQL.
func (h *Handler) changeUser(c *mysql.Conn, cl *Client, payload []byte) error {
	return cl.Wire.Changed(h.guard("", func() error { return h.reauthenticate(c, cl, payload) }))
}

// reauthenticate signs the client of c in as the user in payload.
func (h *Handler) reauthenticate(c *mysql.Conn, cl *Client, payload []byte) error {
	w := cl.Wire
	u, ok := w.ChangedUser(payload)
	if !ok {
		return mysqlerr.NoCommand()
	}
	method := methodFor(h.Auth, c, u.User, u.Plugin)
	if method == nil {
		return mysqlerr.Login(u.User, w.Host, false)
	}
	salt, err := method.AuthPluginData()
	if err != nil {
		return err
	}
	proof, err := w.Authenticate(method.Name(), salt)
	if err != nil {
		return err
	}
	data, err := method.HandleAuthPluginData(c, u.User, salt, proof, c.RemoteAddr())
	if err != nil {
		return err
	}
	r := h.rights(data, u.User)
	if w.Admin {
		if err := needsAdmin(r); err != nil {
			return err
		}
	}
	h.leave(cl) // or the client would be one too many beside itself
	if err := h.enter(cl, r); err != nil {
		return err
	}
	cl.endSession()
	c.PrepareData = map[uint32]*mysql.PrepareData{}
	c.User, c.UserData = u.User, data
	h.admit(c, cl)
	h.keepAttrs(cl, u.Attrs, u.AttrsOK)
	if u.Database == "" {
		cl.thread.SetDB("")
		return nil
	}
	return h.useDatabase(c, cl, u.Database)
}

// methodFor returns the method by which a user signs in: the one that the client wants, if the account allows it, else the last one
// that it allows; nil if there is none.
func methodFor(auth mysql.AuthServer, c *mysql.Conn, user, wanted string) (method mysql.AuthMethod) {
	for _, m := range auth.AuthMethods() {
		if m.HandleUser(c, user) && (method == nil || string(m.Name()) == wanted) {
			method = m
		}
	}
	return method
}

// useDatabase makes a database the client's current one.
func (h *Handler) useDatabase(c *mysql.Conn, cl *Client, name string) error {
	ctx := h.newContext(context.Background(), cl, "")
	err := h.initDB(ctx, name)
	if err != nil {
		return mysqlerr.Of(ctx, err)
	}
	db := ctx.GetCurrentDatabase()
	cl.thread.SetDB(db)
	h.Clients.End(&cl.Listed, db)
	return nil
}

// keepAttrs keeps the connection attributes for session_connect_attrs. The log says what is lost of them, as in MySQL.
func (h *Handler) keepAttrs(cl *Client, attrs []instr.ConnectAttr, ok bool) {
	if !ok {
		cl.thread.LoseConnectAttrs()
	}
	if lost := cl.thread.SetConnectAttrs(attrs); lost > 0 || !ok {
		size := 0
		for _, a := range attrs {
			size += len(a.Name) + len(a.Value)
		}
		h.Log.Write(errorlog.AttributesLost, size, lost, cl.Listed.ID, cl.Listed.User(), cl.Listed.Host(), cl.Listed.User(), "yes")
	}
}
