package sqlvalue

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/shopspring/decimal"
)

// A number with an exponent above mostExponent is out of the range of DECIMAL and DOUBLE. A number
// with an exponent below leastExponent is 0. A calculation with all digits of such a number takes
// time and memory that grow with the exponent.
const (
	mostExponent  = 400
	leastExponent = -400
)

// mostTextDigits is the largest number of digits that are read from a text. No DECIMAL has more,
// and no DOUBLE needs more.
const mostTextDigits = 120

// LeadingDecimal returns the number at the beginning of a text, 0 if there is none. It leaves out
// digits that no type keeps. whole reports whether there is a number and only blanks follow it. The
// time that it takes does not grow with the exponent.
func LeadingDecimal(s string) (d decimal.Decimal, whole bool) {
	text := strings.TrimLeft(s, Blanks)
	length := NumberLength(text)
	if length == 0 {
		return d, false
	}
	return TextDecimal(text[:length]), strings.Trim(text[length:], Blanks) == ""
}

// TextDecimal returns the number that s stands for. s is all of a number, as long as [NumberLength]
// says, and not empty.
func TextDecimal(s string) decimal.Decimal {
	r := TextReader{Text: s}
	negative := false
	if s[0] == '-' || s[0] == '+' {
		negative = s[0] == '-'
		r.At++
	}
	var digits []byte
	exponent := int64(0) // the power of ten of the last of digits
	for fraction := false; r.At < len(s) && (IsDigit(s[r.At]) || s[r.At] == '.'); r.At++ {
		switch {
		case s[r.At] == '.':
			fraction = true
			continue
		case len(digits) == 0 && s[r.At] == '0':
		case len(digits) < mostTextDigits:
			digits = append(digits, s[r.At])
		case !fraction:
			exponent++
			continue
		default:
			continue
		}
		if fraction {
			exponent--
		}
	}
	if r.At < len(s) { // e
		r.At++
		exponent += signedExponent(&r)
	}
	if len(digits) == 0 {
		return decimal.New(0, int32(max(min(exponent, 0), -MaxFraction)))
	}
	value, _ := new(big.Int).SetString(string(digits), 10)
	switch first := exponent + int64(len(digits)); {
	case first > mostExponent:
		value, exponent = big.NewInt(1), mostExponent
	case first < leastExponent:
		return decimal.Decimal{}
	}
	if negative {
		value.Neg(value)
	}
	return decimal.NewFromBigInt(value, int32(exponent))
}

// FarExponent reports whether a text begins with a number whose exponent has three digits or more.
func FarExponent(s string) bool {
	text := strings.TrimLeft(s, Blanks)
	e := strings.IndexAny(text, "eE")
	return e >= 0 && NumberLength(text) > e+3
}

// BoundedText returns the text s, where the number at its beginning has an exponent that is within
// the range of all types, or just out of it.
func BoundedText(s string) string {
	text := strings.TrimLeft(s, Blanks)
	length := NumberLength(text)
	if length == 0 {
		return s
	}
	d := TextDecimal(text[:length])
	return d.Coefficient().String() + "e" + strconv.Itoa(int(d.Exponent())) + text[length:]
}

// signedExponent reads an exponent. One with too many digits is read as a large number.
func signedExponent(r *TextReader) int64 {
	sign := int64(1)
	if r.At < len(r.Text) && (r.Text[r.At] == '-' || r.Text[r.At] == '+') {
		if r.Text[r.At] == '-' {
			sign = -1
		}
		r.At++
	}
	n := int64(0)
	for ; r.At < len(r.Text) && IsDigit(r.Text[r.At]); r.At++ {
		n = min(n*10+int64(r.Text[r.At]-'0'), math.MaxInt32)
	}
	return sign * n
}

// IsTextBesideDecimal reports whether one type is a text and the other a DECIMAL. go-mysql-server
// compares these as DECIMAL, MySQL as DOUBLE.
func IsTextBesideDecimal(a, b sql.Type) bool {
	return sql.IsStringType(a) && sql.IsDecimalType(b) || sql.IsDecimalType(a) && sql.IsStringType(b)
}
