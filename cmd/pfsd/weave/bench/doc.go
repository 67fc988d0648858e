// Command bench measures what the recorder of pfsd build costs a program: the same operations in a plain program, in one with the
// recorder that does not record, in one that does, and in the plain one with what Go has itself: mutex and block profiles, an execution
// trace, and the flight recorder. They take turns, and the least of all rounds counts: make bench-weave.
//
// Called by people, as a command. Calls the go command and pfsd. Begin reading with main.go; the program that is measured is in
// testdata.
package main
