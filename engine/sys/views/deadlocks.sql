-- Threads that wait for each other and will do so for ever: a row for each, which waits for the one in the next row, the last for the first of
-- the same deadlock. Where certain is NO it is a suspicion, and doubt says why.
SELECT d.DEADLOCK_ID AS deadlock, -- bigint unsigned NOT NULL
       d.REQUESTING_THREAD_ID AS thread_id, -- bigint unsigned NOT NULL
       d.REQUESTING_GOROUTINE_ID AS goroutine_id, -- bigint unsigned
       d.REQUESTING_THREAD_NAME AS thread, -- varchar(128)
       d.EVENT_NAME AS event, -- varchar(128) NOT NULL
       CONCAT_WS('.', d.OBJECT_SCHEMA, d.OBJECT_NAME, d.INDEX_NAME) AS object, -- varchar(194) NOT NULL
       d.LOCK_MODE AS lock_mode, -- varchar(32) NOT NULL
       d.SOURCE AS waits_at, -- varchar(64)
       {time: d.TIMER_WAIT} AS waiting, -- bigint unsigned
       {statement: d.REQUESTING_STATEMENT} AS statement, -- longtext
       d.BLOCKING_THREAD_ID AS blocking_thread_id, -- bigint unsigned
       d.BLOCKING_THREAD_NAME AS blocking_thread, -- varchar(128)
       d.BLOCKING_LOCK_MODE AS blocking_lock_mode, -- varchar(32)
       d.BLOCKING_SOURCE AS blocking_locked_at, -- varchar(64)
       {time: d.BLOCKING_TIMER_HELD} AS blocking_held, -- bigint unsigned
       d.CERTAIN AS certain, -- enum('YES','NO')
       d.DOUBT AS doubt -- varchar(256)
  FROM performance_schema.deadlocks d
 ORDER BY d.DEADLOCK_ID, d.PLACE
