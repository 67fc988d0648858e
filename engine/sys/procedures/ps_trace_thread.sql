CREATE PROCEDURE `ps_trace_thread` (IN in_thread_id BIGINT UNSIGNED, IN in_outfile VARCHAR(255), IN in_max_runtime DECIMAL(20,2), IN in_interval DECIMAL(20,2), IN in_start_fresh BOOLEAN, IN in_auto_setup BOOLEAN, IN in_debug BOOLEAN)
    COMMENT 'Watches a thread for some seconds, and writes all its events into a file, as a graph in the language of Graphviz.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    DECLARE ends_at DOUBLE;
    DECLARE slept INT;
    -- The last event of each kind that is known to have ended: those that have ended before it are there already.
    DECLARE last_transaction, last_statement, last_stage, last_wait BIGINT UNSIGNED DEFAULT 0;
    DECLARE was_instrumented VARCHAR(3);

    SELECT INSTRUMENTED INTO was_instrumented FROM performance_schema.threads WHERE THREAD_ID = PS_CURRENT_THREAD_ID();
    CALL sys.ps_setup_disable_thread(CONNECTION_ID());

    IF in_auto_setup THEN
        CALL sys.ps_setup_save(0);
        UPDATE performance_schema.threads SET INSTRUMENTED = IF(THREAD_ID = in_thread_id, 'YES', 'NO');
        UPDATE performance_schema.setup_consumers SET ENABLED = 'YES' WHERE NAME NOT LIKE '%\_histogram%';
        UPDATE performance_schema.setup_instruments SET ENABLED = 'YES', TIMED = 'YES';
    END IF;
    IF in_start_fresh THEN
        TRUNCATE TABLE performance_schema.events_transactions_history_long;
        TRUNCATE TABLE performance_schema.events_statements_history_long;
        TRUNCATE TABLE performance_schema.events_stages_history_long;
        TRUNCATE TABLE performance_schema.events_waits_history_long;
    END IF;

    DROP TEMPORARY TABLE IF EXISTS sys.tmp_events;
    CREATE TEMPORARY TABLE sys.tmp_events (kind CHAR(11), event_id BIGINT UNSIGNED NOT NULL, end_event_id BIGINT UNSIGNED, event LONGTEXT);

    SELECT CONCAT('Data collection starting for THREAD_ID = ', in_thread_id) AS Info;
    SET ends_at = UNIX_TIMESTAMP(NOW(6)) + COALESCE(in_max_runtime, 60);
    watching: LOOP
        INSERT INTO sys.tmp_events
        SELECT 'transaction', EVENT_ID, END_EVENT_ID, CONCAT('  ', IF(NESTING_EVENT_ID IS NULL, '', CONCAT(NESTING_EVENT_ID, ' -> ', EVENT_ID, '; ')), EVENT_ID, ' [label="',
               IF(TIMER_WAIT IS NULL, '', CONCAT('(', TRIM(FORMAT_PICO_TIME(TIMER_WAIT)), ') ')), 'transaction\\n',
               STATE, ', ', ACCESS_MODE, ', ', ISOLATION_LEVEL, IF(AUTOCOMMIT = 'YES', ', autocommit', ''), '\\n', IF(in_debug, COALESCE(SOURCE, ''), ''),
               '", shape=hexagon, style=filled, color=plum];')
          FROM performance_schema.events_transactions_history_long WHERE THREAD_ID = in_thread_id AND END_EVENT_ID >= last_transaction;
        SELECT COALESCE(MAX(end_event_id), 0) INTO last_transaction FROM sys.tmp_events WHERE kind = 'transaction';

        INSERT INTO sys.tmp_events
        SELECT 'statement', EVENT_ID, END_EVENT_ID, CONCAT('  ', IF(NESTING_EVENT_ID IS NULL, '', CONCAT(NESTING_EVENT_ID, ' -> ', EVENT_ID, '; ')), EVENT_ID, ' [label="',
               IF(TIMER_WAIT IS NULL, '', CONCAT('(', TRIM(FORMAT_PICO_TIME(TIMER_WAIT)), ') ')), SUBSTRING_INDEX(EVENT_NAME, '/', -2), '\\n',
               IF(SQL_TEXT IS NULL, '', CONCAT(
                   REPLACE(REPLACE(REPLACE(SQL_TEXT, '\\', '\\\\'), '"', '\\"'), '\n', '\\n'),
                   '\\nerrors: ', ERRORS, '\\nwarnings: ', WARNINGS, '\\nlock time: ', TRIM(FORMAT_PICO_TIME(LOCK_TIME)),
                   '\\nrows affected: ', ROWS_AFFECTED, '\\nrows sent: ', ROWS_SENT, '\\nrows examined: ', ROWS_EXAMINED,
                   '\\ntmp tables: ', CREATED_TMP_TABLES, '\\nselect scan: ', SELECT_SCAN, '\\nselect full join: ', SELECT_FULL_JOIN,
                   '\\nselect range: ', SELECT_RANGE, '\\nsort rows: ', SORT_ROWS, '\\nno index used: ', IF(NO_INDEX_USED = 0, 'FALSE', 'TRUE'), '\\n')),
               IF(in_debug, COALESCE(SOURCE, ''), ''),
               '", shape=box, style="filled,bold", color=', IF(ERRORS > 0, 'salmon', 'lightblue'), '];')
          FROM performance_schema.events_statements_history_long WHERE THREAD_ID = in_thread_id AND END_EVENT_ID >= last_statement;
        SELECT COALESCE(MAX(end_event_id), 0) INTO last_statement FROM sys.tmp_events WHERE kind = 'statement';

        INSERT INTO sys.tmp_events
        SELECT 'stage', EVENT_ID, END_EVENT_ID, CONCAT('  ', IF(NESTING_EVENT_ID IS NULL, '', CONCAT(NESTING_EVENT_ID, ' -> ', EVENT_ID, '; ')), EVENT_ID, ' [label="',
               IF(TIMER_WAIT IS NULL, '', CONCAT('(', TRIM(FORMAT_PICO_TIME(TIMER_WAIT)), ') ')), SUBSTRING_INDEX(EVENT_NAME, '/', -2), '\\n',
               IF(in_debug, COALESCE(SOURCE, ''), ''), '", style=filled, color=slategray3];')
          FROM performance_schema.events_stages_history_long WHERE THREAD_ID = in_thread_id AND END_EVENT_ID >= last_stage;
        SELECT COALESCE(MAX(end_event_id), 0) INTO last_stage FROM sys.tmp_events WHERE kind = 'stage';

        INSERT INTO sys.tmp_events
        SELECT 'wait', EVENT_ID, END_EVENT_ID, CONCAT('  ', IF(NESTING_EVENT_ID IS NULL, '', CONCAT(NESTING_EVENT_ID, ' -> ', EVENT_ID, '; ')), EVENT_ID, ' [label="',
               IF(TIMER_WAIT IS NULL, '', CONCAT('(', TRIM(FORMAT_PICO_TIME(TIMER_WAIT)), ') ')), SUBSTRING_INDEX(EVENT_NAME, '/', -2), ' - ', OPERATION,
               IF(EVENT_NAME LIKE 'wait/io/%' AND NUMBER_OF_BYTES IS NOT NULL, CONCAT(' ', NUMBER_OF_BYTES, IF(EVENT_NAME LIKE 'wait/io/table/%', ' rows', ' bytes')), ''),
               IF(OBJECT_NAME IS NULL, '', CONCAT('\\n', IF(COALESCE(OBJECT_SCHEMA, '') = '', '', CONCAT(OBJECT_SCHEMA, '.')),
                   REPLACE(REPLACE(OBJECT_NAME, '\\', '\\\\'), '"', '\\"'))),
               IF(COALESCE(INDEX_NAME, '') = '', '', CONCAT(' ', INDEX_NAME)), '\\n', IF(in_debug, COALESCE(SOURCE, ''), ''),
               '", style=filled, color=',
               CASE WHEN EVENT_NAME LIKE 'wait/io/file%' THEN 'palegreen' WHEN EVENT_NAME LIKE 'wait/io/table%' THEN 'khaki'
                    WHEN EVENT_NAME LIKE 'wait/io/socket%' THEN 'orange' WHEN EVENT_NAME LIKE 'wait/lock/%' THEN 'tomato'
                    WHEN EVENT_NAME LIKE 'wait/synch/%' THEN 'lightskyblue' ELSE 'gray90' END, '];')
          FROM performance_schema.events_waits_history_long WHERE THREAD_ID = in_thread_id AND END_EVENT_ID >= last_wait;
        SELECT COALESCE(MAX(end_event_id), 0) INTO last_wait FROM sys.tmp_events WHERE kind = 'wait';

        IF UNIX_TIMESTAMP(NOW(6)) >= ends_at THEN
            LEAVE watching;
        END IF;
        SET slept = SLEEP(GREATEST(0, LEAST(COALESCE(in_interval, 1), ends_at - UNIX_TIMESTAMP(NOW(6)))));
    END LOOP;

    SET @sys_trace_head = CONCAT('digraph events { rankdir=LR; nodesep=0.10;\n',
        '// Stack created .....: ', NOW(), '\n// MySQL version .....: ', VERSION(), '\n// MySQL hostname ....: ', @@hostname,
        '\n// MySQL port ........: ', @@port, '\n// MySQL socket ......: ', @@socket, '\n// MySQL user ........: ', CURRENT_USER());
    SET @sys_trace_query = CONCAT('SELECT line FROM (SELECT 0 AS part, 0 AS event_id, @sys_trace_head AS line',
        ' UNION ALL SELECT DISTINCT 1, event_id, event FROM sys.tmp_events UNION ALL SELECT 2, 0, \'}\') AS graph ORDER BY part, event_id INTO OUTFILE \'',
        REPLACE(REPLACE(in_outfile, '\\', '\\\\'), '\'', '\\\''), '\' FIELDS ESCAPED BY \'\' LINES TERMINATED BY \'\\n\'');
    BEGIN
        -- What was switched on is switched off again, whatever becomes of the file.
        DECLARE EXIT HANDLER FOR SQLEXCEPTION
        BEGIN
            DROP TEMPORARY TABLE sys.tmp_events;
            IF in_auto_setup THEN
                CALL sys.ps_setup_reload_saved();
            END IF;
            IF was_instrumented = 'YES' THEN
                UPDATE performance_schema.threads SET INSTRUMENTED = 'YES' WHERE THREAD_ID = PS_CURRENT_THREAD_ID();
            END IF;
            RESIGNAL;
        END;
        PREPARE sys_trace FROM @sys_trace_query;
        EXECUTE sys_trace;
        DEALLOCATE PREPARE sys_trace;
    END;
    SET @sys_trace_head = NULL, @sys_trace_query = NULL;

    SELECT CONCAT('Stack trace written to ', in_outfile) AS Info;
    SELECT CONCAT('dot -Tpdf -o /tmp/stack_', in_thread_id, '.pdf ', in_outfile) AS `Convert to PDF`;
    SELECT CONCAT('dot -Tpng -o /tmp/stack_', in_thread_id, '.png ', in_outfile) AS `Convert to PNG`;
    DROP TEMPORARY TABLE sys.tmp_events;

    IF in_auto_setup THEN
        CALL sys.ps_setup_reload_saved();
    END IF;
    IF was_instrumented = 'YES' THEN
        CALL sys.ps_setup_enable_thread(CONNECTION_ID());
    END IF;
END
