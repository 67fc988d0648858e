//go:build race

package txkv

import "testing"

// testSize is how large a test is: a part under the race detector, which makes it slow. The whole of it runs without.
func testSize(t *testing.T, _, part int) int {
	t.Helper()
	t.Run("whole", func(t *testing.T) { t.Skip("runs without the race detector") })
	return part
}
