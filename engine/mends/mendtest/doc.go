// Package mendtest has what the tests of several packages ask about mends: whether one of package
// mends is still needed, and what a function allocates.
//
// Called by tests alone. Calls no other package of the module. Begin reading with mendtest.go.
package mendtest
