-- Threads and goroutines that wait, those first that somebody keeps waiting, of these those that have waited longest: for what in words, since when, in which line,
-- in which line they were started, and what is known of the channel, condition variable or the like that they wait for; who is in the way, where that one got the lock, for how long it has it, and where it is now. A thread that several are in
-- the way of has a row for each; thread is NULL of one that has ended meanwhile. certain is NO where the one in the way may not be there any more, doubt says why; certain is NULL where nobody is known to be in the way.
SELECT CASE WHEN s.OBJECT_TYPE = 'ONCE' THEN 'for the first call of a Once'
            WHEN s.OBJECT_TYPE = 'SEMAPHORE' THEN 'for units of a semaphore'
            WHEN s.OBJECT_TYPE = 'ERRGROUP' AND w.EVENT_NAME LIKE 'wait/synch/cond/send/%' THEN 'for a place under the limit of an errgroup'
            WHEN w.EVENT_NAME LIKE 'wait/synch/mutex/%' THEN 'to lock a mutex'
            WHEN w.EVENT_NAME LIKE 'wait/synch/rwlock/%' OR w.EVENT_NAME LIKE 'wait/synch/sxlock/%' THEN IF(w.OPERATION LIKE 'read%' OR w.OPERATION LIKE 'shared_lock', 'to lock a readers-writer lock for reading', 'to lock a readers-writer lock for writing')
            WHEN w.EVENT_NAME = 'wait/synch/cond/db.client/pool' THEN 'for a connection of a pool of database/sql'
            WHEN w.EVENT_NAME = 'wait/synch/cond/http.client/pool' THEN 'for a connection to a host, of which there are MaxConnsPerHost'
            WHEN w.EVENT_NAME LIKE 'wait/synch/cond/receive/%' OR w.EVENT_NAME LIKE 'wait/synch/chan/%' AND w.OPERATION LIKE 'receive%' THEN 'for a value from a channel'
            WHEN w.EVENT_NAME LIKE 'wait/synch/cond/send/%' OR w.EVENT_NAME LIKE 'wait/synch/chan/%' THEN 'for room in a channel, or a receiver'
            WHEN w.EVENT_NAME LIKE 'wait/synch/cond/select/%' THEN 'for any case of a select'
            WHEN w.EVENT_NAME LIKE 'wait/synch/cond/sleep/%' THEN 'for time to pass'
            WHEN w.EVENT_NAME LIKE 'wait/synch/cond/waitgroup/%' OR w.EVENT_NAME LIKE 'wait/synch/waitgroup/%' THEN 'for a WaitGroup'
            WHEN w.EVENT_NAME LIKE 'wait/synch/cond/%' THEN 'for a condition variable to be signalled'
            WHEN w.EVENT_NAME LIKE 'wait/synch/semaphore/%' THEN 'for units of a semaphore'
            WHEN w.EVENT_NAME LIKE 'wait/synch/group/%' THEN 'for a group of goroutines'
            WHEN w.EVENT_NAME LIKE 'wait/synch/once/%' THEN 'for the first call of a Once'
            WHEN w.EVENT_NAME LIKE 'wait/synch/context/%' THEN 'for a context to be done'
            WHEN w.EVENT_NAME LIKE 'wait/io/socket/%' THEN CASE WHEN w.OPERATION LIKE 'recv%' THEN 'for bytes from a socket' WHEN w.OPERATION LIKE 'send%' THEN 'for a socket to take bytes'
                 WHEN w.OPERATION = 'accept' THEN 'for a client' WHEN w.OPERATION = 'connect' THEN 'for a connection to be made' ELSE CONCAT('for a socket: ', w.OPERATION) END
            WHEN w.EVENT_NAME LIKE 'wait/io/file/%' THEN CONCAT('for a file: ', w.OPERATION)
            WHEN w.EVENT_NAME LIKE 'wait/io/table/%' THEN CONCAT('for a table: ', w.OPERATION)
            WHEN w.EVENT_NAME LIKE 'wait/lock/metadata/%' THEN 'for a metadata lock'
            WHEN w.EVENT_NAME LIKE 'wait/lock/row/%' THEN 'to lock a row'
            WHEN w.EVENT_NAME LIKE 'wait/lock/%' THEN 'for a lock'
            ELSE REPLACE(w.EVENT_NAME, 'wait/', 'for ') END AS waits_for, -- longtext
       IF(l.REQUESTING_THREAD_ID IS NULL, w.OBJECT_NAME, CONCAT_WS('.', l.OBJECT_SCHEMA, l.OBJECT_NAME, l.INDEX_NAME)) AS object, -- longtext
       {time: w.TIMER_WAIT} AS waiting, -- bigint unsigned
       w.SOURCE AS waits_at, -- varchar(64)
       g.CREATED_AT AS started_at, -- varchar(64)
       s.DESCRIPTION AS about, -- varchar(512)
       t.NAME AS thread, -- varchar(128)
       {statement: t.PROCESSLIST_INFO} AS statement, -- longtext
       l.BLOCKING_THREAD_NAME AS blocking_thread, -- varchar(128)
       l.BLOCKING_SOURCE AS blocking_locked_at, -- varchar(64)
       {time: l.BLOCKING_TIMER_HELD} AS blocking_held, -- bigint unsigned
       l.BLOCKING_WAITS_FOR AS blocking_waits_for, -- varchar(128)
       l.BLOCKING_WAITS_AT AS blocking_waits_at, -- varchar(64)
       {statement: l.BLOCKING_STATEMENT} AS blocking_statement, -- longtext
       IF(l.BLOCKING_THREAD_ID IS NULL, NULL, l.CERTAIN) AS certain, -- varchar(3)
       l.DOUBT AS doubt, -- varchar(256)
       w.EVENT_NAME AS event, -- varchar(128) NOT NULL
       t.PROCESSLIST_ID AS conn_id, -- bigint unsigned
       w.THREAD_ID AS thread_id, -- bigint unsigned NOT NULL
       l.BLOCKING_THREAD_ID AS blocking_thread_id -- bigint unsigned
  FROM (SELECT THREAD_ID, EVENT_NAME, OPERATION, SOURCE, OBJECT_NAME, TIMER_WAIT, ROW_NUMBER() OVER (PARTITION BY THREAD_ID ORDER BY EVENT_ID DESC) AS place
          FROM performance_schema.events_waits_current WHERE END_EVENT_ID IS NULL AND EVENT_NAME <> 'idle') w
  LEFT JOIN (SELECT REQUESTING_THREAD_ID, EVENT_NAME, OBJECT_SCHEMA, OBJECT_NAME, INDEX_NAME, BLOCKING_THREAD_ID, BLOCKING_THREAD_NAME, BLOCKING_SOURCE, BLOCKING_TIMER_HELD,
                    BLOCKING_WAITS_FOR, BLOCKING_WAITS_AT, BLOCKING_STATEMENT, CERTAIN, DOUBT
               FROM performance_schema.lock_waits) l ON l.REQUESTING_THREAD_ID = w.THREAD_ID AND STRCMP(l.EVENT_NAME, w.EVENT_NAME) = 0
  LEFT JOIN performance_schema.synch_waits s ON s.THREAD_ID = w.THREAD_ID
  LEFT JOIN performance_schema.threads t ON t.THREAD_ID = w.THREAD_ID
  LEFT JOIN performance_schema.goroutine_threads g ON g.THREAD_ID = w.THREAD_ID
 WHERE w.place = 1
 ORDER BY l.BLOCKING_THREAD_ID IS NULL, l.REQUESTING_THREAD_ID IS NULL, w.TIMER_WAIT DESC, w.THREAD_ID
