-- Memory: one row, all of it that is counted.
SELECT {bytes: SUM(CURRENT_NUMBER_OF_BYTES_USED)} AS total_allocated -- decimal(41,0)
  FROM performance_schema.memory_summary_global_by_event_name
