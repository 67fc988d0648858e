-- What is read from files and written to them: a row for each file, the one with most bytes first.
SELECT {path: FILE_NAME} AS file, -- varchar(512) NOT NULL
       COUNT_READ AS count_read, -- bigint unsigned NOT NULL
       {bytes: SUM_NUMBER_OF_BYTES_READ} AS total_read, -- bigint NOT NULL
       {bytes: IFNULL(SUM_NUMBER_OF_BYTES_READ / NULLIF(COUNT_READ, 0), 0)} AS avg_read, -- decimal(23,4) NOT NULL
       COUNT_WRITE AS count_write, -- bigint unsigned NOT NULL
       {bytes: SUM_NUMBER_OF_BYTES_WRITE} AS total_written, -- bigint NOT NULL
       {bytes: IFNULL(SUM_NUMBER_OF_BYTES_WRITE / NULLIF(COUNT_WRITE, 0), 0)} AS avg_write, -- decimal(23,4) NOT NULL
       {bytes: SUM_NUMBER_OF_BYTES_READ + SUM_NUMBER_OF_BYTES_WRITE} AS total, -- bigint NOT NULL
       IFNULL(ROUND(100 * SUM_NUMBER_OF_BYTES_WRITE / NULLIF(SUM_NUMBER_OF_BYTES_READ + SUM_NUMBER_OF_BYTES_WRITE, 0), 2), 0) AS write_pct -- decimal(26,2) NOT NULL
  FROM performance_schema.file_summary_by_instance
 ORDER BY SUM_NUMBER_OF_BYTES_READ + SUM_NUMBER_OF_BYTES_WRITE DESC
