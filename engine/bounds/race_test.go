//go:build race

package bounds

// raceEnabled tells whether the race detector watches the tests: trees take more memory then.
const raceEnabled = true
