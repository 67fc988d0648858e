package history

import (
	"errors"
	"sync/atomic"

	"pfsd/engine/txkv"
	"pfsd/instr"
)

// diskMemory is how much memory the store of a directory uses, bytes.
const diskMemory = 4 << 20

// disk is a medium in a directory.
type disk struct {
	store  *txkv.Store
	policy atomic.Int32 // txkv.FlushPolicy of the commit that is made; Store.writing guards changes
}

// openDisk opens a directory, or makes it, where o has its file system. A commit is given to the operating system before it returns, and is on the device
// a second later, or at once if its batch says so.
func openDisk(reg *instr.Registry, o txkv.Options, dir string, warn func(error)) (*disk, error) {
	d := &disk{}
	say := func(message string) { warn(errors.New("the buckets of history: " + message)) }
	store, err := txkv.Open(txkv.Options{
		Dir: dir, FS: o.FS, Registry: reg, Unmeasured: true, MemoryBytes: diskMemory, BallastBytes: -1,
		Flush:    func() txkv.FlushPolicy { return txkv.FlushPolicy(d.policy.Load()) },
		LogError: say, LogRecovered: say,
	})
	if err != nil {
		return nil, err
	}
	d.store = store
	return d, nil
}

func (d *disk) get(key []byte) ([]byte, error) {
	t := d.store.Begin(txkv.TxnOptions{Isolation: txkv.ReadCommitted, ReadOnly: true})
	defer t.Rollback()
	return t.GetNewest(key)
}

func (d *disk) apply(b *batch) error {
	t := d.store.Begin(txkv.TxnOptions{Isolation: txkv.ReadCommitted})
	defer t.Rollback()
	var err error
	for _, r := range b.ranges {
		err = errors.Join(err, t.DeleteRange(r[0], r[1]))
	}
	for i, key := range b.keys {
		if b.values[i] == nil {
			err = errors.Join(err, t.Delete(key))
			continue
		}
		err = errors.Join(err, t.Put(key, b.values[i]))
	}
	if err != nil {
		return err
	}
	policy := txkv.WriteAtCommit
	if b.durable {
		policy = txkv.FlushAtCommit
	}
	d.policy.Store(int32(policy))
	return t.Commit()
}

func (d *disk) scan(lo, hi []byte, each func(key, value []byte)) error {
	t := d.store.Begin(txkv.TxnOptions{Isolation: txkv.ReadCommitted, ReadOnly: true})
	defer t.Rollback()
	it, err := t.Scan(lo, hi, false)
	if err != nil {
		return err
	}
	for it.Next() {
		each(it.Key(), it.Value())
	}
	return errors.Join(it.Err(), it.Close())
}

func (d *disk) bytes() int {
	m := d.store.Memory()
	return int(m.BlockCache + m.MemTables + m.FileCache + m.Log + m.Writes)
}

func (d *disk) close() error { return d.store.Close() }
