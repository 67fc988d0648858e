package tables

import "pfsd/instr"

type consumerRow struct {
	consumer instr.Consumer
	enabled  bool
}

// Where events go. A consumer that is off switches off those below it as well:
// global_instrumentation, thread_instrumentation, events_X_current, events_X_history and
// events_X_history_long. An UPDATE counts at once for all that starts afterwards.
//
// Differs: five more rows, below global_instrumentation: events_X_histogram of waits, stages, statements and transactions, and
// events_waits_histogram_by_instance, below events_waits_histogram and events_waits_current. And events_waits_snapshot,
// events_waits_history_metric and events_waits_summary_by_thread_by_time, which are below none.
//
// MySQL: performance_schema.setup_consumers, since 5.5.
var _ = register(Def[*consumerRow]{
	Name:     "setup_consumers",
	Doc:      "The tables that events can go to, and which of them are fed.",
	Recorded: OfProgram,
	Columns: []Column[*consumerRow]{
		{Name: "NAME", Kind: varchar(64), Get: func(r *consumerRow) Value { return Text(r.consumer.String()) }, Doc: "The consumer's name."},
		{Name: "ENABLED", Kind: yesNo, Get: func(r *consumerRow) Value { return yes(r.enabled) }, Set: func(model Model, r *consumerRow, v Value) error {
			model.Setup().SetConsumer(r.consumer, isYes(v))
			return nil
		}, Doc: "Whether the consumer is fed, if those above it are."},
	},
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"NAME"}, Unique: true}},
	Estimate: func(Model) int { return int(instr.ConsumerCount) },
	Rows: func(model Model, key Key) Source[*consumerRow] {
		return mapped(list(consumers(key)), func(r *consumerRow, c instr.Consumer) bool {
			*r = consumerRow{c, model.Setup().Consumer(c)}
			return true
		})
	},
})

// consumers returns the consumer that key names, or all.
func consumers(key Key) []instr.Consumer {
	if name, ok := key.Text("NAME"); ok {
		if c, ok := instr.ConsumerByName(name); ok {
			return []instr.Consumer{c}
		}
		return nil
	}
	all := make([]instr.Consumer, instr.ConsumerCount)
	for i := range all {
		all[i] = instr.Consumer(i)
	}
	return all
}
