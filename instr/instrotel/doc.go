// Package instrotel gives what is recorded to OpenTelemetry, by its official SDK: metrics to whatever reads the SDK's meter provider, and
// requests, queries and calls as spans. A program that does not import it links none of it.
//
//	provider := metric.NewMeterProvider(metric.WithReader(metric.NewPeriodicReader(exporter,
//		metric.WithProducer(instrotel.NewProducer(instr.Default)))))
//
//	spans := instrotel.NewSpans(instr.Default, tracerProvider)
//	go spans.Run(ctx, time.Second)
//
// Names, units and attributes are those of the semantic conventions, version 1.37, where they have any:
//
//	http.server.request.duration    s    http.request.method, http.route
//	http.client.request.duration    s    http.request.method
//	db.client.operation.duration    s    db.system.name, db.operation.name
//	db.client.connection.count           db.client.connection.pool.name, db.client.connection.state
//	rpc.server.duration             ms   rpc.system, rpc.service, rpc.method
//	rpc.client.duration             ms   the same
//	pfsd.event.duration             s    pfsd.instrument: waits, stages, transactions and all other statements
//	pfsd.io.size                    By   pfsd.instrument, pfsd.io.operation: read, write
//	pfsd.errors                          pfsd.instrument: errors of statements
//	pfsd.memory.usage               By   pfsd.instrument
//	pfsd.threads, pfsd.lost              pfsd.lost.what
//
// Durations are histograms. While the consumers of histograms, such as events_statements_histogram, are on, they have the buckets that the
// conventions advise, exact to an eighth; else one bucket, with count, sum, least and most.
//
// Spans are statements that have ended, as events_statements_history_long keeps them: the consumer of that name must be on, and no
// more than its size may end from one Collect to the next. A query within a request is a child of it; a request that came with a
// traceparent continues that trace. A span of kind server or client has the attributes of the conventions that are known, the digest as
// db.query.text rather than the text with its values, and pfsd.thread.id and pfsd.event.id, by which SQL finds its waits.
//
// Where to begin: metrics.go and spans.go; convention.go says what a statement is in the words of the conventions.
//
// Called by programs that export to OpenTelemetry. Calls instr. Begin reading with metrics.go and spans.go.
package instrotel
