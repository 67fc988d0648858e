package sysvar

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/budget"
)

// Texts of variables are charged: those of a session to its connection, the global ones to an account of the server's own.

// smallText is how long a text may be without being charged, bytes: lists of modes and switches are shorter.
const smallText = 1 << 10

// textBytes is about how many bytes a value takes that is kept.
func textBytes(value any) int64 {
	if text, ok := value.(string); ok && len(text) > smallText {
		return int64(len(text))
	}
	return 0
}

// charge charges the session of ctx with the value of a variable before it has it. The error is that a limit does not allow it.
func charge(ctx *sql.Context, name string, value any) error {
	s, ok := ctx.ProcessList.(currentStatement)
	if !ok {
		return nil
	}
	hold, more := s.VariablesHold(), textBytes(value)
	if hold.Used() > 0 {
		if old, err := ctx.GetSessionVariable(ctx, name); err == nil {
			more -= textBytes(old)
		}
	}
	if more <= 0 {
		hold.Discharge(-more)
		return nil
	}
	return hold.Charge(more)
}

// KeepIn has the texts of global and of persisted values charged to holds that newHold returns, each of an account of its own. Call it
// before the server serves.
func (s *Server) KeepIn(newHold func() *budget.Hold) { s.hold, s.persisted.hold = newHold(), newHold() }

// chargeGlobals charges the global values before they are set. The error is that a limit does not allow them. The caller holds s.mu.
func (s *Server) chargeGlobals(now *globalValues) error {
	bytes := int64(0)
	for _, v := range now.values {
		bytes += textBytes(v.Val)
	}
	return chargeAll(s.hold, bytes)
}

// charge is chargeGlobals for persisted values. The caller holds p.file.
func (p *Persisted) charge(now map[string]PersistedValue) error {
	bytes := int64(0)
	for _, v := range now {
		bytes += textBytes(v.Value)
	}
	return chargeAll(p.hold, bytes)
}

// chargeAll makes bytes all that is charged to hold.
func chargeAll(hold *budget.Hold, bytes int64) error {
	switch used := hold.Used(); {
	case bytes == 0:
		hold.Release() // with what it has reserved
	case bytes < used:
		hold.Discharge(used - bytes)
	}
	return hold.ChargeTo(bytes)
}
