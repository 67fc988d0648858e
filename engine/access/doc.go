// Package access answers what the session of a statement may do and see, and under which account.
//
// Whatever runs a part of a statement calls it with the statement's context, whose ProcessList
// implements [Session]. The package calls [accounts.Access]; it has no state. Begin reading at
// access.go. Safe for concurrent use as far as the context is.
//
// Called by many packages of engine.
package access
