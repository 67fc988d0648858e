package charge

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
)

// smallTree is how large a syntax tree may be without being charged, bytes: most are smaller.
const smallTree = 16 << 10

// treeKey is the key of the hold of a statement's syntax trees.
type treeKey struct{}

// Tree charges the statement of ctx, if there is one, with a syntax tree of so many bytes, before it is made. It is charged until the
// statement ends. Of several, such as those of views, the largest one counts: the others are only made use of for a moment.
func Tree(ctx context.Context, bytes int) error {
	sc, ok := ctx.(*sql.Context)
	if !ok || bytes < smallTree {
		return nil
	}
	account, m := accountOf(sc)
	if account == nil {
		return nil
	}
	return account.LastingHold(treeKey{}, m.Tree).ChargeTo(int64(bytes))
}
