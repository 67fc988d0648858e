package parsing

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/rights"
)

// Nodes of statements that the server carries out itself are not refused to who has few privileges: they ask by themselves.
func TestNodesAreKnown(t *testing.T) {
	for _, n := range []sql.Node{accountAnswer{}, doNode{}} {
		if !rights.KnownNode(n) {
			t.Errorf("%T is refused", n)
		}
	}
}
