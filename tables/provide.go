package tables

import "pfsd/instr"

// A Provider returns the rows of a table that do not come from package instr, but from the server
// through which the tables are read. It may leave out rows that do not match key, but need not.
// Safe for concurrent use; the rows are the caller's.
type Provider[R any] func(key Key) []R

type providerKey[R any] struct{}

// Provide makes p the source of the rows of type R in a model, which are those of the table whose
// file declares R; nil removes the provider. Safe for concurrent use.
func Provide[R any](model Model, p Provider[R]) {
	if p == nil {
		model.Provide(providerKey[R]{}, nil)
		return
	}
	model.Provide(providerKey[R]{}, p)
}

// provided starts a scan of the rows that a server provides; without a provider there are none.
func provided[R any](model Model, key Key) Source[*R] {
	p, _ := model.Provided(providerKey[R]{}).(Provider[R])
	if p == nil {
		return list[*R](nil)
	}
	rows := p(key)
	return func(buf []*R) int {
		n := min(len(buf), len(rows))
		for i := range n {
			buf[i] = &rows[i]
		}
		rows = rows[n:]
		return n
	}
}

// writing is a model whose tables are written with the rights of an account.
type writing struct {
	Model
	account string
}

// As is a model whose tables are written with the rights of an account, as CURRENT_USER() has its name. Safe for concurrent use, if model
// is.
func As(model Model, account string) Model { return writing{model, account} }

// writer is the account with whose rights a table is written; "" if nobody knows.
func writer(model Model) string {
	w, _ := model.(writing)
	return w.account
}

// reader is the thread of the calling goroutine, which reads; nil if it has none in the model.
func reader(model Model) (Thread, instr.ThreadInfo) {
	t := model.Current()
	if t == nil {
		return nil, instr.ThreadInfo{}
	}
	info, ok := t.Snapshot()
	if !ok {
		return nil, info
	}
	return t, info
}

// providedIf is provided for a table whose provider ignores the key: it leaves out rows for which
// allows is false.
func providedIf[R any](allows func(Key, *R) bool) func(Model, Key) Source[*R] {
	return func(model Model, key Key) Source[*R] {
		src := provided[R](model, key)
		return func(buf []*R) int {
			for n := src(buf); n > 0; n = src(buf) {
				kept := 0
				for _, r := range buf[:n] {
					if allows(key, r) {
						buf[kept] = r
						kept++
					}
				}
				if kept > 0 {
					return kept
				}
			}
			return 0
		}
	}
}

type truncaterKey[R any] struct{}

// ProvideTruncate makes TRUNCATE of the table with rows of type R call truncate, after which the
// provider must not return the present rows any more; nil removes it. Safe for concurrent use.
func ProvideTruncate[R any](model Model, truncate func()) {
	if truncate == nil {
		model.Provide(truncaterKey[R]{}, nil)
		return
	}
	model.Provide(truncaterKey[R]{}, truncate)
}

// truncateProvided empties the rows that a server provides.
func truncateProvided[R any](model Model) {
	if truncate, _ := model.Provided(truncaterKey[R]{}).(func()); truncate != nil {
		truncate()
	}
}
