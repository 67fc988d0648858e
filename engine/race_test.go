//go:build race

package engine

// raceEnabled tells whether the race detector watches the tests.
const raceEnabled = true
