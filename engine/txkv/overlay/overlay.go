package overlay

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// overlay is a file system whose changes are in memory, for a store on a device that has no room: it can be read, and recovery, which
// needs to write, does not touch the device. A file of the device cannot be changed, only replaced or removed; what is removed is still
// on the device. Safe for concurrent use.
type overlay struct {
	vfs.FS // in memory
	device vfs.FS

	mu      sync.Mutex
	removed map[string]bool // names of the device that are hidden
}

// New returns a file system over that of a device, whose files it reads.
func New(device vfs.FS) vfs.FS {
	return &overlay{FS: vfs.NewMem(), device: device, removed: map[string]bool{}}
}

// hidden reports whether a name of the device, or a directory that it is in, has been removed.
func (o *overlay) hidden(name string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for removed := range o.removed {
		if name == removed || strings.HasPrefix(name, removed+"/") {
			return true
		}
	}
	return false
}

func (o *overlay) hide(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.removed[name] = true
}

// at returns the file system that has a name: memory if both have it.
func (o *overlay) at(name string) vfs.FS {
	if _, err := o.FS.Stat(name); err == nil || o.hidden(name) {
		return o.FS
	}
	return o.device
}

// parent makes the directory of a name in memory.
func (o *overlay) parent(name string) error { return o.FS.MkdirAll(o.PathDir(name), 0o755) }

func (o *overlay) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := o.parent(name); err != nil {
		return nil, err
	}
	return o.FS.Create(name, c)
}

func (o *overlay) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	return o.at(name).Open(name, opts...)
}

func (o *overlay) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	if o.at(name) == o.device {
		if _, err := o.device.Stat(name); err == nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
		}
	}
	if err := o.parent(name); err != nil {
		return nil, err
	}
	return o.FS.OpenReadWrite(name, c, opts...)
}

// OpenDir opens a directory in memory, since it is opened to be synced.
func (o *overlay) OpenDir(name string) (vfs.File, error) {
	if err := o.FS.MkdirAll(name, 0o755); err != nil {
		return nil, err
	}
	return o.FS.OpenDir(name)
}

func (o *overlay) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := o.Remove(from); err != nil {
		return nil, err
	}
	return o.Create(to, c)
}

func (o *overlay) Link(from, to string) error {
	if o.at(from) == o.device {
		return vfs.CopyAcrossFS(o.device, from, o.FS, to)
	}
	return o.FS.Link(from, to)
}

func (o *overlay) Remove(name string) error {
	if o.at(name) == o.device {
		if _, err := o.device.Stat(name); err != nil {
			return err
		}
		o.hide(name)
		return nil
	}
	o.hide(name)
	return o.FS.Remove(name)
}

func (o *overlay) RemoveAll(name string) error {
	o.hide(name)
	return o.FS.RemoveAll(name)
}

func (o *overlay) Rename(from, to string) error {
	if o.at(from) == o.device {
		if err := vfs.CopyAcrossFS(o.device, from, o.FS, to); err != nil {
			return err
		}
		o.hide(from)
		return nil
	}
	return o.FS.Rename(from, to)
}

// Lock locks in memory: who opens the store has locked the directory that it is in.
func (o *overlay) Lock(name string) (io.Closer, error) {
	if err := o.parent(name); err != nil {
		return nil, err
	}
	return o.FS.Lock(name)
}

func (o *overlay) List(dir string) ([]string, error) {
	above, err := o.FS.List(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	below, failed := o.device.List(dir)
	if failed != nil && (err != nil || !errors.Is(failed, fs.ErrNotExist)) {
		return nil, failed
	}
	for _, name := range below {
		if !slices.Contains(above, name) && !o.hidden(o.PathJoin(dir, name)) {
			above = append(above, name)
		}
	}
	return above, nil
}

func (o *overlay) Stat(name string) (vfs.FileInfo, error) { return o.at(name).Stat(name) }

func (o *overlay) MkdirAll(name string, perm os.FileMode) error { return o.FS.MkdirAll(name, perm) }

func (o *overlay) GetDiskUsage(path string) (vfs.DiskUsage, error) {
	return o.device.GetDiskUsage(path)
}

// Unwrap returns nil: what is on the device is not all that this file system has.
func (o *overlay) Unwrap() vfs.FS { return nil }
