package results

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"pfsd/engine/wire"
)

// appendBinary appends a value of a type, whose text is s.
func appendBinary(to []byte, kind querypb.Type, s string) ([]byte, error) {
	size := binarySizes[kind]
	switch {
	case kind == querypb.Type_FLOAT32:
		v, err := strconv.ParseFloat(s, 32)
		return binary.LittleEndian.AppendUint32(to, math.Float32bits(float32(v))), err
	case kind == querypb.Type_FLOAT64:
		v, err := strconv.ParseFloat(s, 64)
		return binary.LittleEndian.AppendUint64(to, math.Float64bits(v)), err
	case size > 0:
		var v uint64
		var err error
		if sqltypes.IsUnsigned(kind) {
			v, err = strconv.ParseUint(s, 10, 64)
		} else {
			var signed int64
			signed, err = strconv.ParseInt(s, 10, 64)
			v = uint64(signed)
		}
		return appendInteger(to, v, size), err
	case kind == querypb.Type_DATE || kind == querypb.Type_DATETIME || kind == querypb.Type_TIMESTAMP:
		return appendBinaryDate(to, s)
	case kind == querypb.Type_TIME:
		return appendBinaryTime(to, s)
	}
	return wire.AppendText(to, s), nil
}

// binarySizes are how many bytes integers take.
var binarySizes = map[querypb.Type]int{
	querypb.Type_INT8: 1, querypb.Type_UINT8: 1, querypb.Type_INT16: 2, querypb.Type_UINT16: 2, querypb.Type_YEAR: 2,
	querypb.Type_INT24: 4, querypb.Type_UINT24: 4, querypb.Type_INT32: 4, querypb.Type_UINT32: 4, querypb.Type_INT64: 8, querypb.Type_UINT64: 8,
}

// appendBinaryDate appends a date, with the time of the day if it is not midnight.
func appendBinaryDate(to []byte, s string) ([]byte, error) {
	n, micros, err := numbers(s)
	if err != nil || len(n) != 3 && len(n) != 6 {
		return to, errors.Join(err, fmt.Errorf("engine: %q is no date", s))
	}
	n = append(n, 0, 0, 0)[:6]
	at := len(to)
	to = append(to, 0, byte(n[0]), byte(n[0]>>8), byte(n[1]), byte(n[2]), byte(n[3]), byte(n[4]), byte(n[5]))
	switch {
	case micros != 0:
		to = binary.LittleEndian.AppendUint32(to, micros)
	case n[3]|n[4]|n[5] == 0 && n[0]|n[1]|n[2] == 0:
		to = to[:at+1]
	case n[3]|n[4]|n[5] == 0:
		to = to[:at+5]
	}
	to[at] = byte(len(to) - at - 1)
	return to, nil
}

// appendBinaryTime appends a time, which may be below zero.
func appendBinaryTime(to []byte, s string) ([]byte, error) {
	const hours = 24 // of a day
	positive, negative := strings.CutPrefix(s, "-")
	n, micros, err := numbers(positive)
	if err != nil || len(n) != 3 {
		return to, errors.Join(err, fmt.Errorf("engine: %q is no time", s))
	}
	if n[0]|n[1]|n[2]|micros == 0 {
		return append(to, 0), nil
	}
	at := len(to)
	to = append(to, 0, 0)
	if negative {
		to[at+1] = 1
	}
	to = append(binary.LittleEndian.AppendUint32(to, n[0]/hours), byte(n[0]%hours), byte(n[1]), byte(n[2]))
	if micros != 0 {
		to = binary.LittleEndian.AppendUint32(to, micros)
	}
	to[at] = byte(len(to) - at - 1)
	return to, nil
}

// numbers reads the numbers in a date or a time, and its microseconds.
func numbers(s string) (all []uint32, micros uint32, err error) {
	whole, fraction, _ := strings.Cut(s, ".")
	for part := range strings.FieldsFuncSeq(whole, func(r rune) bool { return r < '0' || r > '9' }) {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return nil, 0, err
		}
		all = append(all, uint32(n))
	}
	const digits = "000000"
	if fraction == "" {
		return all, 0, nil
	}
	n, err := strconv.ParseUint((fraction + digits)[:len(digits)], 10, 32)
	return all, uint32(n), err
}
