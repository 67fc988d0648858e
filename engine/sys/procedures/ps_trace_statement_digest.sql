CREATE PROCEDURE `ps_trace_statement_digest` (IN in_digest VARCHAR(64), IN in_runtime INT, IN in_interval DECIMAL(2,2), IN in_start_fresh BOOLEAN, IN in_auto_enable BOOLEAN)
    COMMENT 'Watches a normalised statement for some seconds, and shows what its executions have done and how long that took.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    DECLARE ends_at, next_at DOUBLE;
    DECLARE slept INT;
    DECLARE was_instrumented VARCHAR(3);
    DECLARE longest_thread, longest_event BIGINT UNSIGNED;

    SELECT INSTRUMENTED INTO was_instrumented FROM performance_schema.threads WHERE THREAD_ID = PS_CURRENT_THREAD_ID();
    CALL sys.ps_setup_disable_thread(CONNECTION_ID());

    DROP TEMPORARY TABLE IF EXISTS sys.stmt_trace;
    DROP TEMPORARY TABLE IF EXISTS sys.stmt_stages;
    CREATE TEMPORARY TABLE sys.stmt_trace (
        thread_id BIGINT UNSIGNED NOT NULL,
        event_id BIGINT UNSIGNED NOT NULL,
        timer_start BIGINT UNSIGNED,
        timer_wait BIGINT UNSIGNED,
        lock_time BIGINT UNSIGNED,
        errors BIGINT UNSIGNED,
        sql_text LONGTEXT,
        rows_affected BIGINT UNSIGNED,
        rows_sent BIGINT UNSIGNED,
        rows_examined BIGINT UNSIGNED,
        created_tmp_tables BIGINT UNSIGNED,
        no_index_used BIGINT UNSIGNED,
        PRIMARY KEY (thread_id, event_id)
    );
    CREATE TEMPORARY TABLE sys.stmt_stages (
        thread_id BIGINT UNSIGNED NOT NULL,
        event_id BIGINT UNSIGNED NOT NULL,
        stmt_id BIGINT UNSIGNED,
        event_name VARCHAR(128),
        timer_wait BIGINT UNSIGNED,
        PRIMARY KEY (thread_id, event_id)
    );

    IF in_auto_enable THEN
        CALL sys.ps_setup_save(0);
        UPDATE performance_schema.threads SET INSTRUMENTED = IF(THREAD_ID = PS_CURRENT_THREAD_ID(), 'NO', 'YES');
        UPDATE performance_schema.setup_consumers SET ENABLED = 'YES'
         WHERE NAME NOT LIKE '%\_history' AND NAME NOT LIKE 'events\_wait%' AND NAME NOT LIKE 'events\_transactions%' AND NAME <> 'statements_digest';
        UPDATE performance_schema.setup_instruments SET ENABLED = 'YES', TIMED = 'YES' WHERE NAME LIKE 'statement/%' OR NAME LIKE 'stage/%';
    END IF;

    -- Last, and in this order: a statement that starts or ends meanwhile is left out, or has its stages.
    IF in_start_fresh THEN
        TRUNCATE TABLE performance_schema.events_stages_history_long;
        TRUNCATE TABLE performance_schema.events_statements_history_long;
    END IF;

    SET ends_at = UNIX_TIMESTAMP(NOW(6)) + in_runtime;
    watching: LOOP
        INSERT IGNORE INTO sys.stmt_trace
        SELECT THREAD_ID, EVENT_ID, TIMER_START, TIMER_WAIT, LOCK_TIME, ERRORS, SQL_TEXT, ROWS_AFFECTED, ROWS_SENT, ROWS_EXAMINED, CREATED_TMP_TABLES, NO_INDEX_USED
          FROM performance_schema.events_statements_history_long WHERE DIGEST = in_digest;
        INSERT IGNORE INTO sys.stmt_stages
        SELECT stages.THREAD_ID, stages.EVENT_ID, traced.event_id, stages.EVENT_NAME, stages.TIMER_WAIT
          FROM performance_schema.events_stages_history_long AS stages
          JOIN sys.stmt_trace AS traced ON traced.thread_id = stages.THREAD_ID AND traced.event_id = stages.NESTING_EVENT_ID
         WHERE stages.NESTING_EVENT_TYPE = 'STATEMENT';
        SET next_at = LEAST(UNIX_TIMESTAMP(NOW(6)) + in_interval, ends_at);
        IF UNIX_TIMESTAMP(NOW(6)) >= ends_at THEN
            LEAVE watching;
        END IF;
        SET slept = SLEEP(GREATEST(0, next_at - UNIX_TIMESTAMP(NOW(6))));
    END LOOP;

    SELECT 'SUMMARY STATISTICS';
    SELECT COUNT(*) AS executions, sys.format_time(SUM(timer_wait)) AS exec_time, sys.format_time(SUM(lock_time)) AS lock_time,
           SUM(rows_sent) AS rows_sent, SUM(rows_affected) AS rows_affected, SUM(rows_examined) AS rows_examined,
           SUM(created_tmp_tables) AS tmp_tables, SUM(no_index_used) AS full_scans
      FROM sys.stmt_trace;
    SELECT event_name, COUNT(*) AS count, sys.format_time(SUM(timer_wait)) AS latency
      FROM sys.stmt_stages GROUP BY event_name ORDER BY SUM(timer_wait) DESC;

    SELECT 'LONGEST RUNNING STATEMENT';
    SELECT thread_id, sys.format_time(timer_wait) AS exec_time, sys.format_time(lock_time) AS lock_time, rows_sent, rows_affected, rows_examined,
           created_tmp_tables AS tmp_tables, no_index_used AS full_scan
      FROM sys.stmt_trace ORDER BY timer_wait DESC LIMIT 1;
    SELECT sql_text FROM sys.stmt_trace ORDER BY timer_wait DESC LIMIT 1;

    SET @sys_trace_digest = NULL;
    IF EXISTS (SELECT 1 FROM sys.stmt_trace) THEN
        SELECT traced.thread_id, traced.event_id, traced.sql_text INTO longest_thread, longest_event, @sys_trace_digest
          FROM sys.stmt_trace AS traced ORDER BY traced.timer_wait DESC LIMIT 1;
        SELECT event_name, sys.format_time(timer_wait) AS latency
          FROM sys.stmt_stages WHERE thread_id = longest_thread AND stmt_id = longest_event ORDER BY event_id;
    END IF;

    DROP TEMPORARY TABLE sys.stmt_trace;
    DROP TEMPORARY TABLE sys.stmt_stages;
    IF in_auto_enable THEN
        CALL sys.ps_setup_reload_saved();
    END IF;
    IF was_instrumented = 'YES' THEN
        CALL sys.ps_setup_enable_thread(CONNECTION_ID());
    END IF;

    -- A text that was cut, or that reads from tables of another database, cannot be explained.
    IF @sys_trace_digest IS NOT NULL THEN
        BEGIN
            DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SET @sys_trace_digest = NULL;
            SET @sys_trace_digest = CONCAT('EXPLAIN ', @sys_trace_digest);
            PREPARE sys_explain FROM @sys_trace_digest;
            IF @sys_trace_digest IS NOT NULL THEN
                EXECUTE sys_explain;
                DEALLOCATE PREPARE sys_explain;
            END IF;
        END;
    END IF;
    SET @sys_trace_digest = NULL;
END
