package syntax

import "testing"

func TestIntervals(t *testing.T) {
	needed(t, "SELECT d + INTERVAL '1 1' DAY_HOUR FROM t", "SELECT TIMESTAMPADD(SQL_TSI_DAY, 1, d) FROM t")
	rewrites(t, map[string]string{
		"SELECT d + INTERVAL '1 10' DAY_HOUR - INTERVAL a + 1 year_month FROM t": "SELECT d + INTERVAL `value of an interval`( '1 10' ,'DAY_HOUR') HOUR - INTERVAL `value of an interval`( a + 1 ,'YEAR_MONTH') MONTH FROM t",
		"SELECT DATE_ADD(d, INTERVAL (SELECT '1:1' b) MINUTE_SECOND)":            "SELECT DATE_ADD(d, INTERVAL `value of an interval`( (SELECT '1:1' b) ,'MINUTE_SECOND') SECOND)",
		"SELECT {fn TIMESTAMPDIFF(SQL_TSI_HOUR, a, b)}":                          "SELECT ( TIMESTAMPDIFF(HOUR, a, b))",
	})
	keeps(t,
		"SELECT EXTRACT(DAY_HOUR FROM d), d + INTERVAL 1 DAY, 'INTERVAL 1 DAY_HOUR' FROM t",
		"CREATE EVENT e ON SCHEDULE EVERY '1:30' MINUTE_SECOND STARTS NOW() + INTERVAL '1 1' DAY_HOUR DO SELECT 1",
	)
	refuses(t, "SELECT 1 DAY_HOUR", "SELECT d + '1 1' DAY_HOUR", "SELECT (INTERVAL '1' + a) DAY_HOUR")
}
