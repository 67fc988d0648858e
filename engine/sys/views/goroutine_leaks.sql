-- Goroutines that may have been left behind: groups of those that one line has started and that wait at one place, which have not become fewer between
-- the times that somebody looked, those first that have grown most, of these the largest. grown is NULL the first time that somebody looks, and of a
-- program that had ended by then: how the group came about is not known.
SELECT CREATED_AT AS started_at, -- varchar(64)
       CREATED_BY AS started_by, -- varchar(256)
       WAIT_REASON AS waits_for, -- varchar(64)
       SOURCE AS waits_at, -- varchar(64)
       MAIN_SOURCE AS main_waits_at, -- varchar(64)
       GOROUTINES AS goroutines, -- bigint unsigned NOT NULL
       GROWN AS grown, -- bigint unsigned
       {time: TIMER_OLDEST} AS oldest, -- bigint unsigned
       FIRST_SEEN AS first_seen -- timestamp NOT NULL
  FROM performance_schema.goroutine_groups
 WHERE SHRUNK IS NULL OR SHRUNK = 'NO'
 ORDER BY GROWN DESC, GOROUTINES DESC, TIMER_OLDEST DESC
