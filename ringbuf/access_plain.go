//go:build amd64 && !race && !pfsatomic

package ringbuf

import "sync/atomic"

// Variant says how this build stores.
const Variant = "plain stores"

// Store writes a word of a slot that Publish makes visible.
func Store(p *uint64, v uint64) { *p = v }

// Publish writes the word that makes the stores before it visible. The load keeps the
// compiler from dropping it when the next store to *p follows at once.
func Publish(p *uint64, v uint64) {
	*p = v
	atomic.LoadUint64(p)
}

func copyIn[E any](slot, e *E) { *slot = *e }
