package wire

import (
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"pfsd/engine/mysqlerr"
)

// The protocol layer trusts what a command says about its own length, and panics if that is wrong.
// So a Conn holds a command back until it has read enough of it to check it. For a wrong command,
// it gives the answer that MySQL gives, in place of the protocol layer.

// A verdict says whether the protocol layer may see a command. The zero value means that it may.
type verdict struct {
	refused, empty bool            // empty means a command without a first byte
	answer         *mysql.SQLError // nil if the command has no answer
}

// heldBytes returns how many bytes of the command that begins with p the judge needs. limit is the
// largest size of a command.
func heldBytes(p []byte, limit int64) int {
	const head = 4
	if len(p) < head {
		return head
	}
	size := payloadSize(p)
	switch {
	case size == 0:
		return head
	case len(p) == head:
		return head + 1
	}
	switch p[head] {
	case ComStmtSendLongData:
		return head + min(size, LongDataMin)
	case ComStmtExec:
		n := head
		for total := int64(0); ; n += head {
			if len(p) < n {
				return n
			}
			size = payloadSize(p[n-head:])
			n += size
			if total += int64(size); total > limit {
				return len(p) // the command is refused for its size
			}
			if size < packetMax {
				return n
			}
		}
	}
	return head + 1
}

// LongDataMin is the number of bytes of COM_STMT_SEND_LONG_DATA without the data.
const LongDataMin = 1 + 4 + 2

// payloadSize returns the payload's size from the header of a packet.
func payloadSize(head []byte) int { return int(head[0]) | int(head[1])<<8 | int(head[2])<<16 }

// setPayloadSize writes the payload's size into the header of a packet.
func setPayloadSize(head []byte, n int) { head[0], head[1], head[2] = byte(n), byte(n>>8), byte(n>>16) }

// judge returns the verdict on the command that begins with p, which has at least heldBytes.
func (w *Conn) judge(p []byte) verdict {
	payload := p[4:min(len(p), 4+payloadSize(p))]
	switch {
	case len(payload) == 0:
		return verdict{refused: true, empty: true, answer: mysqlerr.NoCommand()}
	case w.refuses(payload[0]) != nil:
		return verdict{refused: true, answer: w.refuses(payload[0])}
	case payload[0] == ComStmtExec:
		for rest := p; payloadSize(rest) == packetMax && len(rest) > 4+packetMax; { // the command has several packets
			rest = rest[4+packetMax:]
			payload = append(slices.Clip(payload), rest[4:min(len(rest), 4+payloadSize(rest))]...)
		}
		if err := w.checkExecute(payload[1:]); err != nil {
			return verdict{refused: true, answer: err}
		}
	case payload[0] == ComStmtSendLongData:
		// MySQL never answers this command, not even with an error.
		if len(payload) < LongDataMin {
			return verdict{refused: true}
		}
		s := w.conn.PrepareData[binary.LittleEndian.Uint32(payload[1:])]
		return verdict{refused: s == nil || s.BindVars == nil || binary.LittleEndian.Uint16(payload[5:]) >= s.ParamsCount}
	}
	return verdict{}
}

// refuses returns the error of a command that the client may not send at the moment, nil if it may.
func (w *Conn) refuses(command byte) *mysql.SQLError {
	if w.session == nil || w.Opening {
		return nil
	}
	return w.session.Refuses(command)
}

var errMalformed = mysql.NewSQLError(1835, "HY000", "Malformed communication packet.")

// errUnknownStatement is the error for a prepared statement that does not exist.
func errUnknownStatement(id uint32, command string) *mysql.SQLError {
	return mysql.NewSQLError(1243, "HY000", "Unknown prepared statement handler (%d) given to %s", id, command)
}

// checkExecute returns an error unless COM_STMT_EXECUTE, without its first byte, has all the values
// that it announces, and each is one of its type.
func (w *Conn) checkExecute(payload []byte) *mysql.SQLError {
	f := fields{payload, false}
	id := f.flags()
	if f.bad {
		return errMalformed
	}
	s := w.conn.PrepareData[id]
	if s == nil {
		return errUnknownStatement(id, "mysqld_stmt_execute")
	}
	f.take(1) // the kind of cursor
	if times := f.flags(); f.bad || times != 1 {
		return errMalformed
	}
	if s.ParamsCount == 0 {
		return nil
	}
	nulls := f.take(uint64(s.ParamsCount+7) / 8)
	bound := f.take(1)
	if f.bad {
		return errMalformed
	}
	types := s.ParamsType
	if bound[0] == 1 {
		types = make([]int32, s.ParamsCount)
		for i := range types {
			t := f.take(2)
			if f.bad {
				return errMalformed
			}
			kind, err := sqltypes.MySQLToType(int64(t[0]), int64(t[1])>>2)
			if err != nil {
				return errMalformed
			}
			types[i] = int32(kind)
		}
	}
	for i, kind := range types {
		if s.BindVars[VariableOf(i)] != nil || nulls[i/8]&(1<<(i%8)) != 0 {
			continue // sent before by COM_STMT_SEND_LONG_DATA, or NULL
		}
		err := checkValue(&f, querypb.Type(kind))
		if f.bad {
			return errMalformed
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// VariableOf returns the protocol layer's name of the value of a marker.
func VariableOf(marker int) string { return "v" + strconv.Itoa(marker+1) }

// hold reads on until it can judge the command that begins with the first n bytes of p, and judges
// it. It returns how many bytes of p the protocol layer gets; all further bytes are pending.
func (w *Conn) hold(p []byte, n int) (int, error) {
	held := p[:n]
	for {
		need := heldBytes(held, w.Limit)
		if need <= len(held) {
			break
		}
		if len(held) == n { // the bytes are still in p
			held = slices.Clone(held)
		}
		if len(w.pending) > 0 {
			held, w.pending = append(held, w.pending...), nil
			continue
		}
		held = slices.Grow(held, min(need-len(held), holdAtATime))
		got, err := w.await(waitsRest, held[len(held):min(cap(held), need)])
		if got == 0 && err != nil {
			return 0, err
		}
		held = held[:len(held)+got]
	}
	w.verdict = w.judge(held)
	if len(held) > n {
		n = copy(p, held)
		w.pending = append(held[n:len(held):len(held)], w.pending...)
	}
	return n, nil
}

// holdAtATime limits how much memory a Conn allocates because a client announces data.
const holdAtATime = 64 << 10

// refuseEmpty answers a command without a first byte. The protocol layer cannot get another command
// in its place. For all other commands it reports false.
func (w *Conn) refuseEmpty(p []byte, n int) (bool, error) {
	if !w.verdict.empty {
		return false, nil
	}
	w.pending = append(slices.Clone(p[4:n]), w.pending...)
	w.in.skip(p[:4])
	err := w.verdict.answer
	w.verdict = verdict{}
	w.out.skip(errorPacket(w.in.sequence+1, err))
	return true, writeError(w.Conn, w.in.sequence+1, err)
}

// answerRefused answers a refused command in place of the protocol layer.
func (w *Conn) answerRefused() error {
	v := w.verdict
	w.verdict = verdict{}
	if v.answer == nil {
		return nil
	}
	w.session.Refused(w.in.command, v.answer)
	return writeError(w.Conn, w.out.sequence+1, v.answer)
}

// resetStatement executes COM_STMT_RESET: the statement forgets the values of
// COM_STMT_SEND_LONG_DATA.
func (w *Conn) resetStatement() error {
	f := fields{w.payload, false}
	f.take(1)
	id := f.flags()
	w.payload = nil
	var err *mysql.SQLError
	if s := w.conn.PrepareData[id]; f.bad {
		err = errMalformed
	} else if s == nil {
		err = errUnknownStatement(id, "mysqld_stmt_reset")
	} else {
		w.session.ResetStatement(id)
		clear(s.BindVars)
	}
	if err != nil {
		w.session.Failed(err)
		return writeError(w.Conn, w.out.sequence+1, err)
	}
	flags := w.conn.StatusFlags
	return w.Packet(mysql.OKPacket, 0, 0, byte(flags), byte(flags>>8), 0, 0)
}
