-- What the Performance Schema had no room for: a row for each counter of what was lost that is not 0.
SELECT VARIABLE_NAME AS variable_name, -- varchar(64) NOT NULL
       VARIABLE_VALUE AS variable_value -- varchar(1024)
  FROM performance_schema.global_status
 WHERE VARIABLE_NAME LIKE 'perf%lost'
   AND CAST(VARIABLE_VALUE AS UNSIGNED) > 0
