package instr

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// FileInstance is what is known of a file, a row of file_instances. There is one for each name,
// absolute and cleaned, symbolic links not followed, or as [FileClass.WrapFS] says: all Files of the same name share it, and it
// belongs to the class that opened it first. It is made at the first successful open, also while
// the class is off. It stays when the file is closed, gets the new name when the file is renamed,
// and goes when the file is deleted. Safe for concurrent use.
type FileInstance struct {
	identity
	name      atomic.Pointer[string]
	openCount atomic.Int64
	io        sharedIOStat
}

// Name is the file's name, absolute unless the file is of a wrapped fs.FS.
func (in *FileInstance) Name() string { return *in.name.Load() }

// OpenCount is how many Files of this name are open.
func (in *FileInstance) OpenCount() int64 { return in.openCount.Load() }

// IO is the statistics of all operations on the file.
func (in *FileInstance) IO() IOStat { return in.io.read() }

// Waits implements Instance.
func (in *FileInstance) Waits() Stat { return in.io.read().All() }

// resetWaits implements Instance.
func (in *FileInstance) resetWaits() { in.io.reset() }

// bytes implements Instance.
func (in *FileInstance) bytes() int { return in.io.bytes() + size[string]() + len(in.Name()) }

// closed says that one File of this name is no longer open.
func (in *FileInstance) closed() {
	in.openCount.Add(-1)
	in.class.registry.release(LimitFileHandles)
}

// fileHandle keeps a file's instance alive. The list of names and the Files refer to it.
type fileHandle struct {
	ioHandle
	instance *FileInstance
	virtual  bool // the file is of a wrapped fs.FS: the operating system does not know the name
}

// files are a registry's files by name. The zero files is empty.
type files struct {
	mu     sync.Mutex
	byName map[string]*fileHandle
	folded map[string][]*fileHandle // the same by the name in lower case
}

// put enters a file under its instance's name, and drop takes it out. The caller holds mu.
func (fs *files) put(h *fileHandle) {
	if fs.byName == nil {
		fs.byName, fs.folded = map[string]*fileHandle{}, map[string][]*fileHandle{}
	}
	name := h.instance.Name()
	h.class.registry.noteNames(name)
	fs.byName[name] = h
	fs.folded[lowerASCII(name)] = append(fs.folded[lowerASCII(name)], h)
}

func (fs *files) drop(h *fileHandle) {
	name := h.instance.Name()
	delete(fs.byName, name)
	folded := lowerASCII(name)
	if left := slices.DeleteFunc(fs.folded[folded], func(o *fileHandle) bool { return o == h }); len(left) > 0 {
		fs.folded[folded] = left
	} else {
		delete(fs.folded, folded)
	}
}

// absolute is the name that a file's instance has.
func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return filepath.Clean(name)
}

// lookup returns the handle of the file with this absolute name, nil if there is none.
func (fs *files) lookup(name string) *fileHandle {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.byName[name]
}

// opened counts one more open File of this absolute name, or of this name in a wrapped fs.FS, and
// makes its instance, in class c, if there is none. It returns nil if the class or the file is lost, and false if the File is not to
// be counted because too many are open.
func (fs *files) opened(c *Class, name string, virtual bool) (h *fileHandle, counted bool) {
	if c.lost() {
		return nil, false
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	h = fs.byName[name]
	if h == nil {
		var in *FileInstance
		if !c.register(func(id uint64) Instance {
			in = &FileInstance{identity: identity{c, id}}
			in.name.Store(&name)
			return in
		}) {
			return nil, false
		}
		h = &fileHandle{ioHandle{class: c, id: in.id, stat: &in.io}, in, virtual}
		watch(h, in)
		fs.put(h)
		fs.sweepLocked(name)
	}
	if !c.registry.acquire(LimitFileHandles) {
		return h, false
	}
	h.instance.openCount.Add(1)
	return h, true
}

// sweep hides a file that does not exist any more. Opening and renaming call it after they have
// entered the name, for the case that the file has been deleted meanwhile: whichever comes last
// finds that there is no such file.
func (fs *files) sweep(name string) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.sweepLocked(name)
}

func (fs *files) sweepLocked(name string) {
	h := fs.byName[name]
	if h == nil || h.virtual {
		return
	}
	if _, err := os.Lstat(name); os.IsNotExist(err) {
		fs.drop(h)
		h.class.hide(h.instance)
	}
}

// remove hides the file with this absolute name, and all below it if it is a directory. restore
// undoes that.
func (fs *files) remove(name string, below bool) []*fileHandle {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	gone := fs.matching(name, below)
	for _, h := range gone {
		fs.drop(h)
		h.class.hide(h.instance)
	}
	return gone
}

// restore shows files again whose deletion has failed, except those whose name has a new instance
// already.
func (fs *files) restore(gone []*fileHandle) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, h := range gone {
		if name := h.instance.Name(); fs.byName[name] == nil {
			fs.put(h)
			h.class.show(h.instance)
		}
	}
}

// rename gives the file with one absolute name the other one, and does the same to all
// below it if it is a directory. What had the new name is replaced.
func (fs *files) rename(from, to string) {
	if from == to {
		return
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if old := fs.byName[to]; old != nil {
		fs.drop(old)
		old.class.hide(old.instance)
	}
	for _, h := range fs.matching(from, true) {
		old := h.instance.Name()
		name := to + strings.TrimPrefix(old, from)
		fs.drop(h)
		h.instance.name.Store(&name)
		fs.put(h)
	}
	fs.sweepLocked(to)
}

// matching returns the handles of the file with this name and, if below, of all those
// below it. The caller holds mu.
func (fs *files) matching(name string, below bool) []*fileHandle {
	var all []*fileHandle
	if h := fs.byName[name]; h != nil {
		all = append(all, h)
	}
	if below {
		dir := strings.TrimSuffix(name, string(filepath.Separator)) + string(filepath.Separator)
		for other, h := range fs.byName {
			if other != name && strings.HasPrefix(other, dir) {
				all = append(all, h)
			}
		}
	}
	return all
}

// FileByName returns the file with this name, nil if there is none.
func (h Reader) FileByName(name string) *FileInstance {
	if h := h.r.files.lookup(absolute(name)); h != nil {
		return h.instance
	}
	return nil
}

// FilesNamed returns the files with this absolute name, without regard to the case of ASCII
// letters. Safe for concurrent use.
func (h Reader) FilesNamed(name string) []*FileInstance {
	fs := &h.r.files
	fs.mu.Lock()
	defer fs.mu.Unlock()
	var named []*FileInstance
	for _, h := range fs.folded[lowerASCII(name)] {
		named = append(named, h.instance)
	}
	return named
}
