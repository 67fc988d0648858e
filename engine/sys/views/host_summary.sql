-- Hosts: a row for each, with its statements, files, connections and memory, the one whose statements
-- took most time first.
SELECT a.host AS host, -- varchar(255)
       s.total AS statements, -- decimal(64,0)
       {time: s.total_latency} AS statement_latency, -- decimal(64,0)
       {time: IFNULL(s.total_latency / NULLIF(s.total, 0), 0)} AS statement_avg_latency, -- decimal(65,4)
       s.full_scans AS table_scans, -- decimal(65,0)
       f.ios AS file_ios, -- decimal(64,0)
       {time: f.io_latency} AS file_io_latency, -- decimal(64,0)
       a.current_connections AS current_connections, -- decimal(41,0)
       a.total_connections AS total_connections, -- decimal(41,0)
       a.unique_users AS unique_users, -- bigint NOT NULL
       {bytes: m.current_allocated} AS current_memory, -- decimal(63,0)
       {bytes: m.total_allocated} AS total_memory_allocated -- decimal(64,0)
  FROM (SELECT IFNULL(HOST, 'background') AS host,
               SUM(CURRENT_CONNECTIONS) AS current_connections,
               SUM(TOTAL_CONNECTIONS) AS total_connections,
               COUNT(DISTINCT USER) AS unique_users
          FROM performance_schema.accounts
         GROUP BY IFNULL(HOST, 'background')) a
  LEFT JOIN sys.`x$host_summary_by_statement_latency` s ON s.host = a.host
  LEFT JOIN sys.`x$host_summary_by_file_io` f ON f.host = a.host
  LEFT JOIN sys.`x$memory_by_host_by_current_bytes` m ON m.host = a.host
 ORDER BY s.total_latency DESC
