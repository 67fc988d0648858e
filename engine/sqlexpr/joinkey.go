package sqlexpr

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlvalue"
)

// JoinKey is the key of values in a hash table, as bytes. Values that are equal have the same key; values with the same key need
// not be equal. The key is NULL if one of the values is NULL. Safe for concurrent use.
type JoinKey struct {
	expression.NaryExpression
	kinds []keyKind
}

var _ sql.Expression = (*JoinKey)(nil)

// keyKind appends the key of a value that is not NULL. It returns false if the value has none.
type keyKind func(ctx *sql.Context, t sql.Type, key []byte, v any) ([]byte, bool, error)

// JoinKeys returns the keys of left and right, which are compared one with the other. It returns false if equal values of some of
// these types may have different keys.
func JoinKeys(ctx *sql.Context, left, right []sql.Expression) (l, r *JoinKey, ok bool) {
	if len(left) != len(right) || len(left) == 0 {
		return nil, nil, false
	}
	kinds := make([]keyKind, len(left))
	for i := range left {
		if kinds[i] = keyKindOf(ctx, left[i], right[i]); kinds[i] == nil {
			return nil, nil, false
		}
	}
	return &JoinKey{expression.NaryExpression{ChildExpressions: left}, kinds}, &JoinKey{expression.NaryExpression{ChildExpressions: right}, kinds}, true
}

// keyKindOf returns the kind of the keys of two expressions, nil if there is none.
func keyKindOf(ctx *sql.Context, left, right sql.Expression) keyKind {
	l, r := left.Type(ctx), right.Type(ctx)
	both := func(is func(sql.Type) bool) bool { return is(l) && is(r) }
	switch {
	case both(types.IsTextOnly):
		return textKey(CommonCollation(ctx, left, right))
	case both(isKeyNumber):
		return numberKey
	case both(types.IsTime):
		return timeKey
	case both(sqlvalue.IsTimespan):
		return timespanKey
	case both(types.IsBinaryType) && both(types.IsText):
		return bytesKey
	}
	return nil
}

// isKeyNumber reports whether t is a number, and no ENUM, SET or YEAR, which are more than numbers.
func isKeyNumber(t sql.Type) bool {
	return types.IsInteger(t) || types.IsFloat(t) || types.IsDecimal(t)
}

// textKey returns the kind of the keys of texts that are compared by a collation.
func textKey(c sql.CollationID) keyKind {
	return func(ctx *sql.Context, _ sql.Type, key []byte, v any) ([]byte, bool, error) {
		w, ok, err := weigh(ctx, v, c)
		if err != nil || !ok {
			return key, false, err
		}
		return append(binary.AppendUvarint(key, uint64(len(w))), w...), true, nil
	}
}

// numberKey has numbers as DOUBLE: two equal numbers have one DOUBLE, whatever their types.
func numberKey(ctx *sql.Context, t sql.Type, key []byte, v any) ([]byte, bool, error) {
	n, err := sqlvalue.NumberOf(ctx, t, v)
	if err != nil {
		return key, false, err
	}
	return binary.BigEndian.AppendUint64(key, math.Float64bits(n.Float()+0)), true, nil // -0 + 0 is 0
}

// timeKey has dates and times of a day as microseconds.
func timeKey(_ *sql.Context, _ sql.Type, key []byte, v any) ([]byte, bool, error) {
	t, ok := v.(time.Time)
	if !ok {
		return key, false, nil
	}
	return binary.BigEndian.AppendUint64(key, uint64(t.UnixMicro())), true, nil
}

// timespanKey has the values of TIME as microseconds.
func timespanKey(_ *sql.Context, _ sql.Type, key []byte, v any) ([]byte, bool, error) {
	t, ok := v.(types.Timespan)
	if !ok {
		return key, false, nil
	}
	return binary.BigEndian.AppendUint64(key, uint64(t.AsMicroseconds())), true, nil
}

// bytesKey has bytes as they are.
func bytesKey(ctx *sql.Context, _ sql.Type, key []byte, v any) ([]byte, bool, error) {
	v, err := sql.UnwrapAny(ctx, v)
	if err != nil {
		return key, false, err
	}
	switch b := v.(type) {
	case []byte:
		return append(binary.AppendUvarint(key, uint64(len(b))), b...), true, nil
	case string:
		return append(binary.AppendUvarint(key, uint64(len(b))), b...), true, nil
	}
	return key, false, nil
}

// Eval implements sql.Expression.
func (k *JoinKey) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	var key []byte
	for i, e := range k.ChildExpressions {
		v, err := e.Eval(ctx, row)
		if err != nil || v == nil {
			return nil, err
		}
		var ok bool
		if key, ok, err = k.kinds[i](ctx, e.Type(ctx), key, v); err != nil {
			return nil, err
		}
		if !ok {
			return nil, sql.ErrInvalidType.New(v)
		}
	}
	return key, nil
}

// Type implements sql.Expression.
func (*JoinKey) Type(*sql.Context) sql.Type { return types.LongBlob }

// String implements sql.Expression.
func (k *JoinKey) String() string { return expression.Tuple(k.ChildExpressions).String() }

// WithChildren implements sql.Expression.
func (k *JoinKey) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(k.kinds) {
		return nil, sql.ErrInvalidChildrenNumber.New(k, len(children), len(k.kinds))
	}
	return &JoinKey{expression.NaryExpression{ChildExpressions: children}, k.kinds}, nil
}
