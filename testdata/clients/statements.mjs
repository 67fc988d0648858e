// What mysql2.mjs and mariadb.mjs ask.
export const types = `SELECT 1 + 1, 'é', CAST(18446744073709551615 AS UNSIGNED), CAST(-1.50 AS DECIMAL(10, 2)), 1.5e0,
  DATE '2026-11-21', TIMESTAMP '2026-11-21 23:59:59.000001', TIME '-01:02:03', NULL`;
export const rowsToRead = 'SELECT a.NAME, b.NAME FROM performance_schema.setup_instruments a, performance_schema.setup_consumers b LIMIT 5000';
export const figures = 'SELECT EVENT_NAME, SUM_TIMER_WAIT FROM performance_schema.events_waits_summary_global_by_event_name';

// isRows tells whether one of the results of a statement is rows.
export const isRows = (result) => Array.isArray(result) && result.every(Array.isArray);
