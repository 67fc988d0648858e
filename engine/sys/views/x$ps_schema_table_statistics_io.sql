-- Files of tables, as their names tell: a row for each directory that files stand in and each name of theirs.
SELECT f.table_schema AS table_schema, -- varchar(64)
       f.table_name AS table_name, -- varchar(64)
       SUM(f.COUNT_READ) AS count_read, -- decimal(42,0)
       SUM(f.SUM_NUMBER_OF_BYTES_READ) AS sum_number_of_bytes_read, -- decimal(41,0)
       SUM(f.SUM_TIMER_READ) AS sum_timer_read, -- decimal(42,0)
       SUM(f.COUNT_WRITE) AS count_write, -- decimal(42,0)
       SUM(f.SUM_NUMBER_OF_BYTES_WRITE) AS sum_number_of_bytes_write, -- decimal(41,0)
       SUM(f.SUM_TIMER_WRITE) AS sum_timer_write, -- decimal(42,0)
       SUM(f.COUNT_MISC) AS count_misc, -- decimal(42,0)
       SUM(f.SUM_TIMER_MISC) AS sum_timer_misc -- decimal(42,0)
  FROM (SELECT sys.extract_schema_from_file_name(FILE_NAME) AS table_schema,
               sys.extract_table_from_file_name(FILE_NAME) AS table_name,
               COUNT_READ, SUM_NUMBER_OF_BYTES_READ, SUM_TIMER_READ, COUNT_WRITE, SUM_NUMBER_OF_BYTES_WRITE, SUM_TIMER_WRITE, COUNT_MISC, SUM_TIMER_MISC
          FROM performance_schema.file_summary_by_instance) f
 GROUP BY f.table_schema, f.table_name
