package main

import (
	"fmt"
	"slices"
	"strings"
)

// node is a part of a statement: texts and further nodes. What can be taken out of it or put in its place without breaking the grammar
// is known, so that one shrinker serves all statements.
type node struct {
	parts []any  // string, *node
	kind  string // nodes of one kind can stand for one another; "" can be replaced by none
	small string // a text that can always stand for the node
	gone  bool   // left out, if optional

	optional bool
	list     bool   // the parts are elements, with sep between them,
	sep      string //
	min      int    // of which at least as many stay
	value    any    // of a literal: int64 or string
	slot     string // what stands here is chosen when the text is made; see [style]
}

// style chooses how a statement's text is made.
type style struct {
	slots  map[string]string // what stands in the slots, such as an index hint; nothing by default
	params *[]any            // literals become parameters, whose values are appended
}

// n makes a node of a kind from texts and nodes.
func n(kind string, parts ...any) *node { return &node{kind: kind, parts: parts} }

// opt makes a node that can be left out.
func opt(parts ...any) *node { return &node{parts: parts, optional: true} }

// slot makes a place that is filled when the text is made.
func slot(name string) *node { return &node{slot: name} }

// listOf makes a list of which at least min elements stay.
func listOf(min int, sep string, elements ...*node) *node {
	l := &node{list: true, sep: sep, min: min}
	for _, e := range elements {
		l.parts = append(l.parts, e)
	}
	return l
}

// or sets a node's smallest text.
func (x *node) or(small string) *node { x.small = small; return x }

func (x *node) add(part any) { x.parts = append(x.parts, part) }

func (x *node) String() string { return x.text(style{}) }

// text is the node in a style.
func (x *node) text(s style) string {
	var b strings.Builder
	x.write(&b, s)
	return b.String()
}

func (x *node) write(b *strings.Builder, s style) {
	switch {
	case x.gone:
		return
	case x.slot != "":
		b.WriteString(s.slots[x.slot])
		return
	case x.value != nil && s.params != nil:
		*s.params = append(*s.params, x.value)
		b.WriteString("?")
		return
	}
	for i, p := range x.parts {
		if i > 0 && x.list {
			b.WriteString(x.sep)
		}
		switch p := p.(type) {
		case string:
			b.WriteString(p)
		case *node:
			p.write(b, s)
		default:
			panic(fmt.Sprintf("a %T in a statement", p))
		}
	}
}

// each calls f for a node and all below it, those above first.
func (x *node) each(f func(*node)) {
	if x == nil || x.gone {
		return
	}
	f(x)
	for _, p := range x.parts {
		if p, ok := p.(*node); ok {
			p.each(f)
		}
	}
}

// cut is one way to make a trial smaller.
type cut struct{ do, undo func() }

// replace is the cut that puts another node in the place of x.
func (x *node) replace(by node) cut {
	old := *x
	return cut{func() { *x = by }, func() { *x = old }}
}

// cuts returns the ways to make a statement smaller, the largest first.
func (x *node) cuts() (all []cut) {
	x.each(func(x *node) {
		if x.optional {
			gone := *x
			gone.gone = true
			all = append(all, x.replace(gone))
		}
		if x.list && len(x.parts) > x.min {
			for i := range x.parts {
				if i == 0 && x.sep == "" { // the others begin with what joins them to it
					continue
				}
				less := *x
				less.parts = slices.Delete(slices.Clone(x.parts), i, i+1)
				all = append(all, x.replace(less))
			}
		}
		if x.small != "" && x.String() != x.small {
			all = append(all, x.replace(node{kind: x.kind, small: x.small, parts: []any{x.small}}))
		}
		if x.kind != "" {
			x.each(func(below *node) {
				if below != x && below.kind == x.kind {
					all = append(all, x.replace(*below))
				}
			})
		}
	})
	return all
}
