package engine

import "testing"

func TestExactFunctions(t *testing.T) {
	needGeneralFunctions(t)
	r := serve(t, Options{})
	r.exec(t, "CREATE TABLE test.t (u BIGINT UNSIGNED, i BIGINT, d DECIMAL(30,2), f DOUBLE, s VARCHAR(10), n INT)")
	r.exec(t, "INSERT INTO test.t VALUES (18446744073709551615, -9223372036854775808, 12345678901234567890.55, 1.5, 'x', NULL)")
	for q, want := range map[string]string{
		"GREATEST(u, 1)": "18446744073709551615",
		"GREATEST(u, i)": "18446744073709551615",
		"LEAST(u, i)":    "-9223372036854775808",
		"LEAST(u, i, d)": "-9223372036854775808.00",
		"ROUND(d, 1), TRUNCATE(d, 1), ROUND(d, 5)": "12345678901234567890.6|12345678901234567890.5|12345678901234567890.55000",
		"GREATEST(i, d)":                            "12345678901234567890.55",
		"GREATEST(SUM(d), 0)":                       "12345678901234567890.55",
		"GREATEST(u, n)":                            "NULL",
		"GREATEST(1, f)":                            "1.5",
		"LEAST('b', s)":                             "b",
		"GREATEST(2, 2.50)":                         "2.50",
		"ROUND(u)":                                  "18446744073709551615",
		"ROUND(i, 2)":                               "-9223372036854775808",
		"ROUND(d)":                                  "12345678901234567891",
		"ROUND(f), ROUND(-15, -1)":                  "2|-20",
		"TRUNCATE(u, 0), TRUNCATE(f, 0)":            "18446744073709551615|1",
		"FORMAT(u, 0), FORMAT(i, 2)":                "18,446,744,073,709,551,615|-9,223,372,036,854,775,808.00",
		"FORMAT(d, 1), FORMAT(0, 3)":                "12,345,678,901,234,567,890.6|0.000",
		"FORMAT(123, 0), FORMAT(1234, 0)":           "123|1,234",
		"FORMAT(f, 1), FORMAT(n, 1)":                "1.5|NULL",
		"BIT_COUNT(u), BIT_COUNT(-1), BIT_COUNT(7)": "64|64|3",
	} {
		r.want(t, "SELECT "+q+" FROM test.t", want)
	}
	for _, q := range []string{"SELECT GREATEST(1)", "SELECT BIT_COUNT()", "SELECT TRUNCATE(1)"} {
		if _, err := r.db.Exec(q); err == nil || code(err)[:5] != "1582 " {
			t.Errorf("%s: %s", q, code(err))
		}
	}
}
