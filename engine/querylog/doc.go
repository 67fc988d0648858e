// Package querylog is the slow log and the general log, as files in MySQL's format and as the rows of mysql.slow_log and
// mysql.general_log.
//
// Three steps. New makes them, off; Configure says what is on, and where it goes; a statement asks Wants, and if that is true
// calls Slow or General. Where a log is off that is one atomic load. Texts are as their callers give them: without passwords.
//
// The files are opened and closed by Configure, and anew by Reopen. What cannot be opened or written is lost; the former is
// reported. Lines of a file of rows that are damaged are left out, and reported with their number, bytes and offset. The rows are the newest, bounded in bytes, in memory, and in files of the server's directory (kept.go), from which the next
// server reads them when somebody first asks.
//
// Safe for concurrent use. Files: log.go, entries.go, rows.go, kept.go.
//
// Called by catalog, connection, engine and parsing. Begin reading with log.go.
package querylog
