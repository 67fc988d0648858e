-- Indexes with their columns in a list: a row for each index that has an order. What MySQL's own schemas have is left out.
SELECT TABLE_SCHEMA AS table_schema, -- varchar(64)
       TABLE_NAME AS table_name, -- varchar(64)
       INDEX_NAME AS index_name, -- varchar(64)
       MAX(NON_UNIQUE) AS non_unique, -- int
       MAX(IF(SUB_PART IS NULL, 0, 1)) AS subpart_exists, -- bigint
       GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX SEPARATOR ',') AS index_columns -- text
  FROM information_schema.STATISTICS
 WHERE INDEX_TYPE = 'BTREE'
   AND TABLE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')
 GROUP BY TABLE_SCHEMA, TABLE_NAME, INDEX_NAME
