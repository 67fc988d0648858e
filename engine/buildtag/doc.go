// Package buildtag makes a build of the engine without the tag gms_pure_go fail with an error that names the tag: without it,
// go-mysql-server matches regular expressions with a C library, which most machines lack, and some of them with other results.
// Only the engine imports it.
//
// Called by engine. Calls no other package of the module. Begin reading with missing.go.
package buildtag
