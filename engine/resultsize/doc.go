// Package resultsize limits the results of functions: each function states how large its result can
// be, and [Bounded] wraps it such that no result is larger than max_allowed_packet, no document too
// deep, and no comparison of geometries too long.
//
// Two steps. State the size of a new function in functionsizes.go; a test of package engine finds
// those that state none. Give go-mysql-server only functions that Bounded has returned, as package
// catalog does. Begin reading with resultsize.go. Safe for concurrent use.
//
// Called by catalog. Calls builtins, sqlexpr, sqlvalue and syntax.
package resultsize
