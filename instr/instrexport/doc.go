// Package instrexport serves what is recorded to monitoring systems over HTTP, without SQL: [Prometheus] in the text format of
// Prometheus, [JSON] as a document. A program that does not import it links none of it, and nothing is served until the program
// mounts a handler:
//
//	mux.Handle("GET /metrics", instrexport.Prometheus(instr.Default))
//	mux.Handle("GET /debug/pfsd", instrexport.JSON(instr.Default))
//
// # Metrics
//
// Each instrument is a label, so that switching one on does not add a metric. Times are in seconds, sizes in
// bytes.
//
//	pfsd_events_total{instrument}                             events: waits, stages, statements, transactions
//	pfsd_event_seconds_total{instrument}                      their time
//	pfsd_event_seconds{instrument, operation, quantile}       0.5, 0.95, 0.99, 0.999 and 1, where histograms are on
//	pfsd_io_operations_total{instrument, operation}           files and sockets: read, write, other
//	pfsd_io_bytes_total{instrument, operation}                read, write
//	pfsd_statement_errors_total{instrument}, pfsd_statement_warnings_total{instrument}
//	pfsd_statement_rows_total{instrument, kind}               affected, sent, examined
//	pfsd_memory_used_bytes{instrument}, pfsd_memory_allocated_bytes_total{instrument}
//	pfsd_pool_connections{pool, state}                        taken, idle
//	pfsd_threads, pfsd_lost_total{what}
//
// # Cost and safety
//
// A request takes an [instr.Snapshot], which stops nobody, and costs some microseconds for each instrument. One snapshot is taken
// at a time; requests that come meanwhile share the next one. The handlers only read, answer GET and HEAD, and show names of
// instruments and pools and numbers, never statements, files or users. Whoever can reach them can read them: the program decides
// where it mounts them.
//
// Called by programs that are observed. Calls instr. Begin reading with instrexport.go.
package instrexport
