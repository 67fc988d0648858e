//go:build !race

package bounds

// raceEnabled tells whether the race detector watches the tests.
const raceEnabled = false
