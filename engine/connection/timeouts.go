package connection

import (
	"context"

	"pfsd/engine/sysvar"
)

// clientInteractive is what a client says at whose other end there is somebody.
const clientInteractive = 1 << 10

// setInteractiveTimeout gives the session of a client that says it is interactive interactive_timeout for its
// wait_timeout.
func (h *Handler) setInteractiveTimeout(cl *Client) {
	if cl.Wire.Capabilities&clientInteractive == 0 {
		return
	}
	ctx := h.newContext(context.Background(), cl, "")
	_ = sysvar.SetSession(ctx, "wait_timeout", h.Variables.Global("interactive_timeout"))
}
