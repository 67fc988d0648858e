package wire

import (
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// binaryCollation is the number of the collation binary.
const binaryCollation = 63

// WritePrepared sends the client the description of a prepared statement: its markers and its
// columns.
func (w *Conn) WritePrepared(s *mysql.PrepareData, fields []*querypb.Field) error {
	p := Packets{Conn: w}
	id, n, markers := s.StatementID, len(fields), s.ParamsCount
	err := p.add(mysql.OKPacket, byte(id), byte(id>>8), byte(id>>16), byte(id>>24), byte(n), byte(n>>8), byte(markers), byte(markers>>8), 0, 0, 0)
	all := make([]*querypb.Field, markers, int(markers)+n)
	for i := range all {
		all[i] = &querypb.Field{Name: "?", Type: querypb.Type_VARBINARY, Charset: binaryCollation}
	}
	all = append(all, fields...)
	for i, f := range all {
		if err == nil {
			err = p.add(appendColumn(nil, f)...)
		}
		if last := i+1 == int(markers) || i+1 == len(all); err == nil && last && w.conn.Capabilities&mysql.CapabilityClientDeprecateEOF == 0 {
			err = p.add(mysql.EOFPacket, 0, 0, byte(w.conn.StatusFlags), byte(w.conn.StatusFlags>>8))
		}
	}
	if err != nil {
		return err
	}
	return p.Flush()
}

// ColumnPackets returns the packets at the beginning of a result with these columns.
func ColumnPackets(fields []*querypb.Field) []byte {
	all := appendPacket(nil, AppendLength(nil, len(fields)))
	var payload []byte
	for _, f := range fields {
		payload = appendColumn(payload[:0], f)
		all = appendPacket(all, payload)
	}
	return all
}

// appendPacket appends a payload as a packet without its number, or as several if it is long.
func appendPacket(to, payload []byte) []byte {
	for {
		n := min(len(payload), packetMax)
		start := len(to)
		to = append(append(to, 0, 0, 0, 0), payload[:n]...)
		setPayloadSize(to[start:], n)
		if payload = payload[n:]; n < packetMax {
			return to
		}
	}
}

// appendColumn appends the definition of a column.
func appendColumn(to []byte, f *querypb.Field) []byte {
	kind, flags := sqltypes.TypeToMySQL(f.Type)
	if f.Flags != 0 {
		flags = int64(f.Flags)
	}
	for _, s := range []string{"def", f.Database, f.Table, f.OrgTable, f.Name, f.OrgName} {
		to = AppendText(to, s)
	}
	n := f.ColumnLength
	return append(to, 0x0c, byte(f.Charset), byte(f.Charset>>8), byte(n), byte(n>>8), byte(n>>16), byte(n>>24),
		byte(kind), byte(flags), byte(flags>>8), byte(f.Decimals), 0, 0)
}

// AppendEOF appends the payload that ends columns or rows, for a client with these capabilities.
func AppendEOF(to []byte, capabilities uint32, flags, warnings uint16) []byte {
	if capabilities&mysql.CapabilityClientDeprecateEOF == 0 {
		return append(to, mysql.EOFPacket, byte(warnings), byte(warnings>>8), byte(flags), byte(flags>>8))
	}
	return append(to, mysql.EOFPacket, 0, 0, byte(flags), byte(flags>>8), byte(warnings), byte(warnings>>8))
}
