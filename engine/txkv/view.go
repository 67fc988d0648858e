package txkv

// View reads what a transaction reads, with the transaction's own writes as they were at a [Mark]:
// a statement that reads while it writes does not see its own new writes. Owned by the
// transaction's goroutine. Do not use it after the transaction has ended or gone back to before the
// mark.
type View struct {
	txn    *Txn
	writes layers
}

// At returns the view at a mark.
func (t *Txn) At(m Mark) View { return View{t, m.layers} }

// own returns what the transaction had written to a key at the mark.
func (v View) own(key []byte) (value []byte, ok bool, err error) {
	if v.txn.done {
		return nil, false, ErrDone
	}
	return v.writes.get(key)
}

// Get is [Txn.Get] of the view.
func (v View) Get(key []byte) ([]byte, error) {
	if value, ok, err := v.own(key); ok || err != nil {
		return value, err
	}
	return v.txn.consistent().value(key)
}

// GetNewest is [Txn.GetNewest] of the view.
func (v View) GetNewest(key []byte) ([]byte, error) {
	if value, ok, err := v.own(key); ok || err != nil {
		return value, err
	}
	return newest{&v.txn.store.snapshots}.value(key)
}

// Scan is [Txn.Scan] of the view.
func (v View) Scan(lo, hi []byte, reverse bool) (*Iterator, error) {
	if v.txn.done {
		return nil, ErrDone
	}
	return newIterator(v.txn.store, v.txn.consistent(), v.writes, lo, hi, reverse)
}

// ScanNewest is [Txn.ScanNewest] of the view.
func (v View) ScanNewest(lo, hi []byte, reverse bool) (*Iterator, error) {
	if v.txn.done {
		return nil, ErrDone
	}
	return newestIterator(v.txn.store, v.writes, lo, hi, reverse)
}
