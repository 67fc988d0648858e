//go:build !linux

package processor

// WakeScheduler does nothing: there are no raw reads here.
func WakeScheduler() {}
