-- Connections of the program to its databases, as package instrsql opens them, and of other pools: a row for each, those that
-- have been taken for longest first, and then those that nobody has. A recording has those of database/sql, and those of net/http, which the body
-- of a response keeps where body_open is YES.
SELECT c.POOL_NAME AS db, -- varchar(128) NOT NULL
       c.CONNECTION_ID AS connection_id, -- bigint unsigned NOT NULL
       IF(c.TAKEN = 'YES', 'YES', 'NO') AS taken, -- varchar(3) NOT NULL
       TIMEDIFF(DATE_ADD(c.TAKEN_SINCE, INTERVAL c.TIMER_TAKEN DIV 1000000 MICROSECOND), c.TAKEN_SINCE) AS taken_for, -- time(6)
       c.SOURCE AS taken_at, -- varchar(64)
       c.THREAD_ID AS thread_id, -- bigint unsigned
       c.GOROUTINE_ID AS goroutine_id, -- bigint unsigned
       t.NAME AS thread, -- varchar(128)
       t.PROCESSLIST_STATE AS state, -- varchar(64)
       {statement: IFNULL(c.STATEMENT, s.SQL_TEXT)} AS statement, -- longtext
       c.BODY_OPEN AS body_open, -- varchar(3)
       w.EVENT_NAME AS waits_for, -- varchar(128)
       c.OPENED AS opened -- timestamp(6) NOT NULL
  FROM performance_schema.pool_connections c
  LEFT JOIN performance_schema.threads t ON t.THREAD_ID = c.THREAD_ID
  LEFT JOIN performance_schema.events_statements_current s ON s.THREAD_ID = c.THREAD_ID AND s.NESTING_EVENT_LEVEL = 0 AND s.END_EVENT_ID IS NULL
  LEFT JOIN (SELECT THREAD_ID, EVENT_NAME, END_EVENT_ID,
                    ROW_NUMBER() OVER (PARTITION BY THREAD_ID ORDER BY EVENT_ID DESC) AS place
               FROM performance_schema.events_waits_current) w ON w.THREAD_ID = c.THREAD_ID AND w.place = 1 AND w.END_EVENT_ID IS NULL
 ORDER BY c.TAKEN_SINCE IS NULL, c.TAKEN_SINCE, c.POOL_NAME, c.CONNECTION_ID
