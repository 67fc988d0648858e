-- Memory of users: a row for each user, the one that uses most first.
SELECT IFNULL(USER, 'background') AS user, -- varchar(32)
       SUM(CURRENT_COUNT_USED) AS current_count_used, -- decimal(41,0)
       {bytes: SUM(CURRENT_NUMBER_OF_BYTES_USED)} AS current_allocated, -- decimal(41,0)
       {bytes: IFNULL(SUM(CURRENT_NUMBER_OF_BYTES_USED) / NULLIF(SUM(CURRENT_COUNT_USED), 0), 0)} AS current_avg_alloc, -- decimal(45,4) NOT NULL
       {bytes: MAX(CURRENT_NUMBER_OF_BYTES_USED)} AS current_max_alloc, -- bigint
       {bytes: SUM(SUM_NUMBER_OF_BYTES_ALLOC)} AS total_allocated -- decimal(42,0)
  FROM performance_schema.memory_summary_by_user_by_event_name
 GROUP BY IFNULL(USER, 'background')
 ORDER BY SUM(CURRENT_NUMBER_OF_BYTES_USED) DESC
