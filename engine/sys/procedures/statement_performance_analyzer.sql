CREATE PROCEDURE `statement_performance_analyzer` (IN in_action ENUM('snapshot', 'overall', 'delta', 'create_table', 'create_tmp', 'save', 'cleanup'), IN in_table VARCHAR(129), IN in_views SET ('with_runtimes_in_95th_percentile', 'analysis', 'with_errors_or_warnings', 'with_full_table_scans', 'with_sorting', 'with_temp_tables', 'custom'))
    COMMENT 'Reports on the normalised statements of a snapshot, or of the time between two.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    CONTAINS SQL
BEGIN
    DECLARE problem VARCHAR(255);
    DECLARE in_db, in_name, kind VARCHAR(64);
    DECLARE source VARCHAR(64) DEFAULT 'sys.tmp_digests';
    DECLARE is_now, has_snapshot BOOLEAN DEFAULT FALSE;
    DECLARE top INT DEFAULT CAST(sys.sys_get_config('statement_performance_analyzer.limit', '100') AS UNSIGNED);
    DECLARE wanted, title, view_name VARCHAR(255);
    DECLARE definition, list LONGTEXT;
    DECLARE ended BOOLEAN DEFAULT FALSE;
    DECLARE column_of VARCHAR(64);
    DECLARE all_columns CURSOR FOR
        SELECT COLUMN_NAME FROM information_schema.COLUMNS
         WHERE TABLE_SCHEMA = 'performance_schema' AND TABLE_NAME = 'events_statements_summary_by_digest' ORDER BY ORDINAL_POSITION;
    DECLARE CONTINUE HANDLER FOR NOT FOUND SET ended = TRUE;

    IF @sys.statement_performance_analyzer.limit IS NOT NULL THEN
        SET top = @sys.statement_performance_analyzer.limit;
    END IF;
    SET is_now = in_table REGEXP '^[0-9]{4}-[0-9]{2}-[0-9]{2} ' OR in_table = 'NOW()';

    -- The table that the action is about, and whether there is one.
    IF in_table IS NOT NULL AND NOT is_now THEN
        SET in_table = REPLACE(in_table, '`', '');
        SET in_db = IF(LOCATE('.', in_table) = 0, DATABASE(), SUBSTRING_INDEX(in_table, '.', 1));
        SET in_name = SUBSTRING(in_table, LOCATE('.', in_table) + 1);
        SET in_table = CONCAT(sys.quote_identifier(in_db), '.', sys.quote_identifier(in_name));
        CALL sys.table_exists(in_db, in_name, kind);
    END IF;
    IF in_action IN ('delta', 'save') AND (in_table IS NULL OR is_now) THEN
        SET problem = CONCAT('The ', in_action, ' action requires in_table to be an existing table.');
    ELSEIF in_action IN ('create_table', 'create_tmp') AND (in_table IS NULL OR is_now) THEN
        SET problem = CONCAT('The ', in_action, ' action requires in_table to be the name of a table.');
    ELSEIF in_action IN ('create_table', 'create_tmp') AND kind <> '' THEN
        SET problem = CONCAT('Cannot create the table ', in_table, ' as it already exists.');
    ELSEIF in_action IN ('delta', 'save') AND kind = '' THEN
        SET problem = CONCAT('The ', in_action, ' action requires in_table to be an existing table. The table ', in_table, ' does not exist.');
    ELSEIF in_action = 'overall' AND kind = '' THEN
        SET problem = CONCAT('The overall action requires in_table to be NULL, NOW() or specify an existing table. The table ', in_table, ' does not exist.');
    ELSEIF in_action IN ('overall', 'delta', 'save') AND kind = 'BASE TABLE' AND EXISTS (
        SELECT 1 FROM information_schema.COLUMNS AS digests
          LEFT JOIN information_schema.COLUMNS AS own ON own.TABLE_SCHEMA = in_db AND own.TABLE_NAME = in_name AND own.COLUMN_NAME = digests.COLUMN_NAME
         WHERE digests.TABLE_SCHEMA = 'performance_schema' AND digests.TABLE_NAME = 'events_statements_summary_by_digest' AND own.COLUMN_NAME IS NULL) THEN
        SET problem = CONCAT('The table ', in_table, ' has the wrong definition.');
    END IF;
    IF problem IS NOT NULL THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = problem;
    END IF;

    IF in_action = 'cleanup' THEN
        DROP TEMPORARY TABLE IF EXISTS sys.tmp_digests;
        DROP TEMPORARY TABLE IF EXISTS sys.tmp_digests_delta;
    ELSEIF in_action IN ('create_table', 'create_tmp') THEN
        CALL sys.execute_prepared_stmt(CONCAT('CREATE ', IF(in_action = 'create_tmp', 'TEMPORARY ', ''), 'TABLE ', in_table,
            ' AS SELECT * FROM performance_schema.events_statements_summary_by_digest LIMIT 0'));
    ELSE
        -- A snapshot is made where one is asked for, or there is none.
        CALL sys.table_exists('sys', 'tmp_digests', kind);
        SET has_snapshot = kind <> '';
        IF in_action IN ('snapshot', 'delta') OR is_now OR NOT has_snapshot AND (in_action = 'save' OR in_table IS NULL) THEN
            DROP TEMPORARY TABLE IF EXISTS sys.tmp_digests;
            CREATE TEMPORARY TABLE sys.tmp_digests AS SELECT * FROM performance_schema.events_statements_summary_by_digest;
        END IF;
        IF in_action = 'save' THEN
            CALL sys.execute_prepared_stmt(CONCAT('DELETE FROM ', in_table));
            CALL sys.execute_prepared_stmt(CONCAT('INSERT INTO ', in_table, ' SELECT * FROM sys.tmp_digests'));
        END IF;
    END IF;

    IF in_action = 'delta' THEN
        OPEN all_columns;
        each_column: LOOP
            FETCH all_columns INTO column_of;
            IF ended THEN
                LEAVE each_column;
            END IF;
            SET list = CONCAT(COALESCE(CONCAT(list, ', '), ''), CASE
                WHEN column_of LIKE 'SUM\_%' OR column_of LIKE 'COUNT\_%'
                    THEN CONCAT('later.', column_of, ' - LEAST(later.', column_of, ', COALESCE(earlier.', column_of, ', 0)) AS ', column_of)
                WHEN column_of = 'AVG_TIMER_WAIT'
                    THEN 'CAST((later.SUM_TIMER_WAIT - LEAST(later.SUM_TIMER_WAIT, COALESCE(earlier.SUM_TIMER_WAIT, 0))) DIV (later.COUNT_STAR - LEAST(later.COUNT_STAR, COALESCE(earlier.COUNT_STAR, 0))) AS UNSIGNED) AS AVG_TIMER_WAIT'
                ELSE CONCAT('later.', column_of) END);
        END LOOP;
        CLOSE all_columns;
        DROP TEMPORARY TABLE IF EXISTS sys.tmp_digests_delta;
        CALL sys.execute_prepared_stmt(CONCAT('CREATE TEMPORARY TABLE sys.tmp_digests_delta AS SELECT ', list, ' FROM sys.tmp_digests AS later LEFT JOIN ', in_table,
            ' AS earlier ON earlier.SCHEMA_NAME <=> later.SCHEMA_NAME AND earlier.DIGEST <=> later.DIGEST',
            ' WHERE later.COUNT_STAR > LEAST(later.COUNT_STAR, COALESCE(earlier.COUNT_STAR, 0))'));
        SET source = 'sys.tmp_digests_delta';
    ELSEIF in_action = 'overall' AND in_table IS NOT NULL AND NOT is_now THEN
        SET source = in_table;
    END IF;

    IF in_action IN ('overall', 'delta') THEN
        SET wanted = CONCAT(COALESCE(in_views, 'with_runtimes_in_95th_percentile,analysis,with_errors_or_warnings,with_full_table_scans,with_sorting,with_temp_tables'), ',');
        WHILE wanted <> '' DO
            SET view_name = SUBSTRING_INDEX(wanted, ',', 1);
            SET wanted = SUBSTRING(wanted, LENGTH(view_name) + 2);
            SET title = CASE view_name
                WHEN 'with_runtimes_in_95th_percentile' THEN 'Queries with Runtime in 95th Percentile'
                WHEN 'analysis' THEN CONCAT('Top ', top, ' Queries Ordered by Total Latency')
                WHEN 'with_errors_or_warnings' THEN CONCAT('Top ', top, ' Queries with Errors')
                WHEN 'with_full_table_scans' THEN CONCAT('Top ', top, ' Queries with Full Table Scan')
                WHEN 'with_sorting' THEN CONCAT('Top ', top, ' Queries with Sorting')
                WHEN 'with_temp_tables' THEN CONCAT('Top ', top, ' Queries with Internal Temporary Tables')
                ELSE CONCAT('Top ', top, ' Queries Using Custom View') END;
            SET definition = NULL;
            IF view_name = 'custom' THEN
                SET definition = COALESCE(@sys.statement_performance_analyzer.view, sys.sys_get_config('statement_performance_analyzer.view', NULL));
                IF definition IS NULL THEN
                    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'The @sys.statement_performance_analyzer.view user variable must be set with the view or query to use.';
                END IF;
                IF definition NOT REGEXP '[[:space:]]' THEN
                    SET definition = REPLACE(definition, '`', '');
                    SET definition = COALESCE((
                        SELECT VIEW_DEFINITION FROM information_schema.VIEWS
                         WHERE TABLE_SCHEMA = SUBSTRING_INDEX(definition, '.', 1) AND TABLE_NAME = SUBSTRING_INDEX(definition, '.', -1)),
                        CONCAT('SELECT * FROM ', definition));
                END IF;
            ELSE
                SELECT VIEW_DEFINITION INTO definition FROM information_schema.VIEWS
                 WHERE TABLE_SCHEMA = 'sys' AND TABLE_NAME = IF(view_name = 'analysis', 'statement_analysis', CONCAT('statements_', view_name));
            END IF;
            -- The views of the percentile are based on the table, too: they are put in for their names.
            IF view_name = 'with_runtimes_in_95th_percentile' THEN
                SET definition = REPLACE(definition, 'sys.`x$ps_digest_95th_percentile_by_avg_us`', CONCAT('(', (
                    SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'sys' AND TABLE_NAME = 'x$ps_digest_95th_percentile_by_avg_us'), ') AS percentile'));
                SET definition = REPLACE(definition, 'sys.`x$ps_digest_avg_latency_distribution`', CONCAT('(', (
                    SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'sys' AND TABLE_NAME = 'x$ps_digest_avg_latency_distribution'), ')'));
            END IF;
            SET definition = REPLACE(definition, 'performance_schema.events_statements_summary_by_digest', source);

            SELECT title AS `Next Output`;
            IF top > 0 AND view_name <> 'with_runtimes_in_95th_percentile' AND NOT (view_name = 'custom' AND definition REGEXP 'limit[[:space:]]+[0-9]+([[:space:]]*(,|offset)[[:space:]]*[0-9]+)?[[:space:]]*$') THEN
                SET definition = CONCAT(definition, ' LIMIT ', top);
            END IF;
            CALL sys.execute_prepared_stmt(definition);
        END WHILE;
        DROP TEMPORARY TABLE IF EXISTS sys.tmp_digests_delta;
    END IF;
END
