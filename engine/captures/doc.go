// Package captures takes CPU profiles and execution traces of the program for the tables captures and cpu_profile: at once,
// or when a lock is held or a statement runs for too long, or too many sessions are active.
//
// Use: call New for a model, which provides the tables; rows that clients insert do the rest. Close ends all captures. Nothing
// runs, and statements do nothing, while no capture is armed: BeginStatement and EndStatement read one word.
//
// The profile and the trace are Go's own, of which a program can have one at a time: if it takes one itself, a capture fails and says
// so. Statements set labels of runtime/pprof on their goroutines, which are the server's, and only while a CPU profile is taken. A
// Profiler is safe for concurrent use. Files: profiler.go has the captures, conditions.go looks at what they wait for, cpu.go reads
// profiles, files.go has the files.
//
// Called by engine. Calls instr and tables. Begin reading with profiler.go.
package captures
