package budget

import "math"

// ChunkSize is the variable with how much memory a connection reserves from the server at a time, bytes.
const ChunkSize = "connection_memory_chunk_size"

// Limits are the limits of a session, bytes.
type Limits struct{ Query, Connection, Chunk int64 }

// Set sets a limit if variable is the name of one.
func (l *Limits) Set(variable string, value any) {
	n, ok := value.(uint64)
	if !ok {
		return
	}
	bytes := int64(min(n, math.MaxInt64))
	switch variable {
	case QueryLimit:
		l.Query = bytes
	case ConnectionLimit:
		l.Connection = bytes
	case ChunkSize:
		l.Chunk = bytes
	}
}
