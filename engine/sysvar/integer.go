package sysvar

import "strconv"

// integer is an integer between the least BIGINT and the greatest BIGINT UNSIGNED.
type integer struct {
	negative  bool
	magnitude uint64
}

// integerOf converts a value to an integer, false if it is not one.
func integerOf(value any) (n integer, ok bool) {
	switch i := value.(type) {
	case uint64:
		return integer{magnitude: i}, true
	case uint:
		return integer{magnitude: uint64(i)}, true
	case uint32:
		return integer{magnitude: uint64(i)}, true
	case uint16:
		return integer{magnitude: uint64(i)}, true
	case uint8:
		return integer{magnitude: uint64(i)}, true
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
		return integer{true, -uint64(i)}, true
	}
	return integer{magnitude: uint64(i)}, true
}

func (n integer) sign() int {
	if n.negative {
		return -1
	}
	return 1
}

func (n integer) less(than integer) bool {
	if n.negative != than.negative {
		return n.negative
	}
	if n.negative {
		return n.magnitude > than.magnitude
	}
	return n.magnitude < than.magnitude
}

func (n integer) signed() int64 {
	if n.negative {
		return -int64(n.magnitude)
	}
	return int64(n.magnitude)
}

// String returns the number in decimal.
func (n integer) String() string {
	s := strconv.FormatUint(n.magnitude, 10)
	if n.negative {
		return "-" + s
	}
	return s
}
