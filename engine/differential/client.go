package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"strconv"
	"time"

	"pfsd/engine/bench/signin"
)

// client is a connection that shows all that a server says about a statement, which database/sql does not: warnings, flags and lengths
// of columns, and the state of a prepared statement. Owned by one goroutine.
type client struct {
	conn     net.Conn
	in       *bufio.Reader
	sequence byte
	patience time.Duration // how long an answer may take
}

// outcome is what a server answers to a statement.
type outcome struct {
	err                         *serverError
	columns                     []column
	rows                        [][]*string // nil cells are NULL
	affected, insertID, warning uint64
	query                       bool // there is a set of rows, perhaps an empty one
}

// column describes a column of a set of rows.
type column struct {
	name     string
	kind     byte
	length   uint32
	charset  uint16
	flags    uint16
	decimals byte
}

// serverError is an error that the server sent.
type serverError struct {
	number         uint16
	state, message string
}

func (e *serverError) Error() string {
	return fmt.Sprintf("ERROR %d (%s): %s", e.number, e.state, e.message)
}

// The types of columns whose text or bytes differ between the protocols.
const (
	typeTiny, typeShort, typeLong, typeFloat, typeDouble, typeNull, typeTimestamp = 1, 2, 3, 4, 5, 6, 7
	typeLongLong, typeInt24, typeDate, typeTime, typeDatetime, typeYear           = 8, 9, 10, 11, 12, 13
	typeNewDecimal, typeVarString                                                 = 246, 253
	flagUnsigned                                                                  = 32
)

// dial logs in as root without a password.
func dial(addr string, patience time.Duration) (*client, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	c := &client{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), patience: patience}
	_ = conn.SetDeadline(time.Now().Add(patience))
	if err = signin.Root(c.packet, c.write, ""); err == nil {
		return c, nil
	}
	return nil, errors.Join(err, conn.Close())
}

func (c *client) close() error { return c.conn.Close() }

func (c *client) write(payload []byte) error {
	n := len(payload)
	_, err := c.conn.Write(append([]byte{byte(n), byte(n >> 8), byte(n >> 16), c.sequence + 1}, payload...))
	return err
}

// packet returns the payload of the next packet.
func (c *client) packet() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(c.in, head[:]); err != nil {
		return nil, err
	}
	c.sequence = head[3]
	p := make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
	_, err := io.ReadFull(c.in, p)
	if err == nil && len(p) == 0 {
		err = errors.New("empty packet")
	}
	return p, err
}

func (c *client) command(code byte, payload []byte) error {
	c.sequence = 0xff
	_ = c.conn.SetDeadline(time.Now().Add(c.patience))
	return c.write(append([]byte{code}, payload...))
}

// query sends a statement as text. The error is the connection's, which is of no more use then.
func (c *client) query(text string) (*outcome, error) {
	if err := c.command(3, []byte(text)); err != nil {
		return nil, err
	}
	return c.answer(false)
}

// prepared prepares a statement, executes it as often as there are sets of arguments, and closes it. The arguments are int64 or string.
func (c *client) prepared(text string, sets ...[]any) ([]*outcome, error) {
	if err := c.command(0x16, []byte(text)); err != nil {
		return nil, err
	}
	p, err := c.packet()
	if err != nil {
		return nil, err
	}
	if p[0] == 0xff {
		return []*outcome{{err: parseError(p)}}, nil
	}
	id := binary.LittleEndian.Uint32(p[1:])
	for _, n := range []uint16{binary.LittleEndian.Uint16(p[7:]), binary.LittleEndian.Uint16(p[5:])} {
		for i := uint16(0); n > 0 && i <= n; i++ { // with the end
			if _, err := c.packet(); err != nil {
				return nil, err
			}
		}
	}
	var outs []*outcome
	for _, args := range sets {
		if err := c.command(0x17, execution(id, args)); err != nil {
			return nil, err
		}
		o, err := c.answer(true)
		if err != nil {
			return nil, err
		}
		outs = append(outs, o)
	}
	return outs, c.command(0x19, binary.LittleEndian.AppendUint32(nil, id))
}

// execution is the payload that executes a prepared statement.
func execution(id uint32, args []any) []byte {
	p := binary.LittleEndian.AppendUint32(nil, id)
	p = append(p, 0, 1, 0, 0, 0)
	if len(args) == 0 {
		return p
	}
	p = append(p, make([]byte, (len(args)+7)/8)...)
	p = append(p, 1)
	for _, a := range args {
		if _, ok := a.(int64); ok {
			p = append(p, typeLongLong, 0)
		} else {
			p = append(p, typeVarString, 0)
		}
	}
	for _, a := range args {
		switch a := a.(type) {
		case int64:
			p = binary.LittleEndian.AppendUint64(p, uint64(a))
		case string:
			p = append(append(p, byte(len(a))), a...)
		}
	}
	return p
}

// answer reads the answer to a statement.
func (c *client) answer(isBinary bool) (*outcome, error) {
	p, err := c.packet()
	if err != nil {
		return nil, err
	}
	o := &outcome{}
	switch p[0] {
	case 0xff:
		o.err = parseError(p)
		return o, nil
	case 0:
		r := reader{p[1:]}
		o.affected, o.insertID = r.number(), r.number()
		r.skip(2)
		o.warning = uint64(binary.LittleEndian.Uint16(r.skip(2)))
		return o, nil
	}
	r := reader{p}
	n := r.number()
	o.query = true
	for range n {
		if p, err = c.packet(); err != nil {
			return nil, err
		}
		o.columns = append(o.columns, parseColumn(p))
	}
	if _, err = c.packet(); err != nil {
		return nil, err
	}
	for {
		if p, err = c.packet(); err != nil {
			return nil, err
		}
		switch {
		case p[0] == 0xff:
			o.err = parseError(p)
			return o, nil
		case p[0] == 0xfe && len(p) < 9:
			o.warning = uint64(binary.LittleEndian.Uint16(p[1:]))
			return o, nil
		case isBinary:
			o.rows = append(o.rows, o.binaryRow(p))
		default:
			o.rows = append(o.rows, o.textRow(p))
		}
	}
}

func parseError(p []byte) *serverError {
	e := &serverError{number: binary.LittleEndian.Uint16(p[1:])}
	if rest := p[3:]; len(rest) > 5 && rest[0] == '#' {
		e.state, e.message = string(rest[1:6]), string(rest[6:])
	} else {
		e.message = string(rest)
	}
	return e
}

func parseColumn(p []byte) column {
	r := reader{p}
	var c column
	for i := range 6 { // catalog, schema, table, its own name, the column, its own name
		if s := r.text(); i == 4 {
			c.name = s
		}
	}
	r.skip(1)
	c.charset = binary.LittleEndian.Uint16(r.skip(2))
	c.length = binary.LittleEndian.Uint32(r.skip(4))
	c.kind = r.skip(1)[0]
	c.flags = binary.LittleEndian.Uint16(r.skip(2))
	c.decimals = r.skip(1)[0]
	return c
}

func (o *outcome) textRow(p []byte) []*string {
	row, r := make([]*string, len(o.columns)), reader{p}
	for i := range row {
		if r.p[0] == 0xfb {
			r.skip(1)
			continue
		}
		s := r.text()
		row[i] = &s
	}
	return row
}

// binaryRow returns a row as the text protocol would have it.
func (o *outcome) binaryRow(p []byte) []*string {
	row, r := make([]*string, len(o.columns)), reader{p[1:]}
	null := r.skip((len(o.columns) + 9) / 8)
	for i, c := range o.columns {
		if null[(i+2)/8]&(1<<((i+2)%8)) != 0 {
			continue
		}
		s := r.value(c)
		row[i] = &s
	}
	return row
}

// reader reads the fields of a packet.
type reader struct{ p []byte }

func (r *reader) skip(n int) []byte {
	b := r.p[:n]
	r.p = r.p[n:]
	return b
}

func (r *reader) number() uint64 {
	switch b := r.skip(1)[0]; b {
	case 0xfc:
		return uint64(binary.LittleEndian.Uint16(r.skip(2)))
	case 0xfd:
		b := r.skip(3)
		return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16
	case 0xfe:
		return binary.LittleEndian.Uint64(r.skip(8))
	default:
		return uint64(b)
	}
}

func (r *reader) text() string { return string(r.skip(int(r.number()))) }

// value reads a value of the binary protocol as text.
func (r *reader) value(c column) string {
	integer := func(signed int64, unsigned uint64) string {
		if c.flags&flagUnsigned != 0 {
			return strconv.FormatUint(unsigned, 10)
		}
		return strconv.FormatInt(signed, 10)
	}
	switch c.kind {
	case typeTiny:
		b := r.skip(1)[0]
		return integer(int64(int8(b)), uint64(b))
	case typeShort, typeYear:
		b := binary.LittleEndian.Uint16(r.skip(2))
		return integer(int64(int16(b)), uint64(b))
	case typeLong, typeInt24:
		b := binary.LittleEndian.Uint32(r.skip(4))
		return integer(int64(int32(b)), uint64(b))
	case typeLongLong:
		b := binary.LittleEndian.Uint64(r.skip(8))
		return integer(int64(b), b)
	case typeFloat:
		return strconv.FormatFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(r.skip(4)))), 'g', -1, 32)
	case typeDouble:
		return strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(r.skip(8))), 'g', -1, 64)
	case typeDate, typeDatetime, typeTimestamp:
		return r.moment(c)
	case typeTime:
		return r.duration(c)
	}
	return r.text()
}

// fraction formats the microseconds of a value with the digits of its column.
func (c column) fraction(micros uint32) string {
	if c.decimals == 0 || c.decimals > 6 {
		return ""
	}
	return "." + fmt.Sprintf("%06d", micros)[:c.decimals]
}

func (r *reader) moment(c column) string {
	b := make([]byte, 11)
	copy(b, r.skip(int(r.skip(1)[0])))
	s := fmt.Sprintf("%04d-%02d-%02d", binary.LittleEndian.Uint16(b), b[2], b[3])
	if c.kind == typeDate {
		return s
	}
	return s + fmt.Sprintf(" %02d:%02d:%02d", b[4], b[5], b[6]) + c.fraction(binary.LittleEndian.Uint32(b[7:]))
}

func (r *reader) duration(c column) string {
	b := make([]byte, 12)
	copy(b, r.skip(int(r.skip(1)[0])))
	sign := ""
	if b[0] != 0 {
		sign = "-"
	}
	return fmt.Sprintf("%s%02d:%02d:%02d", sign, binary.LittleEndian.Uint32(b[1:])*24+uint32(b[5]), b[6], b[7]) + c.fraction(binary.LittleEndian.Uint32(b[8:]))
}
