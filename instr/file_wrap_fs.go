package instr

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// WrapFS returns fsys, whose files are watched: an embed.FS, an archive or any other fs.FS. FILE_NAME of a file is "name:path". What
// fsys can do, it can do still: the functions of package fs find the files, texts, links and directories that they find in fsys,
// and an open file seeks, reads at an offset and lists a directory if that of fsys does. Safe for concurrent use if fsys is.
func (c *FileClass) WrapFS(fsys fs.FS, name string) fs.FS { return &wrappedFS{c, fsys, name + ":"} }

type wrappedFS struct {
	class  *FileClass
	fsys   fs.FS
	prefix string
}

var _ interface {
	fs.StatFS
	fs.ReadDirFS
	fs.ReadLinkFS
} = (*wrappedFS)(nil)

// begin starts an operation on the file of this name.
func (w *wrappedFS) begin(op Op, name string, caller uintptr) ioWait {
	if w.class.files() == nil || w.class.class.lost() {
		return ioWait{}
	}
	return w.class.beginOn(op, w.prefix+name, caller)
}

// Open implements fs.FS.
//
//go:noinline
func (w *wrappedFS) Open(name string) (fs.File, error) {
	wait := w.begin(OpOpen, name, callerPC())
	f, err := w.fsys.Open(name)
	if err != nil {
		wait.done(0)
		return nil, err
	}
	out := &wrappedFile{File: f, watched: w.class.openedOn(wait, w.prefix+name, true)}
	if out.watched != nil {
		out.leaked = runtime.AddCleanup(out, (*ForeignFile).Close, out.watched)
	}
	return out.asOpened(), nil
}

// ReadDir implements fs.ReadDirFS.
//
//go:noinline
func (w *wrappedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	wait := w.begin(OpReadDir, name, callerPC())
	entries, err := fs.ReadDir(w.fsys, name)
	wait.done(0)
	return entries, err
}

// Stat implements fs.StatFS.
//
//go:noinline
func (w *wrappedFS) Stat(name string) (fs.FileInfo, error) {
	wait := w.begin(OpStat, name, callerPC())
	info, err := fs.Stat(w.fsys, name)
	wait.done(0)
	return info, err
}

// Lstat implements fs.ReadLinkFS.
//
//go:noinline
func (w *wrappedFS) Lstat(name string) (fs.FileInfo, error) {
	wait := w.begin(OpStat, name, callerPC())
	info, err := fs.Lstat(w.fsys, name)
	wait.done(0)
	return info, err
}

// ReadLink implements fs.ReadLinkFS.
//
//go:noinline
func (w *wrappedFS) ReadLink(name string) (string, error) {
	wait := w.begin(OpStat, name, callerPC())
	to, err := fs.ReadLink(w.fsys, name)
	wait.done(0)
	return to, err
}

// wrappedFile is an open file of a wrapped fs.FS. Safe for concurrent use if the file is.
type wrappedFile struct {
	fs.File
	watched *ForeignFile    // nil if the file is not counted
	leaked  runtime.Cleanup // if the file is collected without Close, it is closed
}

// asOpened returns f with the further methods that the file below has, and no others: package fs and net/http ask for them.
func (f *wrappedFile) asOpened() fs.File {
	_, seeks := f.File.(io.Seeker)
	_, readsAt := f.File.(io.ReaderAt)
	_, lists := f.File.(fs.ReadDirFile)
	switch {
	case seeks && readsAt && lists:
		return struct {
			*wrappedFile
			*fileSeeker
			*fileReaderAt
			*fileLister
		}{f, (*fileSeeker)(f), (*fileReaderAt)(f), (*fileLister)(f)}
	case seeks && readsAt:
		return struct {
			*wrappedFile
			*fileSeeker
			*fileReaderAt
		}{f, (*fileSeeker)(f), (*fileReaderAt)(f)}
	case seeks && lists:
		return struct {
			*wrappedFile
			*fileSeeker
			*fileLister
		}{f, (*fileSeeker)(f), (*fileLister)(f)}
	case readsAt && lists:
		return struct {
			*wrappedFile
			*fileReaderAt
			*fileLister
		}{f, (*fileReaderAt)(f), (*fileLister)(f)}
	case seeks:
		return struct {
			*wrappedFile
			*fileSeeker
		}{f, (*fileSeeker)(f)}
	case readsAt:
		return struct {
			*wrappedFile
			*fileReaderAt
		}{f, (*fileReaderAt)(f)}
	case lists:
		return struct {
			*wrappedFile
			*fileLister
		}{f, (*fileLister)(f)}
	}
	return f
}

// Read implements fs.File, the operation read.
//
//go:noinline
func (f *wrappedFile) Read(b []byte) (int, error) {
	w := f.watched.begin(OpRead, callerPC())
	n, err := f.File.Read(b)
	w.done(int64(n))
	return n, err
}

// Stat implements fs.File, the operation stat.
//
//go:noinline
func (f *wrappedFile) Stat() (fs.FileInfo, error) {
	w := f.watched.begin(OpStat, callerPC())
	info, err := f.File.Stat()
	w.done(0)
	return info, err
}

// Close implements fs.File, the operation close.
//
//go:noinline
func (f *wrappedFile) Close() error {
	w := f.watched.begin(OpClose, callerPC())
	err := f.File.Close()
	f.leaked.Stop()
	f.watched.Close()
	w.done(0)
	return err
}

// The further methods of open files, each with a type of its own. They are pointers, because the method of an embedded pointer is called
// without a function of the compiler in between, which would be the caller.
type (
	fileSeeker   wrappedFile
	fileReaderAt wrappedFile
	fileLister   wrappedFile
)

// Seek implements io.Seeker, the operation seek, or tell if it only asks for the position.
//
//go:noinline
func (s *fileSeeker) Seek(offset int64, whence int) (int64, error) {
	op := OpSeek
	if offset == 0 && whence == io.SeekCurrent {
		op = OpTell
	}
	w := s.watched.begin(op, callerPC())
	n, err := s.File.(io.Seeker).Seek(offset, whence)
	w.done(0)
	return n, err
}

// ReadAt implements io.ReaderAt, the operation read.
//
//go:noinline
func (r *fileReaderAt) ReadAt(b []byte, off int64) (int, error) {
	w := r.watched.begin(OpRead, callerPC())
	n, err := r.File.(io.ReaderAt).ReadAt(b, off)
	w.done(int64(n))
	return n, err
}

// ReadDir implements fs.ReadDirFile, the operation readdir.
//
//go:noinline
func (l *fileLister) ReadDir(n int) ([]fs.DirEntry, error) {
	w := l.watched.begin(OpReadDir, callerPC())
	entries, err := l.File.(fs.ReadDirFile).ReadDir(n)
	w.done(0)
	return entries, err
}

// CopyFS is os.CopyFS: it copies fsys into dir, which it makes if necessary, and counts what it does to the files there: mkdir for
// each directory, create, write and close for each file, and link for each symbolic link. An existing file is an error. To count the
// reading too, wrap fsys.
//
//go:noinline
func (c *FileClass) CopyFS(dir string, fsys fs.FS) error {
	caller := callerPC()
	return fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		local, err := filepath.Localize(name)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, local)
		switch entry.Type() {
		case fs.ModeDir:
			return c.mkdirAll(to, 0o777, caller)
		case fs.ModeSymlink:
			target, err := fs.ReadLink(fsys, name)
			if err != nil {
				return err
			}
			return c.symlink(target, to, caller)
		case 0:
			return c.copyFile(to, fsys, name, caller)
		}
		return &fs.PathError{Op: "CopyFS", Path: name, Err: fs.ErrInvalid}
	})
}

// copyFile copies a file of fsys into a new file.
func (c *FileClass) copyFile(to string, fsys fs.FS, name string, caller uintptr) error {
	from, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	f, err := c.openFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666|info.Mode()&0o777, caller)
	if err != nil {
		return err
	}
	if _, err := transfer(f, from, caller); err != nil {
		_ = f.close(caller)
		return &fs.PathError{Op: "Copy", Path: to, Err: err}
	}
	return f.close(caller)
}
