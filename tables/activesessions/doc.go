// Package activesessions samples what active threads are doing, for the table active_session_history.
//
// Use: call New for a model, and Run in a goroutine; a test calls Sample to take a sample at once. A sample consists of what
// threads have recorded anyway: the threads do nothing more than before, and none is stopped. The samples are in memory, in
// blocks; the oldest block goes when they take more bytes than SetSize allows. With OpenFiles and KeepIn they are also in
// files, which outlive the process; a reader gets what is no longer in memory from there.
//
// It calls package tables, whose Model it reads and which has the table, and is called by package engine. A Sampler is
// safe for concurrent use. Files: sampler.go takes the samples, history.go keeps them in memory, files.go in
// files, whose format is in encode.go.
//
// Called by engine. Calls instr and tables. Begin reading with sampler.go.
package activesessions
