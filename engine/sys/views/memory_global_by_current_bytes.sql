-- Memory: a row for each use that there is of it, that with most of it first.
SELECT EVENT_NAME AS event_name, -- varchar(128) NOT NULL
       CURRENT_COUNT_USED AS current_count, -- bigint NOT NULL
       {bytes: CURRENT_NUMBER_OF_BYTES_USED} AS current_alloc, -- bigint NOT NULL
       {bytes: IFNULL(CURRENT_NUMBER_OF_BYTES_USED / NULLIF(CURRENT_COUNT_USED, 0), 0)} AS current_avg_alloc, -- decimal(23,4) NOT NULL
       HIGH_COUNT_USED AS high_count, -- bigint NOT NULL
       {bytes: HIGH_NUMBER_OF_BYTES_USED} AS high_alloc, -- bigint NOT NULL
       {bytes: IFNULL(HIGH_NUMBER_OF_BYTES_USED / NULLIF(HIGH_COUNT_USED, 0), 0)} AS high_avg_alloc -- decimal(23,4) NOT NULL
  FROM performance_schema.memory_summary_global_by_event_name
 WHERE CURRENT_NUMBER_OF_BYTES_USED > 0
 ORDER BY CURRENT_NUMBER_OF_BYTES_USED DESC
