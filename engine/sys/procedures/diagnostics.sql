CREATE PROCEDURE `diagnostics` (IN in_max_runtime int unsigned, IN in_interval int unsigned, IN in_auto_config enum ('current', 'medium', 'full'))
    COMMENT 'Reports on the server: what it is, how it is set up, and what it does for some seconds.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    READS SQL DATA
BEGIN
    DECLARE started, ends_at, rests DOUBLE;
    DECLARE iteration, slept INT DEFAULT 0;
    DECLARE was_instrumented VARCHAR(3);
    DECLARE include_raw, allow_tables VARCHAR(128);
    DECLARE view_of, column_of, type_of VARCHAR(64);
    DECLARE lists, joined, changes, outputs, first_sum LONGTEXT;
    DECLARE in_words VARCHAR(16);
    DECLARE ended BOOLEAN DEFAULT FALSE;
    -- The views that are shown as what has changed between the first and the last iteration.
    DECLARE all_views CURSOR FOR
        SELECT TABLE_NAME FROM information_schema.VIEWS
         WHERE TABLE_SCHEMA = 'sys' AND TABLE_NAME IN (
            'host_summary', 'host_summary_by_file_io', 'host_summary_by_file_io_type', 'host_summary_by_stages', 'host_summary_by_statement_latency',
            'host_summary_by_statement_type', 'io_by_thread_by_latency', 'io_global_by_file_by_bytes', 'io_global_by_file_by_latency',
            'io_global_by_wait_by_bytes', 'io_global_by_wait_by_latency', 'schema_index_statistics', 'schema_table_statistics',
            'schema_tables_with_full_table_scans', 'user_summary', 'user_summary_by_file_io', 'user_summary_by_file_io_type', 'user_summary_by_stages',
            'user_summary_by_statement_latency', 'user_summary_by_statement_type', 'wait_classes_global_by_avg_latency', 'wait_classes_global_by_latency',
            'waits_by_host_by_latency', 'waits_by_user_by_latency', 'waits_global_by_latency')
         ORDER BY TABLE_NAME;
    DECLARE CONTINUE HANDLER FOR NOT FOUND SET ended = TRUE;

    SET in_max_runtime = COALESCE(in_max_runtime, 60), in_interval = COALESCE(in_interval, 30);
    IF in_max_runtime < in_interval THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'in_max_runtime must be greater than or equal to in_interval';
    END IF;
    IF in_interval = 0 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'in_interval must be greater than 0';
    END IF;
    SET include_raw = COALESCE(@sys.diagnostics.include_raw, sys.sys_get_config('diagnostics.include_raw', 'OFF'));
    SET allow_tables = COALESCE(@sys.diagnostics.allow_i_s_tables, sys.sys_get_config('diagnostics.allow_i_s_tables', 'OFF'));
    SELECT INSTRUMENTED INTO was_instrumented FROM performance_schema.threads WHERE THREAD_ID = PS_CURRENT_THREAD_ID();
    UPDATE performance_schema.threads SET INSTRUMENTED = 'NO' WHERE THREAD_ID = PS_CURRENT_THREAD_ID();
    SET started = UNIX_TIMESTAMP(NOW(6)), ends_at = started + in_max_runtime;

    IF in_auto_config <> 'current' THEN
        CALL sys.ps_setup_save(0);
        UPDATE performance_schema.setup_consumers SET ENABLED = 'YES'
         WHERE in_auto_config = 'full' OR NAME NOT LIKE '%\_history%' AND NAME NOT LIKE '%\_histogram%';
        UPDATE performance_schema.setup_instruments SET ENABLED = 'YES', TIMED = 'YES' WHERE in_auto_config = 'full' OR NAME NOT LIKE 'wait/synch/%';
    END IF;

    -- What the server is, and how it is set up.
    SELECT 'Hostname' AS Name, @@hostname AS Value
     UNION ALL SELECT 'Port', @@port
     UNION ALL SELECT 'Socket', @@socket
     UNION ALL SELECT 'Datadir', @@datadir
     UNION ALL SELECT 'Server UUID', @@server_uuid
     UNION ALL SELECT '-----------------------', '------------------------------------'
     UNION ALL SELECT 'MySQL Version', VERSION()
     UNION ALL SELECT 'Sys Schema Version', (SELECT sys_version FROM sys.version)
     UNION ALL SELECT 'Version Comment', @@version_comment
     UNION ALL SELECT 'Version Compile OS', @@version_compile_os
     UNION ALL SELECT 'Version Compile Machine', @@version_compile_machine
     UNION ALL SELECT '-----------------------', '------------------------------------'
     UNION ALL SELECT 'UTC Time', UTC_TIMESTAMP()
     UNION ALL SELECT 'Local Time', NOW()
     UNION ALL SELECT 'Time Zone', @@time_zone
     UNION ALL SELECT 'System Time Zone', @@system_time_zone
     UNION ALL SELECT 'Time Zone Offset', TIMEDIFF(NOW(), UTC_TIMESTAMP());
    SELECT 'GLOBAL VARIABLES' AS `The following output is:`;
    SELECT LOWER(VARIABLE_NAME) AS Variable_name, VARIABLE_VALUE AS Variable_value FROM performance_schema.global_variables ORDER BY VARIABLE_NAME;
    SELECT 'Performance Schema Setup - Actors' AS `The following output is:`;
    SELECT HOST, USER, ROLE, ENABLED, HISTORY FROM performance_schema.setup_actors;
    SELECT 'Performance Schema Setup - Consumers' AS `The following output is:`;
    SELECT NAME AS Consumer, ENABLED, sys.ps_is_consumer_enabled(NAME) AS COLLECTS FROM performance_schema.setup_consumers;
    SELECT 'Performance Schema Setup - Instruments' AS `The following output is:`;
    SELECT SUBSTRING_INDEX(NAME, '/', 2) AS InstrumentClass, ROUND(100 * SUM(IF(ENABLED = 'YES', 1, 0)) / COUNT(*), 2) AS EnabledPct,
           ROUND(100 * SUM(IF(TIMED = 'YES', 1, 0)) / COUNT(*), 2) AS TimedPct
      FROM performance_schema.setup_instruments GROUP BY InstrumentClass ORDER BY InstrumentClass;
    SELECT 'Performance Schema Setup - Objects' AS `The following output is:`;
    SELECT OBJECT_TYPE, OBJECT_SCHEMA, OBJECT_NAME, ENABLED, TIMED FROM performance_schema.setup_objects ORDER BY OBJECT_TYPE, OBJECT_SCHEMA;
    SELECT 'Performance Schema Setup - Threads' AS `The following output is:`;
    SELECT TYPE AS ThreadType, COUNT(*) AS Total, ROUND(100 * SUM(IF(INSTRUMENTED = 'YES', 1, 0)) / COUNT(*), 2) AS InstrumentedPct
      FROM performance_schema.threads GROUP BY TYPE ORDER BY TYPE;
    SELECT 'Replication - Connection Configuration' AS `The following output is:`;
    SELECT * FROM performance_schema.replication_connection_configuration;
    SELECT 'Replication - Applier Configuration' AS `The following output is:`;
    SELECT * FROM performance_schema.replication_applier_configuration;

    -- What there is at the start.
    OPEN all_views;
    each_start: LOOP
        FETCH all_views INTO view_of;
        IF ended THEN
            LEAVE each_start;
        END IF;
        IF include_raw = 'ON' THEN
            SELECT CONCAT('SELECT * FROM sys.', view_of) AS `Initial`;
            CALL sys.execute_prepared_stmt(CONCAT('SELECT * FROM sys.', sys.quote_identifier(view_of)));
        END IF;
        CALL sys.execute_prepared_stmt(CONCAT('DROP TEMPORARY TABLE IF EXISTS sys.`tmp_', view_of, '`'));
        CALL sys.execute_prepared_stmt(CONCAT('CREATE TEMPORARY TABLE sys.`tmp_', view_of, '` AS SELECT * FROM sys.`x$', view_of, '`'));
    END LOOP;
    CLOSE all_views;
    CALL sys.statement_performance_analyzer('create_tmp', 'sys.tmp_digests_start', NULL);
    CALL sys.statement_performance_analyzer('snapshot', NULL, NULL);
    CALL sys.statement_performance_analyzer('save', 'sys.tmp_digests_start', NULL);
    DROP TEMPORARY TABLE IF EXISTS sys.tmp_metrics;
    CREATE TEMPORARY TABLE sys.tmp_metrics (
        iteration INT NOT NULL, at_time DOUBLE NOT NULL, Variable_name VARCHAR(193), Variable_value VARCHAR(1024), Type VARCHAR(210), Enabled VARCHAR(7)
    );

    iterations: LOOP
        SET iteration = iteration + 1;
        SELECT NOW(), CONCAT('Iteration Number ', iteration) AS `The following output is:`;
        INSERT INTO sys.tmp_metrics
        SELECT iteration, UNIX_TIMESTAMP(NOW(6)), Variable_name, Variable_value, Type, Enabled FROM sys.metrics;
        SELECT 'SHOW REPLICA STATUS' AS `The following output is:`;
        SELECT * FROM performance_schema.replication_connection_status;
        SELECT 'SHOW ENGINE INNODB STATUS' AS `The following output is:`;
        CALL sys.execute_prepared_stmt('SHOW ENGINE INNODB STATUS');
        SELECT 'InnoDB - Transactions' AS `The following output is:`;
        SELECT * FROM information_schema.INNODB_TRX;
        SELECT 'SELECT * FROM sys.processlist' AS `The following output is:`;
        SELECT * FROM sys.processlist;
        SELECT 'SELECT * FROM sys.latest_file_io' AS `The following output is:`;
        SELECT * FROM sys.latest_file_io;
        SELECT 'SELECT * FROM sys.memory_by_host_by_current_bytes' AS `The following output is:`;
        SELECT * FROM sys.memory_by_host_by_current_bytes;
        SELECT 'SELECT * FROM sys.memory_by_thread_by_current_bytes' AS `The following output is:`;
        SELECT * FROM sys.memory_by_thread_by_current_bytes;
        SELECT 'SELECT * FROM sys.memory_by_user_by_current_bytes' AS `The following output is:`;
        SELECT * FROM sys.memory_by_user_by_current_bytes;
        SELECT 'SELECT * FROM sys.memory_global_by_current_bytes' AS `The following output is:`;
        SELECT * FROM sys.memory_global_by_current_bytes;

        SET rests = LEAST(started + iteration * in_interval, ends_at) - UNIX_TIMESTAMP(NOW(6));
        IF iteration > 1 AND (UNIX_TIMESTAMP(NOW(6)) >= ends_at OR started + iteration * in_interval > ends_at) THEN
            LEAVE iterations;
        END IF;
        IF rests > 0 THEN
            SELECT NOW(), CONCAT('Going to sleep for ', ROUND(rests, 2), ' seconds. Please do not interrupt') AS `The following output is:`;
            SET slept = SLEEP(rests);
        END IF;
    END LOOP;

    -- What there is at the end, and what has changed.
    SELECT 'SHOW ENGINE PERFORMANCE_SCHEMA STATUS' AS `The following output is:`;
    CALL sys.execute_prepared_stmt('SHOW ENGINE PERFORMANCE_SCHEMA STATUS');
    IF allow_tables = 'ON' THEN
        SELECT COUNT(*) AS `Total Number of Tables` FROM information_schema.TABLES;
        SELECT 'Storage Engine Usage' AS `The following output is:`;
        SELECT ENGINE, COUNT(*) AS NUM_TABLES FROM information_schema.TABLES WHERE TABLE_TYPE = 'BASE TABLE' GROUP BY ENGINE ORDER BY ENGINE;
    END IF;
    SELECT 'Unused Indexes' AS `The following output is:`;
    SELECT object_schema, COUNT(*) AS NumUnusedIndexes FROM sys.schema_unused_indexes GROUP BY object_schema ORDER BY object_schema;
    SELECT 'CALL sys.ps_statement_avg_latency_histogram()' AS `The following output is:`;
    CALL sys.ps_statement_avg_latency_histogram();
    CALL sys.statement_performance_analyzer('snapshot', NULL, NULL);
    SELECT 'Overall' AS `The following output is:`;
    CALL sys.statement_performance_analyzer('overall', NULL, 'with_runtimes_in_95th_percentile');
    SELECT 'Delta' AS `The following output is:`;
    CALL sys.statement_performance_analyzer('delta', 'sys.tmp_digests_start', 'with_runtimes_in_95th_percentile');
    CALL sys.statement_performance_analyzer('cleanup', NULL, NULL);
    DROP TEMPORARY TABLE sys.tmp_digests_start;

    SET ended = FALSE;
    OPEN all_views;
    each_end: LOOP
        FETCH all_views INTO view_of;
        IF ended THEN
            LEAVE each_end;
        END IF;
        SELECT CONCAT('Overall ', view_of) AS `The following output is:`;
        CALL sys.execute_prepared_stmt(CONCAT('SELECT * FROM sys.', sys.quote_identifier(view_of)));

        SET lists = NULL, joined = NULL, changes = NULL, first_sum = NULL;
        BEGIN
            DECLARE no_more BOOLEAN DEFAULT FALSE;
            DECLARE change_of VARCHAR(200) DEFAULT '(COALESCE(later.?, 0) - LEAST(COALESCE(later.?, 0), COALESCE(earlier.?, 0)))';
            -- Texts say what a row is about; sums, counts and averages are those of the time between, whatever else is a number is as it is now.
            DECLARE all_columns CURSOR FOR
                SELECT plain.COLUMN_NAME, plain.DATA_TYPE,
                       CASE WHEN worded.DATA_TYPE = plain.DATA_TYPE THEN '' WHEN plain.COLUMN_NAME LIKE '%latency' THEN 'FORMAT_PICO_TIME' ELSE 'FORMAT_BYTES' END
                  FROM information_schema.COLUMNS AS plain
                  JOIN information_schema.COLUMNS AS worded ON worded.TABLE_SCHEMA = 'sys' AND worded.TABLE_NAME = view_of AND worded.COLUMN_NAME = plain.COLUMN_NAME
                 WHERE plain.TABLE_SCHEMA = 'sys' AND plain.TABLE_NAME = CONCAT('x$', view_of) ORDER BY plain.ORDINAL_POSITION;
            DECLARE CONTINUE HANDLER FOR NOT FOUND SET no_more = TRUE;
            OPEN all_columns;
            each_column: LOOP
                FETCH all_columns INTO column_of, type_of, in_words;
                IF no_more THEN
                    LEAVE each_column;
                END IF;
                IF type_of IN ('varchar', 'char', 'text', 'longtext', 'enum') OR column_of IN ('thread_id', 'processlist_id') THEN
                    SET lists = CONCAT(COALESCE(CONCAT(lists, ', '), ''), IF(column_of = 'file', 'sys.format_path(later.file) AS file', CONCAT('later.', column_of)));
                    SET joined = CONCAT(COALESCE(CONCAT(joined, ' AND '), ''), 'earlier.', column_of, ' <=> later.', column_of);
                ELSEIF column_of LIKE '%avg%' OR column_of = 'write_pct' THEN
                    -- Averages are those of what has happened meanwhile: a sum over a count.
                    SET outputs = CASE column_of WHEN 'statement_avg_latency' THEN 'statement_latency / statements' WHEN 'avg_read' THEN 'total_read / count_read'
                        WHEN 'avg_latency' THEN 'total_latency / total' WHEN 'write_pct' THEN 'total_written / total' ELSE 'total_written / count_write' END;
                    SET outputs = CONCAT('COALESCE(', REPLACE(change_of, '?', SUBSTRING_INDEX(outputs, ' / ', 1)), ' / NULLIF(', REPLACE(change_of, '?', SUBSTRING_INDEX(outputs, ' / ', -1)), ', 0), 0)');
                    SET lists = CONCAT(lists, ', ', IF(column_of = 'write_pct', CONCAT('ROUND(100 * ', outputs, ', 2)'), CONCAT(in_words, '(', outputs, ')')), ' AS ', column_of);
                ELSEIF column_of LIKE 'max%' OR column_of LIKE 'min%' OR column_of LIKE 'current%' OR column_of LIKE 'unique%' THEN
                    SET lists = CONCAT(COALESCE(CONCAT(lists, ', '), ''), in_words, '(later.', column_of, ') AS ', column_of);
                ELSE
                    SET joined = COALESCE(joined, 'TRUE');
                    SET outputs = REPLACE(change_of, '?', column_of);
                    SET lists = CONCAT(COALESCE(CONCAT(lists, ', '), ''), in_words, outputs, ' AS ', column_of);
                    SET changes = CONCAT(COALESCE(CONCAT(changes, ' OR '), ''), outputs, ' > 0');
                    SET first_sum = IF(column_of LIKE '%latency' OR first_sum IS NULL, outputs, first_sum);
                END IF;
            END LOOP;
            CLOSE all_columns;
        END;
        SELECT CONCAT('Delta ', view_of) AS `The following output is:`;
        CALL sys.execute_prepared_stmt(CONCAT('SELECT ', lists, ' FROM sys.`x$', view_of, '` AS later LEFT JOIN sys.`tmp_', view_of, '` AS earlier ON ', joined,
            ' WHERE ', changes, ' ORDER BY ', first_sum, ' DESC'));
        CALL sys.execute_prepared_stmt(CONCAT('DROP TEMPORARY TABLE sys.`tmp_', view_of, '`'));
    END LOOP;
    CLOSE all_views;

    -- Each metric in each iteration, and by how much it has changed.
    SELECT 'SELECT * FROM sys.metrics' AS `The following output is:`;
    SELECT GREATEST(MAX(at_time) - MIN(at_time), 0.001) INTO rests FROM sys.tmp_metrics;
    SET outputs = '', iteration = 0;
    WHILE iteration < (SELECT MAX(m.iteration) FROM sys.tmp_metrics AS m) DO
        SET iteration = iteration + 1;
        SET outputs = CONCAT(outputs, ', MAX(IF(iteration = ', iteration, ', Variable_value, NULL)) AS `Output ', iteration, '`');
    END WHILE;
    SET lists = CONCAT('(MAX(IF(iteration = ', iteration, ' AND Variable_value REGEXP ''^[0-9]+([.][0-9]+)?$'', Variable_value + 0, NULL)) - ',
        'MAX(IF(iteration = 1 AND Variable_value REGEXP ''^[0-9]+([.][0-9]+)?$'', Variable_value + 0, NULL)))');
    CALL sys.execute_prepared_stmt(CONCAT('SELECT Variable_name', outputs, ', ', lists, ' AS `Delta`, ROUND(', lists,
        ' / ', rests, ', 2) AS `Delta per second`, Type, Enabled',
        ' FROM sys.tmp_metrics GROUP BY Type, Variable_name, Enabled ORDER BY Type, Variable_name'));
    DROP TEMPORARY TABLE sys.tmp_metrics;

    IF in_auto_config <> 'current' THEN
        CALL sys.ps_setup_reload_saved();
    END IF;
    UPDATE performance_schema.threads SET INSTRUMENTED = was_instrumented WHERE THREAD_ID = PS_CURRENT_THREAD_ID();
END
