// Package moment converts times to go-mysql-server's rows and to MySQL's texts, in the time zone of a
// session. Code that shows or reads a TIMESTAMP calls it. Begin reading at moment.go.
//
// Called by many packages of engine.
package moment
