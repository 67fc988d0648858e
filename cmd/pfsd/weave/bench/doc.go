// Command bench measures what the recorder of pfsd build costs a program: the same operations in a plain program, in one with the
// recorder that does not record, in one that does, and in the plain one with what Go has itself: mutex and block profiles, an execution
// trace, and the flight recorder. They take turns, and the least of all rounds counts.
//
//	make build && go run ./cmd/pfsd/weave/bench
package main
