package instr

import "sync"

// providedValues are the values that a program keeps in a registry for its readers. The zero
// providedValues are empty.
type providedValues struct{ byKey sync.Map }

// Provide keeps a value for readers of the registry, such as package tables, which find it by its
// key; a nil value removes it. A key is of a type of its own, as in package context. Safe for
// concurrent use.
func (h Reader) Provide(key, value any) {
	if value == nil {
		h.r.providedValues.byKey.Delete(key)
		return
	}
	h.r.providedValues.byKey.Store(key, value)
}

// Provided returns the value that Provide has kept for the key, nil if there is none. Safe for
// concurrent use.
func (h Reader) Provided(key any) any {
	value, _ := h.r.providedValues.byKey.Load(key)
	return value
}
