package instr

import (
	"fmt"
	"strings"

	"pfsd/timers"
)

// Consumer is a row of setup_consumers.
type Consumer uint8

// The consumers, in the order of setup_consumers.
const (
	ConsumerEventsStagesCurrent Consumer = iota
	ConsumerEventsStagesHistory
	ConsumerEventsStagesHistoryLong
	ConsumerEventsStatementsCPU
	ConsumerEventsStatementsCurrent
	ConsumerEventsStatementsHistory
	ConsumerEventsStatementsHistoryLong
	ConsumerEventsTransactionsCurrent
	ConsumerEventsTransactionsHistory
	ConsumerEventsTransactionsHistoryLong
	ConsumerEventsWaitsCurrent
	ConsumerEventsWaitsHistory
	ConsumerEventsWaitsHistoryLong
	ConsumerGlobalInstrumentation
	ConsumerThreadInstrumentation
	ConsumerStatementsDigest
	ConsumerEventsWaitsHistogram
	ConsumerEventsWaitsHistogramByInstance
	ConsumerEventsStagesHistogram
	ConsumerEventsStatementsHistogram
	ConsumerEventsTransactionsHistogram
	ConsumerActiveSessionHistory
	ConsumerEventsWaitsSnapshot
	ConsumerEventsWaitsHistoryMetric
	ConsumerEventsWaitsByThreadByTime
	ConsumerCount
)

var consumers = [ConsumerCount]struct {
	name string
	on   bool
}{
	{"events_stages_current", false},
	{"events_stages_history", false},
	{"events_stages_history_long", false},
	{"events_statements_cpu", false},
	{"events_statements_current", true},
	{"events_statements_history", true},
	{"events_statements_history_long", false},
	{"events_transactions_current", true},
	{"events_transactions_history", true},
	{"events_transactions_history_long", false},
	{"events_waits_current", false},
	{"events_waits_history", false},
	{"events_waits_history_long", false},
	{"global_instrumentation", true},
	{"thread_instrumentation", true},
	{"statements_digest", true},
	{"events_waits_histogram", false},
	{"events_waits_histogram_by_instance", false},
	{"events_stages_histogram", false},
	{"events_statements_histogram", false},
	{"events_transactions_histogram", false},
	{"active_session_history", true},
	{"events_waits_snapshot", true},
	{"events_waits_history_metric", true},
	{"events_waits_summary_by_thread_by_time", true},
}

// String is the consumer's name in SQL.
func (c Consumer) String() string { return consumers[c].name }

// Default reports whether the consumer is on by default.
func (c Consumer) Default() bool { return consumers[c].on }

// ConsumerByName returns the consumer with this name, in any letter case.
func ConsumerByName(name string) (Consumer, bool) {
	for i := range consumers {
		if strings.EqualFold(consumers[i].name, name) {
			return Consumer(i), true
		}
	}
	return 0, false
}

// Consumer reports whether a consumer is switched on. It waits for nobody.
func (h Setup) Consumer(c Consumer) bool { return h.r.consumers[c].Load() }

// SetConsumer switches a consumer on or off, at once for all that starts afterwards.
func (h Setup) SetConsumer(c Consumer, on bool) {
	h.r.mu.Lock()
	defer h.r.mu.Unlock()
	h.r.consumers[c].Store(on)
	h.r.recomputeAll()
}

// TimerKind is a row of setup_timers: a family of events and the timer it uses.
type TimerKind uint8

// The families, in the order of setup_timers.
const (
	TimerIdle TimerKind = iota
	TimerWait
	TimerStage
	TimerStatement
	TimerTransaction
	TimerKindCount
)

var timerKindNames = [TimerKindCount]string{"idle", "wait", "stage", "statement", "transaction"}

// String is the family's name in SQL.
func (k TimerKind) String() string { return timerKindNames[k] }

func defaultTimers() [TimerKindCount]timers.ID {
	wait := timers.Cycle
	if !wait.Available() {
		wait = timers.Nanosecond
	}
	return [TimerKindCount]timers.ID{timers.Microsecond, wait, timers.Nanosecond, timers.Nanosecond, timers.Nanosecond}
}

// Timer is the timer that a family of events is timed with.
func (h Setup) Timer(k TimerKind) timers.ID {
	h.r.mu.Lock()
	defer h.r.mu.Unlock()
	return h.r.timers[k]
}

// SetTimer changes the timer of a family for the events that start from now on. It returns false,
// and changes nothing, if the machine does not have the timer, and for THREAD_CPU: a goroutine can
// change its OS thread during an event.
func (h Setup) SetTimer(k TimerKind, id timers.ID) bool {
	if !id.Available() || id == timers.ThreadCPU {
		return false
	}
	h.r.mu.Lock()
	defer h.r.mu.Unlock()
	h.r.timers[k] = id
	h.r.recomputeAll()
	return true
}

// PatternValue is what a start-up pattern does with the instruments that it matches.
type PatternValue uint8

// The values: off, counted but not timed, counted and timed.
const (
	PatternOff PatternValue = iota
	PatternCounted
	PatternOn
)

// ParsePatternValue reads a value as MySQL's option performance-schema-instrument spells it.
func ParsePatternValue(s string) (PatternValue, error) {
	switch strings.ToLower(s) {
	case "on", "true", "yes", "1":
		return PatternOn, nil
	case "off", "false", "no", "0":
		return PatternOff, nil
	case "counted":
		return PatternCounted, nil
	}
	return PatternOff, fmt.Errorf("%q is none of ON, OFF and COUNTED", s)
}

type pattern struct {
	text  string
	value PatternValue
}

// AddPattern sets the switches of the instruments whose names match, now and when further ones are
// made. In a pattern % stands for any text and ? for any character, and case does not matter. Of
// several patterns that match a name the longest counts, of equally long ones the last.
func (h Setup) AddPattern(text string, value PatternValue) {
	h.r.mu.Lock()
	defer h.r.mu.Unlock()
	h.r.patterns = append(h.r.patterns, pattern{strings.ToLower(text), value})
	for _, c := range h.r.classes.all() {
		if match(strings.ToLower(text), strings.ToLower(c.name)) {
			c.enabled, c.timed = h.r.initialSwitches(c.name, c.on)
			h.r.recompute(c)
		}
	}
}

// initialSwitches returns the switches of a new instrument. The caller holds mu.
func (r *Registry) initialSwitches(name string, on bool) (enabled, timed bool) {
	enabled, timed = on, on
	longest := -1
	for _, p := range r.patterns {
		if len(p.text) >= longest && match(p.text, strings.ToLower(name)) {
			longest = len(p.text)
			enabled, timed = p.value != PatternOff, p.value == PatternOn
		}
	}
	return enabled, timed
}

// match reports whether name matches the pattern, byte for byte. If the rest does not match, it
// lets the last % stand for one byte more and tries again.
func match(pattern, name string) bool {
	p, n, percent, tried := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '%':
			percent, tried = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case percent >= 0:
			tried++
			p, n = percent+1, tried
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "%") == ""
}
