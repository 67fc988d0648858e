-- Memory of threads: a row for each thread, the one that uses most first.
SELECT t.THREAD_ID AS thread_id, -- bigint unsigned NOT NULL
       IF(t.PROCESSLIST_ID IS NULL, REPLACE(t.NAME, 'thread/', ''), CONCAT(t.PROCESSLIST_USER, '@', t.PROCESSLIST_HOST)) AS user, -- varchar(288)
       m.current_count_used AS current_count_used, -- decimal(41,0)
       {bytes: m.current_allocated} AS current_allocated, -- decimal(41,0)
       {bytes: IFNULL(m.current_allocated / NULLIF(m.current_count_used, 0), 0)} AS current_avg_alloc, -- decimal(45,4) NOT NULL
       {bytes: m.current_max_alloc} AS current_max_alloc, -- bigint
       {bytes: m.total_allocated} AS total_allocated -- decimal(42,0)
  FROM (SELECT THREAD_ID,
               SUM(CURRENT_COUNT_USED) AS current_count_used,
               SUM(CURRENT_NUMBER_OF_BYTES_USED) AS current_allocated,
               MAX(CURRENT_NUMBER_OF_BYTES_USED) AS current_max_alloc,
               SUM(SUM_NUMBER_OF_BYTES_ALLOC) AS total_allocated
          FROM performance_schema.memory_summary_by_thread_by_event_name
         GROUP BY THREAD_ID) m
  JOIN performance_schema.threads t ON t.THREAD_ID = m.THREAD_ID
 ORDER BY m.current_allocated DESC
