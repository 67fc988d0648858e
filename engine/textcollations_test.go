package engine

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// ownCollations are functions whose texts do not have the collation of their arguments: MySQL makes them of numbers, times or bytes, or says
// what they are made of.
var ownCollations = strings.Fields(`adddate addtime bin bin_to_uuid charset collation compress conv date_format dayname format format_bytes format_pico_time get_format hex inet6_ntoa inet_ntoa json_arrayagg json_pretty md5 monthname oct ps_thread_id
	sha sha1 sha2 soundex space st_asgeojson st_astext st_aswkt statement_digest statement_digest_text subdate subtime time_format timestampadd to_base64 validate_password_strength version
	sys.extract_schema_from_file_name sys.extract_table_from_file_name sys.format_bytes sys.format_path sys.format_statement sys.format_time sys.list_add sys.list_drop
	sys.ps_is_account_enabled sys.ps_is_consumer_enabled sys.ps_is_instrument_default_enabled sys.ps_is_instrument_default_timed sys.ps_is_thread_instrumented sys.ps_thread_account
	sys.ps_thread_stack sys.ps_thread_trx_info sys.quote_identifier sys.sys_get_config`)

// TestCollationsOfFunctions: a text that a function makes of texts has their collation, and is compared by it.
func TestCollationsOfFunctions(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (b VARCHAR(20) COLLATE utf8mb4_bin NOT NULL)", "INSERT INTO t VALUES ('1')")
	functions := registeredFunctions()
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if withoutCalls[name] {
			continue
		}
		quoted, over := calledAs(name, functions[name])
		for n := 1; n <= 4; n++ {
			call := quoted + "(" + strings.Repeat("b, ", n-1) + "b)" + over
			got := answerOf(t, c, "SELECT COLLATION("+call+") AS v FROM t")
			if len(got) > 4 && got[4] == ' ' {
				continue // an error, for the number of arguments or for what they are
			}
			if text := strings.HasPrefix(got, "utf8") || strings.HasPrefix(got, "latin1"); text && got != "utf8mb4_bin" && !slices.Contains(ownCollations, name) {
				t.Errorf("the text of %s has the collation %s", call, got)
			}
			break
		}
	}
	_, c = rightRows(t, "CREATE TABLE t (b VARCHAR(20) COLLATE utf8mb4_bin NOT NULL)", "INSERT INTO t VALUES ('AB')")
	for _, e := range []string{"REPEAT(b, 1)", "LPAD(b, 2, 'x')", "RPAD(b, 2, 'x')", "INSERT(b, 9, 1, '')", "SUBSTRING_INDEX(b, ' ', 2)", "REGEXP_REPLACE(b, 'x', 'y')", "REGEXP_SUBSTR(b, 'AB')", "REPLACE(QUOTE(b), '''', '')"} {
		wantEverywhere(t, c, "SELECT "+e+" = 'ab' AS u, "+e+" IN ('ab') AS v, "+e+" = 'AB' AS w FROM t", "0|0|1", true)
		wantEverywhere(t, c, "SELECT COUNT(*) AS n FROM t WHERE LOWER("+e+") = 'AB' OR "+e+" BETWEEN 'ab' AND 'ac'", "0", true)
	}
}

// TestStrengthOfCollations: a column keeps the strength of its collation in a conditional and in a subquery, beside one of another character set.
func TestStrengthOfCollations(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (b VARCHAR(20) COLLATE utf8mb4_bin, l VARCHAR(20) CHARACTER SET latin1)", "INSERT INTO t VALUES ('x y', '_b')")
	for _, e := range []string{"b", "CASE WHEN TRUE THEN b END", "CASE 1 WHEN 1 THEN b ELSE '' END", "IF(1, b, NULL)", "IFNULL(b, '')", "COALESCE(b)", "COALESCE(NULL, b)", "NULLIF(b, '')", "(SELECT b)", "(SELECT MAX(b) FROM t)", "LOWER(b)", "CONCAT(b, '')", "LEFT(b, 9)", "REPLACE(b, 'q', '')", "TRIM(b)"} {
		wantEverywhere(t, c, "SELECT "+e+" >= l AS u, l < "+e+" AS v, "+e+" BETWEEN l AND 'é' AS w, "+e+" = 'X Y' AS x FROM t", "1|1|1|0", false)
	}
}
