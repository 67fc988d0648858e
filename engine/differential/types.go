package main

import (
	"math/rand/v2"
)

// class says which expressions a value can stand in.
type class string

const (
	ints  class = "int"
	decs  class = "dec"
	dbls  class = "dbl"
	strs  class = "str"
	bins  class = "bin"
	dates class = "date"
	stamp class = "stamp" // DATETIME and TIMESTAMP
	times class = "time"
)

// columnType is a type that a column can have, with values that meet each other often and those at its ends.
type columnType struct {
	sql    string
	class  class
	weight int
	values []string
}

var (
	texts   = []string{"''", "'a'", "'A'", "'b'", "'B'", "'ab'", "'AB'", "'abc'", "'10'", "'2'", "'1.5'", "'x y'", "'%'", "'_b'", "'é'", "'É'", "' a'"}
	days    = []string{"'2024-01-01'", "'2024-02-29'", "'2023-12-31'", "'2024-01-02'", "'1999-12-31'", "'2024-03-01'"}
	moments = []string{"'2024-01-01 00:00:00'", "'2024-01-01 08:00:00'", "'2024-02-29 23:59:59'", "'2023-12-31 12:30:00'", "'2024-01-02 00:00:00'"}
	finer   = append([]string{"'2024-01-01 08:00:00.500'", "'2024-01-01 08:00:00.001'"}, moments...)
	hours   = []string{"'00:00:00'", "'08:00:00'", "'12:30:15'", "'-01:00:00'", "'23:59:59'", "'100:00:00'"}
	small   = []string{"0", "1", "2", "3", "4", "5", "7", "10", "20", "-1", "-2"}
	scaled  = []string{"0.00", "1.00", "1.50", "2.00", "2.50", "-1.50", "10.00", "3.33", "0.01"}
)

func with(values []string, more ...string) []string {
	return append(append([]string{}, values...), more...)
}

var columnTypes = []columnType{
	{"INT", ints, 8, small},
	{"TINYINT", ints, 3, with(small, "127", "-128")},
	{"SMALLINT UNSIGNED", ints, 2, with(small[:9], "65535")},
	{"BIGINT", ints, 3, with(small, "2147483648")},
	{"BIGINT UNSIGNED", ints, 3, with(small[:9], "18446744073709551615")},
	{"YEAR", ints, 1, []string{"2024", "1999", "2000", "1901"}},
	{"DECIMAL(10,2)", decs, 5, scaled},
	{"DECIMAL(20,6)", decs, 2, with(scaled, "1.234567", "0.000001")},
	{"DECIMAL(5,0)", decs, 1, small},
	{"DOUBLE", dbls, 4, with(scaled, "2.5e0", "1e10", "0.1")},
	{"FLOAT", dbls, 1, []string{"0", "1", "1.5", "2.5", "-1.5", "10"}},
	{"VARCHAR(20)", strs, 6, texts},
	{"VARCHAR(20) COLLATE utf8mb4_bin", strs, 2, texts},
	{"VARCHAR(20) CHARACTER SET latin1", strs, 1, texts},
	{"CHAR(5)", strs, 2, texts},
	{"TEXT", strs, 1, texts},
	{"ENUM('a','b','ab','10','2')", strs, 2, []string{"'a'", "'b'", "'ab'", "'10'", "'2'"}},
	{"SET('a','b','ab')", strs, 1, []string{"'a'", "'b'", "'a,b'", "''", "'ab'"}},
	{"VARBINARY(10)", bins, 2, texts[:12]},
	{"BLOB", bins, 1, texts[:12]},
	{"DATE", dates, 4, days},
	{"DATETIME", stamp, 3, moments},
	{"DATETIME(3)", stamp, 2, finer},
	{"TIMESTAMP", stamp, 1, moments},
	{"TIME", times, 2, hours},
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// chance is true in p of 100 cases.
func chance(r *rand.Rand, p int) bool { return r.IntN(100) < p }

// collations are those that the columns of a world have by default: a comparison of columns of two of them is an error in MySQL. MariaDB has the
// first two.
var collations = []string{"utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_0900_ai_ci"}

// pickType chooses a type.
func pickType(r *rand.Rand) *columnType {
	total := 0
	for _, t := range columnTypes {
		total += t.weight
	}
	for {
		at := r.IntN(total)
		for i := range columnTypes {
			t := &columnTypes[i]
			if at -= t.weight; at < 0 {
				return t
			}
		}
	}
}
