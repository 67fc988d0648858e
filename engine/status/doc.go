// Package status has the status variables: what SHOW STATUS, the tables *_status and the meters show.
//
// Counters are the variables that threads count; package connection counts in them as commands arrive and statements end. Server knows the
// others, which are worked out when somebody asks: how many connections there are, how TLS is set up, what had no room, what users'
// tables have done. It is the tables.StatusSource of its server, and Meter makes metrics of all that are numbers. Variables of what
// does not exist here are 0; docs/differences.md says why.
//
// The package calls wire, throttle, budget, vtable and infoschema for what they know. Begin reading at status.go; counters.go has the
// counters of threads, innodb.go those of users' tables, meters.go the metrics. Safe for concurrent use.
//
// Called by connection, engine, plancache, prepared, programs and tableuse.
package status
