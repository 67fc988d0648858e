package engine

import (
	"context"
	"time"

	"pfsd/engine/sysvar"
)

// expire ends the waits for clients that take longer than the sessions' variables allow; now is the time.
func (l *clientList) expire(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.clients {
		variables := c.variables.Load()
		c.wire.Expire(now, func(name string) (uint64, bool) {
			if variables == nil {
				return 0, false
			}
			n, ok := variables.Get(name).(uint64)
			return n, ok
		})
	}
}

// clientInteractive is what a client says at whose other end there is somebody.
const clientInteractive = 1 << 10

// interactive gives the session of a client that says it is interactive interactive_timeout for its
// wait_timeout.
func (h *handler) interactive(cl *client) {
	if cl.wire.Capabilities&clientInteractive == 0 {
		return
	}
	ctx := h.newContext(context.Background(), cl, "")
	_ = sysvar.SetSession(ctx, "wait_timeout", h.variables.Global("interactive_timeout"))
}
