package connection

import (
	"context"

	"pfsd/engine/sysvar"
)

// clientInteractive is the capability of a client that somebody types at.
const clientInteractive = 1 << 10

// setInteractiveTimeout sets the wait_timeout of an interactive client's session to interactive_timeout.
func (h *Handler) setInteractiveTimeout(cl *Client) {
	if cl.Wire.Capabilities&clientInteractive == 0 {
		return
	}
	ctx := h.newContext(context.Background(), cl, "")
	_ = sysvar.SetSession(ctx, "wait_timeout", h.Variables.Global("interactive_timeout"))
}
