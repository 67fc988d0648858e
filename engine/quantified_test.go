package engine

import "testing"

func TestQuantified(t *testing.T) {
	r := serve(t, Options{})
	r.exec(t, "CREATE TABLE test.t (a INT PRIMARY KEY)")
	r.exec(t, "INSERT INTO test.t VALUES (1), (2), (3)")
	for q, want := range map[string]string{
		"5 > ALL (SELECT a FROM test.t)":                                                         "1",
		"3 > ALL (SELECT a FROM test.t)":                                                         "0",
		"3 > ANY (SELECT a FROM test.t)":                                                         "1",
		"1 > SOME (SELECT a FROM test.t)":                                                        "0",
		"1 > ALL (SELECT a FROM test.t WHERE a > 9)":                                             "1",
		"1 > ANY (SELECT a FROM test.t WHERE a > 9)":                                             "0",
		"5 > ALL (SELECT a FROM test.t UNION SELECT NULL)":                                       "NULL",
		"1 > ALL (SELECT a FROM test.t UNION SELECT NULL)":                                       "0",
		"5 > ANY (SELECT a FROM test.t UNION SELECT NULL)":                                       "1",
		"0 > ANY (SELECT a FROM test.t UNION SELECT NULL)":                                       "NULL",
		"NULL > ANY (SELECT a FROM test.t)":                                                      "NULL",
		"NOT 3 > ALL (SELECT a FROM test.t)":                                                     "1",
		"2 = ANY (SELECT a FROM test.t)":                                                         "1",
		"2 = ALL (SELECT a FROM test.t)":                                                         "0",
		"2 <> ALL (SELECT a FROM test.t)":                                                        "0",
		"2 <> ANY (SELECT a FROM test.t)":                                                        "1",
		"18446744073709551615 > ALL (SELECT 9223372036854775807)":                                "1",
		"(SELECT SUM(a) FROM test.t t WHERE a >= ALL (SELECT a FROM test.t u WHERE u.a <> t.a))": "3",
	} {
		r.want(t, "SELECT "+q, want)
	}
	if _, err := r.db.Exec("SELECT 1 > ANY (SELECT 1, 2)"); code(err) != "1241 21000 Operand should contain 1 column(s)" {
		t.Error(code(err))
	}
}
