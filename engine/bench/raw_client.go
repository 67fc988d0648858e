package main

import (
	"errors"
	"fmt"
	"io"
	"net"

	"pfsd/engine/bench/signin"
)

// rawClient is a client that does little work: it sends a statement, and reads the answer without
// decoding the rows. So its own cost hides little of the difference between servers. Owned by one
// goroutine.
type rawClient struct {
	conn     net.Conn
	buf      []byte
	from, to int // the part of buf that is read but not used yet
	sequence byte
}

// dialRaw logs in as root without a password.
func dialRaw(addr, database string) (*rawClient, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	c := &rawClient{conn: conn, buf: make([]byte, 64<<10)}
	if err = signin.Root(c.packet, c.write, database); err == nil {
		return c, nil
	}
	return nil, errors.Join(err, conn.Close())
}

func (c *rawClient) write(payload []byte) error {
	n := len(payload)
	_, err := c.conn.Write(append([]byte{byte(n), byte(n >> 8), byte(n >> 16), c.sequence + 1}, payload...))
	return err
}

// packet returns the payload of the next packet, or the beginning of a long one.
func (c *rawClient) packet() ([]byte, error) {
	if err := c.need(4); err != nil {
		return nil, err
	}
	head := c.buf[c.from:]
	n := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
	c.sequence = head[3]
	c.from += 4
	if err := c.need(n); err != nil {
		return nil, err
	}
	p := c.buf[c.from : c.from+n]
	c.from += n
	return p, nil
}

// need reads until n bytes are buffered.
func (c *rawClient) need(n int) error {
	if c.to-c.from >= n {
		return nil
	}
	c.to = copy(c.buf, c.buf[c.from:c.to])
	c.from = 0
	if n > len(c.buf) {
		c.buf = append(c.buf[:c.to], make([]byte, n)...)
	}
	read, err := io.ReadAtLeast(c.conn, c.buf[c.to:], n-c.to)
	c.to += read
	return err
}

// query runs a statement, and returns its number of rows.
func (c *rawClient) query(text string) (rows int, err error) {
	c.sequence = 0xff
	return c.command(append([]byte{3}, text...))
}

func (c *rawClient) command(payload []byte) (rows int, err error) {
	c.sequence = 0xff
	if err := c.write(payload); err != nil {
		return 0, err
	}
	for ends := 0; ends < 2; {
		p, err := c.packet()
		if err != nil {
			return 0, err
		}
		switch {
		case p[0] == 0xff:
			return 0, fmt.Errorf("%s", p[3:])
		case p[0] == 0 && ends == 0:
			return 0, nil
		case p[0] == 0xfe && len(p) < 9:
			ends++
		case ends == 1:
			rows++
		}
	}
	return rows, nil
}

func (c *rawClient) close() error { return c.conn.Close() }
