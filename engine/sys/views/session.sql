-- What sessions are doing: the rows of processlist that are sessions of users, in the same order.
SELECT thd_id AS thd_id, -- bigint unsigned NOT NULL
       conn_id AS conn_id, -- bigint unsigned
       user AS user, -- varchar(288)
       db AS db, -- varchar(64)
       command AS command, -- varchar(16)
       state AS state, -- varchar(64)
       time AS time, -- bigint
       {statement: current_statement} AS current_statement, -- longtext
       execution_engine AS execution_engine, -- enum('PRIMARY','SECONDARY')
       {time: statement_latency} AS statement_latency, -- bigint unsigned
       progress AS progress, -- decimal(26,2)
       {time: lock_latency} AS lock_latency, -- bigint unsigned
       {time: cpu_latency} AS cpu_latency, -- bigint unsigned
       rows_examined AS rows_examined, -- bigint unsigned
       rows_sent AS rows_sent, -- bigint unsigned
       rows_affected AS rows_affected, -- bigint unsigned
       tmp_tables AS tmp_tables, -- bigint unsigned
       tmp_disk_tables AS tmp_disk_tables, -- bigint unsigned
       full_scan AS full_scan, -- varchar(3) NOT NULL
       {statement: last_statement} AS last_statement, -- longtext
       {time: last_statement_latency} AS last_statement_latency, -- bigint unsigned
       {bytes: current_memory} AS current_memory, -- decimal(41,0)
       last_wait AS last_wait, -- varchar(128)
       IF(last_wait_latency = 'Still Waiting', last_wait_latency, {time: last_wait_latency}) AS last_wait_latency, -- varchar(13) / varchar(20)
       source AS source, -- varchar(64)
       {time: trx_latency} AS trx_latency, -- bigint unsigned
       trx_state AS trx_state, -- enum('ACTIVE','COMMITTED','ROLLED BACK')
       trx_autocommit AS trx_autocommit, -- enum('YES','NO')
       pid AS pid, -- varchar(1024)
       program_name AS program_name -- varchar(1024)
  FROM sys.`x$processlist`
 WHERE conn_id IS NOT NULL AND command <> 'Daemon'
