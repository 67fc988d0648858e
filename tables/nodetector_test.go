//go:build !race

package tables

import "testing"

// oneAtATime marks a long test whose work is done by one goroutine.
func oneAtATime(*testing.T) {}
