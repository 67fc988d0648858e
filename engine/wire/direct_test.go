package wire

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestDirect checks that a direct connection does what a plain one does: it waits, moves all bytes,
// ends, fails and obeys deadlines.
func TestDirect(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		t.Run("network="+network, func(t *testing.T) {
			addr := "127.0.0.1:0"
			if network == "unix" {
				addr = filepath.Join(t.TempDir(), "s")
			}
			l, err := net.Listen(network, addr)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			connect := func() (client, server net.Conn) {
				t.Helper()
				client, err := net.Dial(network, l.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				plain, err := l.Accept()
				if err != nil {
					t.Fatal(err)
				}
				server = makeDirect(plain)
				if server == plain && directCalls {
					t.Fatalf("a %T is not direct", plain)
				}
				t.Cleanup(func() { _, _ = client.Close(), server.Close() })
				return client, server
			}

			client, server := connect()
			// This is more than the socket takes at once, so the write waits for the reader, and
			// the reader for the writer.
			if s, ok := server.(interface{ SetWriteBuffer(int) error }); ok {
				_ = s.SetWriteBuffer(4 << 10)
			}
			sent := bytes.Repeat([]byte("0123456789abcdef"), directMax/16)
			echoed := make(chan error, 1)
			go func() {
				b := make([]byte, len(sent))
				_, err := io.ReadFull(server, b)
				if err == nil {
					_, err = server.Write(b)
				}
				if err == nil {
					_, err = server.Write(b[:10]) // not the first write since the read
				}
				echoed <- err
			}()
			if _, err := client.Write(sent); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, len(sent)+10)
			if _, err := io.ReadFull(client, got); err != nil || !bytes.Equal(got[:len(sent)], sent) {
				t.Fatalf("the bytes that came back differ: %v", err)
			}
			if err := <-echoed; err != nil {
				t.Fatal(err)
			}

			if n, err := server.Read(nil); n != 0 || err != nil {
				t.Errorf("a read into no bytes: %d, %v", n, err)
			}
			if err := server.SetReadDeadline(longPast); err != nil {
				t.Fatal(err)
			}
			if _, err := server.Read(got); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("a read after its deadline: %v", err)
			}
			if err := server.SetReadDeadline(time.Time{}); err != nil {
				t.Fatal(err)
			}
			_ = client.Close()
			if _, err := server.Read(got); err != io.EOF {
				t.Errorf("a read at the end: %v", err)
			}

			_, server = connect()
			ended := make(chan error, 1)
			go func() { _, err := server.Read(make([]byte, 1)); ended <- err }()
			_ = server.Close()
			if err := <-ended; !errors.Is(err, net.ErrClosed) && err != io.EOF {
				t.Errorf("a read of a closed connection: %v", err)
			}
			if _, err := server.Write(got); !errors.Is(err, net.ErrClosed) {
				t.Errorf("a write to a closed connection: %v", err)
			}

			client, server = connect()
			if c, ok := client.(*net.TCPConn); ok {
				_ = c.SetLinger(0) // so that Close resets the connection
			}
			_ = client.Close()
			var failed error
			for range 100 { // the first writes may still find room
				if _, failed = server.Write(got[:10]); failed != nil {
					break
				}
				_, _ = server.Read(got[:1])
			}
			var op *net.OpError
			if !errors.As(failed, &op) || !errors.Is(failed, syscall.EPIPE) && !errors.Is(failed, syscall.ECONNRESET) {
				t.Errorf("a write to a client that has gone: %v", failed)
			}
		})
	}
	if a, b := net.Pipe(); makeDirect(a) != a || makeDirect(b) != b {
		t.Error("makeDirect changed a connection that is not a socket")
	}
}
