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

// The steps of Write, in their order: the new text goes to a temporary file, which replaces the old one
// when it is on the disk.
const (
	StepCreate Step = iota // create the new file
	StepWrite              // write it
	StepSync               // sync it to the disk
	StepClose
	StepRename  // replace the old file
	StepSyncDir // sync the directory
	Steps       // the number of steps
)

// String is the step's name.
func (s Step) String() string {
	return [...]string{"create", "write", "sync", "close", "rename", "sync the directory", "steps"}[s]
}

// step runs a step, unless Fault makes it fail.
func (d *Dir) step(s Step, path string, do func() error) error {
	if d.Fault != nil {
		if err := d.Fault(s, path); err != nil {
			return err
		}
	}
	return do()
}

// Write replaces the file path, which may be outside of the directory. When it returns nil, the text is
// on the disk. If it fails, the file is unchanged; only if the last step fails, it may be the new one.
// class is the instrument of the file operations.
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
		return discard(d.writeHalf(f, text, err))
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

// writeHalf writes half of a text and returns err, the error that a test injected.
func (d *Dir) writeHalf(f *instr.File, text []byte, err error) error {
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

// syncDir syncs the names in a directory to the disk.
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

// A File is a file for WriteAll: its name in the directory, its text and its mode.
type File struct {
	Name string
	Text []byte
	Perm fs.FileMode
}

// WriteAll writes new files that are useful only together: if it fails, or the process ends before it
// returns, none of them exists once the directory has been opened again.
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
			return err // this server does not start; the next one removes the files
		}
	}
	if err := class.Remove(journal); err != nil {
		return err
	}
	return syncDir(class, d.path)
}
