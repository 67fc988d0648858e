package instr

import (
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// File is an os.File that can be watched: a [FileClass] opens it. Safe for concurrent use,
// as os.File is. A nil *File and the zero File are closed files.
//
// Every operation counts once, with the bytes that it moved, also when it failed or moved fewer
// bytes than it was asked to. Fd, SyscallConn and the deadlines do not count as operations on the
// file.
type File struct {
	f      *os.File
	class  *Class // of the handle, if there is one: when the class is off, nothing else is loaded
	handle *fileHandle
	closed atomic.Bool
	leaked runtime.Cleanup // if the File is collected without Close, it is closed
}

var _ interface {
	io.ReadWriteSeeker
	io.ReaderAt
	io.WriterAt
	io.StringWriter
	io.ReaderFrom
	io.WriterTo
	fs.ReadDirFile
	syscall.Conn
} = (*File)(nil)

// newFile makes a File of an open file, which h has counted as open already.
func newFile(f *os.File, h *fileHandle) *File {
	out := &File{f: f, handle: h}
	if h != nil {
		out.class = h.class
		out.leaked = runtime.AddCleanup(out, (*FileInstance).closed, h.instance)
	}
	return out
}

// plain is the os.File, nil if there is none: the methods of os.File treat nil as a closed file.
func (f *File) plain() *os.File {
	if f == nil {
		return nil
	}
	return f.f
}

// switches is the packed word of the file's class.
func (f *File) switches() switches {
	if f == nil || f.class == nil {
		return 0
	}
	return switches(f.class.switches.Load())
}

func (f *File) below() io.ReadWriter { return f.plain() }

func (f *File) operations() (read, write Op) { return OpRead, OpWrite }

// begin starts an operation on the file.
func (f *File) begin(op Op, caller uintptr) ioWait {
	if f == nil || f.handle == nil {
		return ioWait{}
	}
	return f.handle.begin(op, caller)
}

// Read is os.File.Read, the operation read.
//
//go:noinline
func (f *File) Read(b []byte) (int, error) {
	sw := f.switches()
	if sw == 0 {
		return f.plain().Read(b)
	}
	w := f.handle.start(sw, OpRead, callerPC())
	n, err := f.f.Read(b)
	f.handle.finish(w, OpRead, n)
	return n, err
}

func (f *File) read(b []byte, caller uintptr) (int, error) {
	w := f.begin(OpRead, caller)
	n, err := f.plain().Read(b)
	w.done(int64(n))
	return n, err
}

// ReadAt is os.File.ReadAt, the operation read.
//
//go:noinline
func (f *File) ReadAt(b []byte, off int64) (int, error) {
	sw := f.switches()
	if sw == 0 {
		return f.plain().ReadAt(b, off)
	}
	w := f.handle.start(sw, OpRead, callerPC())
	n, err := f.f.ReadAt(b, off)
	f.handle.finish(w, OpRead, n)
	return n, err
}

// Write is os.File.Write, the operation write.
//
//go:noinline
func (f *File) Write(b []byte) (int, error) {
	sw := f.switches()
	if sw == 0 {
		return f.plain().Write(b)
	}
	w := f.handle.start(sw, OpWrite, callerPC())
	n, err := f.f.Write(b)
	f.handle.finish(w, OpWrite, n)
	return n, err
}

func (f *File) write(b []byte, caller uintptr) (int, error) {
	w := f.begin(OpWrite, caller)
	n, err := f.plain().Write(b)
	w.done(int64(n))
	return n, err
}

// WriteAt is os.File.WriteAt, the operation write.
//
//go:noinline
func (f *File) WriteAt(b []byte, off int64) (int, error) {
	sw := f.switches()
	if sw == 0 {
		return f.plain().WriteAt(b, off)
	}
	w := f.handle.start(sw, OpWrite, callerPC())
	n, err := f.f.WriteAt(b, off)
	f.handle.finish(w, OpWrite, n)
	return n, err
}

// WriteString is os.File.WriteString, the operation write.
//
//go:noinline
func (f *File) WriteString(s string) (int, error) {
	w := f.begin(OpWrite, callerPC())
	n, err := f.plain().WriteString(s)
	w.done(int64(n))
	return n, err
}

// ReadFrom is os.File.ReadFrom. What the kernel copies, from a file or a connection, is one
// write here and one read or recv there; else each piece is a write.
//
//go:noinline
func (f *File) ReadFrom(r io.Reader) (int64, error) {
	if f.plain() == nil {
		return 0, os.ErrInvalid
	}
	return transfer(f, r, callerPC())
}

// WriteTo is os.File.WriteTo. What the kernel copies, to a file or a connection, is one read
// here and one write or send there; else each piece is a read.
//
//go:noinline
func (f *File) WriteTo(to io.Writer) (int64, error) {
	if f.plain() == nil {
		return 0, os.ErrInvalid
	}
	return transferTo(to, f, callerPC())
}

// Seek is os.File.Seek, the operation seek, or tell if it only asks for the position.
//
//go:noinline
func (f *File) Seek(offset int64, whence int) (int64, error) {
	op := OpSeek
	if offset == 0 && whence == io.SeekCurrent {
		op = OpTell
	}
	w := f.begin(op, callerPC())
	n, err := f.plain().Seek(offset, whence)
	w.done(0)
	return n, err
}

// Tell returns the position in the file, the operation tell.
//
//go:noinline
func (f *File) Tell() (int64, error) {
	w := f.begin(OpTell, callerPC())
	n, err := f.plain().Seek(0, io.SeekCurrent)
	w.done(0)
	return n, err
}

// Flush is the operation flush. A File has no buffer, so Flush does nothing else: it is there for
// code that flushes its writers.
//
//go:noinline
func (f *File) Flush() error {
	w := f.begin(OpFlush, callerPC())
	var err error
	if f.plain() == nil || f.closed.Load() {
		err = os.ErrClosed
	}
	w.done(0)
	return err
}

// Sync is os.File.Sync, the operation sync.
//
//go:noinline
func (f *File) Sync() error {
	w := f.begin(OpSync, callerPC())
	err := f.plain().Sync()
	w.done(0)
	return err
}

// Stat is os.File.Stat, the operation stat.
//
//go:noinline
func (f *File) Stat() (fs.FileInfo, error) { return f.stat(callerPC()) }

func (f *File) stat(caller uintptr) (fs.FileInfo, error) {
	w := f.begin(OpStat, caller)
	info, err := f.plain().Stat()
	w.done(0)
	return info, err
}

// Truncate is os.File.Truncate, the operation chsize; its bytes are the new size.
//
//go:noinline
func (f *File) Truncate(size int64) error {
	w := f.begin(OpChsize, callerPC())
	err := f.plain().Truncate(size)
	w.done(size)
	return err
}

// Chmod is os.File.Chmod, the operation chmod.
//
//go:noinline
func (f *File) Chmod(mode fs.FileMode) error {
	w := f.begin(OpChmod, callerPC())
	err := f.plain().Chmod(mode)
	w.done(0)
	return err
}

// Chown is os.File.Chown, counted as chmod.
//
//go:noinline
func (f *File) Chown(uid, gid int) error {
	w := f.begin(OpChmod, callerPC())
	err := f.plain().Chown(uid, gid)
	w.done(0)
	return err
}

// ReadDir is os.File.ReadDir, the operation readdir.
//
//go:noinline
func (f *File) ReadDir(n int) ([]fs.DirEntry, error) {
	w := f.begin(OpReadDir, callerPC())
	entries, err := f.plain().ReadDir(n)
	w.done(0)
	return entries, err
}

// Readdir is os.File.Readdir, the operation readdir.
//
//go:noinline
func (f *File) Readdir(n int) ([]fs.FileInfo, error) {
	w := f.begin(OpReadDir, callerPC())
	infos, err := f.plain().Readdir(n)
	w.done(0)
	return infos, err
}

// Readdirnames is os.File.Readdirnames, the operation readdir.
//
//go:noinline
func (f *File) Readdirnames(n int) ([]string, error) {
	w := f.begin(OpReadDir, callerPC())
	names, err := f.plain().Readdirnames(n)
	w.done(0)
	return names, err
}

// Close is os.File.Close, the operation close. The instance stays, with what it has counted.
//
//go:noinline
func (f *File) Close() error { return f.close(callerPC()) }

func (f *File) close(caller uintptr) error {
	w := f.begin(OpClose, caller)
	err := f.plain().Close()
	if f != nil && f.closed.CompareAndSwap(false, true) && f.handle != nil {
		f.leaked.Stop()
		f.handle.instance.closed()
	}
	w.done(0)
	return err
}

// Name is the name that the file was opened with; "" if there is no file.
func (f *File) Name() string {
	if f.plain() == nil {
		return ""
	}
	return f.f.Name()
}

// Fd is os.File.Fd.
func (f *File) Fd() uintptr { return f.plain().Fd() }

// SyscallConn is os.File.SyscallConn.
func (f *File) SyscallConn() (syscall.RawConn, error) { return f.plain().SyscallConn() }

// Chdir is os.File.Chdir.
func (f *File) Chdir() error { return f.plain().Chdir() }

// SetDeadline is os.File.SetDeadline.
func (f *File) SetDeadline(t time.Time) error { return f.plain().SetDeadline(t) }

// SetReadDeadline is os.File.SetReadDeadline.
func (f *File) SetReadDeadline(t time.Time) error { return f.plain().SetReadDeadline(t) }

// SetWriteDeadline is os.File.SetWriteDeadline.
func (f *File) SetWriteDeadline(t time.Time) error { return f.plain().SetWriteDeadline(t) }
