//go:build race

package tables

import "testing"

// oneAtATime leaves out a long test whose work is done by one goroutine: the race detector would find nothing in it.
func oneAtATime(t *testing.T) {
	t.Helper()
	t.Skip("runs without the race detector")
}
