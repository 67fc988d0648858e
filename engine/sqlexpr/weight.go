package sqlexpr

import (
	"bytes"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/collations"
	"pfsd/engine/sqlvalue"
)

// weigh returns the collation weight of v. It returns false if v has no text.
func weigh(ctx *sql.Context, v any, collation sql.CollationID) ([]byte, bool, error) {
	s, ok := v.(string)
	if !ok {
		converted, err := sqlvalue.TextOf(ctx, v)
		if err != nil {
			return nil, false, err
		}
		if s, ok, err = sql.Unwrap[string](ctx, converted); err != nil || !ok {
			return nil, false, err
		}
	}
	var key bytes.Buffer
	if err := collation.WriteWeightString(&key, s); err != nil {
		return nil, false, err
	}
	return key.Bytes(), true, nil
}

// Folding returns the collation of a text type. It returns false if t is no text type, or if only
// texts with the same bytes are equal in its collation.
func Folding(t sql.Type) (sql.CollationID, bool) {
	s, ok := t.(sql.TypeWithCollation)
	if !ok || !types.IsTextOnly(t) || strings.HasSuffix(s.Collation().Name(), "bin") || s.Collation() == sql.Collation_binary {
		return 0, false
	}
	return s.Collation(), true
}

// CommonCollation returns the collation that compares left and right.
func CommonCollation(ctx *sql.Context, left, right sql.Expression) sql.CollationID {
	left, right, _ = collations.OfBoth(ctx, left, right)
	l, lc := collations.CoercibilityOf(ctx, left)
	r, rc := collations.CoercibilityOf(ctx, right)
	c, _, _ := collations.Resolve(l, lc, r, rc)
	return c
}
