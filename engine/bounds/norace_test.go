//go:build !race

package bounds

// raceEnabled tells whether the tests run under the race detector.
const raceEnabled = false
