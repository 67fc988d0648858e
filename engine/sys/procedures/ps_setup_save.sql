CREATE PROCEDURE `ps_setup_save` (IN in_timeout INT)
    COMMENT 'Keeps what is switched on and off, for ps_setup_reload_saved in the same session.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    DECLARE locked INT;
    SET locked = GET_LOCK('sys.ps_setup_save', in_timeout);
    IF locked IS NULL OR locked <> 1 THEN
        SIGNAL SQLSTATE '90000' SET MESSAGE_TEXT = 'Could not lock the sys.ps_setup_save user lock, another thread has a saved configuration';
    END IF;

    DROP TEMPORARY TABLE IF EXISTS sys.tmp_setup_actors;
    DROP TEMPORARY TABLE IF EXISTS sys.tmp_setup_consumers;
    DROP TEMPORARY TABLE IF EXISTS sys.tmp_setup_instruments;
    DROP TEMPORARY TABLE IF EXISTS sys.tmp_threads;

    CREATE TEMPORARY TABLE sys.tmp_setup_actors AS SELECT HOST, USER, ROLE, ENABLED, HISTORY FROM performance_schema.setup_actors;
    CREATE TEMPORARY TABLE sys.tmp_setup_consumers (PRIMARY KEY (NAME)) AS SELECT NAME, ENABLED FROM performance_schema.setup_consumers;
    CREATE TEMPORARY TABLE sys.tmp_setup_instruments (PRIMARY KEY (NAME)) AS SELECT NAME, ENABLED, TIMED FROM performance_schema.setup_instruments;
    CREATE TEMPORARY TABLE sys.tmp_threads (PRIMARY KEY (THREAD_ID)) AS SELECT THREAD_ID, INSTRUMENTED, HISTORY FROM performance_schema.threads;
END
