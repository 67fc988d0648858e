-- What InnoDB keeps in its buffer pool of each table: no rows, as there is no buffer pool; else the table with most first.
SELECT p.object_schema AS object_schema, -- text
       p.object_name AS object_name, -- text
       {bytes: p.allocated} AS allocated, -- decimal(44,0)
       {bytes: p.data} AS data, -- decimal(44,0)
       p.pages AS pages, -- bigint NOT NULL
       p.pages_hashed AS pages_hashed, -- bigint NOT NULL
       p.pages_old AS pages_old, -- bigint NOT NULL
       p.rows_cached AS rows_cached -- decimal(45,0) / decimal(45,0) NOT NULL
  FROM (SELECT IF(LOCATE('.', TABLE_NAME) = 0, 'InnoDB System', REPLACE(SUBSTRING_INDEX(TABLE_NAME, '.', 1), '`', '')) AS object_schema,
               REPLACE(SUBSTRING_INDEX(TABLE_NAME, '.', -1), '`', '') AS object_name,
               SUM(IF(COMPRESSED_SIZE = 0, 16384, COMPRESSED_SIZE)) AS allocated,
               SUM(DATA_SIZE) AS data,
               COUNT(*) AS pages,
               COUNT(IF(IS_HASHED = 'YES', 1, NULL)) AS pages_hashed,
               COUNT(IF(IS_OLD = 'YES', 1, NULL)) AS pages_old,
               ROUND(IFNULL(SUM(NUMBER_RECORDS) / NULLIF(COUNT(DISTINCT INDEX_NAME), 0), 0)) AS rows_cached
          FROM information_schema.INNODB_BUFFER_PAGE
         WHERE TABLE_NAME IS NOT NULL
         GROUP BY object_schema, object_name) p
 ORDER BY p.allocated DESC
