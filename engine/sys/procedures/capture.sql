CREATE PROCEDURE `capture` (IN in_kind VARCHAR(5), IN in_condition VARCHAR(16), IN in_threshold DOUBLE, IN in_seconds INT UNSIGNED)
    COMMENT 'Takes a CPU profile (CPU) or an execution trace (TRACE) of some seconds, at once (NOW) or within an hour when a lock is held (LOCK_HELD) or a statement runs (STATEMENT) for longer than the threshold in seconds, or more sessions are active (ACTIVE_SESSIONS).'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    INSERT INTO performance_schema.captures (KIND, CONDITION_TYPE, THRESHOLD, SECONDS)
    VALUES (in_kind, COALESCE(in_condition, 'NOW'), COALESCE(in_threshold, 0), COALESCE(in_seconds, 10));
    SELECT CAPTURE_ID, KIND, CONDITION_TYPE, THRESHOLD, SECONDS, STATE, ERROR
      FROM performance_schema.captures ORDER BY CAPTURE_ID DESC LIMIT 1;
END
