// Package neighbour is a go-mysql-server engine as another part of the same program may have one, for tests to see whether the server alters it:
// go-mysql-server keeps some of its settings for the whole process.
//
// Its own test records in testdata/answers.txt what such an engine answers alone in a process, and the engine's test holds it against that
// before a server is made, while it serves, and when it is gone.
package neighbour
