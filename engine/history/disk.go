package history

import (
	"errors"

	"pfsd/engine/txkv"
	"pfsd/instr"
)

// diskMemory is how much memory the store of a directory uses, bytes.
const diskMemory = 4 << 20

// disk is a medium in a directory.
type disk struct{ store *txkv.Store }

// openDisk opens a directory, or makes it. A commit is given to the operating system before it returns, and is on the device
// a second later.
func openDisk(reg *instr.Registry, dir string, warn func(error)) (*disk, error) {
	say := func(message string) { warn(errors.New("the buckets of history: " + message)) }
	store, err := txkv.Open(txkv.Options{
		Dir: dir, Registry: reg, Unmeasured: true, MemoryBytes: diskMemory, BallastBytes: -1,
		Flush:    func() txkv.FlushPolicy { return txkv.WriteAtCommit },
		LogError: say, LogRecovered: say,
	})
	if err != nil {
		return nil, err
	}
	return &disk{store}, nil
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
