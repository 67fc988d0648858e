// Package mysqlerr has the errors that clients get: MySQL's numbers, SQLSTATEs and texts.
//
// Those that the server raises by itself are functions and variables here. [Of] makes MySQL's error of whatever
// go-mysql-server, the parser or the operating system came up with, and the tables of kinds and texts tell which. Begin reading at errors.go; a new number
// also needs its line in All.
package mysqlerr
