package prepared

import (
	"encoding/binary"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"pfsd/engine/wire"
)

// Values that clients send before they execute a statement, in pieces: COM_STMT_SEND_LONG_DATA. As in MySQL a value is no longer than
// max_allowed_packet, the memory of the connection limits all of them together, and the command has no answer: its error is that of the
// next execution.

// longData is what has been sent of the values of a statement. Owned by the connection's goroutine.
type longData struct {
	bytes int64 // as the connection's account has them
	err   error // what the next execution fails with
}

// errLongData is MySQL's error of a value that is too long.
func errLongData() *mysql.SQLError {
	return mysql.NewSQLError(1105, "HY000", "Parameter of prepared statement which is set through mysql_send_long_data() is longer than 'max_allowed_packet' bytes")
}

// AddLong carries out the command: its payload is a piece of a value, which is to be no longer than limit, bytes.
func (p *Statements) AddLong(payload []byte, limit int64) {
	if len(payload) < wire.LongDataMin {
		return
	}
	id, marker := binary.LittleEndian.Uint32(payload[1:]), int(binary.LittleEndian.Uint16(payload[5:]))
	s, open := p.byID[id]
	data := p.conn.PrepareData[id]
	if !open || data == nil {
		return
	}
	if marker >= s.Markers || data.BindVars == nil {
		s.long.err = mysql.NewSQLError(1210, "HY000", "Incorrect arguments to mysqld_stmt_send_long_data")
		return
	}
	name, piece := wire.VariableOf(marker), payload[wire.LongDataMin:]
	if s.long.err != nil {
		data.BindVars[name] = noValue()
		return
	}
	had := 0
	if v := data.BindVars[name]; v != nil {
		had = len(v.Value)
	}
	switch grown := int64(had + len(piece)); {
	case grown > limit:
		s.long.err = errLongData()
	case had == 0 || cap(data.BindVars[name].Value) < int(grown):
		size := max(grown, min(2*int64(had), limit)) // so that pieces are not copied again and again
		if s.long.err = p.hold.Charge(size); s.long.err != nil {
			break
		}
		value := make([]byte, had, size)
		if v := data.BindVars[name]; v != nil {
			copy(value, v.Value)
			p.hold.Discharge(int64(cap(v.Value)))
			s.long.bytes -= int64(cap(v.Value))
		}
		s.long.bytes += size
		data.BindVars[name] = sqltypes.BytesBindVariable(append(value, piece...))
	default:
		v := data.BindVars[name]
		v.Value = append(v.Value, piece...)
	}
	if s.long.err != nil {
		p.dropLong(s)
		for name, v := range data.BindVars {
			if v != nil {
				data.BindVars[name] = noValue()
			}
		}
		data.BindVars[name] = noValue()
	}
}

// noValue stands for a value that is too much: none comes with the execution.
func noValue() *querypb.BindVariable { return sqltypes.BytesBindVariable(nil) }

// ResetLong forgets what has been sent of the values of a statement.
func (p *Statements) ResetLong(id uint32) {
	s, open := p.byID[id]
	if !open || s.long.bytes == 0 && s.long.err == nil {
		return
	}
	p.dropLong(s)
	s.long.err = nil
	if data := p.conn.PrepareData[id]; data != nil {
		for name := range data.BindVars {
			data.BindVars[name] = nil
		}
	}
}

// LongError is what is wrong with the values that have been sent ahead, nil if nothing is.
func (s Statement) LongError() error {
	if s.long == nil {
		return nil
	}
	return s.long.err
}

// dropLong gives back what the values of a statement take.
func (p *Statements) dropLong(s Statement) {
	p.hold.Discharge(s.long.bytes)
	s.long.bytes = 0
}
