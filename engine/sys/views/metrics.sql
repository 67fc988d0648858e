-- What the server counts, in one list: status variables, what InnoDB's tables count that is no status variable, the memory of
-- instruments, and the time, by kind and name.
SELECT m.name AS Variable_name, -- varchar(193)
       m.value AS Variable_value, -- text
       m.kind AS Type, -- varchar(210) NOT NULL
       m.enabled AS Enabled -- varchar(7) NOT NULL
  FROM (SELECT LOWER(VARIABLE_NAME) AS name, VARIABLE_VALUE AS value, 'Global Status' AS kind, 'YES' AS enabled
          FROM performance_schema.global_status
         UNION ALL
        SELECT i.NAME, CAST(i.COUNT AS CHAR), CONCAT('InnoDB Metrics - ', i.SUBSYSTEM), IF(i.STATUS = 'enabled', 'YES', 'NO')
          FROM information_schema.INNODB_METRICS i
         WHERE i.NAME NOT IN (SELECT LOWER(REPLACE(VARIABLE_NAME, 'Innodb_', '')) FROM performance_schema.global_status WHERE VARIABLE_NAME LIKE 'Innodb\_%')
         UNION ALL
        SELECT 'memory_current_allocated', CAST(SUM(CURRENT_NUMBER_OF_BYTES_USED) AS CHAR), 'Performance Schema',
               (SELECT CASE SUM(ENABLED = 'YES') WHEN 0 THEN 'NO' WHEN COUNT(*) THEN 'YES' ELSE 'PARTIAL' END
                  FROM performance_schema.setup_instruments WHERE NAME LIKE 'memory/%')
          FROM performance_schema.memory_summary_global_by_event_name
         UNION ALL
        SELECT 'memory_total_allocated', CAST(SUM(SUM_NUMBER_OF_BYTES_ALLOC) AS CHAR), 'Performance Schema',
               (SELECT CASE SUM(ENABLED = 'YES') WHEN 0 THEN 'NO' WHEN COUNT(*) THEN 'YES' ELSE 'PARTIAL' END
                  FROM performance_schema.setup_instruments WHERE NAME LIKE 'memory/%')
          FROM performance_schema.memory_summary_global_by_event_name
         UNION ALL
        SELECT 'NOW()', CAST(NOW(3) AS CHAR), 'System Time', 'YES'
         UNION ALL
        SELECT 'UNIX_TIMESTAMP()', CAST(ROUND(UNIX_TIMESTAMP(NOW(3)), 3) AS CHAR), 'System Time', 'YES') m
 ORDER BY m.kind, m.name
