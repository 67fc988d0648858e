package tables

import "pfsd/instr"

// The figures that exporters read, by their meters. Those of the meter pfsd.metrics are read by SELECTs: see events_waits_history_metric.
//
// MySQL: performance_schema.setup_metrics, since 8.4.
var _ = register(Def[*instr.Metric]{
	Name:     "setup_metrics",
	Doc:      "The figures that exporters read.",
	Recorded: NotKept,
	Columns: []Column[*instr.Metric]{
		{Name: "NAME", Kind: varchar(63), Get: func(m *instr.Metric) Value { return Text(m.Name()) }, Doc: "The metric's name."},
		{Name: "METER", Kind: varchar(63), Get: func(m *instr.Metric) Value { return Text(m.Meter().Name()) }, Doc: "The meter that it belongs to."},
		{Name: "METRIC_TYPE", Kind: enum("ASYNC COUNTER", "ASYNC UPDOWN COUNTER", "ASYNC GAUGE COUNTER"), Get: func(m *instr.Metric) Value { return Text(m.Type().String()) }, Doc: "What the readings mean: they grow, they grow and shrink, or they cannot be added."},
		{Name: "NUM_TYPE", Kind: enum("INTEGER", "DOUBLE"), Get: numType, Doc: "Whether the readings are whole numbers."},
		{Name: "UNIT", Kind: varchar(63).nullable(), Get: func(m *instr.Metric) Value { return textOrNull(cut(m.Unit(), 63)) }, Doc: "The readings' unit as UCUM has it; NULL if they are plain counts."},
		{Name: "DESCRIPTION", Kind: varchar(1023).nullable(), Get: func(m *instr.Metric) Value { return textOrNull(cut(m.Description(), 1023)) }, Doc: "What the readings are."},
	},
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"NAME"}, Unique: true}},
	Estimate: func(model Model) int { return len(model.Metrics()) },
	Rows: func(model Model, key Key) Source[*instr.Metric] {
		var some []*instr.Metric
		for _, m := range model.Metrics() {
			if key.allows("NAME", Text(m.Name())) {
				some = append(some, m)
			}
		}
		return list(some)
	},
})

func numType(m *instr.Metric) Value {
	if m.Integer() {
		return Text("INTEGER")
	}
	return Text("DOUBLE")
}
