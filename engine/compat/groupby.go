package compat

import (
	"encoding/binary"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/hash"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// NewGroupBy returns the rows of n, whose input is child.
//
// go-mysql-server: two goroutines with a channel between them; when an aggregate fails
// the reader can stay blocked for ever, out of reach of KILL; groups with the same
// 64-bit hash are merged. MySQL: one thread, the error is returned, groups are told
// apart by their values. This one works on the caller's goroutine and does the same.
func NewGroupBy(ctx *sql.Context, n *plan.GroupBy, child sql.RowIter) sql.RowIter {
	schema := make(sql.Schema, len(n.GroupByExprs))
	for i, e := range n.GroupByExprs {
		schema[i] = &sql.Column{Type: e.Type(ctx)}
	}
	return &groupBy{node: n, child: child, schema: schema, hash: hash.HashOf, byHash: map[uint64][]int{}, exact: map[string]int{}}
}

type group struct {
	key     sql.Row
	buffers []sql.AggregationBuffer
}

// groupBy is an iterator, owned by one goroutine.
type groupBy struct {
	node   *plan.GroupBy
	child  sql.RowIter
	schema sql.Schema // of the keys
	hash   func(*sql.Context, sql.Schema, sql.Row) (uint64, error)
	groups []group
	byHash map[uint64][]int
	// exact leads from the values of a key, as they are, to the group: most rows have
	// values that an earlier one had, and need not be hashed by their collation again.
	exact map[string]int
	bytes []byte // scratch space for a key of exact
	read  bool
	pos   int
}

// maxExact is how many different keys exact holds at the most.
const maxExact = 1 << 14

// Next implements sql.RowIter.
func (g *groupBy) Next(ctx *sql.Context) (sql.Row, error) {
	if !g.read {
		g.read = true
		if err := g.readAll(ctx); err != nil {
			return nil, err
		}
	}
	if g.pos == len(g.groups) {
		return nil, io.EOF
	}
	buffers := g.groups[g.pos].buffers
	g.pos++
	out := make(sql.Row, len(buffers))
	for i, b := range buffers {
		var err error
		if out[i], err = b.Eval(ctx); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (g *groupBy) readAll(ctx *sql.Context) error {
	if len(g.node.GroupByExprs) == 0 {
		if err := g.add(ctx, nil); err != nil { // one group, even of no rows
			return err
		}
	}
	key := make(sql.Row, len(g.schema))
	for n := 0; ; n++ {
		if n%128 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row, err := g.child.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		i := 0
		if len(key) > 0 {
			if i, err = g.find(ctx, row, key); err != nil {
				return err
			}
		}
		for _, b := range g.groups[i].buffers {
			if err := b.Update(ctx, row); err != nil {
				return err
			}
		}
	}
}

// find returns the position of row's group, a new one if need be; key is scratch space.
func (g *groupBy) find(ctx *sql.Context, row, key sql.Row) (int, error) {
	for i, e := range g.node.GroupByExprs {
		v, err := e.Eval(ctx, row)
		if err != nil {
			return 0, err
		}
		key[i] = v
	}
	bytes, plain := appendExact(g.bytes[:0], key)
	g.bytes = bytes
	if !plain {
		return g.findEqual(ctx, key)
	}
	if i, ok := g.exact[string(bytes)]; ok {
		return i, nil
	}
	i, err := g.findEqual(ctx, key)
	if err == nil && len(g.exact) < maxExact {
		g.exact[string(bytes)] = i
	}
	return i, err
}

// appendExact appends the values of a key to to; false if it does not know their type.
func appendExact(to []byte, key sql.Row) ([]byte, bool) {
	for _, v := range key {
		switch v := v.(type) {
		case nil:
			to = append(to, 0)
		case string:
			to = append(binary.AppendUvarint(append(to, 1), uint64(len(v))), v...)
		case int64:
			to = binary.AppendVarint(append(to, 2), v)
		case int32:
			to = binary.AppendVarint(append(to, 3), int64(v))
		case uint64:
			to = binary.AppendUvarint(append(to, 4), v)
		default:
			return to, false
		}
	}
	return to, true
}

// findEqual returns the position of the group whose key equals key in the eyes of its
// types, a new one if need be.
func (g *groupBy) findEqual(ctx *sql.Context, key sql.Row) (int, error) {
	h, err := g.hash(ctx, g.schema, key)
	if err != nil {
		return 0, err
	}
	for _, i := range g.byHash[h] {
		same, err := g.same(ctx, g.groups[i].key, key)
		if err != nil || same {
			return i, err
		}
	}
	i := len(g.groups)
	g.byHash[h] = append(g.byHash[h], i)
	return i, g.add(ctx, key.Copy())
}

func (g *groupBy) same(ctx *sql.Context, a, b sql.Row) (bool, error) {
	for i, col := range g.schema {
		if a[i] == nil || b[i] == nil {
			if a[i] != nil || b[i] != nil {
				return false, nil
			}
			continue
		}
		c, err := col.Type.Compare(ctx, a[i], b[i])
		if err != nil || c != 0 {
			return false, err
		}
	}
	return true, nil
}

func (g *groupBy) add(ctx *sql.Context, key sql.Row) (err error) {
	buffers := make([]sql.AggregationBuffer, len(g.node.SelectDeps))
	g.groups = append(g.groups, group{key, buffers})
	for i, e := range g.node.SelectDeps {
		if a, ok := e.(sql.Aggregation); ok {
			buffers[i], err = a.NewBuffer(ctx)
		} else { // a plain column: the group's first value
			buffers[i], err = aggregation.NewFirst(e).NewBuffer(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Close implements sql.RowIter.
func (g *groupBy) Close(ctx *sql.Context) error {
	for _, gr := range g.groups {
		for _, b := range gr.buffers {
			if b != nil {
				b.Dispose(ctx)
			}
		}
	}
	g.groups, g.byHash = nil, nil
	return g.child.Close(ctx)
}
