package compat

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/shopspring/decimal"
)

// Exponents that no DECIMAL and no DOUBLE has: a number with a larger one is beyond all ranges, one with a smaller one is 0.
// What is calculated with the digits of such a number takes time and memory as its exponent says.
const (
	mostExponent  = 400
	leastExponent = -400
)

// mostTextDigits is how many digits of a text a number is made of: more than a DECIMAL has, and than a DOUBLE needs.
const mostTextDigits = 120

// leadingDecimal is the number that a text begins with, 0 if there is none, exactly but for digits beyond those that any number
// has; whole tells whether nothing but blanks follows. It takes no longer for a large exponent than for a small one.
func leadingDecimal(s string) (d decimal.Decimal, whole bool) {
	text := strings.TrimLeft(s, Blanks)
	length := numberLength(text)
	if length == 0 {
		return d, false
	}
	return textDecimal(text[:length]), strings.Trim(text[length:], Blanks) == ""
}

// textDecimal is the number that a text is, which numberLength has found.
func textDecimal(s string) decimal.Decimal {
	r := TextReader{Text: s}
	negative := false
	if s[0] == '-' || s[0] == '+' {
		negative = s[0] == '-'
		r.At++
	}
	var digits []byte
	exponent := int64(0) // of the last of digits
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
		return decimal.New(0, int32(max(min(exponent, 0), -maxFraction)))
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

// farExponent tells whether a text begins with a number that is written with an exponent of three digits or more.
func farExponent(s string) bool {
	text := strings.TrimLeft(s, Blanks)
	e := strings.IndexAny(text, "eE")
	return e >= 0 && numberLength(text) > e+3
}

// boundedText is the number that a text begins with, without an exponent beyond those that any number has, and what follows it.
func boundedText(s string) string {
	text := strings.TrimLeft(s, Blanks)
	length := numberLength(text)
	if length == 0 {
		return s
	}
	d := textDecimal(text[:length])
	return d.Coefficient().String() + "e" + strconv.Itoa(int(d.Exponent())) + text[length:]
}

// signedExponent reads the digits of an exponent, those that are too many as a number that is too large.
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

// isTextBesideDecimal tells whether one of two types is a text's and the other a DECIMAL's, which go-mysql-server compares as DECIMAL
// and MySQL as DOUBLE.
func isTextBesideDecimal(a, b sql.Type) bool {
	return sql.IsStringType(a) && sql.IsDecimalType(b) || sql.IsDecimalType(a) && sql.IsStringType(b)
}
