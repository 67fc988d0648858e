package engine

import (
	"fmt"
	"testing"

	"pfsd/tables"
)

// KILL ends the wait of a client whose sign-ins have failed.
func TestKillEndsTheWaitToSignIn(t *testing.T) {
	r := serve(t, Options{
		Init:      []string{"CREATE USER u IDENTIFIED BY 'right'"},
		Variables: map[string]string{failedThreshold: "1", minDelay: "600000", maxDelay: "600000"},
	}, tables.All()...)
	if err := r.dial(t, "u:wrong"); err == nil {
		t.Error("a wrong password is right")
	}
	ended := make(chan error, 1)
	go func() { ended <- r.dial(t, "u:wrong") }()
	const waiting = "SELECT ID FROM information_schema.processlist WHERE USER = 'unauthenticated user'"
	var ids []string
	eventually(t, "a client waits", func() bool {
		ids = r.query(t, waiting)
		return len(ids) == 1 && len(r.query(t, "SHOW GLOBAL STATUS LIKE 'Connection_control_delay_generated'")) == 1 &&
			r.query(t, "SHOW GLOBAL STATUS LIKE 'Connection_control_delay_generated'")[0] == "Connection_control_delay_generated|1"
	})
	r.query(t, fmt.Sprintf("KILL %s", ids[0]))
	if err := <-ended; err == nil {
		t.Error("a client that was killed has signed in")
	}
	eventually(t, "it is gone", func() bool { return len(r.query(t, waiting)) == 0 })
}
