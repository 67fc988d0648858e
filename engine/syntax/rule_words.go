package syntax

import (
	"context"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// words quotes names that are reserved words for vitess and not for MySQL, and names behind a dot,
// where MySQL has no reserved words. It tries only the word at which vitess fails, and the two
// words before it, which vitess may have misread. A word stays quoted if vitess gets further with
// it.
//
//	SELECT UNIX_TIMESTAMP() AS now  becomes  SELECT UNIX_TIMESTAMP() AS `now`
//
// go-mysql-server: a syntax error, because its grammar has many more reserved words. MySQL: any
// word that is not reserved can be a name.
func words(ctx context.Context, r *rewriting, err error, first bool, o ast.ParserOptions) (parsed, error) {
	for tries, read := 0, 0; tries < maxWords && read < maxRead && !Refused(err); tries++ {
		failed := r.failedToken(ctx, err, o)
		if failed < 0 {
			return parsed{}, err
		}
		further := false
		for i := failed; i >= 0 && i > failed-3 && !further; i-- {
			if !r.mayBeName(i) {
				continue
			}
			before := r.edits
			r.edits = append(r.edits[:len(before):len(before)], edit{r.tokens[i].start, r.tokens[i].end, "`" + r.word(i) + "`"})
			read += len(r.text)
			s, e := parsePlain(ctx, r.result(), first, o)
			if e == nil {
				return s, nil
			}
			if Refused(e) {
				return parsed{}, e
			}
			if further = r.failedToken(ctx, e, o) > failed; further {
				err = e
				r.replacedTokens[i] = true
			} else {
				r.edits = before
			}
		}
		if !further {
			break
		}
	}
	return parsed{}, err
}

// maxWords is how many words of a statement words quotes at the most, because vitess must parse the
// text once more for each. maxRead is how many bytes vitess parses for that at the most.
const maxWords, maxRead = 100, 8 << 20

// mayBeName reports whether token i is a word that can be a name in MySQL.
func (r *rewriting) mayBeName(i int) bool {
	if r.tokens[i].kind != kindWord || r.replaced(i) {
		return false
	}
	return r.is(i-1, ".") || !reserved[strings.ToUpper(r.word(i))]
}

// reserved are the words that MySQL 8.4 reserves.
var reserved = func() map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(`
		ACCESSIBLE ADD ALL ALTER ANALYZE AND AS ASC ASENSITIVE BEFORE BETWEEN BIGINT BINARY BLOB BOTH BY CALL CASCADE
		CASE CHANGE CHAR CHARACTER CHECK COLLATE COLUMN CONDITION CONSTRAINT CONTINUE CONVERT CREATE CROSS CUBE
		CUME_DIST CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER CURSOR DATABASE DATABASES DAY_HOUR
		DAY_MICROSECOND DAY_MINUTE DAY_SECOND DEC DECIMAL DECLARE DEFAULT DELAYED DELETE DENSE_RANK DESC DESCRIBE
		DETERMINISTIC DISTINCT DISTINCTROW DIV DOUBLE DROP DUAL EACH ELSE ELSEIF EMPTY ENCLOSED ESCAPED EXCEPT EXISTS
		EXIT EXPLAIN FALSE FETCH FIRST_VALUE FLOAT FLOAT4 FLOAT8 FOR FORCE FOREIGN FROM FULLTEXT FUNCTION GENERATED
		GET GRANT GROUP GROUPING GROUPS HAVING HIGH_PRIORITY HOUR_MICROSECOND HOUR_MINUTE HOUR_SECOND IF IGNORE IN
		INDEX INFILE INNER INOUT INSENSITIVE INSERT INT INT1 INT2 INT3 INT4 INT8 INTEGER INTERSECT INTERVAL INTO
		IO_AFTER_GTIDS IO_BEFORE_GTIDS IS ITERATE JOIN JSON_TABLE KEY KEYS KILL LAG LAST_VALUE LATERAL LEAD LEADING
		LEAVE LEFT LIKE LIMIT LINEAR LINES LOAD LOCALTIME LOCALTIMESTAMP LOCK LONG LONGBLOB LONGTEXT LOOP
		LOW_PRIORITY MANUAL MATCH MAXVALUE MEDIUMBLOB MEDIUMINT MEDIUMTEXT MIDDLEINT MINUTE_MICROSECOND MINUTE_SECOND
		MOD MODIFIES NATURAL NOT NO_WRITE_TO_BINLOG NTH_VALUE NTILE NULL NUMERIC OF ON OPTIMIZE OPTIMIZER_COSTS
		OPTION OPTIONALLY OR ORDER OUT OUTER OUTFILE OVER PARALLEL PARTITION PERCENT_RANK PRECISION PRIMARY PROCEDURE
		PURGE QUALIFY RANGE RANK READ READS READ_WRITE REAL RECURSIVE REFERENCES REGEXP RELEASE RENAME REPEAT REPLACE
		REQUIRE RESIGNAL RESTRICT RETURN REVOKE RIGHT RLIKE ROW ROWS ROW_NUMBER SCHEMA SCHEMAS SECOND_MICROSECOND
		SELECT SENSITIVE SEPARATOR SET SHOW SIGNAL SMALLINT SPATIAL SPECIFIC SQL SQLEXCEPTION SQLSTATE SQLWARNING
		SQL_BIG_RESULT SQL_CALC_FOUND_ROWS SQL_SMALL_RESULT SSL STARTING STORED STRAIGHT_JOIN SYSTEM TABLE
		TABLESAMPLE TERMINATED THEN TINYBLOB TINYINT TINYTEXT TO TRAILING TRIGGER TRUE UNDO UNION UNIQUE UNLOCK
		UNSIGNED UPDATE USAGE USE USING UTC_DATE UTC_TIME UTC_TIMESTAMP VALUES VARBINARY VARCHAR VARCHARACTER VARYING
		VIRTUAL WHEN WHERE WHILE WINDOW WITH WRITE XOR YEAR_MONTH ZEROFILL`) {
		all[w] = true
	}
	return all
}()
