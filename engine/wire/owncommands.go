package wire

import (
	"encoding/binary"

	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/mysqlerr"
	"pfsd/instr"
)

// The protocol layer does not know some commands, or answers them differently from MySQL. In their
// place it gets COM_PING, which it answers with one packet; Conn replaces this packet by the
// answer.

// Passed has the commands that the protocol layer gets unchanged.
var Passed = func() (all [256]bool) {
	for _, command := range []byte{
		ComQuit, ComInitDB, ComQuery, ComFieldList, ComPing, ComStmtExec,
		ComStmtClose, ComSetOption, ComResetConnection,
	} {
		all[command] = true
	}
	return all
}()

// answer writes the answer to a command that this package answers. The protocol layer writes p in
// two calls, first the header and then the payload; the answer replaces them.
func (w *Conn) answer(p []byte) error {
	if len(w.head) == 0 && len(p) == len(w.out.head) {
		w.head = append(w.head, p...)
		return nil
	}
	w.head = w.head[:0]
	defer w.session.EndSimple()
	w.out.sequence-- // back to the number of the last packet that was sent
	if w.verdict.refused {
		return w.answerRefused()
	}
	if w.in.command == ComStmtReset {
		return w.resetStatement()
	}
	payload := w.payload
	w.payload = nil
	if known, err := w.session.Answer(w.in.command, payload); known {
		return err
	}
	err := w.ownError(payload)
	if w.in.command == ComStmtFetch {
		w.session.Failed(err)
	}
	return w.WriteError(err)
}

// WriteError answers the command with an error.
func (w *Conn) WriteError(err *mysql.SQLError) error {
	return writeError(w.Conn, w.out.sequence+1, err)
}

// EOF writes the packet that ends an answer without rows.
func (w *Conn) EOF() error {
	flags := byte(w.conn.StatusFlags)
	if w.conn.Capabilities&mysql.CapabilityClientDeprecateEOF != 0 {
		return w.Packet(mysql.EOFPacket, 0, 0, flags, 0, 0, 0)
	}
	return w.Packet(mysql.EOFPacket, 0, 0, flags, 0)
}

// ownError returns the error for a command that is not known, with this payload.
func (w *Conn) ownError(payload []byte) *mysql.SQLError {
	if w.in.command == ComStmtFetch { // no statement has a cursor
		var id uint32
		if len(payload) > 4 {
			id = binary.LittleEndian.Uint32(payload[1:])
		}
		if w.conn.PrepareData[id] != nil {
			return mysql.NewSQLError(1421, "HY000", "The statement (%d) has no open cursor.", id)
		}
		return errUnknownStatement(id, "mysqld_stmt_fetch")
	}
	return mysqlerr.NoCommand()
}

// Packet writes the next packet of an answer.
func (w *Conn) Packet(payload ...byte) error {
	n := len(payload)
	p := append([]byte{byte(n), byte(n >> 8), byte(n >> 16), w.out.sequence + 1}, payload...)
	w.out.skip(p)
	_, err := w.send(p)
	return err
}

// NewUser is the content of COM_CHANGE_USER.
type NewUser struct {
	User, Database, Plugin string
	Attrs                  []instr.ConnectAttr
	AttrsOK                bool
}

// ChangedUser reads the payload of COM_CHANGE_USER.
func (w *Conn) ChangedUser(payload []byte) (u NewUser, ok bool) {
	capabilities := w.Capabilities
	p := fields{payload, false}
	p.take(1) // the command
	u.User = string(clipUser(p.zeroEnded()))
	if n := p.take(1); n != nil {
		p.take(uint64(n[0])) // the client computed it with the salt of the login, and gets a new salt
	}
	u.Database = string(p.zeroEnded())
	if p.bad {
		return u, false
	}
	u.AttrsOK = true
	if len(p.rest) == 0 {
		return u, true
	}
	charset := p.take(2)
	if p.bad {
		return u, false
	}
	if capabilities&mysql.CapabilityClientPluginAuth != 0 && len(p.rest) > 0 {
		u.Plugin = string(p.zeroEnded())
	}
	if p.bad {
		return u, false
	}
	if capabilities&mysql.CapabilityClientConnAttr != 0 && len(p.rest) > 0 {
		u.Attrs, u.AttrsOK = readAttrs(&p, charset[:1])
	}
	return u, true
}

// zeroEnded returns a text that ends with a zero, without the zero; nil if there is none.
func (f *fields) zeroEnded() []byte {
	before := f.rest
	f.terminated()
	if f.bad {
		return nil
	}
	return before[:len(before)-len(f.rest)-1]
}

// Authenticate authenticates the client again, by a method with this salt. It returns the client's
// answer.
func (w *Conn) Authenticate(method mysql.AuthMethodDescription, salt []byte) (proof []byte, err error) {
	request := append(append([]byte{mysql.AuthSwitchRequestPacket}, method...), 0)
	request = append(request, salt...)
	if err := w.Packet(request...); err != nil {
		return nil, err
	}
	answer, err := w.readPacket()
	if err != nil {
		return nil, err
	}
	w.failed = false // an error of this attempt counts again
	return answer[len(w.in.head):], nil
}

// Changed ends the answer to COM_CHANGE_USER. If err is not nil, the client gets it and the
// connection is closed, as in MySQL.
func (w *Conn) Changed(err error) error {
	w.lag = 0
	if err == nil {
		return w.Packet(mysql.OKPacket, 0, 0, byte(w.conn.StatusFlags), byte(w.conn.StatusFlags>>8), 0, 0)
	}
	e, ok := err.(*mysql.SQLError)
	if !ok {
		w.setLost(err, mysqlerr.Reading)
		_ = w.Close()
		return err
	}
	w.session.Failed(e)
	w.setLost(e, nil)
	_ = w.WriteError(e)
	w.HangUp()
	return e
}
