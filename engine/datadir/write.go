package datadir

import (
	"encoding/json"
	"io"
	"io/fs"
	"path/filepath"

	"pfsd/instr"
)

// Step is a step of writing a file.
type Step int

// The steps of Write, in their order: the new text goes to a file of its own, which takes the
// place of the old one when all of it is on the disk.
const (
	StepCreate Step = iota // the new file is made
	StepWrite              // and written
	StepSync               // to the disk
	StepClose
	StepRename  // it takes the old one's place
	StepSyncDir // on the disk, too
	Steps       // how many there are
)

// String is the step's name.
func (s Step) String() string {
	return [...]string{"create", "write", "sync", "close", "rename", "sync the directory", "steps"}[s]
}

// step does a step, unless it is to fail.
func (d *Dir) step(s Step, path string, do func() error) error {
	if d.Fault != nil {
		if err := d.Fault(s, path); err != nil {
			return err
		}
	}
	return do()
}

// Write replaces the file path, which may be outside of the directory, with one that has this
// text and may be used as perm says. When it returns nil, the text is on the disk. If it fails, the
// file is as it was before; only if the last step does, it may be the new one. Its operations are
// class's.
func (d *Dir) Write(class *instr.FileClass, path string, text []byte, perm fs.FileMode) error {
	dir := filepath.Dir(path)
	var f *instr.File
	err := d.step(StepCreate, path, func() (err error) {
		f, err = class.CreateTemp(dir, temporaryPrefix+filepath.Base(path)+"-*")
		return err
	})
	if err != nil {
		return err
	}
	discard := func(err error) error {
		_ = f.Close()
		_ = class.Remove(f.Name())
		return err
	}
	err = d.step(StepWrite, path, func() error { return write(f, text) })
	if err != nil {
		return discard(d.halfWritten(f, text, err))
	}
	if err := f.Chmod(perm); err != nil {
		return discard(err)
	}
	if err := d.step(StepSync, path, f.Sync); err != nil {
		return discard(err)
	}
	if err := d.step(StepClose, path, f.Close); err != nil {
		return discard(err)
	}
	if err := d.step(StepRename, path, func() error { return class.Rename(f.Name(), path) }); err != nil {
		return discard(err)
	}
	return d.step(StepSyncDir, path, func() error { return syncDir(class, dir) })
}

// halfWritten writes half of a text where a test has the writing of it fail with err, which it
// returns.
func (d *Dir) halfWritten(f *instr.File, text []byte, err error) error {
	if d.Fault != nil {
		_ = write(f, text[:len(text)/2])
	}
	return err
}

// write writes all of a text.
func write(f *instr.File, text []byte) error {
	n, err := f.Write(text)
	if err == nil && n < len(text) {
		err = io.ErrShortWrite
	}
	return err
}

// syncDir has the names in a directory on the disk.
func syncDir(class *instr.FileClass, dir string) error {
	f, err := class.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// A File is one of those that WriteAll writes: its name in the directory, its text, and how it
// may be used.
type File struct {
	Name string
	Text []byte
	Perm fs.FileMode
}

// WriteAll writes files that are of use only together, and that are not there yet: if it fails, or
// never returns, there is none of them once the directory has been opened again.
func (d *Dir) WriteAll(class *instr.FileClass, files []File) error {
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	list, err := json.Marshal(names)
	if err != nil {
		return err
	}
	journal := d.Join(journalName)
	if err := d.Write(class, journal, list, 0o600); err != nil {
		return err
	}
	for _, f := range files {
		if err := d.Write(class, d.Join(f.Name), f.Text, f.Perm); err != nil {
			return err // the next server clears them away, this one does not start
		}
	}
	if err := class.Remove(journal); err != nil {
		return err
	}
	return syncDir(class, d.path)
}
