// Package activesessions samples what active threads are doing, for the table active_session_history.
//
// Use: New for a model, Run in a goroutine of the caller's, and Sample where a test wants one now. What is sampled comes from
// what threads have recorded anyway: nothing is added to what they do, and none is stopped. The samples are in memory, in
// blocks of which the oldest goes when there are more bytes than SetSize says.
//
// Calls: package tables, whose Model it reads and which has the table. Called by package engine. A Sampler is safe for
// concurrent use. Files: sampler.go (when, and of whom), history.go (the samples).
package activesessions
