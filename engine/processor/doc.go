// Package processor holds down what statements take of the processors, so that those who read do not take
// what the program around the server needs.
//
//	b := processor.New(0.25, 2) // a quarter of a processor, two statements at a time
//	u := b.Use(held)            // of one connection
//	err := u.Begin(ctx, false)  // before a statement
//	err = u.Row()               // at each row, or each few
//	u.End()                     // after it
//
// A Budget is a bucket that fills with a share of real time. Statements take from it what they have been
// busy for, and sleep at their rows while it is empty. What cannot be interrupted, such as planning, is paid
// for when it is over. No more than so many statements run at a time; those that wait for something hold no
// place. What the garbage collector does for a statement comes on top of its share.
//
// A Budget is safe for concurrent use, a Use is owned by one goroutine. Nothing here allocates for a row.
package processor
