package charge

import (
	"context"
	"math/big"
	"reflect"
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

const (
	// sliceBytes is the size of a slice, textBytes of a string, and valueBytes of an interface, without what they refer to.
	sliceBytes = int64(unsafe.Sizeof([]byte(nil)))
	textBytes  = int64(unsafe.Sizeof(""))
	valueBytes = int64(unsafe.Sizeof(any(nil)))
	// entryBytes is about the size of an entry of a small map besides its key and its value.
	entryBytes = 16
	// depthMax is how deep nested values are measured.
	depthMax = 200
)

// allocated returns about what Go's allocator takes for n bytes: it rounds up to size classes.
func allocated(n int) int64 {
	if n > 32<<10 {
		return (int64(n) + 8191) &^ 8191
	}
	return (int64(n) + 15) &^ 15
}

// RowSize returns about how many bytes a row takes, with its place in a slice of rows.
func RowSize(row sql.Row) int64 {
	n := sliceBytes + valueBytes*int64(cap(row))
	for _, v := range row {
		n += Size(v)
	}
	return n
}

// Size returns about how many bytes a value takes besides the interface that holds it.
func Size(v any) int64 { return sizeAt(v, 0) }

func sizeAt(v any, depth int) int64 {
	switch v := v.(type) {
	case nil, bool, int8, uint8:
		return 0
	case int64, uint64, int32, uint32, int, uint, float64, float32, int16, uint16, types.Timespan:
		return 8
	case string:
		if len(v) == 0 {
			return 0
		}
		return textBytes + allocated(len(v))
	case []byte:
		if len(v) == 0 {
			return 0
		}
		return sliceBytes + allocated(cap(v))
	case decimal.Decimal:
		return 16 + 24 + 8*int64(len(v.Coefficient().Bits()))
	case *big.Int:
		return 24 + 8*int64(len(v.Bits()))
	case types.JSONDocument:
		return valueBytes + sizeAt(v.Val, depth)
	}
	if depth >= depthMax {
		return 0
	}
	return sizeOther(v, depth)
}

// sizeOther is sizeAt for the rarer types.
func sizeOther(v any, depth int) int64 {
	switch v := v.(type) {
	case sql.Row:
		return sizeAt([]any(v), depth)
	case []any:
		n := sliceBytes + valueBytes*int64(cap(v))
		for _, e := range v {
			n += sizeAt(e, depth+1)
		}
		return n
	case map[string]any:
		n := int64(48)
		for k, e := range v {
			n += entryBytes + textBytes + allocated(len(k)) + valueBytes + sizeAt(e, depth+1)
		}
		return n
	case types.JSONBytes:
		if text, err := v.GetBytes(context.Background()); err == nil {
			return 2*sliceBytes + allocated(cap(text))
		}
	case sql.AnyWrapper: // refers to a value that is stored elsewhere
		return 64
	}
	return sizeByReflection(reflect.ValueOf(v), depth)
}

// sizeByReflection returns the size of a value of any type, such as times and geometry.
func sizeByReflection(v reflect.Value, depth int) int64 {
	n := int64(v.Type().Size())
	if depth >= depthMax {
		return n
	}
	switch v.Kind() {
	case reflect.String:
		n += allocated(v.Len())
	case reflect.Slice:
		elem := v.Type().Elem()
		n += int64(elem.Size()) * int64(v.Cap())
		if hasPointers(elem) {
			for i := range v.Len() {
				n += sizeByReflection(v.Index(i), depth+1) - int64(elem.Size())
			}
		}
	case reflect.Interface:
		if !v.IsNil() {
			n += sizeByReflection(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Slice || f.Kind() == reflect.String || f.Kind() == reflect.Interface {
				n += sizeByReflection(f, depth+1) - int64(f.Type().Size())
			}
		}
	}
	return n
}

// hasPointers reports whether values of a type refer to other memory.
func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Slice, reflect.Interface:
		return true
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// RowSizes measures rows that are kept one after the other: a value in the same memory as that in the same column of the
// row before counts as 0. The zero RowSizes is ready for use. Owned by one goroutine.
type RowSizes struct{ last sql.Row }

// Add returns the RowSize of the next row. The row must not change afterwards.
func (s *RowSizes) Add(row sql.Row) int64 {
	last := s.last
	s.last = row
	if len(last) != len(row) || len(row) == 0 || &last[0] == &row[0] {
		return RowSize(row)
	}
	n := sliceBytes + valueBytes*int64(cap(row))
	for i, v := range row {
		if v != nil && pointer(&row[i]) != pointer(&last[i]) {
			n += Size(v)
		}
	}
	return n
}

// pointer returns the address of the value in an interface.
func pointer(v *any) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(v))[1] }
