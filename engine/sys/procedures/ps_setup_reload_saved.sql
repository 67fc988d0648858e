CREATE PROCEDURE `ps_setup_reload_saved` ()
    COMMENT 'Switches on and off as it was when ps_setup_save was called in the same session.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    DECLARE owner BIGINT UNSIGNED;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
        SIGNAL SQLSTATE '90001' SET MESSAGE_TEXT = 'An error occurred, was sys.ps_setup_save() run before this procedure?';

    SET owner = IS_USED_LOCK('sys.ps_setup_save');
    IF owner IS NULL OR owner <> CONNECTION_ID() THEN
        SIGNAL SQLSTATE '90002' SET MESSAGE_TEXT = 'The lock sys.ps_setup_save is not owned by this session';
    END IF;

    DELETE FROM performance_schema.setup_actors;
    INSERT INTO performance_schema.setup_actors SELECT HOST, USER, ROLE, ENABLED, HISTORY FROM sys.tmp_setup_actors;
    UPDATE performance_schema.setup_consumers AS now_set JOIN sys.tmp_setup_consumers AS saved ON saved.NAME = now_set.NAME
       SET now_set.ENABLED = saved.ENABLED;
    UPDATE performance_schema.setup_instruments AS now_set JOIN sys.tmp_setup_instruments AS saved ON saved.NAME = now_set.NAME
       SET now_set.ENABLED = saved.ENABLED, now_set.TIMED = COALESCE(saved.TIMED, 'NO');
    UPDATE performance_schema.threads AS now_set JOIN sys.tmp_threads AS saved ON saved.THREAD_ID = now_set.THREAD_ID
       SET now_set.INSTRUMENTED = saved.INSTRUMENTED, now_set.HISTORY = saved.HISTORY;

    DROP TEMPORARY TABLE sys.tmp_setup_actors;
    DROP TEMPORARY TABLE sys.tmp_setup_consumers;
    DROP TEMPORARY TABLE sys.tmp_setup_instruments;
    DROP TEMPORARY TABLE sys.tmp_threads;
    SET owner = RELEASE_LOCK('sys.ps_setup_save');
END
