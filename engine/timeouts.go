package engine

import (
	"context"

	"pfsd/engine/sysvar"
)

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
