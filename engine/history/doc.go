// Package history keeps what the summaries of performance_schema have counted in buckets of time: the tables of the schema
// history.
//
// Three steps. [Open] a [Store] in a directory, or in memory; make a [Collector] of a model and the store; [Collector.Run] it on a
// thread of its own. The tables find the rows by themselves.
//
// Every interval, 10 seconds by default, the collector reads the summaries and writes how much each key has grown since. A
// bucket has the keys that have grown, those with the most time first, and a row of all others. Counters that went down were
// emptied meanwhile, and count from 0. A TRUNCATE has the collector read the summaries before and after it, so that nothing is lost.
//
// When a minute or an hour is over, its buckets are read again, added up and written as one; those of a process that was killed
// are added up by the next one. Buckets go when they are older than what is kept of their length, for whole minutes and hours
// at a time; or, the oldest first, when all together take too many bytes. The row of a time that is still there at a finer
// resolution says so (FINEST).
//
// The clock may be set. A bucket starts at a multiple of its length by the wall clock, and its length is measured by the
// monotonic clock. Where the wall clock shows a time again, the rows are added to the bucket that is there.
//
// A batch of buckets is given to the operating system before the next begins: the end of the process loses at most the bucket
// that is not over. A batch that cannot be written is counted, and the next one is tried. A directory that cannot be opened
// as a store is left alone, and the buckets are in memory; one without room can be read, and new buckets are lost until the next start. A reader copies the list of the buckets that it wants, and reads
// each when it gets there: it holds nothing, and a bucket that is gone by then is left out.
//
// The store has two more things, which stay until somebody removes them, and are on the device before a call returns: snapshots of waits
// (tables.Snapshots), and definitions of metrics (tables.UserMetrics), whose readings are in buckets like the rest. Who calls [Store.Due]
// reads the metrics, as [Store.Sample] has said.
//
// Memory: in a directory, 4 MiB of package txkv, of which Go's heap may take twice as much; in memory, a quarter of the limit.
// The collector has about 300 bytes for each digest, and up to 600 for each key of another summary that has a histogram.
//
// Files: collector.go reads the summaries, digests.go the one that may have very many rows, store.go has the buckets, rollup.go
// adds them up and removes them, scan.go reads them; bucket.go is the form of a bucket, keys.go that of the keys; disk.go and
// memory.go are where they are; snapshots.go and metrics.go have what people keep. Begin reading with collector.go.
//
// Called by engine. Calls txkv, tables and instr.
package history
