package tables

import (
	"time"

	"pfsd/instr"
)

type meterRow struct {
	meter     *instr.Meter
	enabled   bool
	frequency time.Duration
}

// The meters: groups of metrics that exporters read, and how often. FREQUENCY is 1 at least.
//
// MySQL: performance_schema.setup_meters, since 8.4.
var _ = register(Def[*meterRow]{
	Name:     "setup_meters",
	Doc:      "The groups of metrics, and how often exporters read them.",
	Recorded: NotKept,
	Columns: []Column[*meterRow]{
		{Name: "NAME", Kind: varchar(63), Get: func(r *meterRow) Value { return Text(r.meter.Name()) }, Doc: "The meter's name."},
		{Name: "FREQUENCY", Kind: mediumintUnsigned, Get: func(r *meterRow) Value { return Uint(uint64(r.frequency / time.Second)) }, Set: setMeterFrequency, Doc: "The time from one reading to the next, seconds."},
		{Name: "ENABLED", Kind: yesNo, Get: func(r *meterRow) Value { return yes(r.enabled) }, Set: func(_ Model, r *meterRow, v Value) error {
			r.meter.SetEnabled(isYes(v))
			return nil
		}, Doc: "Whether exporters read the metrics."},
		{Name: "DESCRIPTION", Kind: varchar(1023).nullable(), Get: func(r *meterRow) Value { return textOrNull(cut(r.meter.Description(), 1023)) }, Doc: "What the metrics are about."},
	},
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"NAME"}, Unique: true}},
	Estimate: func(model Model) int { return len(model.Meters()) },
	Rows: func(model Model, key Key) Source[*meterRow] {
		return mapped(list(model.Meters()), func(r *meterRow, m *instr.Meter) bool {
			*r = meterRow{m, m.Enabled(), m.Frequency()}
			return key.allows("NAME", Text(m.Name()))
		})
	},
})

func setMeterFrequency(_ Model, r *meterRow, v Value) error {
	seconds, ok := v.Uint()
	if !ok || seconds == 0 {
		return ErrBadValue
	}
	r.meter.SetFrequency(time.Duration(seconds) * time.Second)
	return nil
}
