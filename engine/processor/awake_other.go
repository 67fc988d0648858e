//go:build !linux

package processor

// Awake does nothing: the scheduler is told of every call.
func Awake() {}
