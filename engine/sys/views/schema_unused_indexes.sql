-- Indexes that nobody has used since the table was first looked at: a row for each that is not unique, by schema and table.
SELECT u.OBJECT_SCHEMA AS object_schema, -- varchar(64)
       u.OBJECT_NAME AS object_name, -- varchar(64)
       u.INDEX_NAME AS index_name -- varchar(64)
  FROM performance_schema.table_io_waits_summary_by_index_usage u
  JOIN information_schema.STATISTICS s
    ON s.TABLE_SCHEMA = u.OBJECT_SCHEMA AND s.TABLE_NAME = u.OBJECT_NAME AND s.INDEX_NAME = u.INDEX_NAME
   AND s.NON_UNIQUE = 1 AND s.SEQ_IN_INDEX = 1
 WHERE u.INDEX_NAME IS NOT NULL
   AND u.INDEX_NAME <> 'PRIMARY'
   AND u.COUNT_STAR = 0
   AND u.OBJECT_SCHEMA <> 'mysql'
 ORDER BY u.OBJECT_SCHEMA, u.OBJECT_NAME
