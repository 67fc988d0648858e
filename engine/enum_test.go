package engine

import (
	"slices"
	"testing"

	"pfsd/tables"
)

// enumCases are expressions over a table with the rows ('zeta', 'a,b'), ('alpha', 'c'), ('Mid', ”)
// and (NULL, NULL), and what MySQL says of them.
var enumCases = map[string]string{
	"GROUP_CONCAT(LOWER(e) ORDER BY id), GROUP_CONCAT(CONCAT(e,'!',s) ORDER BY id) FROM test.en":                                                           "zeta,alpha,mid|zeta!b,a,alpha!c,Mid!",
	"GROUP_CONCAT(LEFT(e,2) ORDER BY id), GROUP_CONCAT(SUBSTRING(e,2,2) ORDER BY id), GROUP_CONCAT(SUBSTR(e,2) ORDER BY id) FROM test.en":                  "ze,al,Mi|et,lp,id|eta,lpha,id",
	"SUBSTRING(e FROM 2 FOR 2), SUBSTRING(s FROM 2 FOR 2), SUBSTRING(e FROM 3) FROM test.en WHERE id = 1":                                                  "et|,a|ta",
	"GROUP_CONCAT(IF(1,e,'q') ORDER BY id), GROUP_CONCAT(COALESCE(e,'none') ORDER BY id), GROUP_CONCAT(NULLIF(e,'alpha') ORDER BY id) FROM test.en":        "zeta,alpha,Mid|zeta,alpha,Mid,none|zeta,Mid",
	"GROUP_CONCAT(CASE WHEN id=1 THEN e ELSE 'x' END ORDER BY id), GROUP_CONCAT(CASE e WHEN 'zeta' THEN 1 ELSE 3 END ORDER BY id) FROM test.en":            "zeta,x,x,x|1,3,3,3",
	"GROUP_CONCAT(REPLACE(e,'a','_') ORDER BY id), GROUP_CONCAT(TRIM(e) ORDER BY id), GROUP_CONCAT(LPAD(e,7,'*') ORDER BY id) FROM test.en":                "zet_,_lph_,Mid|zeta,alpha,Mid|***zeta,**alpha,****Mid",
	"GROUP_CONCAT(e REGEXP 'a$' ORDER BY id), GROUP_CONCAT(e LIKE '%a%' ORDER BY id), GROUP_CONCAT(s LIKE 'b%' ORDER BY id) FROM test.en":                  "1,1,0|1,1,0|1,0,0",
	"GROUP_CONCAT(FIELD(e,'alpha','zeta') ORDER BY id), GROUP_CONCAT(FIND_IN_SET('a',s) ORDER BY id), GROUP_CONCAT(INSTR(e,'a') ORDER BY id) FROM test.en": "2,1,0,0|2,0,0|4,1,0",
	"MD5(e), JSON_OBJECT('e',e,'s',s), QUOTE(e), HEX(e), LENGTH(e) FROM test.en WHERE id = 2":                                                              "2c1743a391305fbf367df8e4f069f9f9|{\"e\": \"alpha\", \"s\": \"c\"}|'alpha'|616C706861|5",
	"GROUP_CONCAT(e ORDER BY id), GROUP_CONCAT(DISTINCT e ORDER BY e), MAX(e), MIN(e), SUM(e), AVG(e), COUNT(DISTINCT e), BIT_OR(s) FROM test.en":          "zeta,alpha,Mid|zeta,alpha,Mid|zeta|alpha|6|2|3|7",
	"GROUP_CONCAT(CAST(e AS CHAR) ORDER BY id), GROUP_CONCAT(CAST(e AS UNSIGNED) ORDER BY id), GROUP_CONCAT(CAST(s AS SIGNED) ORDER BY id) FROM test.en":   "zeta,alpha,Mid|1,2,3|3,4,0",
	"GROUP_CONCAT(e+0 ORDER BY id), GROUP_CONCAT(s+0 ORDER BY id), GROUP_CONCAT(e*2 ORDER BY id), GROUP_CONCAT(-e ORDER BY id) FROM test.en":               "1,2,3|3,4,0|2,4,6|-1,-2,-3",
	"ABS(e), ROUND(e), FLOOR(e), MOD(e,2), POW(e,2), e & 1, e | 4, e << 1 FROM test.en WHERE id = 2":                                                       "2|2|2|0|4|0|6|4",
	"GROUP_CONCAT(id ORDER BY id) FROM test.en WHERE e = 1 OR e = 'alpha' OR e IN (3) OR e IN ('none')":                                                    "1,2,3",
	"GROUP_CONCAT(id ORDER BY id) FROM test.en WHERE e > 1":                                                                                                "2,3",
	"GROUP_CONCAT(id ORDER BY id) FROM test.en WHERE e < 'n' AND e NOT IN ('Mid')":                                                                         "2",
	"GROUP_CONCAT(id ORDER BY id) FROM test.en WHERE e BETWEEN 'a' AND 'b'":                                                                                "2",
	"GROUP_CONCAT(id ORDER BY e) FROM test.en":                                                                                                                      "4,1,2,3",
	"GROUP_CONCAT(e) FROM (SELECT e FROM test.en WHERE id < 3 UNION SELECT 'beta') d":                                                                               "zeta,alpha,beta",
	"GROUP_CONCAT(CONCAT(e,c)) FROM (SELECT e, COUNT(*) c FROM test.en GROUP BY e ORDER BY e) d":                                                                    "zeta1,alpha1,Mid1",
	"CONCAT(x,'-') FROM (SELECT MAX(e) x FROM test.en) d":                                                                                                           "zeta-",
	"e COLLATE utf8mb4_bin, INSERT(e,1,1,'Q'), SUBSTRING_INDEX(e,'p',1) FROM test.en WHERE id = 2":                                                                  "alpha|Qlpha|al",
	"NAME, ENABLED, LOWER(ENABLED), ENABLED+0, CAST(ENABLED AS UNSIGNED), ABS(ENABLED), IF(1,ENABLED,0) FROM setup_consumers WHERE NAME = 'global_instrumentation'": "global_instrumentation|YES|yes|1|1|1|YES",
	"COUNT(*) FROM setup_consumers WHERE ENABLED = 1 AND NAME = 'global_instrumentation' AND ENABLED > 'NO' AND ENABLED IN (1) AND ENABLED < 2":                     "1",
	"GROUP_CONCAT(DISTINCT ENABLED), SUM(ENABLED), MAX(ENABLED) FROM setup_consumers WHERE NAME = 'global_instrumentation'":                                         "YES|1|YES",
}

// TestEnums: an ENUM or SET is a text in every function, and a number where one is wanted, in tables
// of performance_schema and others.
func TestEnums(t *testing.T) {
	needGeneralFunctions(t)
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE TABLE test.en (id INT PRIMARY KEY, e ENUM('zeta','alpha','Mid') COLLATE utf8mb4_0900_ai_ci, s SET('b','a','c'))")
	r.exec(t, "INSERT INTO test.en VALUES (1,'zeta','a,b'), (2,'alpha','c'), (3,'Mid',''), (4,NULL,NULL)")
	for q, want := range enumCases {
		r.want(t, "SELECT "+q, want)
		if got := r.query(t, "SELECT "+q+" LIMIT ?", 1); !slices.Equal(got, []string{want}) {
			t.Errorf("prepared %s\n got %q\nwant %q", q, got, want)
		}
	}
	r.exec(t, "UPDATE setup_consumers SET ENABLED = IF(ENABLED = 'YES', 'NO', 'YES')")
	got := r.query(t, "SELECT ENABLED FROM setup_consumers ORDER BY ENABLED")
	if !slices.IsSortedFunc(got, func(a, b string) int { return len(b) - len(a) }) || got[0] != "YES" || got[len(got)-1] != "NO" {
		t.Errorf("values are in the order %q", got)
	}
	r.exec(t, "CREATE TRIGGER test.tr BEFORE INSERT ON test.en FOR EACH ROW SET NEW.s = IF(LOWER(NEW.e) = 'mid', 'a', 'b')")
	r.exec(t, "INSERT INTO test.en (id, e) VALUES (5, 'Mid')")
	r.want(t, "SELECT s FROM test.en WHERE id = 5", "a")
}
