package tables

import (
	"fmt"

	"pfsd/instr"
)

// unknownWaits says why it is not known what threads wait for; "" if it is.
func unknownWaits(model Model) string { return unknownWithout(model, instr.ConsumerEventsWaitsCurrent) }

// unknownSamples says why there are no samples, or why these do not know what threads wait for; "" if they do.
func unknownSamples(model Model) string {
	return unknownWithout(model, instr.ConsumerActiveSessionHistory, instr.ConsumerEventsWaitsCurrent)
}

// unknownWithout names the first of the consumers that is off, or global_instrumentation, in a sentence; "" if all are on.
func unknownWithout(model Model, consumers ...instr.Consumer) string {
	for _, c := range append([]instr.Consumer{instr.ConsumerGlobalInstrumentation}, consumers...) {
		if !model.Setup().Consumer(c) {
			return fmt.Sprintf("It is not known what threads wait for: the consumer %[1]s is off. UPDATE performance_schema.setup_consumers SET ENABLED = 'YES' WHERE NAME = '%[1]s' switches it on", c)
		}
	}
	return ""
}
