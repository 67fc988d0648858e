-- Threads that wait for a lock, those that have waited longest first: a row for each thread in the way, with the line where and since when
-- that has the lock, what it waits for itself, and the thread at the end of the chain.
SELECT {time: w.TIMER_WAIT} AS waiting, -- bigint unsigned
       w.REQUESTING_THREAD_ID AS thread_id, -- bigint unsigned NOT NULL
       w.REQUESTING_GOROUTINE_ID AS goroutine_id, -- bigint unsigned
       w.REQUESTING_THREAD_NAME AS thread, -- varchar(128)
       w.SOURCE AS waits_at, -- varchar(64)
       w.EVENT_NAME AS event, -- varchar(128) NOT NULL
       CONCAT_WS('.', w.OBJECT_SCHEMA, w.OBJECT_NAME, w.INDEX_NAME) AS object, -- varchar(194) NOT NULL
       w.LOCK_MODE AS lock_mode, -- varchar(32) NOT NULL
       {statement: w.REQUESTING_STATEMENT} AS statement, -- longtext
       w.BLOCKING_THREAD_ID AS blocking_thread_id, -- bigint unsigned
       w.BLOCKING_GOROUTINE_ID AS blocking_goroutine_id, -- bigint unsigned
       w.BLOCKING_THREAD_NAME AS blocking_thread, -- varchar(128)
       w.BLOCKING_LOCK_MODE AS blocking_lock_mode, -- varchar(32)
       w.BLOCKING_SOURCE AS blocking_locked_at, -- varchar(64)
       {time: w.BLOCKING_TIMER_HELD} AS blocking_held, -- bigint unsigned
       {statement: w.BLOCKING_STATEMENT} AS blocking_statement, -- longtext
       w.BLOCKING_WAITS_FOR AS blocking_waits_for, -- varchar(128)
       w.BLOCKING_WAITS_AT AS blocking_waits_at, -- varchar(64)
       w.CHAIN AS chain, -- varchar(512) NOT NULL
       w.ROOT_THREAD_ID AS root_thread_id, -- bigint unsigned
       w.ROOT_THREAD_NAME AS root_thread, -- varchar(128)
       w.ROOT_WAITS_FOR AS root_waits_for, -- varchar(128)
       w.ROOT_WAITS_AT AS root_waits_at, -- varchar(64)
       w.CERTAIN AS certain -- enum('YES','NO')
  FROM performance_schema.lock_waits w
 ORDER BY w.TIMER_WAIT DESC
