// Package stages knows the stages that statements go through, under MySQL's names, and in which one a statement is.
//
// Classes are the instruments of the stages. A Tracker belongs to a running statement: package connection tells it what
// kind of statement it is and when its plan is carried out, and calls GoOn when the statement has waited for something. A Progress is
// an iterator that counts the rows that come through it and tells how far the stage is; Sorting is one whose first row is that of a
// sort, which is a stage of its own; Copying is for statements that copy a table. The package calls instr, usertables and storage.
//
// Begin reading at tracker.go. Trackers and iterators are owned by the connection's goroutine.
//
// Called by connection, scheduler and tableuse.
package stages
