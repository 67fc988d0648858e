SELECT VERSION();
SHOW ENGINES;
SHOW /*!50000 GLOBAL */ STATUS;
SELECT * FROM sys.x$waits_global_by_latency;
SELECT * FROM sys.x$schema_index_statistics;
SELECT object_schema, object_name, index_name FROM performance_schema.table_io_waits_summary_by_index_usage WHERE count_star = 0 AND index_name IS NOT NULL;
SELECT ROUND(SUM(data_length + index_length) / 1024, 0) AS kb, COUNT(*) FROM information_schema.tables WHERE table_type = 'BASE TABLE';
SHOW ENGINE PERFORMANCE_SCHEMA STATUS;
