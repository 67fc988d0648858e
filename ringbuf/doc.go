// Package ringbuf holds the buffers that events are recorded in: a ring that one writer
// fills while anybody reads, and a long history made of one such ring for each processor.
//
// To use it: make a [Ring] or a [Long] of an event type, which must be a pointer-free
// struct or array of 64-bit words; Append to it; read it through positions or a cursor.
//
// The memory protocol. Only a ring's writer writes its slots and its position; the position counts
// the events ever appended. Event n is stored in slot n modulo the number of slots, which is larger
// than the number of visible events, and only then the position becomes n+1. A reader copies the
// slot of event n and then reads the position. If it is less than n plus the number of slots, the
// writer has not begun to overwrite the slot, and the copy is whole. If not, the copy is thrown
// away and counted: no torn event is ever returned.
//
// This needs stores that become visible in program order. On amd64, without the race detector, they
// are plain stores: the processor keeps the order of stores, and the compiler does not move one
// store across another. The compiler may drop a store that the next store overwrites with no load
// between them; [Publish] prevents that. Elsewhere, under -race and with the build tag pfsatomic,
// every store is atomic. Loads are always atomic.
//
// Appending never blocks; it allocates once for each processor that uses a Long.
//
// Files: ring.go is the ring of one writer, long.go the long history of all threads, latch.go a
// lock for a few stores. access_plain.go and access_atomic.go are the two variants of stores,
// perp.go has a value for each processor, and pin.go says which processor this is.
//
// Called by instr. Calls no other package of the module. Begin reading with ring.go.
package ringbuf
