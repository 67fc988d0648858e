//go:build !race

package tables

// raceEnabled tells whether the race detector watches the tests.
const raceEnabled = false
