package engine

import (
	"runtime"

	"pfsd/engine/processor"
)

const (
	// leastShare is the least share of a processor that statements of a guest have by default.
	leastShare = 0.25
	// guestPart is which part of the processors they have where that is more.
	guestPart = 8
)

// processorBudget is what the statements of a server may take of the processors, nil if there is no limit.
func processorBudget(o Options) *processor.Budget {
	share, statements := o.ProcessorShare, o.MaxRunningStatements
	processors := runtime.GOMAXPROCS(0)
	if share == 0 {
		share = max(leastShare, float64(processors)/guestPart)
	}
	if statements == 0 {
		statements = max(1, processors/2)
	}
	return processor.New(share, statements)
}
