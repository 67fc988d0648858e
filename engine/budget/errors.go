package budget

import "fmt"

// Names of the limits: system variables.
const (
	QueryLimit      = "query_memory_limit"
	ConnectionLimit = "connection_memory_limit"
	ServerLimit     = "global_connection_memory_limit"
)

// A LimitError is what a charge beyond a limit returns.
type LimitError struct {
	Name      string // of the limit
	Limit     int64  // bytes
	Used      int64  // bytes that are counted against the limit
	Requested int64  // bytes of the charge
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s of %d bytes exceeded: %d bytes are in use, %d more were needed", e.Name, e.Limit, e.Used, e.Requested)
}
