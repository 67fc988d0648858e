// Bench measures what instrumentation costs against its budgets, and beside it what other
// means of looking at a lock cost: the runtime's mutex profile, an OpenTelemetry span, a
// Prometheus histogram.
//
// Each figure is cost added to the plain operation in the same run. An operation is run in
// batches of about 20 µs, in turn with all others of its table, on one processor. Best is
// the tenth of the batches that is fastest, in the best run: the figure of a processor that
// nobody else disturbs, which the verdict is on. Median is over batches and runs.
//
// Files: main.go the tables; measure.go how time is taken; cost.go, synch.go, statements.go and
// threads.go the operations; memory.go what is not time; machine.go what it runs on.
//
// Called by people, as a command. Calls instr, ringbuf and timers. Begin reading with main.go.
package main
