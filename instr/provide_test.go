package instr

import "testing"

type provideKey struct{}

// What was provided last is there until it is taken away, for its own registry alone.
func TestProvide(t *testing.T) {
	r, other := NewRegistry(), NewRegistry()
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
