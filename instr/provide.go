package instr

import "sync"

// providedValues are what the program that uses a registry gives those who read it. The zero
// providedValues are empty.
type providedValues struct{ byKey sync.Map }

// Provide keeps a value for readers of the registry, such as package tables, who know it by
// key; a nil value takes it away. A key is of a type of its own, as in package context. Safe
// for concurrent use.
func (r *Registry) Provide(key, value any) {
	if value == nil {
		r.providedValues.byKey.Delete(key)
		return
	}
	r.providedValues.byKey.Store(key, value)
}

// Provided returns what Provide has kept last, nil if nothing. Safe for concurrent use.
func (r *Registry) Provided(key any) any {
	value, _ := r.providedValues.byKey.Load(key)
	return value
}
