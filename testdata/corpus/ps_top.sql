SELECT FILE_NAME, EVENT_NAME, COUNT_READ, SUM_TIMER_READ FROM performance_schema.file_summary_by_instance;
SELECT EVENT_NAME, COUNT_STAR, SUM_TIMER_WAIT FROM performance_schema.events_stages_summary_global_by_event_name WHERE SUM_TIMER_WAIT > 0;
SELECT EVENT_NAME, CURRENT_COUNT_USED, HIGH_COUNT_USED FROM performance_schema.memory_summary_global_by_event_name WHERE HIGH_COUNT_USED > 0;
UPDATE performance_schema.setup_instruments SET ENABLED = 'YES', TIMED = 'YES' WHERE NAME = 'stage/sql/executing';
