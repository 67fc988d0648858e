package sqlexpr

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"pfsd/engine/sqlvalue"
)

// fieldKind is a type without its lengths, by which MySQL finds the type of values of several types.
type fieldKind uint8

const (
	nullKind fieldKind = iota
	tinyKind
	smallKind
	mediumKind
	intKind
	bigKind
	yearKind
	bitKind
	decimalKind
	floatKind
	doubleKind
	dateKind
	timeKind
	datetimeKind
	timestampKind
	charKind    // CHAR and BINARY
	varcharKind // VARCHAR and VARBINARY
	blobKind    // the TEXTs and BLOBs
	enumKind
	setKind
	jsonKind
	geometryKind
	otherKind // a type that MySQL does not have
)

// kindOf returns the kind of a type.
func kindOf(t sql.Type) fieldKind {
	if s, ok := t.(sql.SystemVariableType); ok {
		t = s.UnderlyingType()
	}
	switch t := t.(type) {
	case nil:
		return nullKind
	case *sqlvalue.Choice:
		return choiceKind(t.FieldType() == querypb.Type_SET)
	case sql.EnumType:
		return enumKind
	case sql.SetType:
		return setKind
	}
	switch t.Type() {
	case querypb.Type_NULL_TYPE:
		return nullKind
	case querypb.Type_INT8, querypb.Type_UINT8:
		return tinyKind
	case querypb.Type_INT16, querypb.Type_UINT16:
		return smallKind
	case querypb.Type_INT24, querypb.Type_UINT24:
		return mediumKind
	case querypb.Type_INT32, querypb.Type_UINT32:
		return intKind
	case querypb.Type_INT64, querypb.Type_UINT64:
		return bigKind
	case querypb.Type_YEAR:
		return yearKind
	case querypb.Type_BIT:
		return bitKind
	case querypb.Type_DECIMAL:
		return decimalKind
	case querypb.Type_FLOAT32:
		return floatKind
	case querypb.Type_FLOAT64:
		return doubleKind
	case querypb.Type_DATE:
		return dateKind
	case querypb.Type_TIME:
		return timeKind
	case querypb.Type_DATETIME:
		return datetimeKind
	case querypb.Type_TIMESTAMP:
		return timestampKind
	case querypb.Type_CHAR, querypb.Type_BINARY:
		return charKind
	case querypb.Type_VARCHAR, querypb.Type_VARBINARY:
		return varcharKind
	case querypb.Type_TEXT, querypb.Type_BLOB:
		return blobKind
	case querypb.Type_JSON:
		return jsonKind
	case querypb.Type_GEOMETRY:
		return geometryKind
	}
	return otherKind
}

func choiceKind(set bool) fieldKind {
	if set {
		return setKind
	}
	return enumKind
}

func (k fieldKind) integer() bool  { return k >= tinyKind && k <= bigKind }
func (k fieldKind) number() bool   { return k >= tinyKind && k <= doubleKind }
func (k fieldKind) temporal() bool { return k >= dateKind && k <= timestampKind }
func (k fieldKind) text() bool     { return k >= charKind && k <= setKind }

// mergeKinds returns the kind of values of which some have kind a, and some b. MySQL has it as a
// table of pairs.
func mergeKinds(a, b fieldKind) fieldKind {
	if a > b {
		a, b = b, a
	}
	switch {
	case a == nullKind:
		return b
	case b == otherKind:
		return otherKind
	case a == b && a != enumKind && a != setKind:
		return a
	case a.number() && b.number():
		return mergeNumbers(a, b)
	case a.temporal() && b.temporal():
		return datetimeKind
	case b == blobKind:
		return blobKind
	case b == geometryKind || b == jsonKind:
		return blobKind
	case a == blobKind:
		return blobKind
	case a == varcharKind || b == varcharKind:
		return varcharKind
	case a == charKind || b == charKind:
		return charKind
	}
	return varcharKind
}

// mergeNumbers is mergeKinds for two kinds of numbers of which a is the first one in their order.
func mergeNumbers(a, b fieldKind) fieldKind {
	switch b {
	case yearKind:
		return max(a, smallKind) // which has room for a year
	case bitKind:
		return bigKind
	case floatKind:
		if a <= mediumKind || a == yearKind {
			return floatKind // which has all digits of a
		}
		return doubleKind
	}
	return b // of integers the larger one, DECIMAL, or DOUBLE
}

// widerInteger is the kind of signed integers that has room for unsigned ones of the kind.
var widerInteger = map[fieldKind]fieldKind{tinyKind: smallKind, smallKind: mediumKind, mediumKind: intKind, intKind: bigKind, bigKind: decimalKind}

// integerTypes are the signed and unsigned types of the kinds of integers.
var integerTypes = map[fieldKind][2]sql.Type{
	tinyKind: {types.Int8, types.Uint8}, smallKind: {types.Int16, types.Uint16}, mediumKind: {types.Int24, types.Uint24},
	intKind: {types.Int32, types.Uint32}, bigKind: {types.Int64, types.Uint64},
}

// textLength returns how many characters the text of a value of a type can have.
func textLength(t sql.Type, digits, fraction int, unsigned bool) int64 {
	const unlimited = 1<<32 - 1
	sign := int64(1)
	if unsigned {
		sign = 0
	}
	switch kindOf(t) {
	case nullKind:
		return 0
	case tinyKind, smallKind, mediumKind, intKind, bigKind:
		return int64(digits) + sign
	case yearKind:
		return 4
	case bitKind:
		return int64(digits+7) / 8
	case decimalKind:
		return int64(digits) + 1 + int64(min(fraction, 1))
	case floatKind:
		return 12
	case doubleKind:
		return 22
	case dateKind:
		return 10
	case timeKind:
		return 10 + fractionLength(fractionOf(t))
	case datetimeKind, timestampKind:
		return 19 + fractionLength(fractionOf(t))
	case enumKind, setKind:
		return choiceLength(t)
	case charKind, varcharKind, blobKind:
		if s, ok := t.(sql.StringType); ok {
			return s.MaxCharacterLength()
		}
	}
	return unlimited
}

func fractionLength(digits int) int64 {
	if digits == 0 {
		return 0
	}
	return int64(digits) + 1
}

// fractionOf returns the number of digits behind the point that a time has.
func fractionOf(t sql.Type) int {
	switch t := t.(type) {
	case *sqlvalue.Time:
		return t.Digits()
	case sql.DatetimeType:
		if !types.IsDateType(t) {
			return t.Precision()
		}
	}
	return 0
}

// choiceLength returns how many characters the text of an ENUM or SET can have.
func choiceLength(t sql.Type) int64 {
	values, set := []string(nil), false
	switch t := t.(type) {
	case *sqlvalue.Choice:
		return t.MaxCharacterLength()
	case sql.EnumType:
		values = t.Values()
	case sql.SetType:
		values, set = t.Values(), true
	}
	longest := 1
	for _, v := range values {
		longest = max(longest, len([]rune(v)))
	}
	if set {
		longest = max(1, len([]rune(strings.Join(values, ","))))
	}
	return int64(longest)
}
