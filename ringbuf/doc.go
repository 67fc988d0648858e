// Package ringbuf holds the buffers that events are recorded in: a ring that one writer
// fills while anybody reads, and a long history made of one such ring for each processor.
//
// To use it: make a [Ring] or a [Long] of an event type, which must be a pointer-free
// struct or array of 64-bit words; Append to it; read it through positions or a cursor.
//
// The contract with memory. Only a ring's writer writes its slots and its position; the
// position counts the events ever appended. An event n is stored in slot n modulo the
// number of slots, which exceeds the number of visible events, and only then the position
// becomes n+1. A reader copies slot n and then reads the position: while it is less than
// n plus the number of slots, the writer has not yet begun to overwrite slot n, and the
// copy is whole. If not, the copy is thrown away and counted: no torn event is ever returned.
//
// This needs stores that become visible in program order. On amd64, without the race
// detector, they are plain: the processor keeps the order of stores and the compiler does
// not move one store across another; it may drop a store that the next one overwrites with
// no load between, which [Publish] prevents. Elsewhere, under -race and with the build tag
// pfsatomic, every store is atomic. Loads are always atomic.
//
// Appending never blocks; it allocates once for each processor that uses a Long.
//
// Files: ring.go one writer's ring; long.go the history_long of all threads; latch.go a lock for
// a few stores; access_plain.go and access_atomic.go the two variants of storing; perp.go one of
// something for each processor; pin.go which processor this is.
package ringbuf
