package txkv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// spillDir is the directory of files, within bulkDir, that a bulk write or a transaction makes.
type spillDir struct {
	store *Store
	path  string
	made  int
}

func (s *Store) newSpillDir() spillDir {
	return spillDir{store: s, path: s.fs.PathJoin(s.dir, bulkDir, fmt.Sprint(s.ids.Add(1)))}
}

// create begins a file.
func (d *spillDir) create() (*sstable.Writer, string, error) {
	if err := d.store.mayWrite(); err != nil {
		return nil, "", err
	}
	fs := d.store.plain
	if err := fs.MkdirAll(d.path, 0o755); err != nil {
		return nil, "", ioError(err)
	}
	d.made++
	path := fs.PathJoin(d.path, fmt.Sprintf("%06d.sst", d.made))
	f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, "", ioError(err)
	}
	o := d.store.pebbleOptions.MakeWriterOptions(6, d.store.db.TableFormat())
	o.WritingToLowestLevel = false // else the writer takes deletions for superfluous, as nothing lies below
	return sstable.NewWriter(objstorageprovider.NewFileWritable(f), o), path, nil
}

// remove removes the directory and all in it.
func (d *spillDir) remove() {
	if d.made == 0 {
		return
	}
	if err := d.store.plain.RemoveAll(d.path); err != nil {
		d.store.logError("files of a transaction or a bulk write are not removed: " + err.Error())
	}
}

// fill writes the rest of a cursor, which is at a key, to files of up to limit bytes and up to keys
// keys each; 0 is no limit. The files also delete the earlier keys of the ranges, which are sorted
// and disjoint.
func (d *spillDir) fill(ctx context.Context, c cursor, limit, keys int, ranges []keyRange) (files []*spilled, err error) {
	from := []byte(nil) // where the ranges of the current file begin; nil means before all keys
	for more, n := true, 0; more; {
		full := n + keys
		w, path, err := d.create()
		if err != nil {
			return nil, err
		}
		f := &spilled{path: path, first: bytes.Clone(c.key())}
		for ; more && (limit == 0 || f.size < limit) && (keys == 0 || n < full); more = c.step() {
			if n++; n%1024 == 0 && ctx.Err() != nil {
				return nil, errors.Join(context.Cause(ctx), ioError(w.Close()))
			}
			key, value := c.key(), c.value()
			if value == nil {
				err = w.Delete(key)
			} else {
				err = w.Set(key, value)
			}
			if err != nil {
				return nil, ioError(errors.Join(err, w.Close()))
			}
			f.size += len(key) + len(value)
			f.last = append(f.last[:0], key...)
		}
		if err := c.err(); err != nil {
			return nil, errors.Join(err, ioError(w.Close()))
		}
		to := []byte(nil)
		if more {
			to = bytes.Clone(c.key())
		}
		for _, r := range ranges {
			if r = r.within(from, to); r.lo != nil {
				if err := w.DeleteRange(r.lo, r.hi); err != nil {
					return nil, ioError(errors.Join(err, w.Close()))
				}
			}
		}
		from = to
		if err := w.Close(); err != nil {
			return nil, ioError(err)
		}
		files = append(files, f)
	}
	return files, nil
}

type keyRange struct{ lo, hi []byte }

// within returns the part of a range from lo up to, without, hi; nil is no bound. If the part is
// empty, its lo is nil.
func (r keyRange) within(lo, hi []byte) keyRange {
	if bytes.Compare(lo, r.lo) > 0 {
		r.lo = lo
	}
	if hi != nil && bytes.Compare(hi, r.hi) < 0 {
		r.hi = hi
	}
	if bytes.Compare(r.lo, r.hi) >= 0 {
		return keyRange{}
	}
	return r
}

// disjoint returns the same ranges, sorted and without common keys.
func disjoint(ranges []keyRange) (out []keyRange) {
	for _, r := range slices.SortedFunc(slices.Values(ranges), func(a, b keyRange) int { return bytes.Compare(a.lo, b.lo) }) {
		if n := len(out); n > 0 && bytes.Compare(r.lo, out[n-1].hi) <= 0 {
			if bytes.Compare(r.hi, out[n-1].hi) > 0 {
				out[n-1].hi = r.hi
			}
			continue
		}
		out = append(out, r)
	}
	return out
}

// spilled is a file of sorted keys.
type spilled struct {
	path        string
	first, last []byte
	size        int // bytes of keys and values
}

// overlap reports whether the key ranges of two of the files overlap.
func overlap(files []*spilled) bool {
	sorted := slices.SortedFunc(slices.Values(files), func(a, b *spilled) int { return bytes.Compare(a.first, b.first) })
	for i := 1; i < len(sorted); i++ { // until here, each file ends before the next begins
		if bytes.Compare(sorted[i].first, sorted[i-1].last) <= 0 {
			return true
		}
	}
	return false
}

// ingest makes the keys of files that do not overlap visible, all or none, and durable. Until it
// calls release, nobody else may write these keys. It may do so after it has returned ErrDiskFull
// or ErrIO: then the keys may become visible when the device works again.
func (s *Store) ingest(ctx context.Context, paths []string, release func()) error {
	err := error(nil)
	if s.log != nil {
		// The commits in the log are older than the files, and the log does not have the files. So
		// a replay of the log must not follow the files: the log is emptied first.
		if err = s.log.await(s.log.crowded); err == nil {
			err = s.log.drain()
		}
	}
	if err == nil {
		err = s.flush() // else Pebble would flush during Ingest, while other commits wait
	}
	cause, noted := s.faults.state()
	if err == nil {
		err = cause
	}
	if err != nil {
		release()
		return err
	}
	done := make(chan error, 1)
	s.calls.Go(func() {
		s.snapshots.begin()
		err := s.db.Ingest(ctx, paths)
		s.snapshots.end()
		s.changes.Add(1)
		release()
		done <- err
	})
	for {
		select {
		case err := <-done:
			return ioError(err)
		case <-noted:
			if cause, noted = s.faults.state(); cause != nil {
				return cause
			}
		}
	}
}

// run holds writes that a transaction had in memory at one time, in files. Owned by the
// transaction's goroutine.
type run struct {
	store       *Store
	level       int     // how many times its keys have been merged
	parts       []*part // at least one, in the order of their keys
	first, last []byte  // keys
	users       int     // number of cursors
	marked      bool    // a Mark may go back to it
	gone        bool    // the transaction does not use it any more
}

// part is a file of a run.
type part struct {
	spilled
	reader *sstable.Reader
	forget func() // removes its blocks from the cache
	point  sstable.Iterator
}

// partKeys is how many keys a part has at most. The bloom filter of a file is one block of the
// cache, and a block that is large beside a shard of the cache does not stay in it: then each look-up
// of a key reads the filter again.
const partKeys = 1 << 17

// runFiles returns the files of runs.
func runFiles(runs []*run) (all []*spilled) {
	for _, r := range runs {
		for _, p := range r.parts {
			all = append(all, &p.spilled)
		}
	}
	return all
}

// openRun opens the files of a run, which fill has made.
func (s *Store) openRun(files []*spilled, level int) (*run, error) {
	r := &run{store: s, level: level, first: files[0].first, last: files[len(files)-1].last}
	for _, f := range files {
		p, err := s.openPart(f)
		if err != nil {
			r.close()
			return nil, err
		}
		r.parts = append(r.parts, p)
	}
	return r, nil
}

func (s *Store) openPart(f *spilled) (*part, error) {
	file, err := s.plain.Open(f.path)
	if err != nil {
		return nil, ioError(err)
	}
	readable, err := sstable.NewSimpleReadable(file)
	if err != nil {
		return nil, ioError(errors.Join(err, file.Close()))
	}
	o := s.pebbleOptions.MakeReaderOptions()
	blocks := s.cache.NewHandle()
	o.CacheOpts.CacheHandle = blocks
	p := &part{spilled: *f, forget: func() { blocks.EvictFile(o.CacheOpts.FileNum); blocks.Close() }}
	if p.reader, err = sstable.NewReader(context.Background(), readable, o); err != nil {
		blocks.Close()
		return nil, ioError(errors.Join(err, readable.Close()))
	}
	return p, nil
}

func (p *part) iterator(lo, hi []byte) (sstable.Iterator, error) {
	it, err := p.reader.NewPointIter(context.Background(), sstable.IterOptions{
		Lower: lo, Upper: hi, FilterBlockSizeLimit: sstable.AlwaysUseFilterBlock, ReaderProvider: sstable.MakeTrivialReaderProvider(p.reader),
	})
	return it, ioError(err)
}

// partFrom returns the place of the first part that ends at key or after it; len(r.parts) if there
// is none.
func (r *run) partFrom(key []byte) int {
	i, _ := slices.BinarySearchFunc(r.parts, key, func(p *part, key []byte) int { return bytes.Compare(p.last, key) })
	return i
}

// get returns the value that was written to a key; nil if the key was deleted.
func (r *run) get(key []byte) (value []byte, ok bool, err error) {
	if bytes.Compare(key, r.first) < 0 || bytes.Compare(key, r.last) > 0 {
		return nil, false, nil
	}
	return r.parts[r.partFrom(key)].get(key)
}

func (p *part) get(key []byte) (value []byte, ok bool, err error) {
	if bytes.Compare(key, p.first) < 0 {
		return nil, false, nil
	}
	if p.point == nil {
		if p.point, err = p.iterator(nil, nil); err != nil {
			return nil, false, err
		}
	}
	kv := p.point.SeekPrefixGE(key, key, 0)
	if kv == nil {
		return nil, false, ioError(p.point.Error())
	}
	if !bytes.Equal(kv.K.UserKey, key) {
		return nil, false, nil
	}
	if kv.Kind() == pebble.InternalKeyKindDelete {
		return nil, true, nil
	}
	return append([]byte{}, kv.InPlaceValue()...), true, nil
}

// cursor goes through the keys from lo up to, without, hi; nil is no bound.
func (r *run) cursor(lo, hi []byte, reverse bool) cursor {
	r.users++
	return &runCursor{run: r, lo: lo, hi: hi, reverse: reverse}
}

// release closes and removes files that are not needed.
func (r *run) release() {
	if !r.gone || r.marked || r.users > 0 {
		return
	}
	r.close()
	for _, p := range r.parts {
		if err := r.store.plain.Remove(p.path); err != nil {
			r.store.logError("a transaction's file is not removed: " + err.Error())
		}
	}
}

func (r *run) close() {
	for _, p := range r.parts {
		if p.reader == nil {
			continue
		}
		if p.point != nil {
			_ = p.point.Close()
		}
		_ = p.reader.Close()
		p.forget()
		p.reader, p.point = nil, nil
	}
}

// runCursor goes through the parts of a run, one after another.
type runCursor struct {
	run     *run
	part    int              // the place of the current part in run.parts
	it      sstable.Iterator // of the current part; nil where there is none
	lo, hi  []byte
	reverse bool
	k, v    []byte
	failed  error
}

func (c *runCursor) start() bool {
	switch {
	case !c.reverse:
		c.part = c.run.partFrom(c.lo)
	case c.hi == nil:
		c.part = len(c.run.parts) - 1
	default:
		c.part = min(c.run.partFrom(c.hi), len(c.run.parts)-1)
	}
	return c.enter()
}

// enter goes to the first key of the current part, or of the first part after it that has one.
func (c *runCursor) enter() bool {
	for ; c.part >= 0 && c.part < len(c.run.parts); c.advance() {
		p := c.run.parts[c.part]
		if before, after := bytes.Compare(p.last, c.lo) < 0, c.hi != nil && bytes.Compare(p.first, c.hi) >= 0; before || after {
			if before && c.reverse || after && !c.reverse {
				return false // so are all parts that follow
			}
			continue
		}
		if c.it, c.failed = p.iterator(c.lo, c.hi); c.failed != nil {
			return false
		}
		if c.first() {
			return true
		}
		if c.leave() != nil {
			return false
		}
	}
	return false
}

// advance makes the next part in the cursor's direction the current one.
func (c *runCursor) advance() {
	if c.reverse {
		c.part--
	} else {
		c.part++
	}
}

// first goes to the first key of the current part. It reports false if there is none, or on an
// error.
func (c *runCursor) first() bool {
	if !c.reverse {
		kv := c.it.SeekGE(c.lo, 0)
		return kv != nil && c.at(kv.K.UserKey, kv.InPlaceValue(), kv.Kind())
	}
	if c.hi == nil {
		kv := c.it.Last()
		return kv != nil && c.at(kv.K.UserKey, kv.InPlaceValue(), kv.Kind())
	}
	kv := c.it.SeekLT(c.hi, 0)
	return kv != nil && c.at(kv.K.UserKey, kv.InPlaceValue(), kv.Kind())
}

func (c *runCursor) step() bool {
	step := c.it.Next
	if c.reverse {
		step = c.it.Prev
	}
	if kv := step(); kv != nil {
		return c.at(kv.K.UserKey, kv.InPlaceValue(), kv.Kind())
	}
	if c.leave() != nil {
		return false
	}
	c.advance()
	return c.enter()
}

// at stores the cursor's current key and value.
func (c *runCursor) at(key, value []byte, kind pebble.InternalKeyKind) bool {
	c.k, c.v = key, nil
	if kind != pebble.InternalKeyKindDelete {
		if c.v = value; c.v == nil {
			c.v = []byte{}
		}
	}
	return true
}

func (c *runCursor) key() []byte   { return c.k }
func (c *runCursor) value() []byte { return c.v }
func (c *runCursor) err() error    { return c.failed }

// leave closes the iterator of the current part, and returns the cursor's error.
func (c *runCursor) leave() error {
	if c.it != nil {
		c.failed = errors.Join(c.failed, ioError(errors.Join(c.it.Error(), c.it.Close())))
		c.it = nil
	}
	return c.failed
}

func (c *runCursor) close() error {
	err := c.leave()
	c.run.users--
	c.run.release()
	return err
}
