package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unsafe"
)

// Err says why what was read may not be whole: the file has been cut since it was opened, or the
// device cannot read it. Rows that are not there were read as empty then. Once it is an error, it
// stays one. It names the file. It costs no system call.
func (r *Recording) Err() error {
	if err := r.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// read fills buf with the file's bytes from at on. Bytes beyond the end of the file are 0: they were
// never reserved, or Err says that they are missing.
func (r *Recording) read(at uint64, buf []byte) {
	n, err := r.file.ReadAt(buf, int64(at))
	if err == nil {
		return
	}
	clear(buf[n:])
	if errors.Is(err, io.EOF) {
		_ = r.whole()
		return
	}
	r.fail(err)
}

// whole is the error of a file that was cut, if this one was. It may be called at any time while the
// file grows.
func (r *Recording) whole() error {
	if r.Err() == nil {
		if err := r.check(); err != nil {
			r.fail(err)
		}
	}
	return r.Err()
}

func (r *Recording) fail(err error) {
	err = fmt.Errorf("%s: %w", r.path, err)
	r.failed.CompareAndSwap(nil, &err)
}

// check compares how far the file reaches with what its header says. The header is read first: what
// it says was true before, so that a file that grows meanwhile is never too short. A header that was
// read while it changed may say more than is true, but not twice the same.
func (r *Recording) check() error {
	before := uint64(0)
	for try := 0; ; try++ {
		var word [8]byte
		if _, err := r.file.ReadAt(word[:], int64(unsafe.Offsetof(recHeader{}.reached))); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		info, err := r.file.Stat()
		if err != nil {
			return err
		}
		reached := max(binary.LittleEndian.Uint64(word[:]), r.reached)
		if reached <= uint64(info.Size()) {
			return nil
		}
		if reached == before || try == retries {
			return fmt.Errorf("%w: %d of at least %d bytes are there", ErrCut, info.Size(), reached)
		}
		before = reached
	}
}
