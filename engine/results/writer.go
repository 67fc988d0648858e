package results

import (
	"errors"

	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/wire"
)

// Writer writes results to a client, past the protocol layer. Owned by the connection's goroutine.
type Writer struct {
	wire.Packets
	Client *mysql.Conn // as the protocol layer has it
	Binary bool        // rows are in the binary protocol
	Open   bool        // a result has begun that has not ended
}

// ErrSend is part of an error of the connection, as opposed to the statement.
var ErrSend = errors.New("results: client cannot be written to")

// Start tells that a statement begins, whose rows are to be in the binary protocol or not.
func (w *Writer) Start(binary bool) {
	w.Reset()
	w.Binary, w.Open = binary, false
}

// sendError marks an error of the connection as ErrSend; nil stays nil.
func sendError(err error) error {
	if err == nil {
		return nil
	}
	return errors.Join(ErrSend, err)
}

// columns begins a result of which these are the columns, as packets.
func (w *Writer) columns(columns []byte, flags uint16) error {
	if err := w.Client.FlushBuffer(); err != nil {
		return err
	}
	w.Open, w.Sent = true, false
	if err := w.Copy(columns); err != nil {
		return err
	}
	if w.Client.Capabilities&mysql.CapabilityClientDeprecateEOF == 0 {
		return w.eof(flags)
	}
	return nil
}

// eof writes the packet that ends columns or rows. As in MySQL, it tells of no warnings.
func (w *Writer) eof(flags uint16) error {
	w.Packets.Begin()
	w.Buf = wire.AppendEOF(w.Buf, w.Client.Capabilities, flags, 0)
	return w.Packets.End()
}

// EndResult ends the result that is open.
func (w *Writer) EndResult(flags uint16) error {
	w.Open = false
	if err := w.eof(flags); err != nil {
		return err
	}
	err := w.Flush()
	w.Reset()
	return err
}

// EndLate has the client get the result that is open when the statement has ended.
func (w *Writer) EndLate(more bool) {
	w.Open = false
	w.Packets.Late(more)
}

// OKLate has the client get OK for a statement that has no rows when the statement has ended.
func (w *Writer) OKLate(ok *wire.OK, more bool) error {
	if err := w.Client.FlushBuffer(); err != nil {
		return sendError(err)
	}
	w.Packets.LateOK(ok, more)
	return nil
}
