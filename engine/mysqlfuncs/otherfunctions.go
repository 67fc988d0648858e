package mysqlfuncs

import (
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/json"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// otherFunctions returns functions that go-mysql-server does not have, or has only for some
// arguments.
//
// go-mysql-server: has no AES_ENCRYPT, AES_DECRYPT, BENCHMARK and functions of replication;
// INET_ATON does not accept short addresses, INET_NTOA accepts numbers out of range, INET6_ATON
// returns no bytes, and JSON_VALUE quotes texts. MySQL: as here.
func otherFunctions() map[string]sql.Function {
	all := map[string]sql.Function{
		"json_value": sql.FunctionN{Name: "json_value", Fn: newJSONValue},
	}
	sqlexpr.DefineAll(all,
		&sqlexpr.Definition{Name: "aes_encrypt", Least: 2, Most: 3, TypeOf: sqlexpr.AlwaysType(types.LongBlob), Value: aesEncrypt},
		&sqlexpr.Definition{Name: "aes_decrypt", Least: 2, Most: 3, TypeOf: sqlexpr.AlwaysType(types.LongBlob), Value: aesDecrypt},
		&sqlexpr.Definition{Name: "inet_aton", Least: 1, Most: 1, TypeOf: sqlexpr.AlwaysType(types.Uint64), Value: inetAton},
		&sqlexpr.Definition{Name: "inet6_aton", Least: 1, Most: 1, TypeOf: sqlexpr.AlwaysType(types.LongBlob), Value: inet6Aton},
		&sqlexpr.Definition{Name: "inet_ntoa", Least: 1, Most: 1, TypeOf: sqlexpr.AlwaysType(sqlexpr.VarChar(15)), Value: inetNtoa},
		&sqlexpr.Definition{Name: "uncompress", Least: 1, Most: 1, TypeOf: sqlexpr.AlwaysType(types.LongBlob), Value: uncompress},
		waiting("master_pos_wait", 2, 4), waiting("source_pos_wait", 2, 4),
	)
	all["benchmark"] = sql.Function2{Name: "benchmark", Fn: func(_ *sql.Context, times, e sql.Expression) sql.Expression {
		return &benchmark{times, e}
	}}
	return all
}

// inet6Aton is INET6_ATON.
func inet6Aton(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	text, err := c.Text(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" {
		return nil, sqlvalue.Complain(ctx, 1411, "HY000", "Incorrect string value: ''"+text+"'' for function inet6_aton")
	}
	return a.AsSlice(), nil
}

// uncompress calculates UNCOMPRESS. The first four bytes of the argument are the size of the result.
func uncompress(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	const header = 4
	text, err := c.Text(ctx, 0, args[0])
	if err != nil || text == "" {
		return []byte{}, err
	}
	corrupted := func() (any, error) {
		return nil, sqlvalue.Complain(ctx, 1259, "HY000", "ZLIB: Input data corrupted")
	}
	if len(text) <= header {
		return corrupted()
	}
	size := int64(binary.LittleEndian.Uint32([]byte(text[:header])) & 0x3FFFFFFF)
	if most := sqlvalue.MaxAllowedPacket(ctx); size > most {
		return nil, sqlvalue.Complain(ctx, 1256, "HY000", fmt.Sprintf("Uncompressed data size too large; the maximum size is %d (probably, length of uncompressed data was corrupted)", most))
	}
	r, err := zlib.NewReader(strings.NewReader(text[header:]))
	if err != nil {
		return corrupted()
	}
	defer r.Close()
	plain, err := io.ReadAll(io.LimitReader(r, size+1))
	switch {
	case err != nil:
		return corrupted()
	case int64(len(plain)) > size:
		return nil, sqlvalue.Complain(ctx, 1258, "HY000", "ZLIB: Not enough room in the output buffer (probably, length of uncompressed data was corrupted)")
	}
	return plain, nil
}

// waiting returns a function that waits for a replica. This server never is one.
func waiting(name string, least, most int) *sqlexpr.Definition {
	return &sqlexpr.Definition{Name: name, Least: least, Most: most, TypeOf: sqlexpr.AlwaysType(types.Int64), Value: func(*sql.Context, *sqlexpr.Call, []any) (any, error) { return nil, nil }}
}

// newJSONValue returns JSON_VALUE without RETURNING: JSON_UNQUOTE of JSON_EXTRACT.
func newJSONValue(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
	if len(args) != 2 {
		return json.NewJsonValue(ctx, args...)
	}
	found, err := json.NewJSONExtract(ctx, args...)
	if err != nil {
		return nil, err
	}
	return json.NewJSONUnquote(ctx, found), nil
}

// inetAton calculates INET_ATON. In a short address the last part stands for the remaining bytes.
func inetAton(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	text, err := c.Text(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	parts := strings.Split(text, ".")
	n := uint64(0)
	for i, part := range parts {
		r := sqlvalue.TextReader{Text: part}
		value, length := r.Digits(3)
		if length == 0 || !r.Ended() || value > 255 || i > 3 {
			return nil, sqlvalue.WrongValue(ctx, "string", text)
		}
		if i == len(parts)-1 {
			n <<= 8 * (3 - i)
		}
		n = n<<8 | uint64(value)
	}
	return n, nil
}

func inetNtoa(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	n, err := c.Number(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	i, ok := n.Rounded()
	if !ok || i.Negative || i.Size > 1<<32-1 {
		return nil, nil
	}
	return netip.AddrFrom4([4]byte{byte(i.Size >> 24), byte(i.Size >> 16), byte(i.Size >> 8), byte(i.Size)}).String(), nil
}

// benchmark is BENCHMARK: it calculates an expression a number of times.
type benchmark struct{ times, e sql.Expression }

var _ sql.FunctionExpression = (*benchmark)(nil)

// FunctionName implements sql.FunctionExpression.
func (*benchmark) FunctionName() string { return "benchmark" }

// Description implements sql.FunctionExpression.
func (*benchmark) Description() string { return "calculates an expression many times." }

// IsNonDeterministic implements sql.NonDeterministicExpression.
func (*benchmark) IsNonDeterministic() bool { return true }

// Resolved implements sql.Expression.
func (b *benchmark) Resolved() bool { return expression.ExpressionsResolved(b.times, b.e) }

// String implements sql.Expression.
func (b *benchmark) String() string {
	return "benchmark(" + b.times.String() + "," + b.e.String() + ")"
}

// Type implements sql.Expression.
func (*benchmark) Type(*sql.Context) sql.Type { return types.Int32 }

// IsNullable implements sql.Expression.
func (*benchmark) IsNullable(*sql.Context) bool { return true }

// Children implements sql.Expression.
func (b *benchmark) Children() []sql.Expression { return []sql.Expression{b.times, b.e} }

// WithChildren implements sql.Expression.
func (b *benchmark) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(b, len(children), 2)
	}
	return &benchmark{children[0], children[1]}, nil
}

// Eval implements sql.Expression.
func (b *benchmark) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := b.times.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	times, err := sqlvalue.NumberOf(ctx, b.times.Type(ctx), v)
	if err != nil {
		return nil, err
	}
	n, ok := times.Rounded()
	if !ok || n.Negative {
		return nil, sqlvalue.WrongValue(ctx, "count", times.Exactly().String())
	}
	for i := range n.Size {
		if _, err := b.e.Eval(ctx, row); err != nil {
			return nil, err
		}
		if i%64 == 0 {
			if err := sqlvalue.Pace(ctx, 64); err != nil {
				return nil, err
			}
		}
	}
	return int32(0), nil
}
