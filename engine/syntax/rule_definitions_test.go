package syntax

import "testing"

func TestDefinitions(t *testing.T) {
	needed(t, "CREATE TABLE t (LIKE u)", "CREATE TABLE t (a INT, KEY k ((a + 1)))", "CREATE TABLE t (a INT) PARTITION BY LIST (a) (PARTITION p VALUES IN (1))",
		"CREATE TABLE t (a CHAR BYTE)", "CREATE TABLE t (a INT COLUMN_FORMAT DYNAMIC)", "CREATE TABLE t (a INT REFERENCES u (a) MATCH FULL)",
		"CREATE TABLE t (a INT) PACK_KEYS=DEFAULT", "ALTER TABLE t ENGINE=InnoDB ROW_FORMAT=DYNAMIC", "ALTER TABLE t ADD (a INT, b INT)",
		"ALTER TABLE t DEFAULT CHARSET utf8mb4", "DROP INDEX i ON t LOCK=NONE", "CREATE FULLTEXT INDEX i ON t (a) WITH PARSER ngram")
	rewrites(t, map[string]string{
		"CREATE TABLE t (LIKE d.u)": "CREATE TABLE t  LIKE d.u",
		"CREATE TABLE t (a INT, KEY k ((a + 'PARTITION BY')), b CHAR BYTE DEFAULT 'KEY ((a))')":                                                       "CREATE TABLE t (a INT, b BINARY DEFAULT 'KEY ((a))')",
		"CREATE TABLE t (INDEX (a, (f(a, 1))), a INT, INDEX ((a)))":                                                                                   "CREATE TABLE t ( a INT)",
		"CREATE TABLE t (storage INT COLUMN_FORMAT FIXED STORAGE DISK, c CHAR(1) CHARACTER SET = utf8)":                                               "CREATE TABLE t (storage INT  , c CHAR(1) CHARACTER SET  utf8)",
		"CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES u (a) MATCH FULL ON DELETE CASCADE)":                                                       "CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES u (a)  ON DELETE CASCADE)",
		"CREATE TABLE t (a INT) ENGINE=x PARTITION BY RANGE COLUMNS (a) (PARTITION p VALUES LESS THAN ('x') COMMENT='y') AS SELECT 'PARTITION BY' a":  "CREATE TABLE t (a INT) ENGINE=x  AS SELECT 'PARTITION BY' a",
		"CREATE TABLE t (a INT, FULLTEXT KEY f (a) /*!50100 WITH PARSER `ngram` */ ) /*!50100 PARTITION BY HASH (a) (PARTITION p VALUES IN (';')) */": "CREATE TABLE t (a INT, FULLTEXT KEY f (a)  ) ",
		"CREATE TABLE t (a INT) PACK_KEYS=DEFAULT COMMENT 'PACK_KEYS=DEFAULT'":                                                                        "CREATE TABLE t (a INT)  COMMENT 'PACK_KEYS=DEFAULT'",
		"ALTER TABLE t ENGINE=InnoDB ROW_FORMAT DYNAMIC COMMENT 'a ENGINE=b', ADD a INT COMMENT 'x' AFTER b":                                          "ALTER TABLE t ENGINE=InnoDB, ROW_FORMAT DYNAMIC, COMMENT 'a ENGINE=b', ADD a INT COMMENT 'x' AFTER b",
		"ALTER TABLE d.t ADD COLUMN (a DECIMAL(5, 2), KEY (a)), DROP b, ADD c CHAR BYTE":                                                              "ALTER TABLE d.t ADD COLUMN a DECIMAL(5, 2), ADD KEY (a), DROP b, ADD c BINARY",
		"ALTER TABLE t DEFAULT CHARSET utf8mb4 COLLATE utf8mb4_bin":                                                                                   "ALTER TABLE t DEFAULT CHARACTER SET utf8mb4, COLLATE utf8mb4_bin",
		"ALTER TABLE t PARTITION BY LIST (a) (PARTITION p VALUES IN (1))":                                                                             "ALTER TABLE t REMOVE PARTITIONING",
		"CREATE INDEX i ON t (algorithm, `lock`) ALGORITHM=INPLACE LOCK NONE":                                                                         "CREATE INDEX i ON t (algorithm, `lock`)  ",
		"DROP INDEX i ON t LOCK=NONE":                        "DROP INDEX i ON t ",
		"CREATE FULLTEXT INDEX i ON t (a) WITH PARSER ngram": "CREATE FULLTEXT INDEX i ON t (a) ",
	})
	keeps(t, "CREATE TABLE t (a INT COMMENT 'PARTITION BY HASH (a)', `key` INT)", "SELECT 'CREATE TABLE t (LIKE u)'", "ALTER TABLE t ADD a INT COMMENT 'x', ADD b INT",
		"CREATE TABLE t (a INT, KEY k (a), KEY l (b(5)))", "CREATE TABLE t (a INT) /* PARTITION BY HASH (a) */", "CREATE TABLE t AS SELECT 1 AS a")
	refuses(t, "CREATE TABLE t (a INT, UNIQUE KEY k ((a + 1)))", "CREATE TABLE t (LIKE u", "CREATE TABLE t (a INT, KEY k ((a + 1))", "ALTER TABLE t ENGINE", "DROP INDEX i ON t LOCK", "ALTER TABLE t ADD (a INT, b INT")
}
