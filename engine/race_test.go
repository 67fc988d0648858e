//go:build race

package engine

import "testing"

// raceEnabled tells whether the race detector watches the tests.
const raceEnabled = true

// oneAtATime leaves out a long test whose clients come one after another: the race detector would find nothing that shorter tests do not show it.
func oneAtATime(t *testing.T) {
	t.Helper()
	t.Skip("runs without the race detector")
}

// testSize is how large a test is: a part under the race detector, which makes it slow. The whole of it runs without.
func testSize(t *testing.T, _, part int) int {
	t.Helper()
	t.Run("whole", oneAtATime)
	return part
}
