CREATE PROCEDURE `ps_statement_avg_latency_histogram` ()
    COMMENT 'Draws how many normalised statements take how long on average, in 16 buckets.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    READS SQL DATA
BEGIN
    DECLARE buckets INT DEFAULT 16;
    DECLARE bucket INT DEFAULT 0;
    DECLARE size, low, high, most, statements, counted, per_unit, width BIGINT UNSIGNED DEFAULT 0;
    DECLARE unit_of INT;
    DECLARE mark VARCHAR(1);
    DECLARE bounds, bars LONGTEXT DEFAULT '';

    -- Averages are in milliseconds here.
    SELECT GREATEST(1, CEIL((COALESCE(MAX(AVG_TIMER_WAIT), 0) - COALESCE(MIN(AVG_TIMER_WAIT), 0)) / 1000000000 / buckets)), COUNT(*)
      INTO size, statements
      FROM performance_schema.events_statements_summary_by_digest;
    SELECT COALESCE(MAX(n), 0) INTO most
      FROM (SELECT COUNT(*) AS n FROM performance_schema.events_statements_summary_by_digest
             GROUP BY LEAST(buckets - 1, FLOOR(AVG_TIMER_WAIT / 1000000000 / size))) AS counts;
    -- The longest bar has 120 units at most.
    SET per_unit = GREATEST(1, CEIL(most / 120));
    SET width = CHAR_LENGTH(CONCAT('(', size * (buckets - 1), ' - ', size * buckets, 'ms)'));

    WHILE bucket < buckets DO
        SET low = bucket * size, high = low + size;
        SELECT COUNT(*) INTO counted
          FROM performance_schema.events_statements_summary_by_digest
         WHERE LEAST(buckets - 1, FLOOR(AVG_TIMER_WAIT / 1000000000 / size)) = bucket;
        IF counted <= 20 * per_unit THEN
            SET unit_of = 1, mark = '.';
        ELSEIF counted <= 40 * per_unit THEN
            SET unit_of = 2, mark = '*';
        ELSE
            SET unit_of = 3, mark = '#';
        END IF;
        SET bounds = RPAD(CONCAT('(', low, ' - ', high, 'ms)'), width, ' ');
        SET bars = CONCAT(bars, bounds, ' ', RPAD(counted, CHAR_LENGTH(most), ' '), ' | ', REPEAT(mark, CEIL(counted / per_unit / unit_of)), '\n');
        SET bucket = bucket + 1;
    END WHILE;

    SELECT CONCAT('\n\n  . = 1 unit\n  * = 2 units\n  # = 3 units\n\n', bars, '\n  Total Statements: ', statements, '; Buckets: ', buckets,
                  '; Bucket Size: ', size, ' ms', IF(per_unit = 1, '', CONCAT('; Unit: ', per_unit, ' statements')), ';\n')
        AS `Performance Schema Statement Digest Average Latency Histogram`;
END
