// Package neighbour is a plain go-mysql-server engine, such as another part of the same program may use. Tests use it to check that the
// server does not change its results: go-mysql-server has some global settings.
//
// Its own test records in testdata/answers.txt the results of such an engine alone in a process. The engine's test compares them with its
// results before a server is made, while one serves, and after it has stopped.
//
// Called by engine's tests alone. Calls no other package of the module. Begin reading with
// neighbour.go.
package neighbour
