package syntax

import (
	"reflect"
	"sync"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Walker finds values of some types in syntax trees. It uses reflection, because ast.Walk cannot
// replace nodes, and does not visit the bodies of stored programs. Safe for concurrent use.
type Walker struct {
	wanted func(reflect.Type) bool
	shapes sync.Map // the *shape of each reflect.Type that the walker has met
}

// NewWalker returns a Walker that finds the values of the types for which wanted is true.
func NewWalker(wanted func(reflect.Type) bool) *Walker { return &Walker{wanted: wanted} }

// shape says what a Walker finds in the values of a type. Safe for concurrent use once it is in
// shapes.
type shape struct {
	kind   reflect.Kind
	wanted bool
	holds  bool          // its values may contain values of wanted types
	inside []shapeInside // the element of a pointer or slice, or the relevant fields of a struct
}

type shapeInside struct {
	*shape
	field int
}

// Walk calls found with each value of a wanted type in v. Values inside others come first.
func (w *Walker) Walk(v reflect.Value, found func(reflect.Value)) {
	if v.IsValid() {
		w.walk(v, w.shape(v.Type()), found)
	}
}

func (w *Walker) walk(v reflect.Value, s *shape, found func(reflect.Value)) {
	if s.holds {
		switch s.kind {
		case reflect.Interface:
			if !v.IsNil() {
				w.Walk(v.Elem(), found)
			}
		case reflect.Pointer:
			if !v.IsNil() {
				w.walk(v.Elem(), s.inside[0].shape, found)
			}
		case reflect.Slice:
			for i := range v.Len() {
				w.walk(v.Index(i), s.inside[0].shape, found)
			}
		case reflect.Struct:
			for _, i := range s.inside {
				w.walk(v.Field(i.field), i.shape, found)
			}
		}
	}
	if s.wanted {
		found(v)
	}
}

func (w *Walker) shape(t reflect.Type) *shape {
	if s, ok := w.shapes.Load(t); ok {
		return s.(*shape)
	}
	s, _ := w.shapes.LoadOrStore(t, w.newShape(t, map[reflect.Type]*shape{}))
	return s.(*shape)
}

var (
	nodeType    = reflect.TypeFor[ast.SQLNode]()
	grammarPath = reflect.TypeFor[ast.ColIdent]().PkgPath()
)

// newShape makes the shape of a type. made has the shapes that newShape is making, for recursive
// types. Such a shape says that its values may contain values of wanted types.
func (w *Walker) newShape(t reflect.Type, made map[reflect.Type]*shape) *shape {
	if s := made[t]; s != nil {
		return s
	}
	s := &shape{kind: t.Kind(), wanted: w.wanted(t), holds: true}
	made[t] = s
	switch s.kind {
	case reflect.Interface:
		s.holds = t.Implements(nodeType)
	case reflect.Pointer, reflect.Slice:
		in := w.newShape(t.Elem(), made)
		s.inside = []shapeInside{{shape: in}}
		s.holds = in.wanted || in.holds
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && t.PkgPath() == grammarPath {
				if in := w.newShape(f.Type, made); in.wanted || in.holds {
					s.inside = append(s.inside, shapeInside{in, i})
				}
			}
		}
		s.holds = len(s.inside) > 0
	default:
		s.holds = false
	}
	return s
}

// SeveralTables reports whether tables are joined, or stand beside each other.
func SeveralTables(from ast.TableExprs) bool {
	if len(from) != 1 {
		return len(from) > 1
	}
	switch t := from[0].(type) {
	case *ast.JoinTableExpr:
		return true
	case *ast.ParenTableExpr:
		return SeveralTables(t.Exprs)
	}
	return false
}
