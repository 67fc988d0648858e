package tables

import (
	"pfsd/instr"
	"pfsd/timers"
)

type timerKindRow struct {
	kind  instr.TimerKind
	timer timers.ID
}

// Which timer each family of events is timed with. An UPDATE counts for events that begin
// afterwards; each event keeps the timer that it began with. A timer that the machine does
// not have is refused.
//
// Differs: 8.0.4 has dropped the table; this is the one of 5.7.
//
// MySQL: performance_schema.setup_timers, since 5.5.
var _ = register(Def[*timerKindRow]{
	Name:     "setup_timers",
	Doc:      "The timer that each family of events is timed with.",
	Recorded: OfAny,
	Columns: []Column[*timerKindRow]{
		{Name: "NAME", Kind: varchar(64), Get: func(r *timerKindRow) Value { return Text(r.kind.String()) }, Doc: "The family of events: idle, wait, stage, statement or transaction."},
		{Name: "TIMER_NAME", Kind: eventTimers, Get: func(r *timerKindRow) Value { return Text(r.timer.String()) }, Set: func(model Model, r *timerKindRow, v Value) error {
			if id, ok := timers.Parse(v.s); !ok || !model.Setup().SetTimer(r.kind, id) {
				return ErrTimerNotAvailable
			}
			return nil
		}, Doc: "The timer's name in performance_timers."},
	},
	Estimate: func(Model) int { return int(instr.TimerKindCount) },
	Rows: func(model Model, _ Key) Source[*timerKindRow] {
		kinds := make([]instr.TimerKind, instr.TimerKindCount)
		for i := range kinds {
			kinds[i] = instr.TimerKind(i)
		}
		return mapped(list(kinds), func(r *timerKindRow, k instr.TimerKind) bool {
			*r = timerKindRow{k, model.Setup().Timer(k)}
			return true
		})
	},
})
