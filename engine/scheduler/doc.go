// Package scheduler decides when events are carried out: CREATE EVENT ... ON SCHEDULE; and when metrics are read, as Config.Metrics says.
//
// The databases keep the events. They share a [Queue] with the [Scheduler], whose goroutine waits until the next event is due or something
// has changed, and then has it carried out on a goroutine of its own, through Config.Run, which package engine provides. The package calls
// usertables for the events and instr for its lock, its thread and its stages.
//
// Begin reading at Scheduler.schedule in scheduler.go. Safe for concurrent use.
//
// Called by connection and engine.
package scheduler
