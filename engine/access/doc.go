// Package access tells what the session of a statement may do and see, and as whom.
//
// Whatever carries out a part of a statement asks it with the context of the statement, whose
// ProcessList implements [Session]. The package asks [accounts.Access] in turn; it keeps nothing.
// Begin reading at access.go. Safe for concurrent use as far as the context is.
package access
