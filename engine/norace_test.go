//go:build !race

package engine

import "testing"

// raceEnabled tells whether the race detector watches the tests.
const raceEnabled = false

// oneAtATime marks a long test whose clients come one after another.
func oneAtATime(*testing.T) {}

// testSize is how large a test is.
func testSize(_ *testing.T, whole, _ int) int { return whole }
