-- Mutexes, readers-writer locks and metadata locks that are held, and by whom, those that have been held longest first. A lock on rows is in
-- performance_schema.data_locks.
SELECT {time: l.held} AS held, -- bigint unsigned
       l.thread_id AS thread_id, -- bigint unsigned
       COALESCE(l.goroutine_id, t.THREAD_OS_ID) AS goroutine_id, -- bigint unsigned
       t.NAME AS thread, -- varchar(128)
       l.source AS locked_at, -- varchar(64)
       l.event AS event, -- varchar(128) NOT NULL
       l.object AS object, -- varchar(129)
       l.lock_mode AS lock_mode, -- varchar(32) NOT NULL
       {statement: t.PROCESSLIST_INFO} AS statement, -- longtext
       l.certain AS certain -- varchar(3) NOT NULL
  FROM (SELECT TIMER_HELD AS held, OWNER_THREAD_ID AS thread_id, OWNER_GOROUTINE_ID AS goroutine_id, SOURCE AS source, EVENT_NAME AS event,
               NULL AS object, IF(LOCK_MODE = 'SHARED', 'SHARED', 'EXCLUSIVE') AS lock_mode, IF(CERTAIN = 'YES', 'YES', 'NO') AS certain
          FROM performance_schema.held_locks
         UNION ALL
        SELECT NULL, OWNER_THREAD_ID, NULL, SOURCE, 'wait/lock/metadata/sql/mdl', CONCAT_WS('.', OBJECT_SCHEMA, OBJECT_NAME), LOCK_TYPE, 'YES'
          FROM performance_schema.metadata_locks
         WHERE LOCK_STATUS = 'GRANTED') l
  LEFT JOIN performance_schema.threads t ON t.THREAD_ID = l.thread_id
 ORDER BY l.held DESC
