package instr

import (
	"io"
	"net"
	"os"
)

// endpoint is a File or a Conn as one end of a copy.
type endpoint interface {
	io.ReadWriter
	// below is the os.File or connection, which the kernel can copy from and to.
	below() io.ReadWriter
	begin(op Op, caller uintptr) ioWait
	// operations are the operations that reading and writing count as.
	operations() (read, write Op)
	read(b []byte, caller uintptr) (int, error)
	write(b []byte, caller uintptr) (int, error)
}

var (
	_ endpoint = (*File)(nil)
	_ endpoint = (*Conn)(nil)
)

// transfer copies r to dst until its end, as the ReadFrom of what is below dst does.
func transfer(dst endpoint, r io.Reader, caller uintptr) (int64, error) {
	limited, _ := r.(*io.LimitedReader)
	from := r
	if limited != nil {
		from = limited.R
	}
	src, watched := from.(endpoint)
	var plain io.Reader = from
	if watched {
		plain = src.below()
	}
	to, ok := dst.below().(io.ReaderFrom)
	if !ok || !kernelEnd(plain) {
		// Another Read may do anything, and wait for other things. That must not be part of a
		// write.
		return io.Copy(callerWriter{dst, caller}, readerOnly{r})
	}
	if limited != nil {
		plain = &io.LimitedReader{R: plain, N: limited.N}
	}
	var reading ioWait
	if watched {
		op, _ := src.operations()
		reading = src.begin(op, caller)
	}
	_, op := dst.operations()
	writing := dst.begin(op, caller)
	n, err := to.ReadFrom(plain)
	writing.done(n)
	reading.done(n)
	if limited != nil {
		limited.N -= n
	}
	return n, err
}

// transferTo copies src to w until its end, as the WriteTo of what is below src does.
func transferTo(w io.Writer, src endpoint, caller uintptr) (int64, error) {
	if dst, ok := w.(endpoint); ok {
		return transfer(dst, src, caller)
	}
	from, ok := src.below().(io.WriterTo)
	if !ok || !kernelEnd(w) {
		return io.Copy(writerOnly{w}, callerReader{src, caller})
	}
	op, _ := src.operations()
	reading := src.begin(op, caller)
	n, err := from.WriteTo(w)
	reading.done(n)
	return n, err
}

// callerReader and callerWriter read and write pieces on behalf of a caller; readerOnly
// and writerOnly have no other method that io.Copy would prefer.
type callerReader struct {
	end    endpoint
	caller uintptr
}

func (r callerReader) Read(b []byte) (int, error) { return r.end.read(b, r.caller) }

type callerWriter struct {
	end    endpoint
	caller uintptr
}

func (w callerWriter) Write(b []byte) (int, error) { return w.end.write(b, w.caller) }

type readerOnly struct{ io.Reader }

type writerOnly struct{ io.Writer }

// kernelEnd reports whether r is a file or socket of the operating system, so that copying from it or to it runs no other code.
func kernelEnd(r any) bool {
	switch r := r.(type) {
	case *os.File:
		return r != nil
	case *net.TCPConn:
		return r != nil
	case *net.UnixConn:
		return r != nil
	}
	return false
}
