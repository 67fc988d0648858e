//go:build race

package bounds

// raceEnabled tells whether the tests run under the race detector: trees take more memory then.
const raceEnabled = true
