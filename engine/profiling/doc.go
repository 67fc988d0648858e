// Package profiling keeps what SHOW PROFILE shows: how long the stages of a session's last statements took.
//
// Package connection has [Profiles] for each connection and tells them when a statement begins and ends; the thread tells them of each
// stage. SHOW PROFILE, SHOW PROFILES and information_schema.PROFILING are answered here; the session of a statement is found through
// [Session]. Begin reading at profiling.go. Profiles are owned by the connection's goroutine.
//
// Called by connection, engine and parsing. Calls instr, mysqlerr and nodes.
package profiling
