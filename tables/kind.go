package tables

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Type is the SQL base type of a column.
type Type uint8

// The SQL types that performance_schema uses.
const (
	TypeVarChar Type = iota
	TypeChar
	TypeText
	TypeMediumText
	TypeLongText
	TypeLongBlob // its values are texts, equal byte by byte
	TypeJSON     // its values are texts as MySQL prints JSON, with a space after each comma and colon
	TypeBigIntUnsigned
	TypeBigInt
	TypeIntUnsigned
	TypeInt
	TypeMediumIntUnsigned
	TypeSmallInt
	TypeTinyInt
	TypeEnum
	TypeSet
	TypeDouble    // Kind.Len digits, Kind.Decimals of them after the point
	TypeTimestamp // Kind.Len is how many digits the fraction of a second has
	TypeDate      // its values are moments, midnight in UTC
)

// Kind is the full SQL type of a column.
type Kind struct {
	Type     Type
	Len      int      // characters of TypeVarChar and TypeChar; digits of a TypeDouble, 0 for as many as needed, and of a TypeTimestamp's fraction
	Decimals int      // digits after the point of a TypeDouble
	Values   []string // TypeEnum and TypeSet only
	// A column that is Nullable has the default NULL, another one no default, if Column.Default is "".
	Nullable bool
	// ASCII columns are ascii_general_ci, Binary ones utf8mb4_bin; the rest are utf8mb4_0900_ai_ci.
	// UTF8MB3 ones are utf8mb3_bin and utf8mb3_general_ci instead.
	ASCII, Binary, UTF8MB3 bool
}

func varchar(n int) Kind       { return Kind{Type: TypeVarChar, Len: n} }
func enum(v ...string) Kind    { return Kind{Type: TypeEnum, Values: v} }
func set(v ...string) Kind     { return Kind{Type: TypeSet, Values: v} }
func char(n int) Kind          { return Kind{Type: TypeChar, Len: n} }
func timestamp(n int) Kind     { return Kind{Type: TypeTimestamp, Len: n} }
func (k Kind) binary() Kind    { k.Binary = true; return k }
func (k Kind) nullable() Kind  { k.Nullable = true; return k }
func (k Kind) asciiText() Kind { k.ASCII = true; return k }
func (k Kind) utf8mb3() Kind   { k.UTF8MB3 = true; return k }

// The vocabularies of the enum and set columns, and the plain types.
var (
	bigintUnsigned    = Kind{Type: TypeBigIntUnsigned}
	bigint            = Kind{Type: TypeBigInt}
	intUnsigned       = Kind{Type: TypeIntUnsigned}
	integer           = Kind{Type: TypeInt}
	mediumintUnsigned = Kind{Type: TypeMediumIntUnsigned}
	smallint          = Kind{Type: TypeSmallInt}
	tinyint           = Kind{Type: TypeTinyInt}
	plainText         = Kind{Type: TypeText}
	longtext          = Kind{Type: TypeLongText}
	longblob          = Kind{Type: TypeLongBlob, Binary: true}
	jsonText          = Kind{Type: TypeJSON}
	double            = Kind{Type: TypeDouble}
	quantile          = Kind{Type: TypeDouble, Len: 7, Decimals: 6}
	yesNo             = enum("YES", "NO")
	onOff             = enum("ON", "OFF")
	oneZero           = enum("1", "0")
	eventTimers       = enum("CYCLE", "NANOSECOND", "MICROSECOND", "MILLISECOND", "TICK")
	allTimers         = enum("CYCLE", "NANOSECOND", "MICROSECOND", "MILLISECOND", "TICK", "THREAD_CPU")
	eventTypes        = enum("TRANSACTION", "STATEMENT", "STAGE", "WAIT")
	objectTypes       = enum("EVENT", "FUNCTION", "PROCEDURE", "TABLE", "TRIGGER")
	engines           = enum("PRIMARY", "SECONDARY")
	// The states and the access modes of transactions.
	transactionStates = enum("ACTIVE", "COMMITTED", "ROLLED BACK")
	accessModes       = enum("READ ONLY", "READ WRITE")
	variableSources   = enum("COMPILED", "GLOBAL", "SERVER", "EXPLICIT", "EXTRA", "USER", "LOGIN", "COMMAND_LINE", "PERSISTED", "DYNAMIC")
)

// String is the type as MySQL 8.4 prints it in information_schema.columns.COLUMN_TYPE.
func (k Kind) String() string {
	quoted := func() string { return "('" + strings.Join(k.Values, "','") + "')" }
	switch k.Type {
	case TypeVarChar:
		return fmt.Sprintf("varchar(%d)", k.Len)
	case TypeChar:
		return fmt.Sprintf("char(%d)", k.Len)
	case TypeText:
		return "text"
	case TypeMediumText:
		return "mediumtext"
	case TypeLongText:
		return "longtext"
	case TypeLongBlob:
		return "longblob"
	case TypeJSON:
		return "json"
	case TypeBigIntUnsigned:
		return "bigint unsigned"
	case TypeBigInt:
		return "bigint"
	case TypeIntUnsigned:
		return "int unsigned"
	case TypeInt:
		return "int"
	case TypeMediumIntUnsigned:
		return "mediumint unsigned"
	case TypeSmallInt:
		return "smallint"
	case TypeTinyInt:
		return "tinyint"
	case TypeEnum:
		return "enum" + quoted()
	case TypeSet:
		return "set" + quoted()
	case TypeDouble:
		if k.Len == 0 {
			return "double"
		}
		return fmt.Sprintf("double(%d,%d)", k.Len, k.Decimals)
	case TypeDate:
		return "date"
	case TypeTimestamp:
		if k.Len == 0 {
			return "timestamp"
		}
		return fmt.Sprintf("timestamp(%d)", k.Len)
	}
	panic(fmt.Sprintf("tables: unknown type %d", k.Type))
}

// IsText reports whether the values are texts.
func (k Kind) IsText() bool {
	switch k.Type {
	case TypeVarChar, TypeChar, TypeText, TypeMediumText, TypeLongText, TypeLongBlob, TypeJSON, TypeEnum, TypeSet:
		return true
	}
	return false
}

// check returns v as a column of kind k stores it, or ErrBadValue, ErrTooLong or ErrNull.
func (k Kind) check(v Value) (Value, error) {
	if v.IsNull() {
		if k.Nullable {
			return v, nil
		}
		return v, ErrNull
	}
	switch {
	case k.IsText():
		if !v.IsText() {
			return v, ErrBadValue
		}
		return k.checkText(v.s)
	case k.Type == TypeTimestamp, k.Type == TypeDate:
		if !v.IsTime() {
			return v, ErrBadValue
		}
		return v, nil
	}
	if _, ok := v.number(); !ok {
		return v, ErrBadValue
	}
	return v, nil
}

// checkText is check of a text. It removes spaces at the end of a CHAR.
func (k Kind) checkText(s string) (Value, error) {
	if k.Type == TypeChar || k.Type == TypeEnum || k.Type == TypeSet {
		s = strings.TrimRight(s, " ")
	}
	switch k.Type {
	case TypeEnum:
		i := k.member(s)
		if i < 0 {
			return Null, ErrBadValue
		}
		return Text(k.Values[i]), nil
	case TypeSet:
		return k.checkSet(s)
	case TypeText, TypeMediumText, TypeLongText, TypeLongBlob, TypeJSON:
		return Text(s), nil
	}
	if k.ASCII && strings.ContainsFunc(s, func(c rune) bool { return c > unicode.MaxASCII }) {
		return Null, ErrBadValue
	}
	short := cut(s, k.Len)
	if strings.Trim(s[len(short):], " ") != "" {
		return Null, ErrTooLong
	}
	return Text(short), nil
}

// checkSet checks a list of members, and brings it into the order of the type.
func (k Kind) checkSet(s string) (Value, error) {
	if s == "" {
		return Text(s), nil
	}
	var in []int
	for name := range strings.SplitSeq(s, ",") {
		i := k.member(name)
		if i < 0 {
			return Null, ErrBadValue
		}
		in = append(in, i)
	}
	slices.Sort(in)
	var names []string
	for _, i := range slices.Compact(in) {
		names = append(names, k.Values[i])
	}
	return Text(strings.Join(names, ",")), nil
}

// member is the place of a name, in any letter case, among the values; -1 if it is not one of them.
func (k Kind) member(name string) int {
	return slices.IndexFunc(k.Values, func(s string) bool { return sameButCase(s, name) })
}
