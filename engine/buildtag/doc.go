// Package buildtag has who builds the engine without the tag gms_pure_go told so by name: without it, go-mysql-server matches regular expressions
// with a C library, which most machines lack, and some of them in another way. The engine imports it, nothing else does.
package buildtag
