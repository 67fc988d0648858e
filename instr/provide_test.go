package instr

import "testing"

type provideKey struct{}

// The value that was provided last stays until it is removed, in its own registry only.
func TestProvide(t *testing.T) {
	r, other := NewRegistry().Reader(), NewRegistry().Reader()
	if v := r.Provided(provideKey{}); v != nil {
		t.Errorf("an empty registry provides %v", v)
	}
	r.Provide(provideKey{}, 1)
	r.Provide(provideKey{}, 2)
	if v := r.Provided(provideKey{}); v != 2 {
		t.Errorf("provided %v, not what came last", v)
	}
	if v := other.Provided(provideKey{}); v != nil {
		t.Errorf("another registry provides %v", v)
	}
	r.Provide(provideKey{}, nil)
	if v := r.Provided(provideKey{}); v != nil {
		t.Errorf("provided %v, though it was taken away", v)
	}
}
