SELECT ENABLED, TIMED FROM performance_schema.setup_instruments WHERE NAME = 'wait/lock/metadata/sql/mdl';
UPDATE performance_schema.setup_instruments SET ENABLED = 'YES', TIMED = 'YES' WHERE NAME = 'wait/lock/metadata/sql/mdl';
SELECT COUNT(*) FROM performance_schema.metadata_locks m JOIN performance_schema.threads t ON m.owner_thread_id = t.thread_id WHERE m.object_type = 'TABLE' AND m.lock_type = 'EXCLUSIVE' AND m.lock_status = 'PENDING' AND t.processlist_id = 1;
