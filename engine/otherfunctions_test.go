package engine

import "testing"

// otherCases are functions of other things and what they are in MySQL.
var otherCases = [][2]string{
	{"AES_DECRYPT(AES_ENCRYPT('text', 'key'), 'key')", "text"},
	{"HEX(AES_ENCRYPT('', ''))", "0143DB63EE66B0CDFF9F69917680151E"},
	{"HEX(AES_ENCRYPT(UNHEX('00112233445566778899AABBCCDDEEFF'), UNHEX('000102030405060708090A0B0C0D0E0F')))", "69C4E0D86A7B0430D8CDB78070B4C55A954F64F2E4E86E9EEE82D20216684899"},
	{"AES_DECRYPT('x', 'key')", "NULL"},
	{"AES_ENCRYPT(NULL, 'key')", "NULL"},
	{"BENCHMARK(10, MD5('a'))", "0"},
	{"BENCHMARK(NULL, 1)", "NULL"},
	{"BENCHMARK(-1, 1)", "NULL"},
	{"INET_ATON('10.0.5.9')", "167773449"},
	{"INET_ATON('127.1')", "2130706433"},
	{"INET_ATON('256.1')", "NULL"},
	{"INET_ATON('1.2.3.4.5')", "NULL"},
	{"INET_ATON('x')", "NULL"},
	{"INET_NTOA(167773449)", "10.0.5.9"},
	{"INET_NTOA(-1)", "NULL"},
	{"INET_NTOA(4294967296)", "NULL"},
	{"LAST_INSERT_ID(NULL)", "0"},
	{"LAST_INSERT_ID(5)", "5"},
	{"JSON_VALUE('{\"fname\": \"Joe\"}', '$.fname')", "Joe"},
	{"JSON_VALUE('{\"a\": 1}', '$.b')", "NULL"},
	{"JSON_VALUE(NULL, '$.b')", "NULL"},
	{"JSON_EXTRACT('{\"a\":{\"b\":[1,2]}}', '$.a.b[last]')", "2"},
	{"JSON_EXTRACT('{\"a\":{\"b\":[1,2,3]}}', '$.a.b[0 to 1]')", "[1, 2]"},
	{"JSON_EXTRACT('[1, 2, 3]', '$[last-1]', '$[0]')", "[2, 1]"},
	{"JSON_EXTRACT('{\"a\":1,\"b\":{\"a\":2}}', '$**.a')", "[1, 2]"},
	{"JSON_EXTRACT('{\"a\":1}', '$**.x')", "NULL"},
	{"JSON_EXTRACT(NULL, '$**.x')", "NULL"},
	{"JSON_EXTRACT('7', '$[last]')", "7"},
	{"DATE '2024-01-31'", "2024-01-31"},
	{"DATE'2024-01-31' + 1", "20240132"},
	{"DATE'2024-01-01' - DATE'2023-01-01'", "10000"},
	{"DATE_ADD(DATE'2024-01-31', INTERVAL 1 MONTH)", "2024-02-29"},
	{"DATE_ADD(DATE'2024-01-31', INTERVAL 1 HOUR)", "2024-01-31 01:00:00"},
	{"TIME'10:00:00' + INTERVAL 1 HOUR", "11:00:00"},
	{"DATE_ADD(TIME'23:00:00', INTERVAL 2 HOUR)", "25:00:00"},
	{"ADDTIME(TIME'10:00:00', TIME'01:00:00')", "11:00:00"},
	{"TIMESTAMPDIFF(SECOND, TIME'10:00:00', TIME'11:00:00')", "3600"},
	{"TIMESTAMP'2024-01-01 10:00:00.25'", "2024-01-01 10:00:00.25"},
	{"TIMESTAMP'2024-01-01 00:00:00' = '2024-01-01'", "1"},
	{"TIME'10:00:00' > '09:00:00', TIME'10:00:00.5'", "1|10:00:00.5"},
	{"CAST(TIME'10:00:00' AS SIGNED), CAST(DATE'2024-01-01' AS SIGNED)", "100000|20240101"},
	{"CAST(TIMESTAMP'2024-01-01 10:00:00' AS UNSIGNED)", "20240101100000"},
	{"MAX(TIME'10:00:00')", "10:00:00"},
	{"IF(1, TIME'10:00:00', NULL), COALESCE(NULL, TIME'10:00:00')", "10:00:00|10:00:00"},
	{"EXTRACT(HOUR FROM TIME'100:30:15')", "100"},
	{"TIME'-100:30:15'", "-100:30:15"},
}

// TestOtherFunctions: literals of times, functions of JSON, of addresses and of the server.
func TestOtherFunctions(t *testing.T) {
	oneAtATime(t)
	needGeneralFunctions(t)
	r := serve(t, Options{})
	for _, c := range otherCases {
		r.want(t, "SELECT "+c[0], c[1])
	}
	for q, want := range map[string]string{
		"DATE'x'": "1525 HY000 Incorrect DATE value: 'x'", "TIMESTAMP'2024-01-01'": "1525 HY000 Incorrect DATETIME value: '2024-01-01'",
		"TIME'10:61:00'":                 "1525 HY000 Incorrect TIME value: '10:61:00'",
		"JSON_EXTRACT('{}', '$**')":      "3143 42000 Invalid JSON path expression. The error is around character position 3.",
		"JSON_EXTRACT('x', '$[last]')":   "3141 22032 Invalid JSON text in argument 1 to function json_extract: \"Invalid value.\" at position 0.",
		"JSON_EXTRACT('{}', '$[last+]')": "3143 42000 Invalid JSON path expression. The error is around character position 1.",
	} {
		if _, err := r.db.Exec("SELECT " + q); err == nil || code(err) != want {
			t.Errorf("%s:\n got %s\nwant %s", q, code(err), want)
		}
	}
	r.exec(t, "CREATE TABLE test.d (d DATE, t TIME, dt DATETIME(3))")
	r.exec(t, "INSERT INTO test.d VALUES ('2024-01-31', '10:00:00', '2024-01-31 10:00:00.5'), (NULL, NULL, NULL)")
	r.want(t, "SELECT d + 0, t + 0, dt + 0, t, t > TIME'09:00:00', d = DATE'2024-01-31' FROM test.d WHERE d IS NOT NULL", "20240131|100000|20240131100000.500|10:00:00|1|1")
	r.want(t, "SELECT IFNULL(d, DATE'2020-01-01'), COALESCE(t, TIME'01:00:00'), CASE WHEN dt IS NULL THEN 'none' ELSE dt END FROM test.d ORDER BY d DESC",
		"2024-01-31|10:00:00|2024-01-31 10:00:00.500", "2020-01-01|01:00:00|none")
}
