//go:build !amd64 || race || pfsatomic

package ringbuf

import "sync/atomic"

// Variant says how this build stores.
const Variant = "atomic stores"

// Store writes a word of a slot that Publish makes visible.
func Store(p *uint64, v uint64) { atomic.StoreUint64(p, v) }

// Publish writes the word that makes the stores before it visible.
func Publish(p *uint64, v uint64) { atomic.StoreUint64(p, v) }

func copyIn[E any](slot, e *E) {
	for i := range words[E]() {
		Store(word(slot, i), *word(e, i))
	}
}
