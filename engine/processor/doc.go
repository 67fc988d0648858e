// Package processor limits the processor time of statements, so that the server's clients do not take what
// the host program needs.
//
//	b := processor.New(0.25, 2) // a quarter of a processor, two statements at a time
//	m := b.NewMeter(held)       // for a connection
//	err := m.Begin(ctx, account, false) // before a statement
//	err = m.Row(1)              // after each row, or several
//	m.End()                     // after the statement
//
// A Budget is a token bucket that fills with a share of real time. Statements are charged for the time that
// they run, and sleep between rows while the bucket is empty. What cannot be interrupted, such as planning, is
// charged afterwards. The number of statements that run at a time is limited, too; a statement that waits for
// a lock or its client does not count. The garbage collector's work is not part of the share. A statement that was ended, and does not
// end, loses its place after a second, but counts as one of its account's.
//
// A Budget is safe for concurrent use, a Meter is owned by one goroutine. Rows do not allocate.
//
// Called by connection, engine, metering, plancache, results and tableuse. Calls no other package
// of the module. budget.go has the budget and the meters, overdue.go who has places and who has lost them, wake_linux.go what wakes
// Go's scheduler. Begin reading with budget.go.
package processor
