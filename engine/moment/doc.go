// Package moment has moments as go-mysql-server's rows and MySQL's texts have them, in the time
// zone of a session. Whatever shows or reads a TIMESTAMP calls it. Begin reading at moment.go.
package moment
