package connection

import (
	"fmt"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
)

// TestPreparedStatementsAreForgotten: a session does not keep what its client has closed.
func TestPreparedStatementsAreForgotten(t *testing.T) {
	session := gms.NewBaseSession()
	c := &Client{Session: session}
	live := &preparedStatements{byID: map[uint32]preparedStatement{1: {text: "SELECT 1;"}}}
	for i := range 100 {
		text := fmt.Sprintf("SELECT %d", i)
		session.PrepareQuery(text, nil)
		c.keepPrepared(text, live)
	}
	if len(c.prepared) > 20 {
		t.Errorf("%d statements are kept, one is open", len(c.prepared))
	}
	for text, want := range map[string]bool{"SELECT 1": true, "SELECT 2": false} {
		if _, ok := session.GetPreparedQuery(text); ok != want {
			t.Errorf("%s is kept: %t", text, ok)
		}
	}
}
