package prepared

import (
	"fmt"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
)

// TestPreparedStatementsAreForgotten: a session does not keep what its client has closed.
func TestPreparedStatementsAreForgotten(t *testing.T) {
	session := gms.NewBaseSession()
	all := &Statements{byID: map[uint32]Statement{1: {Text: "SELECT 1;"}}}
	for i := range 100 {
		text := fmt.Sprintf("SELECT %d", i)
		session.PrepareQuery(text, nil)
		all.KeepTree(session, text)
	}
	if len(all.texts) > 20 {
		t.Errorf("%d statements are kept, one is open", len(all.texts))
	}
	for text, want := range map[string]bool{"SELECT 1": true, "SELECT 2": false} {
		if _, ok := session.GetPreparedQuery(text); ok != want {
			t.Errorf("%s is kept: %t", text, ok)
		}
	}
}
