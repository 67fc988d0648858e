package sysvar

import "strconv"

// whole is any number that an integer of SQL can be.
type whole struct {
	negative  bool
	magnitude uint64
}

// wholeOf is a value as a whole number, false if it is none.
func wholeOf(value any) (n whole, ok bool) {
	switch i := value.(type) {
	case uint64:
		return whole{magnitude: i}, true
	case uint:
		return whole{magnitude: uint64(i)}, true
	case uint32:
		return whole{magnitude: uint64(i)}, true
	case uint16:
		return whole{magnitude: uint64(i)}, true
	case uint8:
		return whole{magnitude: uint64(i)}, true
	}
	var i int64
	switch v := value.(type) {
	case int64:
		i = v
	case int:
		i = int64(v)
	case int32:
		i = int64(v)
	case int16:
		i = int64(v)
	case int8:
		i = int64(v)
	default:
		return n, false
	}
	if i < 0 {
		return whole{true, -uint64(i)}, true
	}
	return whole{magnitude: uint64(i)}, true
}

func (n whole) sign() int {
	if n.negative {
		return -1
	}
	return 1
}

func (n whole) less(than whole) bool {
	if n.negative != than.negative {
		return n.negative
	}
	if n.negative {
		return n.magnitude > than.magnitude
	}
	return n.magnitude < than.magnitude
}

func (n whole) signed() int64 {
	if n.negative {
		return -int64(n.magnitude)
	}
	return int64(n.magnitude)
}

// String is the number in decimal.
func (n whole) String() string {
	s := strconv.FormatUint(n.magnitude, 10)
	if n.negative {
		return "-" + s
	}
	return s
}
