package parsing

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/rights"
)

// Package privilege allows the nodes of statements that the server executes itself for every
// account. These statements check privileges themselves.
func TestNodesAreKnown(t *testing.T) {
	for _, n := range []sql.Node{accountAnswer{}, doNode{}} {
		if !rights.KnownNode(n) {
			t.Errorf("%T is refused", n)
		}
	}
}
